"""What a difference of two releases means: for scores, for the version, and for those who use them."""

import json
import shutil
from pathlib import Path

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from published import ABOUT, PAGES, documents_of, lock_of, opened, seal, sources_of, write_raw, write_whole

from authbench.app.cli import main
from authbench.core.identity import sha256_of_text
from authbench.publish.export.run import export_public
from authbench.reports.diff.releases import MAJOR, MINOR, NONE, PATCH, next_version, read_release, version_change
from authbench.reports.diff.summary import difference, is_same


@pytest.fixture(scope="module")
def documents(tmp_path_factory):
    folder = tmp_path_factory.mktemp("made")
    write_raw(folder / "raw")
    return documents_of(folder / "raw", folder / "work")


@pytest.fixture(scope="module")
def release(documents, tmp_path_factory):
    folder = tmp_path_factory.mktemp("first") / "release"
    write_whole(folder, documents)
    return folder


def changed(before, after):
    return version_change(read_release(before), read_release(after))


def test_a_release_is_its_own_version(release):
    versions = dict.fromkeys(("before", "stated", "proposed"))
    assert changed(release, release) == {"bump": NONE, "reasons": [], "comparable": ["test"], **versions}


def test_who_is_taken_down_from_a_scored_split_makes_scores_incomparable(documents, release, tmp_path):
    author = documents.filter(pl.col("split") == "test")["author_id"].min()
    write_whole(tmp_path / "after", documents, takedown=frozenset({author}))
    found = changed(release, tmp_path / "after")
    assert found["bump"] == MAJOR
    assert found["comparable"] == []
    gone = documents.filter(pl.col("author_id") == author).height
    assert {"level": MAJOR, "why": f"candidates: {gone} gone", "split": "test"} in found["reasons"]


@pytest.mark.parametrize("more", [True, False])
def test_more_or_fewer_texts_to_train_on_leave_scores_comparable(more, documents, release, tmp_path):
    author = documents.filter(pl.col("split") == "train")["author_id"].min()
    write_whole(tmp_path / "fewer", documents, takedown=frozenset({author}), lock=lock_of(release))
    before, after = (tmp_path / "fewer", release) if more else (release, tmp_path / "fewer")
    found = changed(before, after)
    assert found["bump"] == MINOR
    assert found["comparable"] == ["test"]
    assert {one["split"] for one in found["reasons"]} == {"train"}


def test_what_no_score_depends_on_is_a_patch(documents, release, tmp_path):
    pages = {**PAGES, "posts": {**PAGES["posts"], "license": {"name": "CC BY-SA 4.0", "tier": "A"}}}
    write_whole(tmp_path / "after", documents, pages=pages)
    found = changed(release, tmp_path / "after")
    assert found["bump"] == PATCH
    assert found["comparable"] == ["test"]
    assert "manifest.json" in found["reasons"][0]["why"]


def test_other_ids_and_other_pseudonyms_are_a_new_major_version(documents, release, tmp_path):
    renamed = documents.with_columns(pl.col("author_id").map_elements(sha256_of_text, pl.String))
    write_whole(tmp_path / "renamed", renamed, lock={**lock_of(release), "authors": {}})
    found = changed(release, tmp_path / "renamed")
    assert found["bump"] == MAJOR
    assert found["comparable"] == []
    assert any("other author ids" in one["why"] for one in found["reasons"])
    write_whole(tmp_path / "fewer", documents.filter(pl.Series(range(documents.height)) != 5))
    assert any("other ids" in one["why"] for one in changed(release, tmp_path / "fewer")["reasons"])


def test_releases_that_score_other_pairs_are_not_the_same(release, tmp_path):
    after = Path(shutil.copytree(release, tmp_path / "after"))
    related = pl.read_parquet(after / "test/positives.parquet")
    assert related.height
    related.with_columns(~pl.col("adjacent")).write_parquet(after / "test/positives.parquet")
    seal(after)
    found = difference(read_release(release), read_release(after))
    assert not found["documents"]
    assert not found["causes"]
    assert found["version"]["reasons"] == [{"level": MAJOR, "why": "positives differ", "split": "test"}]
    assert not is_same(found)


def test_a_further_field_of_texts_is_an_addition(release, tmp_path):
    after = Path(shutil.copytree(release, tmp_path / "after"))
    path = after / "test/candidates.jsonl"
    rows = [json.loads(line) | {"more": 1} for line in path.read_text(encoding="utf-8").splitlines()]
    path.write_text("".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows), encoding="utf-8")
    seal(after)
    found = changed(release, after)
    assert (found["bump"], found["comparable"]) == (MINOR, ["test"])


def test_published_versions_are_told_with_the_next_one(documents, release, tmp_path, capsys):
    author = documents.filter((pl.col("split") == "test") & (pl.col("source") == "posts"))["author_id"].min()
    write_whole(tmp_path / "after", documents, takedown=frozenset({author}))
    for name, folder in (("old", release), ("new", tmp_path / "after")):
        export_public(opened(folder), tmp_path / name, ABOUT, sources_of())
    assert main(["release", "diff", str(tmp_path / "old"), str(tmp_path / "new")]) == 1
    told = capsys.readouterr().out
    assert "version: major, 2.1.0 -> 3.0.0\n" in told
    assert told.endswith("scores cannot be compared on any split\n")


def test_release_notes_tell_numbers_reasons_and_what_to_change(documents, release, tmp_path):
    author = documents.filter(pl.col("split") == "test")["author_id"].min()
    write_whole(tmp_path / "after", documents, takedown=frozenset({author}), queries_per_author=2)
    out = tmp_path / "notes.md"
    assert main(["release", "notes", str(release), str(tmp_path / "after"), "--out", str(out)]) == 0
    notes = out.read_text(encoding="utf-8")
    gone = documents.filter(pl.col("author_id") == author)
    assert f"| documents | {documents.height} | {documents.height - gone.height} | -{gone.height} |" in notes
    assert f"- {gone.height} texts of {gone['source'][0]} gone: taken down" in notes
    assert "- `test`: no. Evaluate every model anew" in notes
    assert "- `config.release.queries_per_author`: `all` → `2`" in notes
    assert notes.count("SHA-256 of `SHA256SUMS`") == 2
    for source, number in documents.group_by("source").len().iter_rows():
        after = number - gone.filter(pl.col("source") == source).height
        assert f"| source {source} | {number} | {after} | {after - number:+} |" in notes


@given(st.tuples(st.integers(0, 99), st.integers(0, 99), st.integers(0, 99)), st.sampled_from((MAJOR, MINOR, PATCH)))
def test_a_later_version_is_larger(version, level):
    after = tuple(map(int, next_version(".".join(map(str, version)), level).split(".")))
    assert after > version
