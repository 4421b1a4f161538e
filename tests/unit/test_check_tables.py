"""Targets and statistics are the same by the check's way of counting and by the stages'."""

import polars as pl
import pytest
from counted_documents import DOCUMENTS
from hypothesis import given
from hypothesis import strategies as st

from authbench.build.release import statistics
from authbench.build.sample.targets import largest_remainder, matching_pattern
from authbench.release.checking.quotas import _OTHER_GENRES, _check_shortfall, _check_targets, _pattern, _rows, _whole
from authbench.release.checking.tables import _compare, _expected

GENRES = ["news", "blog/arts", "blog/other", "media_reviews/douban", "media_reviews", "social_media/weibo"]
PATTERNS = ["*", "news", "blog/*", "blog/arts", "blog/a*", "media_reviews/*", "media_reviews/douban", "social_media/*"]


SHARES = st.dictionaries(st.sampled_from(GENRES), st.sampled_from([0, 0.1, 1, 7, 20, 33.3, 50]), min_size=1)


@given(st.integers(0, 5000), SHARES)
def test_targets_are_those_of_sampling(total, shares):
    if sum(shares.values()):
        targets = largest_remainder(total, {key: share for key, share in shares.items() if share})
        assert _whole(total, shares) == targets


@given(st.sampled_from(GENRES), st.lists(st.sampled_from(PATTERNS), unique=True))
def test_a_genre_counts_for_the_pattern_of_sampling(genre, patterns):
    assert _pattern(genre, dict.fromkeys(patterns, 1.0)) == (matching_pattern(genre, patterns) or _OTHER_GENRES)


@given(st.lists(st.integers(0, DOCUMENTS.height - 1), min_size=1, max_size=12))
def test_every_statistic_is_counted_alike(chosen):
    documents = DOCUMENTS[chosen].with_columns(
        id=pl.Series([f"doc_{place}" for place in range(len(chosen))]),
        token_length=pl.Series([7 * place + 1 for place in chosen]),
    )
    queries = documents.filter(pl.int_range(pl.len()) % 3 == 0).select("split", query_id="id")
    rows = documents.with_columns(query=pl.col("id").is_in(queries["query_id"].implode())).select(
        "split", "lang", "genre", "source", "author_id", "token_length", "query", "length_bucket"
    )
    expected = _expected(rows.iter_rows(), ("train", "test"))
    for name, table in statistics.tables(documents, queries, ("train", "test")).items():
        written = [
            dict(zip(table.columns, line.split(","), strict=True)) for line in table.write_csv().splitlines()[1:]
        ]
        assert list(_compare(name, *expected[name], written)) == []


@pytest.mark.parametrize(("taken", "broken"), [(48, 0), (72, 0), (73, 1)])
def test_no_language_takes_more_than_the_shortfall_lets_it(taken, broken):
    sample = {"documents": 80, "languages": {"en": 60, "de": 40}, "shortfall": {"fill_up_to": 1.5}}
    found = list(_check_shortfall({"en": {"target": 48, "taken": taken}}, sample))
    assert len(found) == broken
    assert not list(_check_shortfall({"en": {"target": 48, "taken": taken}}, sample | {"shortfall": "fill"}))


def stated(documents, en, de, length):
    """sampling_deviation.json of 60 English and 40 German documents, with these targets."""
    taken = {"en": 60, "de": 40}
    rows = [
        {"language": lang, "target": goal, "taken": taken[lang], "deficit": goal and goal - taken[lang]}
        for lang, goal in (("en", en), ("de", de))
    ]
    cells = [
        {**row, "dimension": "length", "key": "short", "target": length, "deficit": length and length - row["taken"]}
        for row in rows
    ]
    reached = sum(abs(cell["deficit"] or 0) for cell in cells)
    return {
        "documents": {"target": documents, "taken": 100}, "languages": rows, "cells": cells,
        "bound": {"reached": float(reached)}, "fallback_authors": 0,
    }  # fmt: skip


NOTHING = {"documents": None, "languages": None, "lengths": None, "genres": None, "shortfall": {"fill_up_to": 1.5}}
HALF = NOTHING | {"languages": {"en": 50, "de": 50}}


@pytest.mark.parametrize(
    ("deviation", "sample", "places"),
    [
        (stated(None, None, None, None), NOTHING, set()),
        (stated(100, None, None, None), NOTHING | {"documents": 100}, set()),
        (stated(None, 50, 50, None), HALF, set()),
        (stated(100, None, None, None), NOTHING, {"documents"}),
        (stated(None, 60, None, None), NOTHING, {"language en"}),
        (stated(None, None, None, 60), NOTHING, {"length en short", "length de short"}),
        (stated(None, 60, 40, None), HALF, {"language en", "language de"}),
        (stated(None, None, None, None), HALF, {"language en", "language de"}),
    ],
)
def test_targets_stand_where_settings_state_them_and_nowhere_else(deviation, sample, places):
    assert {finding.id for finding in _check_targets(deviation, _rows(deviation), sample)} == places
