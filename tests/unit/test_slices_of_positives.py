"""Claims about the slices by how a query and its positives differ: in time, in genre and source."""

from datetime import date, timedelta

import numpy as np
import polars as pl
from cases import cases
from hypothesis import example, given
from hypothesis import strategies as st

from authbench.scoring.evaluation.lists import Lists
from authbench.scoring.evaluation.slices import facets, slices_of

DAY = date(2020, 1, 31)


def gaps(asked, *positives):
    """Return the label of a query of date `asked`, with positives of these dates."""
    dates = [asked, *positives]
    documents = pl.DataFrame(
        {
            name: ["x"] * len(dates)
            for name in ("lang", "primary_genre", "genre", "length", "source", "content", "origin")
        }
        | {"date": dates},
        schema_overrides={"date": pl.String},
    )
    found = facets(documents, np.array([0], np.int32), Lists.of([range(1, len(dates))]))
    return found["time_gap"][0]


@cases
def test_the_nearest_positive_in_time_decides_the_slice(asked, positives, label):
    assert gaps(asked, *positives) == label


@example([-30])
@given(st.lists(st.integers(-900, 900), min_size=1, max_size=6))
def test_slices_by_time_are_those_of_the_least_distance_in_days(apart):
    least = min(map(abs, apart))
    label = gaps(str(DAY), *(str(DAY + timedelta(days)) for days in apart))
    assert (label == "a year or more") == (least >= 365)
    assert (label in ("a year or more", "30 days to a year")) == (least >= 30)
    months = {(DAY + timedelta(days)).isoformat()[:7] for days in apart if abs(days) == least}
    assert label != "same month" or DAY.isoformat()[:7] in months


@cases
def test_queries_are_sliced_by_whether_their_positives_are_of_another_genre_or_source(positives, label):
    texts = [("blog", "one"), *positives]
    documents = pl.DataFrame(
        {name: ["x"] * len(texts) for name in ("lang", "genre", "length", "content")}
        | {"primary_genre": [genre for genre, _ in texts], "source": [source for _, source in texts]}
    )
    found = facets(documents, np.array([0], np.int32), Lists.of([range(1, len(texts))]))
    assert found["kind_of_positives"][0] == label
    assert found.select("origin_of_positives", "time_gap").row(0) == (None, None)


def test_the_slice_of_thirty_days_or_more_joins_the_two_above_it_and_is_absent_without_them():
    labels = ["same month", "30 days to a year", "a year or more", None, "other years, days unknown"]
    found = slices_of(pl.DataFrame({"time_gap": labels}))
    assert found["by_time_gap", "30 days or more"].tolist() == [False, True, True, False, False]
    assert ("by_time_gap", "30 days or more") not in slices_of(pl.DataFrame({"time_gap": labels[:1]}))
    alone = slices_of(pl.DataFrame({"time_gap": labels[2:]}))
    assert alone["by_time_gap", "30 days or more"].tolist() == alone["by_time_gap", "a year or more"].tolist()
