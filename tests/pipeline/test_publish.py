"""The demo, published: the bundle, every form of it, and the way back from the demo's raw files."""

import os
import subprocess
import sys
from pathlib import Path

import polars as pl
import pytest
from project import Project

FORMS = ("beir", "huggingface", "mteb", "pan", "public", "trec")


@pytest.fixture(scope="module")
def published(demo: Project, tmp_path_factory: pytest.TempPathFactory) -> Project:
    project = demo.copy(tmp_path_factory.mktemp("published"))
    project.build("publish")
    return project


def contents(folder: Path) -> dict[str, bytes]:
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def authbench(project: Project, *arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "authbench.cli", *arguments],
        cwd=project.folder,
        env={**os.environ, "PYTHONPATH": str(project.folder / "workflow")},
        capture_output=True,
        text=True,
    )


def test_every_form_is_there_and_nothing_is_to_be_done_again(published: Project) -> None:
    assert sorted(path.name for path in (published.results / "publish").iterdir()) == sorted(FORMS)
    assert published.plan("publish") == []
    assert {job.rule for job in published.plan("publish", "--config", "publish={contact: me@example.org}")} == {
        "bundle_release",
        "export_release",
        "publish",
    }


def test_no_tier_b_text_of_the_demo_is_published_and_the_raw_files_give_them_back(
    published: Project, tmp_path: Path
) -> None:
    publish, provenance = published.results / "publish", pl.read_parquet(published.release / "provenance.parquet")
    withheld = set(provenance.filter(pl.col("tier") == "B")["content_sha256"])
    assert len(withheld) > 100
    for split in ("train", "dev", "test"):
        table = pl.read_parquet(publish / f"huggingface/data/provenance/{split}-*.parquet")
        assert not withheld & set(table["content_sha256"])
    raw, again = published.folder / "resources/demo/raw", tmp_path / "again"
    done = authbench(published, "rebuild", str(publish / "public"), "--raw", str(raw), "--out", str(again))
    assert done.returncode == 0, done.stderr
    assert contents(again) == contents(published.release)
    assert authbench(published, "check", str(again)).returncode == 0
    assert authbench(published, "diff", str(again), str(published.release)).returncode == 0
