"""Forms of what is hardly a benchmark: no text that may be passed on, a split without queries, one language."""

import json
import shutil
from pathlib import Path

import polars as pl
import pytest
from published import (
    ABOUT,
    PAGES,
    documents_of,
    exported,
    header,
    lines,
    opened,
    seal,
    sources_of,
    write_raw,
    write_whole,
)

from authbench.publish.export.run import FORMS, export_public


@pytest.fixture(scope="module")
def nothing(tmp_path_factory):
    """The public bundle of a release wholly of tier B."""
    folder = tmp_path_factory.mktemp("nothing")
    pages = {tag: {**page, "license": {"name": "none stated", "tier": "B"}} for tag, page in PAGES.items()}
    write_raw(folder / "raw")
    write_whole(folder / "release", documents_of(folder / "raw", folder / "work"), pages=pages)
    export_public(opened(folder / "release"), folder / "public", ABOUT, sources_of(pages))
    return folder / "public"


def test_the_card_of_a_bundle_without_a_text_tells_of_what_can_be_made_of_it(nothing):
    card = " ".join((nothing / "README.md").read_text(encoding="utf-8").split())
    documents = pl.read_parquet(nothing / "complete/provenance.parquet").height
    assert f"**0 of the {documents} documents of the complete release are here.**" in card
    assert "There is no text here, and nothing to score." in card
    assert not (nothing / "test/candidates.jsonl").read_bytes()


@pytest.mark.parametrize("form", ["huggingface", "mteb", "pan", "steb"])
def test_a_bundle_without_a_text_has_every_form_with_no_row_and_no_task(form, nothing, tmp_path):
    folder = exported(nothing, form, tmp_path / form)
    assert (folder / "README.md").is_file()
    assert not list(folder.rglob("task.py"))
    rows = [row for path in folder.rglob("*.jsonl") for row in lines(path)]
    assert not [row for row in rows if "content" in row or "text" in row]
    texts = ("candidates", "queries", "triplets", "corpus")
    for path in folder.rglob("*.parquet"):
        if path.parent.name in texts:
            assert pl.read_parquet(path).height == 0, path


def test_a_split_without_queries_has_no_subset_and_is_in_no_configuration_of_mteb(published, tmp_path):
    release = Path(shutil.copytree(published[1], tmp_path / "release"))
    for name in ("queries", "ground_truth"):
        (release / "train" / f"{name}.jsonl").write_text("")
    seal(release)
    folder = exported(release, "mteb", tmp_path / "mteb", with_tier_b=True)
    configs = header(folder)["configs"]
    assert {config["config_name"] for config in configs} == {"default", "corpus", "queries"}
    assert all([one["split"] for one in config["data_files"]] == ["test"] for config in configs)


def test_one_language_is_mteb_s_default_subset_with_its_language_in_a_list(published, tmp_path):
    folder = exported(published[1], "mteb", tmp_path / "mteb", with_tier_b=True)
    assert "eval_langs=['eng-Latn']" in (folder / "task.py").read_text()
    told = json.loads(next((folder / "descriptive_stats/Retrieval").iterdir()).read_text())["test"]
    assert "hf_subset_descriptive_stats" not in told
    assert told["num_documents"] == len(lines(published[1] / "test/candidates.jsonl"))


def test_every_form_is_told_in_the_documentation_and_the_help():
    root = Path(__file__).parents[2]
    docs = (root / "docs/publishing.md").read_text(encoding="utf-8")
    helped = (root / "workflow/authbench/app/cli/release.py").read_text(encoding="utf-8")
    for form in FORMS:
        assert f"| `{form}` |" in docs and form in helped
