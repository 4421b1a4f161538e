"""Calls of jobs fail, and memory is short; many more points in benchmarks/faults.py."""

import shutil
import sys
from collections.abc import Iterator
from itertools import islice

import pytest
from project import ROOT

sys.path.append(str(ROOT / "benchmarks"))
import faults  # noqa: E402

POINTS, LIMITS = 30, 2
# One of each way to read and write.
JOBS = ("ingest_source/letters", "cut_signatures/1-of-2", "sign_texts/chunks-2-of-2", "select_documents")
JOBS += ("write_release", "publish_release", "render_report")


@pytest.fixture(scope="module")
def bench(tmp_path_factory: pytest.TempPathFactory) -> Iterator[faults.Bench]:
    if shutil.which("cc") is None:
        pytest.skip("no C compiler: install gcc")
    bench = faults.Bench(tmp_path_factory.mktemp("faults"))
    yield bench
    bench.server.close()


def test_a_call_that_fails_leaves_the_right_bytes_or_one_message(bench: faults.Bench) -> None:
    some = {name: bench.jobs[name] for name in JOBS}
    for job in some.values():
        bench.learn(job)
    bench.jobs = some
    tried = [bench.try_point(point) for point in islice(bench.points(), POINTS)]
    assert [found for found in tried if found["wrong"]] == []
    assert sum(bool(found["fired"]) for found in tried) > POINTS * 0.8
    assert any(found["status"] for found in tried)


def test_a_job_without_enough_memory_leaves_the_right_bytes_or_one_message(bench: faults.Bench) -> None:
    bench.jobs = {name: bench.jobs[name] for name in ("cut_signatures/1-of-2", "render_report")}
    for job in bench.jobs.values():
        bench.learn(job)
    tried = [bench.try_point(point) for point in bench.memory_points(LIMITS)]
    assert [found for found in tried if found["wrong"]] == []
    assert any(found["status"] for found in tried)
