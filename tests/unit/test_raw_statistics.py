"""What do the raw corpora hold? Every document and author is counted once, whatever the parts."""

import numpy as np
import polars as pl
from hypothesis import given, settings
from hypothesis import strategies as st

from authbench.core.tokens import encode, load_encoding
from authbench.reports.raw.count import COLUMNS, add_up, count_records
from authbench.reports.raw.page import bin_names, quantile, render, tables

ROWS = [
    ("a", "en", "blog/art", "x", "one two three"),
    ("a", "en", "blog/art", "x", "one two three"),
    ("a", "fr", "news", "x", "bonjour"),
    ("a", "en", "news", "y", "word " * 300),
    ("b", "<b>", "poetry", "x", "été"),
]
RECORDS = pl.DataFrame(ROWS, schema=list(COLUMNS), orient="row")
COUNTS = [
    {"sources": {"a": {"in": 9, "kept": 4, "dropped": {"no_author": 5}}}},
    {"sources": {"b": {"in": 1, "kept": 1, "dropped": {}}}},
]


def found():
    return tables(*count_records([RECORDS[:2], RECORDS[2:]]), COUNTS)


def test_every_document_and_author_is_counted_once():
    assert found()["sources"].to_dicts() == [
        {
            "source": "a",
            "documents": 4,
            "tokens": sum(len(encode(load_encoding(), text)) for text in RECORDS["content"][:4]),
            "languages": 2,
            "genres": 2,
            "authors": 2,
            "authors_of_3": 1,
            "most": 3,
        },
        {
            "source": "b",
            "documents": 1,
            "tokens": len(encode(load_encoding(), "été")),
            "languages": 1,
            "genres": 1,
            "authors": 1,
            "authors_of_3": 0,
            "most": 1,
        },
    ]
    assert found()["left_out"].rows() == [("a", 9, "no_author", 5)]
    assert found()["languages"].rows() == [("a", "en", 3, 0.75), ("a", "fr", 1, 0.25), ("b", "<b>", 1, 1.0)]
    assert found()["lengths"].rows()[:2] == [("a", "short", 3, 0.75), ("a", "long", 1, 0.25)]
    assert found()["documents_per_author"].rows() == [("a", "1", 1, 0.5), ("a", "3-5", 1, 0.5), ("b", "1", 1, 1.0)]


@given(st.lists(st.integers(0, len(ROWS) - 1), max_size=30), st.integers(1, 5))
@settings(max_examples=20)
def test_parts_add_up_to_the_whole(places, parts):
    records = RECORDS[places]
    whole = count_records([records])
    divided = [count_records([records[part::parts]]) for part in range(parts)]
    for table, pieces in zip(whole, zip(*divided, strict=True), strict=True):
        assert add_up(pieces).equals(table)


@given(st.lists(st.tuples(st.integers(0, 2000), st.integers(1, 9)), min_size=1, max_size=30), st.floats(0, 1))
def test_a_quantile_is_that_of_the_values_written_out(counted, share):
    values, weights = (np.array(column) for column in zip(*sorted(dict(counted).items()), strict=True))
    expected = np.quantile(np.repeat(values, weights), share)
    assert abs(quantile(values, weights, share) - expected) < 0.011


def test_the_bins_of_authors_leave_no_gap():
    authors = pl.DataFrame({"source": ["a"] * 60, "author_id": [f"{n}" for n in range(60)], "documents": range(1, 61)})
    (texts, _) = count_records([RECORDS[:1]])
    table = tables(texts, authors, [])["documents_per_author"]
    assert table["documents"].to_list() == bin_names()
    assert table["authors"].to_list() == [1, 1, 3, 5, 40, 10]


def test_the_page_shows_every_table_and_no_markup_of_the_data():
    page = render("<i>mine</i>", found())
    assert page.count("<svg") == 5 and page.count("<table") == 7
    assert "<b>" not in page and "<i>" not in page
    assert page == render("<i>mine</i>", found())


def test_corpora_without_a_document_have_every_table_too():
    nothing = tables(*count_records([]), [])
    assert {name: table.schema for name, table in nothing.items()} == {n: t.schema for n, t in found().items()}
    assert render("mine", nothing).count("<table") == 7
