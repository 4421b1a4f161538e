"""Two runs at once in one folder, and a dry run beside a finished build."""

import re

from project import stop


def files_of(folder):
    return {path.relative_to(folder).as_posix(): path.stat().st_mtime_ns for path in folder.rglob("*")}


def test_a_second_run_in_the_same_folder_is_refused_and_changes_nothing(fresh, tmp_path):
    project = fresh.copy(tmp_path / "busy", with_results=False)
    first = project.start("--cores", "1")
    try:
        assert first.stdout
        told = (re.search(r"\(\d+ of \d+ jobs", line) for line in first.stdout)
        assert any(told), "the first run ended before a job did"
        status, said = project.snakemake("--cores", "1", "--config", "seed=7")
        assert status != 0
        assert "Directory cannot be locked" in said, said
        assert first.poll() is None
    finally:
        stop(first)


def test_a_dry_run_with_other_settings_leaves_a_finished_build_untouched(bench):
    bench.plan()  # remembers the digests of this copy's files
    before = files_of(bench.results)
    assert bench.plan("--config", "safety={threshold: 0.7}", "seed=7", "missing_sources=skip")
    assert files_of(bench.results) == before


def test_a_run_leaves_no_file_among_results_before_its_first_job(fresh, tmp_path):
    project = fresh.copy(tmp_path / "planned")
    assert project.plan()
    assert not [path for path in (project.folder / "results").rglob("*") if path.is_file()]
