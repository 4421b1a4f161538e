"""Whatever the machine, the release is the same to the byte."""

from pathlib import Path

import polars as pl
from project import BuildElsewhere, Project

from authbench.storage.parquet import write_parquet


def sums(project: Project) -> str:
    return (project.release / "SHA256SUMS").read_text(encoding="utf-8")


def test_cores_shards_folder_order_of_files_locale_and_hash_seed_leave_no_trace(
    demo: Project, elsewhere: BuildElsewhere
) -> None:
    other = elsewhere.finished()
    assert sums(other) == sums(demo)
    assert (other.results / "dirty_docs.log").read_bytes() == (demo.results / "dirty_docs.log").read_bytes()
    for scores in sorted(demo.results.glob("evaluate/*/scores.json")):
        assert (other.results / scores.relative_to(demo.results)).read_bytes() == scores.read_bytes()
    assert (other.results / "leaderboard/index.html").read_bytes() == (
        demo.results / "leaderboard/index.html"
    ).read_bytes()


def test_a_renamed_raw_file_changes_no_record(another: Project) -> None:
    folder = another.folder / "resources/demo/raw/exorde"
    (before,) = folder.glob("*.parquet")
    records = {path: path.read_bytes() for path in (another.results / "ingest/exorde").glob("*-of-*.parquet")}
    assert records
    (folder / "week").mkdir()
    before.rename(folder / "week/another name.parquet")
    assert [job.wildcards for job in another.plan("--until", "ingest_source")] == ["source=exorde"]
    another.build("--until", "ingest_source")
    assert {path: path.read_bytes() for path in records} == records


def test_an_unsound_draft_never_becomes_the_release(another: Project) -> None:
    path = another.results / "split/documents.parquet"
    documents = pl.read_parquet(path)
    astray = documents.filter(pl.col("split") == "train")["doc_key"][0]
    splits = pl.when(pl.col("doc_key") == astray).then(pl.lit("test")).otherwise("split").alias("split")
    write_parquet(documents.with_columns(splits), path)
    status, said = another.snakemake("--cores", "2", "release")
    assert status != 0
    assert "The release is not sound" in said
    assert "author" in said
    assert not another.release.exists()
    assert not (another.results / "check.json").exists()
    assert (another.results / "draft/manifest.json").exists()


def test_an_authbench_that_is_installed_elsewhere_is_not_what_runs(another: Project, tmp_path: Path) -> None:
    decoy = tmp_path / "site/authbench"
    decoy.mkdir(parents=True)
    (decoy / "__init__.py").write_text("raise ImportError('not this one')\n", encoding="utf-8")
    said = another.build("--until", "list_removed", "--forcerun", "list_removed", env={"PYTHONPATH": str(decoy.parent)})
    assert "list_removed" in said
