"""A run that is killed again and again ends in the same bytes."""

import contextlib
import os
import random
import re
import shutil
import signal
import time
from pathlib import Path

import psutil
import pytest
from project import stop
from tiny import RECIPE

from authbench.core.storage import json_files, parquet

KILLS = 9  # three of each way
WAYS = ("snakemake", "all", "job")  # the last kill is of all
LEFT = re.compile(r"\..+\.[0-9a-f]{32}")


@pytest.fixture
def started():
    """The runs of a test: what is left of them ends with it."""
    processes = []
    yield processes
    for process in processes:
        stop(process)


def test_kills_over_one_build_leave_no_trace(tiny, tmp_path, started):
    project = tiny.copy(tmp_path / "killed", with_results=False)
    build = ("--cores", "2", "release", "--quiet", "rules", *project.recipe(RECIPE))
    chance = random.Random(20260101)
    for number in range(KILLS):
        way = WAYS[number % len(WAYS)]
        process = project.start(*build)
        started.append(process)
        steps = chance.choice((0, 1, 1, 2)) if number else 2
        finished = killed_after(process, way, steps, seconds=chance.uniform(0, 0.8))
        assert_whole(project)
        if finished:  # sooner than the kills were used up: the rest of them go on from nothing
            assert_same(project, tiny)
            shutil.rmtree(project.results, ignore_errors=True)
        elif number == 0:
            assert_refused_beside_a_dead_run(project, *build)
        unlock(project, asking_snakemake=number < len(WAYS))
    project.build(*build[2:])
    assert_same(project, tiny)
    assert [path for path in project.results.rglob(".*") if LEFT.fullmatch(path.name)] == []


def killed_after(process, way, steps, seconds):
    """Kill a run so many seconds after so many steps: all of it, or Snakemake alone, whose jobs go on beside the next
    run, or one job, on which Snakemake gives up. Whether it had finished before."""
    assert process.stdout
    said = []
    if steps:
        for line in process.stdout:
            said.append(line)
            done = re.search(r"\((\d+) of \d+ jobs", line)
            if done and int(done[1]) >= steps:
                break
    time.sleep(seconds if steps else 4 * seconds)
    if way == "job" and (jobs := jobs_of(process)):
        with contextlib.suppress(psutil.NoSuchProcess):
            jobs[0].kill()
    elif way == "snakemake":
        process.kill()
    else:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
    if way == "snakemake":
        process.wait()
    else:
        said += process.stdout.readlines()
        process.wait()
    process.stdout.close()
    return process.returncode == 0


def jobs_of(run):
    """The processes of a run that do the work of a rule."""
    jobs = []
    with contextlib.suppress(psutil.NoSuchProcess):
        for child in psutil.Process(run.pid).children(recursive=True):
            with contextlib.suppress(psutil.NoSuchProcess):
                if ".snakemake/scripts/" in " ".join(child.cmdline()):
                    jobs.append(child)
    return jobs


def unlock(project, asking_snakemake):
    if asking_snakemake:
        status, said = project.snakemake("--unlock", *project.recipe(RECIPE))
        assert status == 0, said
    else:  # the same, sooner
        shutil.rmtree(project.folder / ".snakemake/locks", ignore_errors=True)


def assert_refused_beside_a_dead_run(project, *build):
    """A second run is refused, and says how to go on."""
    status, said = project.snakemake(*build, "--config", "seed=7")
    assert status != 0
    assert "--unlock" in said


def assert_whole(project):
    """Every file under a final name is as it was written."""
    for folder, folders, names in os.walk(project.results):
        folders[:] = [name for name in folders if name not in ("release", "draft") and not name.startswith(".")]
        for path in (Path(folder, name) for name in names if not name.startswith(".")):
            with contextlib.suppress(FileNotFoundError):  # a job that goes on without Snakemake may replace it
                if path.suffix == ".parquet":
                    parquet.read_columns([path])
                elif path.suffix == ".json":
                    json_files.read_json(path)


def assert_same(project, other):
    for name in ("release/SHA256SUMS", "dirty_docs.log"):
        assert (project.results / name).read_bytes() == (other.results / name).read_bytes()
