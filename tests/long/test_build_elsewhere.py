"""Whatever the machine, the release is the same to the byte."""

import shutil
from pathlib import Path

from project import Project, copy_project, stop


def build_elsewhere(folder: Path) -> Project:
    """Build the demo with all that may not matter otherwise: one core, eight shards, raw files in another folder and
    written in another order, another locale, time zone and seed of Python's own hashes."""
    project = copy_project(folder / "a folder of another name")
    raw, moved = project.folder / "resources/demo/raw", folder / "raw"
    for path in sorted((path for path in raw.rglob("*") if path.is_file()), reverse=True):
        (moved / path.relative_to(raw)).parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(path, moved / path.relative_to(raw))
    shutil.rmtree(raw)
    raw.with_name("raw.lock.yaml").rename(moved.with_name("raw.lock.yaml"))
    other = {"PYTHONHASHSEED": "7", "TZ": "Asia/Tokyo", "LC_ALL": "C", "POLARS_MAX_THREADS": "1"}
    arguments = ("--cores", "1", "--config", "shards=8", f"raw_dir={moved}")
    run = project.start(*arguments, env=other)
    try:
        said, _ = run.communicate(timeout=900)
    finally:
        stop(run)
    assert run.returncode == 0, said
    return project


def sums(project: Project) -> str:
    return (project.release / "SHA256SUMS").read_text(encoding="utf-8")


def test_cores_shards_folder_order_of_files_locale_and_hash_seed_leave_no_trace(demo: Project, tmp_path: Path) -> None:
    other = build_elsewhere(tmp_path)
    assert sums(other) == sums(demo)
    assert (other.results / "dirty_docs.log").read_bytes() == (demo.results / "dirty_docs.log").read_bytes()
    for scores in sorted(demo.results.glob("evaluate/*/scores.json")):
        assert (other.results / scores.relative_to(demo.results)).read_bytes() == scores.read_bytes()
    assert (other.results / "leaderboard/index.html").read_bytes() == (
        demo.results / "leaderboard/index.html"
    ).read_bytes()
