"""Calls of jobs fail, memory is short, and a release is built anew from its statement; many more in benchmarks/."""

import shutil
import sys
from itertools import islice

import pytest
from project import ROOT

from authbench.config.registry.sources import find_sources
from authbench.publish.attestation.reproduce import reproduce
from authbench.publish.attestation.statement import make_statement

sys.path.append(str(ROOT / "benchmarks"))
import broken_builds  # noqa: E402
import faults  # noqa: E402

POINTS, LIMITS = 30, 2
LIMITED = ("cut_signatures/1-of-2", "render_report")
BUILDS = (
    faults.Point("chunk_documents/1-of-2", "write", 1, "ENOSPC from then on"),
    faults.Point("select_documents", "open", 3, "EIO"),
    faults.Point("publish_release", "rename", 1, "EIO"),
)
# One of each way to read and write.
JOBS = ("ingest_source/letters", "cut_signatures/1-of-2", "sign_texts/chunks-2-of-2", "select_documents")
JOBS += ("write_release", "publish_release", "render_report")


@pytest.fixture(scope="module")
def bench(tmp_path_factory):
    if shutil.which("cc") is None:
        pytest.skip("no C compiler: install gcc")
    bench = faults.Bench(tmp_path_factory.mktemp("faults"))
    yield bench
    bench.server.close()


@pytest.fixture(scope="module", autouse=True)
def builds(bench, tmp_path_factory):
    """Whole builds beside the one whose jobs are run again."""
    return broken_builds.Builds(bench, tmp_path_factory.mktemp("builds"))


@pytest.fixture(scope="module", autouse=True)
def statement(bench):
    """The statement of the release, made before jobs are run again."""
    sources = find_sources(("letters.yaml", "essays.yaml"), bench.project.folder)
    entries = {tag: one.entry for tag, one in sources.items()}
    return make_statement(bench.project.folder / "results/tiny/release", entries)


def test_a_release_is_built_anew_from_its_statement_and_raw_files(bench, statement):
    folder = bench.project.folder

    def build(place, targets):
        for name in ("Snakefile", "workflow", "profiles"):
            (place / name).symlink_to(folder / name)
        return bench.server.snakemake(["--cores", "1", *targets], place)

    outcome = reproduce(statement, folder / "raw", build)
    assert outcome.status == 0, outcome.reasons


def test_a_call_that_fails_leaves_the_right_bytes_or_one_message(bench):
    for name in JOBS:
        bench.learn(bench.jobs[name])  # points are those of jobs whose calls are counted
    tried = [bench.try_point(point) for point in islice(bench.points(), POINTS)]
    wrong = [found for found in tried if found["wrong"]]
    assert wrong == [], wrong
    assert sum(bool(found["fired"]) for found in tried) > POINTS * 0.8
    assert any(found["status"] for found in tried)


def test_a_job_without_enough_memory_leaves_the_right_bytes_or_one_message(bench):
    for name in LIMITED:
        bench.learn(bench.jobs[name])
    points = [point for point in bench.memory_points(LIMITS) if point.job in LIMITED]
    tried = [bench.try_point(point) for point in points]
    wrong = [found for found in tried if found["wrong"]]
    assert wrong == [], wrong
    assert any(found["status"] for found in tried)


@pytest.mark.parametrize("point", BUILDS, ids=lambda point: point.job)
def test_a_build_with_a_failing_call_says_why_and_ends_right_when_run_again(builds, point):
    found = builds.attempt(point)
    assert found["fired"] and found["status"]
    assert found["wrong"] == "", found
