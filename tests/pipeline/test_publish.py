"""The demo, published: the bundle, every form of it, and the way back from the demo's raw files."""

import json
import os
import subprocess
import sys

import polars as pl
from published import contents

FORMS = ("beir", "huggingface", "mteb", "pan", "public", "trec")


def authbench(project, *arguments):
    return subprocess.run(
        [sys.executable, "-m", "authbench", *arguments],
        cwd=project.folder,
        env={**os.environ, "PYTHONPATH": str(project.folder / "workflow")},
        capture_output=True,
        text=True,
    )


def test_every_form_is_there_and_nothing_is_to_be_done_again(published_demo):
    assert sorted(path.name for path in (published_demo.results / "publish").iterdir()) == sorted(FORMS)
    assert published_demo.plan("publish") == []
    assert {job.rule for job in published_demo.plan("publish", "--config", "publish={contact: me@example.org}")} == {
        "bundle_release",
        "export_release",
        "publish",
    }


def test_a_form_that_is_no_longer_asked_for_goes_when_the_bundle_is_made_again(published_demo, tmp_path):
    project = published_demo.copy(tmp_path / "copy")
    project.build("publish", "--config", "publish={forms: [trec]}")
    assert sorted(path.name for path in (project.results / "publish").iterdir()) == ["public", "trec"]


def test_the_sheet_of_every_form_states_how_well_the_best_model_of_the_run_links_texts(published_demo):
    found = [
        json.loads(path.read_text(encoding="utf-8")) for path in published_demo.results.glob("evaluate/*/scores.json")
    ]
    best = max(one["overall"]["success@1"] for one in found if not one["model"]["shortcut"])
    for form in FORMS:
        stated = json.loads(
            (published_demo.results / "publish" / form / "data_protection.json").read_text(encoding="utf-8")
        )
        assert stated["risk"]["linked"] == best


def test_no_tier_b_text_of_the_demo_is_published_and_the_raw_files_give_them_back(published_demo, tmp_path):
    publish = published_demo.results / "publish"
    provenance = pl.read_parquet(published_demo.release / "provenance.parquet")
    withheld = set(provenance.filter(pl.col("tier") == "B")["content_sha256"])
    assert len(withheld) > 100
    for split in ("train", "dev", "test"):
        table = pl.read_parquet(publish / f"huggingface/data/provenance/{split}-*.parquet")
        assert not withheld & set(table["content_sha256"])
    raw, again = published_demo.folder / "resources/demo/raw", tmp_path / "again"
    done = authbench(published_demo, "rebuild", str(publish / "public"), "--raw", str(raw), "--out", str(again))
    assert done.returncode == 0, done.stderr
    assert contents(again) == contents(published_demo.release)
    assert authbench(published_demo, "check", str(again)).returncode == 0
    assert authbench(published_demo, "diff", str(again), str(published_demo.release)).returncode == 0
