"""Ensure that the requested files exist at the end of a run, or the run fails.

Snakemake 9 considers every job downstream of a running job decided, and then stops at `ancient` inputs: a job behind
such an input does not run although its output is missing, and the run ends with 0 (snakemake/snakemake#4166).
"""

from collections import deque
from collections.abc import Callable, Iterator
from functools import lru_cache
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from snakemake.dag import DAG
from snakemake.exceptions import WorkflowError
from snakemake.jobs import Job
from snakemake.persistence import PersistenceBase


def judge_jobs_behind_ancient_inputs() -> None:
    """Decide on jobs behind `ancient` inputs by their reasons, in every run of this process."""
    DAG.bfs = _bfs


def _bfs(
    dag: DAG, direction: dict[Job, Any], *jobs: Job, stop: Callable[[Job], bool] = lambda job: False
) -> Iterator[Job]:
    """Yield jobs breadth first; downstream of a single job (as Snakemake queries it) only past other inputs."""
    past_ancient = direction is not dag.depending or len(jobs) > 1
    queue, visited = deque(jobs), set(jobs)
    while queue:
        job = queue.popleft()
        if stop(job):
            continue
        yield job
        for other, files in direction[job].items():
            if other not in visited and (past_ancient or not all(file.is_ancient for file in files)):
                queue.append(other)
                visited.add(other)


def forget_places_of_ancient_inputs() -> None:
    """Let no job of this process run again because its `ancient` inputs have moved: its params say what is in them."""
    recorded = PersistenceBase._input

    def _input(persistence: PersistenceBase, job: Job) -> list[str]:
        dated = SimpleNamespace(input=[file for file in job.input if not file.is_ancient])
        return list(recorded.__wrapped__(persistence, dated))

    PersistenceBase._input = lru_cache(_input)


def expect_targets(dag: DAG) -> None:
    """Verify that the files of a run's targets exist.

    Raises:
        WorkflowError: a file is missing.
    """
    files = (file for job in dag.targetjobs for file in (job.input if job.rule.norun else job.output))
    files = (file for file in files if not file.is_storage)  # whose local copies may be gone
    if missing := sorted({str(file) for file in files if not file.is_flagged("temp") and not Path(file).exists()}):
        raise WorkflowError(f"The run ended without {', '.join(missing[:4])}. Run the same command again.")
