"""Define the slices of the queries for which scores are reported."""

from collections.abc import Callable, Mapping
from copy import deepcopy
from typing import Any, TypeAlias, TypeVar

import numpy as np
import polars as pl

from authbench.core.arrays import BOOL, I32
from authbench.core.dates import middle_day
from authbench.scoring.evaluation.lists import Lists

Score = TypeVar("Score")
OVERALL = ("overall", "all")  # the place of all queries among the slices
MEASURED = ("by_labels", "measured")  # the place of queries whose source has labels measured to name a single person
Slices: TypeAlias = Mapping[tuple[str, str], BOOL]  # by facet and label, which queries are in the slice: (queries,)

CHARACTERS = (100, 500, 2_000, 8_000)
SAME_MONTH = "same month"
GAPS = {"under 30 days": 30, "30 days to a year": 365}  # days between a query and its nearest positive in time
A_YEAR = "a year or more"
SAME_YEAR, OTHER_YEAR = "same year, days unknown", "other years, days unknown"  # of a text only its year is known

# The names of slices in scores.json, and the column of `facets` that defines them.
SLICES: Mapping[str, str] = {
    "by_language": "lang",
    "by_primary_genre": "primary_genre",
    "by_genre": "genre",
    "by_length": "length",
    "by_characters": "characters",
    "by_source": "source",
    "by_fame": "fame",
    "by_labels": "labels",
    "by_origin": "origin_of_positives",
    "by_kind": "kind_of_positives",  # primary genre and source
    "by_time_gap": "time_gap",
}
# Slices that join others of their facet.
JOINED: Mapping[tuple[str, str], tuple[str, ...]] = {
    ("by_time_gap", "30 days or more"): ("30 days to a year", A_YEAR),
}


def facets(documents: pl.DataFrame, asks: I32, positives: Lists) -> pl.DataFrame:
    """Return the columns that define slices, a row per query.

    A value is null where the release has no such metadata, or the query has no positive.

    Args:
        documents: of the split, as in `Split.documents`.
        asks: shape (queries,), the rows of the queries.
        positives: rows of candidates, a list per query.
    """
    queries = documents[asks]
    place = np.searchsorted(CHARACTERS, queries["content"].str.len_chars().to_numpy(), "right")
    characters = pl.Series("characters", np.array(_characters_labels())[place])
    stated = ("fame", "labels", "origin", "date")
    unknown = {name: pl.lit(None, pl.String) for name in stated if name not in documents.columns}
    queries = queries.with_columns(**unknown)
    of_text = ("lang", "primary_genre", "genre", "length", "source", "fame", "labels")
    frame = queries.select(of_text).with_columns(characters)
    kind = pl.concat_str("primary_genre", "source", separator="\x1f")
    known = documents.with_columns(**unknown).select("origin", "date", kind=kind)
    pairs = pl.DataFrame({"query": positives.owners(), "row": positives.rows})
    answers, asking = known[pairs["row"]], known[asks][pairs["query"]]
    same = {name: answers[name] == asking[name] for name in ("kind", "origin")}
    pairs = pairs.with_columns(**same, **_time_gaps(asking, answers))
    nearest = pl.col("time_gap").sort_by("days", "time_gap", nulls_last=True).first()
    by_query = pairs.group_by("query").agg(
        nearest, kind_of_positives=_same("kind"), origin_of_positives=_same("origin")
    )
    numbered = pl.DataFrame({"query": range(len(asks))}, schema={"query": pairs.schema["query"]})
    by_query = numbered.join(by_query, on="query", how="left", maintain_order="left").drop("query")
    return pl.concat([frame, by_query], how="horizontal")


def _same(name: str) -> pl.Expr:
    """Return whether all positives of a query, some or none have the query's value; null if one has no value."""
    same = pl.col(name)
    label = pl.when(same.all()).then(pl.lit("same")).when(same.any()).then(pl.lit("some the same"))
    return pl.when(same.is_not_null().all()).then(label.otherwise(pl.lit("other")))


def _time_gaps(asking: pl.DataFrame, answers: pl.DataFrame) -> dict[str, pl.Series]:
    """Return by pair `days`, and `time_gap`: its label, null where a date is unknown."""
    dates = pl.DataFrame({"one": asking["date"], "other": answers["date"]})
    years, months, days = ([pl.col(name).str.slice(0, end) for name in dates.columns] for end in (4, 7, 10))
    is_whole = pl.all_horizontal(day.str.len_chars() == len("2020-05-17") for day in days)
    knows_months = pl.all_horizontal(month.str.len_chars() == len("2020-05") for month in months)
    apart = (middle_day("one") - middle_day("other")).abs()
    gap: Any = (
        pl.when(apart.is_null())
        .then(None)
        .when(knows_months & months[0].eq(months[1]) & (apart < 30))
        .then(pl.lit(SAME_MONTH))
    )
    gap = gap.when(~is_whole & years[0].eq(years[1])).then(pl.lit(SAME_YEAR))
    gap = gap.when(~is_whole).then(pl.lit(OTHER_YEAR))
    for label, least in GAPS.items():
        gap = gap.when(apart < least).then(pl.lit(label))
    found = dates.select(days=apart, time_gap=gap.otherwise(pl.lit(A_YEAR)))
    return {"days": found["days"], "time_gap": found["time_gap"]}


def slices_of(queries: pl.DataFrame) -> dict[tuple[str, str], BOOL]:
    """Return by facet and label which queries are in the slice; facets that the table lacks have none."""
    found = {}
    for facet, column in SLICES.items():
        if column in queries.columns:
            for label in queries[column].drop_nulls().unique().sort():
                found[facet, label] = (queries[column] == label).fill_null(False).to_numpy()
    for (facet, joined), labels in JOINED.items():
        parts = [found[facet, label] for label in labels if (facet, label) in found]
        if parts:
            found[facet, joined] = np.logical_or.reduce(parts)
    return found


def by_slice(slices: Slices, score: Callable[[BOOL], Score]) -> dict[tuple[str, str], Score]:
    """Return the score of each slice; the same queries in slices of several facets are scored once."""
    found: dict[bytes, Score] = {}
    scores = {}
    for place, chosen in slices.items():
        same = chosen.tobytes()
        if same not in found:
            found[same] = score(chosen)
        scores[place] = deepcopy(found[same])
    return scores


def _characters_labels() -> list[str]:
    """Return the ranges of text length in characters, shortest first.

    >>> _characters_labels()[0], _characters_labels()[-1]
    ('under 100', '8000 or more')
    """
    between = [f"{low} to {high - 1}" for low, high in zip(CHARACTERS, CHARACTERS[1:], strict=False)]
    return [f"under {CHARACTERS[0]}", *between, f"{CHARACTERS[-1]} or more"]
