"""Whatever the machine, the release is the same to the byte."""

import json
import os
import random
import re
import signal
import time
from pathlib import Path

import polars as pl
import pytest
from project import BuildElsewhere, Project


def sums(project: Project) -> str:
    return (project.release / "SHA256SUMS").read_text(encoding="utf-8")


def test_cores_shards_folder_order_of_files_locale_and_hash_seed_leave_no_trace(
    demo: Project, elsewhere: BuildElsewhere
) -> None:
    other = elsewhere.finished()
    assert sums(other) == sums(demo)
    assert (other.results / "dirty_docs.log").read_bytes() == (demo.results / "dirty_docs.log").read_bytes()


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


def test_a_run_killed_three_times_ends_in_the_same_bytes(demo: Project, tmp_path: Path) -> None:
    project = demo.copy(tmp_path / "killed", with_results=False)
    one_shard = ("--cores", "2", "--config", "shards=1")
    moments = random.Random(20260101)
    for number, steps in enumerate(moments.choices(range(2, 10), k=3)):
        process = project.start(*one_shard)
        assert process.stdout
        try:
            for line in process.stdout:
                done = re.match(r"(\d+) of (\d+) steps", line)
                if done and int(done[1]) >= steps:
                    break
            else:
                pytest.fail(f"the run ended before step {steps}")
            if number == 0:
                status, said = project.snakemake(*one_shard)
                assert status != 0
                assert "lock" in said.lower()
            time.sleep(moments.uniform(0, 1))
        finally:
            if number == 1:
                os.kill(process.pid, signal.SIGKILL)  # its jobs go on without it
                time.sleep(0.5)
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()
            process.stdout.close()
        assert_whole(project)
        if number == 0:
            status, said = project.snakemake(*one_shard)
            assert status != 0
            assert "--unlock" in said
        status, said = project.snakemake("--unlock", *one_shard)
        assert status == 0, said
    project.build("--config", "shards=1")
    assert sums(project) == sums(demo)
    leftovers = [path for path in project.results.rglob(".*") if path.is_file()]
    assert not [path for path in leftovers if project.release in path.parents]


def assert_whole(project: Project) -> None:
    """Every file under a final name can be read to its end."""
    for path in project.results.rglob("*"):
        if any(part.startswith(".") for part in path.relative_to(project.results).parts):
            continue
        if path.suffix == ".parquet":
            pl.read_parquet(path)
        elif path.suffix == ".json":
            json.loads(path.read_text(encoding="utf-8"))
    assert not project.release.exists() or (project.release / "SHA256SUMS").exists()


def test_an_unsound_draft_never_becomes_the_release(another: Project) -> None:
    path = another.results / "split/documents.parquet"
    documents = pl.read_parquet(path)
    astray = documents.filter(pl.col("split") == "train")["doc_key"][0]
    splits = pl.when(pl.col("doc_key") == astray).then(pl.lit("test")).otherwise("split").alias("split")
    documents.with_columns(splits).write_parquet(path)
    status, said = another.snakemake("--cores", "2")
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
