"""Two runs at once in one folder: the second is refused, and the first does not notice."""

from pathlib import Path

from project import Project, stop


def test_a_second_run_in_the_same_folder_is_refused_and_changes_nothing(fresh: Project, tmp_path: Path) -> None:
    project = fresh.copy(tmp_path / "busy", with_results=False)
    first = project.start("--cores", "1")
    try:
        assert first.stdout
        assert any(line.startswith("Finished jobid") for line in first.stdout), "the first run ended before a job did"
        told = (project.results / "run.json").read_bytes()
        status, said = project.snakemake("--cores", "1", "--config", "seed=7")
        assert status != 0
        assert "Directory cannot be locked" in said, said
        assert first.poll() is None
        assert (project.results / "run.json").read_bytes() == told
    finally:
        stop(first)
