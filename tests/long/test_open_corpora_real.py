"""From real texts to a checked release, by the recipe made for them, whatever sample of these corpora lies there."""

import json
import shutil
import subprocess
import sys

import polars as pl
import pytest
import yaml
from open_corpora import bad_rows_allowed, ingested, load_source
from project import ROOT, copy_project, surroundings
from shared_folders import DATA, needs_corpora, skip_without_corpus

from authbench.config.registry.source_entry import possible_values
from authbench.core.records import LANGUAGES
from authbench.core.storage.json_files import read_json
from authbench.core.storage.parquet import read_columns

pytestmark = needs_corpora
RECIPE = "config/recipes/open-corpora.yaml"


def gather(tag, raw):
    """Copy the files of a corpus that ingestion can take; what share of bad rows those of them make that are spoilt."""
    try:
        files = ingested(tag).files
    except pytest.skip.Exception:
        return 0.0
    folder = str(load_source(tag).get("folder", tag))
    for name in files:
        (raw / folder / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(DATA / folder / name, raw / folder / name)
    return bad_rows_allowed(tag)


@pytest.fixture(scope="module")
def built(tmp_path_factory):
    """The results of a build from the real corpora."""
    raw = tmp_path_factory.mktemp("raw")
    limits = [gather(tag, raw) for tag in yaml.safe_load((ROOT / RECIPE).read_text(encoding="utf-8"))["sources"]]
    if not any(raw.iterdir()):
        skip_without_corpus(f"corpus of {RECIPE}")
    project = copy_project(tmp_path_factory.mktemp("real"))
    recipe = ("--configfile", RECIPE)
    choices = (f"raw_dir={raw}", "name=real", "missing_sources=skip", f"ingest={{max_bad_rows: {max(limits):.3f}}}")
    project.build("release", *recipe, "--config", *choices)
    return project.folder / "results/real"


@pytest.fixture(scope="module")
def provenance(built):
    return pl.read_parquet(built / "release/provenance.parquet")


def test_real_release_is_sound(built):
    command = [sys.executable, "-m", "authbench", "check", str(built / "release"), "--json"]
    checked = subprocess.run(
        command, capture_output=True, text=True, env=surroundings({"PYTHONPATH": f"{ROOT}/workflow"})
    )
    assert checked.returncode == 0, checked.stdout + checked.stderr
    assert json.loads(checked.stdout)["violations"] == []


def test_real_records_are_all_in_the_funnel(built):
    funnel = pl.read_csv(built / "release/funnel.csv")
    for (_source,), rows in funnel.group_by("source", maintain_order=True):
        before = None
        for (_stage,), part in rows.group_by("stage", maintain_order=True):
            told = dict(part.select("reason", "documents").iter_rows())
            lost = sum(number for reason, number in told.items() if reason not in ("in", "gained", "kept"))
            assert told["in"] + told.get("gained", 0) == told["kept"] + lost
            assert before is None or told["in"] == before
            before = told["kept"]


def test_real_authors_have_three_to_eight_documents(provenance):
    sizes = provenance.group_by("lang", "source", "author_id").len()["len"]
    assert sizes.min() >= 3
    assert sizes.max() <= 8


def test_real_languages_are_all_there_where_authors_are(built, provenance):
    deviation = json.loads((built / "release/sampling_deviation.json").read_text())
    possible = {row["language"] for row in deviation["languages"] if row["available"]}
    labels = pl.read_csv(built / "release/statistics/labels.csv")
    impure = labels.filter(pl.col("decision") == "impure", pl.col("low").is_not_null())["source"]
    noisy = {lang for tag in impure for lang in possible_values(load_source(tag)["fields"]["lang"]) or ()}
    assert possible - noisy <= set(provenance["lang"]) <= possible <= set(LANGUAGES)
    assert deviation["documents"]["taken"] <= deviation["documents"]["target"]


def test_real_buckets_are_within_one_unit_of_their_share(built):
    documents = read_columns([built / "split/documents.parquet"])
    judged = read_columns([built / "labels/authors.parquet"]).filter(pl.col("decision") == "impure")
    only_train = documents.join(judged, on=("source", "author_id"), how="semi")["lang"].unique().to_list()
    for row in read_json(built / "split/facts.json")["buckets"]:
        if row["lang"] not in only_train:  # the others of such a language make up for what train must take
            assert abs(row["documents"] - row["due"]) <= row["largest_unit"], row


def test_real_sources_that_are_absent_are_named(built):
    manifest = json.loads((built / "release/manifest.json").read_text())
    report = (built / "release/report.html").read_text(encoding="utf-8")
    assert all(tag in report for tag in manifest["skipped_sources"])
    used = set(manifest["inputs"])
    assert used | set(manifest["skipped_sources"]) == set(manifest["config"]["sources"])
