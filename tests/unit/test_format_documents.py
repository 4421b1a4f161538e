"""Documents of a release or of a table: one reading for PAN and RAVEN."""

import polars as pl
import pytest
from cases import cases
from defaults import section
from published import publish

from authbench.core.errors import InputError
from authbench.core.storage.parquet import read_columns
from authbench.release.format.documents import DOCUMENTS, SUFFIXES, expect_unique_ids, read_documents
from authbench.release.format.release import open_complete_release
from authbench.suites.pan.build import write_sets
from authbench.suites.raven.documents import write_documents

TABLE = pl.DataFrame(
    {
        "author_id": ["ann", "ann", "bob", "bob", "cat", " "],
        "fandom": ["x", "y", "x", "y", "x", "x"],
        "content": ["one", "two", "three", "four", "", "five"],
    }
)
WRITERS = {
    ".parquet": lambda table, path: table.write_parquet(path),
    ".jsonl": lambda table, path: table.write_ndjson(path),
    ".ndjson": lambda table, path: table.write_ndjson(path),
    ".csv": lambda table, path: table.write_csv(path),
}


def documents(place, topic="topic"):
    return pl.concat(read_documents(open_complete_release(place) if place.is_dir() else place, topic))


@pytest.mark.parametrize("suffix", SUFFIXES)
def test_every_form_of_table_gives_the_same_documents_to_pan_and_raven(tmp_path, suffix):
    WRITERS[suffix](TABLE, tmp_path / f"t{suffix}")
    found = documents(tmp_path / f"t{suffix}")
    assert found.schema == DOCUMENTS
    assert found.select("author", "topic", "lang", "text").rows() == [
        ("ann", "x", "", "one"),
        ("ann", "y", "", "two"),
        ("bob", "x", "", "three"),
        ("bob", "y", "", "four"),
    ]
    write_documents(str(tmp_path / f"t{suffix}"), tmp_path / "raven.parquet", 0)
    assert read_columns([tmp_path / "raven.parquet"]).rename({"content": "text"}).equals(found)


@pytest.mark.parametrize("suffix", SUFFIXES)
@pytest.mark.parametrize("languages", [None, ["en", "fr", None, "", "de", "en"]])
def test_a_language_that_is_not_told_is_empty(tmp_path, suffix, languages):
    table = TABLE if languages is None else TABLE.with_columns(language=pl.Series(languages))
    WRITERS[suffix](table, tmp_path / f"t{suffix}")
    assert documents(tmp_path / f"t{suffix}")["lang"].to_list() == (["en", "fr", "", ""] if languages else [""] * 4)


def test_ids_without_a_column_depend_on_the_document_and_not_on_its_place(tmp_path):
    TABLE.write_csv(tmp_path / "a.csv")
    TABLE.reverse().write_csv(tmp_path / "b.csv")
    one, other = (documents(tmp_path / name) for name in ("a.csv", "b.csv"))
    assert one.sort("id").equals(other.sort("id"))
    assert one["id"].n_unique() == one.height


def test_numbers_in_a_csv_stay_as_they_are_written(tmp_path):
    (tmp_path / "t.csv").write_text("id,author,topic,text\n007,01,1.0,two words\n", encoding="utf-8")
    assert documents(tmp_path / "t.csv").row(0) == ("007", "01", "1.0", "", "two words")


def test_documents_of_a_release_have_its_topics_or_else_its_genres(tmp_path):
    _, folder, _ = publish(tmp_path)
    rows = open_complete_release(folder).provenance
    found = documents(folder)
    assert sorted(found["id"]) == rows["id"].to_list()
    genre = dict(rows.select("id", "genre").iter_rows())
    topic = dict(rows.select("id", "topic").iter_rows())
    assert all(told == (topic[ident] or genre[ident]) for ident, told in found.select("id", "topic").iter_rows())
    source = dict(rows.select("id", "source").iter_rows())
    assert all(told == source[ident] for ident, told in documents(folder, "source").select("id", "topic").iter_rows())
    with pytest.raises(InputError, match="has no column weather"):
        documents(folder, "weather")


def test_an_id_of_two_documents_is_refused_by_pan_and_raven(tmp_path):
    table = TABLE.head(4).with_columns(id=pl.Series(["1", "1", "2", "3"]))
    table.write_parquet(tmp_path / "t.parquet")
    with pytest.raises(InputError, match="the id 1 occurs twice"):
        expect_unique_ids(documents(tmp_path / "t.parquet")["id"], tmp_path)
    with pytest.raises(InputError, match="the id 1 occurs twice"):
        write_sets(tmp_path / "t.parquet", tmp_path / "out", section("pan"), "topic", 0)
    with pytest.raises(InputError, match="the id 1 occurs twice"):
        write_documents(str(tmp_path / "t.parquet"), tmp_path / "raven.parquet", 0)


@cases
def test_what_is_no_table_of_documents_is_refused(tmp_path, name, content, problem):
    (tmp_path / name).write_bytes(content.encode())
    with pytest.raises(InputError, match=problem):
        documents(tmp_path / name)


def test_an_empty_table_of_json_lines_has_no_documents(tmp_path):
    (tmp_path / "t.jsonl").touch()
    assert list(read_documents(tmp_path / "t.jsonl")) == []


@pytest.mark.parametrize("suffix", SUFFIXES)
def test_authors_of_a_table_are_known_by_their_normal_form(tmp_path, suffix):
    labels = ["3.0", "3", "\u200fAnn", "Ann\u00a0", "nan", "[deleted]"]
    table = TABLE.with_columns(author_id=pl.Series(labels), content=pl.Series(list("abcdef")))
    WRITERS[suffix](table, tmp_path / f"t{suffix}")
    assert documents(tmp_path / f"t{suffix}")["author"].to_list() == ["3", "3", "Ann", "Ann"]
