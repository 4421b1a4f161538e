"""On a cluster: the same bytes in few jobs, nothing done twice, and more memory for a job that took too much."""

import re
import sys
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

import pytest
from project import ROOT, Project, stop
from tiny import RECIPE
from warm_steps import warm_steps

from authbench.core.runtime.resources import SNAKEMAKE_MB

SITE = Path(__file__).parent / "site"
IMPATIENT = Path(__file__).parent / "impatient_snakemake.py"
# One shard, where one machine had two; every model more would be steps more.
SMALL = RECIPE | {"shards": 1, "evaluate": {"models": ["random", "function-words"]}}
MOST_JOBS = 10
LONGEST_SECONDS = 1800  # on a busy machine
MEGABYTES_TAKEN = 500
# Two rules of names that profiles/slurm submits as one job; the second takes more than is asked for at first.
HUNGRY = """
import sys

sys.path.insert(0, {library!r})

from authbench.core.runtime.resources import memory_mb


rule measure_texts:
    input:
        "cut",
    output:
        "measured",
    resources:
        mem_mb=lambda wildcards, attempt: memory_mb(0, 0, attempt),
        runtime=5,
        in_series=1,
    shell:
        {command!r}


rule chunk_documents:
    output:
        "cut",
    resources:
        mem_mb=100,
        runtime=5,
        in_series=1,
    shell:
        "touch {{output}}"
"""


@dataclass(frozen=True)
class Run:
    """What a run said, and the jobs that it submitted."""

    said: str
    jobs: list[dict[str, str]]


@dataclass(frozen=True)
class Built:
    project: Project
    run: Run
    tmpdirs: list[Path]


def through_slurm(project, slurm, profile, *arguments, env=None):
    """Run a project through one of the shipped profiles; it must end well."""
    before = len(slurm.jobs())
    profiles = ("--profile", str(SITE), "--workflow-profile", str(ROOT / "profiles" / profile))
    process = project.start(*profiles, *arguments, env={**slurm.env, **(env or {})}, program=[str(IMPATIENT)])
    try:
        said, _ = process.communicate(timeout=LONGEST_SECONDS)
    finally:
        stop(process)
    if process.returncode:
        logs = (project.folder / ".snakemake/slurm_logs").rglob("*.log")
        pytest.fail("\n".join([said, *(log.read_text(encoding="utf-8") for log in sorted(logs))]))
    return Run(said, slurm.jobs()[before:])


@pytest.fixture(scope="module")
def warm(slurm):
    """The environment of runs whose jobs need not start Python."""
    with warm_steps(slurm.folder / "run") as environment:
        yield environment


@pytest.fixture(scope="module")
def built(tiny, slurm, warm, tmp_path_factory):
    """A small benchmark, built by jobs of SLURM."""
    project = tiny.copy(tmp_path_factory.mktemp("on a cluster"), with_results=False)
    before = set(slurm.tmpdirs)  # a job that was killed elsewhere may have left something in its own
    run = through_slurm(project, slurm, "slurm-small", *project.recipe(SMALL), env=warm)
    return Built(project, run, [tmpdir for tmpdir in slurm.tmpdirs if tmpdir not in before])


def release(project):
    files = [path for path in project.release.rglob("*") if path.is_file()]
    return {path.relative_to(project.release).as_posix(): path.read_bytes() for path in files}


def groups_of_a_dry_run(project, profile, *arguments):
    """How many jobs of each group would be submitted."""
    status, said = project.snakemake(
        "--workflow-profile", f"profiles/{profile}", "--dry-run", "--quiet", "host", *arguments
    )
    assert status == 0, said
    return Counter(re.findall(r"Group job (\S+) \(", said))


def states(jobs):
    return [job["JobState"] for job in jobs]


def test_a_benchmark_takes_at_most_ten_jobs_as_wide_as_their_widest_member_and_is_the_release_of_one_machine(
    tiny, built
):
    assert len(built.run.jobs) <= MOST_JOBS
    assert set(states(built.run.jobs)) == {"COMPLETED"}
    # The check counts tokens beside its search for copies, in two threads; no other rule asks for more than one.
    assert sorted(job["NumCPUs"] for job in built.run.jobs)[-2:] == ["1", "2"]
    assert release(built.project) == release(tiny)


def test_no_task_finds_or_leaves_anything_in_the_tmpdir_of_another(built):
    assert len(built.tmpdirs) > len(built.run.jobs)
    assert [path for tmpdir in built.tmpdirs for path in tmpdir.rglob("*")] == []


def test_a_second_run_submits_nothing(built, slurm):
    again = through_slurm(built.project, slurm, "slurm-small", *built.project.recipe(SMALL))
    assert "Nothing to be done" in again.said
    assert again.jobs == []


def test_the_last_stages_through_the_profile_for_large_corpora_are_one_job(tiny, built, slurm, warm):
    recipe = built.project.recipe(SMALL)
    again = through_slurm(built.project, slurm, "slurm", "release", *recipe, "--forcerun", "assign_splits", env=warm)
    assert states(again.jobs) == ["COMPLETED"]
    assert release(built.project) == release(tiny)


def test_of_many_shards_eight_are_submitted_together(fresh):
    pytest.importorskip("snakemake_executor_plugin_slurm")
    groups = groups_of_a_dry_run(fresh, "slurm", "--config", "shards=20")
    by_shard = ("records", "texts-documents", "texts-chunks", "labels", "decisions", "reservoirs")
    assert {name: groups[name] for name in by_shard} == dict.fromkeys(by_shard, 3)
    assert groups["release"] == 1


def test_a_job_that_exceeds_its_memory_is_submitted_anew_with_twice_as_much(slurm, tmp_path):
    taking = f"import time; taken = b'x' * {MEGABYTES_TAKEN * 10**6}; time.sleep(4)"
    command = f'{sys.executable} -c "{taking}"; touch {{output}}'
    snakefile = HUNGRY.format(library=str(ROOT / "workflow"), command=command)
    (tmp_path / "Snakefile").write_text(snakefile, encoding="utf-8")
    run = through_slurm(Project(tmp_path), slurm, "slurm")
    assert states(run.jobs)[-1] == "COMPLETED"
    assert set(states(run.jobs)[:-1]) <= {"FAILED", "OUT_OF_MEMORY", "CANCELLED"}
    asked = [int(re.findall(r"mem=(\d+)M", job["TRES"])[0]) for job in run.jobs]
    assert asked == [SNAKEMAKE_MB * 2**attempt for attempt in range(len(asked))]
    assert len(asked) > 1
