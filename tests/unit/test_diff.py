import json
import shutil

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from published import documents_of, lines, lock_of, write_raw, write_whole

from authbench.app.cli import main
from authbench.core.errors import InputError
from authbench.release.format.hub import NotARelease
from authbench.reports.diff.releases import read_release
from authbench.reports.diff.summary import changed_documents, difference, difference_text, differences, is_same


@pytest.fixture(scope="module")
def documents(tmp_path_factory):
    folder = tmp_path_factory.mktemp("made")
    write_raw(folder / "raw", [(f"writer {n % 4}", f"Letter {n} to the paper") for n in range(16)])
    return documents_of(folder / "raw", folder / "work")


@pytest.fixture(scope="module")
def release(documents, tmp_path_factory):
    folder = tmp_path_factory.mktemp("first") / "release"
    write_whole(folder, documents)
    return folder


def all_lines(release):
    return {
        (split, row["candidate_id"]): row
        for split in ("train", "test")
        for row in lines(release / split / "candidates.jsonl")
    }


def test_a_release_does_not_differ_from_itself(release, capsys):
    assert main(["release", "diff", str(release), str(release)]) == 0
    assert "the same documents, queries and settings" in capsys.readouterr().out


@settings(max_examples=4)
@given(data=st.data())
def test_a_takedown_of_anybody_changes_nothing_else_and_the_diff_names_it(data, documents, release, tmp_path_factory):
    rows = all_lines(release)
    provenance = pl.read_parquet(release / "provenance.parquet")
    listed = data.draw(
        st.sets(
            st.sampled_from([*provenance["author_id"].unique().sort(), *provenance["content_sha256"].sort()]),
            min_size=1,
            max_size=4,
        )
    )
    after = tmp_path_factory.mktemp("after") / "release"
    write_whole(after, documents, takedown=frozenset(listed))
    hit = pl.col("author_id").is_in(list(listed)) | pl.col("content_sha256").is_in(list(listed))
    gone = set(provenance.filter(hit)["id"])
    assert all_lines(after) == {place: row for place, row in rows.items() if place[1] not in gone}
    changes = changed_documents(read_release(release), read_release(after))
    assert set(changes["change"]) == {"gone"}
    assert set(changes["reason"]) == {"taken down"}
    assert set(changes["id"]) == gone


def test_with_the_old_lock_a_new_build_keeps_authors_and_ids_and_the_diff_says_what_is_new(
    documents, release, tmp_path
):
    fewer = documents.filter(pl.col("source") != "posts")
    write_whole(tmp_path / "one/release", fewer)
    write_whole(tmp_path / "two/release", documents, lock=lock_of(tmp_path / "one/release"))
    before, after = all_lines(tmp_path / "one/release"), all_lines(tmp_path / "two/release")
    assert before.items() <= after.items()
    told = difference(read_release(tmp_path / "one/release"), read_release(tmp_path / "two/release"))
    assert {(row["change"], row["source"], row["reason"]) for row in told["documents"]} == {
        ("new", "posts", "its source is new")
    }
    assert told["queries"]["gone"] == told["queries"]["answers"] == []
    assert "config.split.lock" in {cause["what"] for cause in told["causes"]}
    back = difference(read_release(tmp_path / "two/release"), read_release(tmp_path / "one/release"))
    assert {(row["change"], row["reason"]) for row in back["documents"]} == {("gone", "its source is left out")}


def test_who_is_taken_down_stays_down_in_a_build_on_the_lock(documents, release, tmp_path):
    author = documents["author_id"].min()
    write_whole(tmp_path / "release", documents, lock=lock_of(release), takedown=frozenset({author}))
    assert author not in lock_of(tmp_path / "release")["authors"]
    told = difference(read_release(release), read_release(tmp_path / "release"))
    assert {row["reason"] for row in told["documents"]} == {"taken down"}
    write_whole(tmp_path / "third/release", documents, lock=lock_of(tmp_path / "release"), takedown=frozenset({author}))
    assert all_lines(tmp_path / "third/release") == all_lines(tmp_path / "release")


def test_reasons_are_read_from_the_log_beside_a_release(documents, release, tmp_path):
    key = documents["doc_key"].min()
    write_whole(tmp_path / "b/release", documents.filter(pl.col("doc_key") != key))
    unknown = changed_documents(read_release(release), read_release(tmp_path / "b/release"))
    assert "not known" in unknown.filter(pl.col("change") == "gone")["reason"].item()
    row = {"source": "posts", "doc_key": key, "stage": "filter", "reason": "too_many_symbols"}
    (tmp_path / "b/dirty_docs.log").write_text(json.dumps({**row, "doc_key": None}) + "\n" + json.dumps(row) + "\n")
    told = changed_documents(read_release(release), read_release(tmp_path / "b/release"))
    assert told.filter(pl.col("change") == "gone")["reason"].item() == "too many symbols"
    back = changed_documents(read_release(tmp_path / "b/release"), read_release(release))
    assert back.filter(pl.col("change") == "new")["reason"].item() == "was too many symbols"


def test_other_splits_ids_texts_and_answers_are_told_apart(documents, release, tmp_path):
    turned = documents.with_columns(
        pl.when(pl.col("split") == "train").then(pl.lit("test")).otherwise(pl.lit("train")).alias("split")
    )
    write_whole(tmp_path / "turned", turned)
    changes = changed_documents(read_release(release), read_release(tmp_path / "turned"))
    assert set(changes["change"]) == {"split"}
    assert changes.height == documents.height
    first = documents["doc_key"] == documents["doc_key"].min()
    write_whole(
        tmp_path / "said",
        documents.with_columns(pl.when(first).then(pl.lit("Other.")).otherwise("content").alias("content")),
    )
    changes = changed_documents(read_release(release), read_release(tmp_path / "said"))
    assert changes["change"].to_list() == ["text"]
    write_whole(tmp_path / "fewer", documents.filter(pl.Series(range(documents.height)) != 5))
    told = difference(read_release(release), read_release(tmp_path / "fewer"))
    assert {row["change"] for row in told["documents"]} == {"gone", "id"}
    assert not is_same(told)


def test_what_is_said_names_counts_ids_and_settings(documents, tmp_path, capsys):
    author, release = documents["author_id"].max(), tmp_path / "before"
    write_whole(release, documents, queries_per_author=1)
    write_whole(tmp_path / "release", documents, takedown=frozenset({author}), queries_per_author=2)
    assert main(["release", "diff", str(release), str(tmp_path / "release")]) == 1
    said = capsys.readouterr().out
    assert f"documents: {documents.height} -> {documents.height - 4}" in said
    assert "(taken down): doc_" in said
    assert "queries new: " in said
    assert "why: config.release.queries_per_author: 1 -> 2" in said
    assert "why: takedown.documents: 0 -> 4" in said
    assert main(["release", "diff", "--json", str(release), str(tmp_path / "release")]) == 1
    told = json.loads(capsys.readouterr().out)
    assert len(told["documents"]) == 4
    assert difference_text(told) == said


def test_what_is_no_release_is_told_so(tmp_path, release):
    with pytest.raises(NotARelease):
        read_release(tmp_path)
    shutil.copytree(release, tmp_path / "copy")
    (tmp_path / "copy/release.lock").unlink()
    with pytest.raises(InputError):
        read_release(tmp_path / "copy")


VALUES = st.recursive(st.integers(0, 3), lambda inner: st.dictionaries(st.sampled_from("ab"), inner), max_leaves=6)


@given(VALUES, VALUES)
def test_two_values_differ_just_where_a_difference_is_told(one, other):
    assert bool(list(differences("config", one, other))) == (one != other)
