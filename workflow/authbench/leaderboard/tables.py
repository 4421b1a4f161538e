"""What does a leaderboard show, as tables?"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import polars as pl

from authbench.evaluate.scores import MACRO
from authbench.evaluate.slices import SLICES
from authbench.leaderboard.collect import Result
from authbench.records import LENGTH_BUCKETS

SHORTCUT = "shortcut"


@dataclass(frozen=True)
class Metric:
    """A column of scores: its key in scores.json, its heading, and whether more is better."""

    key: str
    heading: str
    more_is_better: bool = True


METRICS = (
    Metric("success@5", "S@5"),
    Metric("recall@5", "R@5"),
    Metric("ndcg@5", "nDCG@5"),
    Metric("mrr", "MRR"),
    Metric("eer", "EER", False),
    Metric("eer_same_language", "EER, same language", False),
    Metric("eer_matched", "EER, matched", False),
)
ATTRIBUTION, VERIFICATION = METRICS[0], METRICS[4]
DRAWN = (*METRICS[:3], VERIFICATION)
GAINS = (Metric("gain_success@5", "S@5 over shortcut"), Metric("gain_eer", "EER under shortcut"))
FACETS = ("by_language", "by_primary_genre", "by_genre", "by_length")


@dataclass(frozen=True)
class Table:
    """Models by scores: `rows` has `group`, `model` and a column for each metric of `columns` (null: no score). `seen`
    has the models that may know some of the texts from their training, with the sources of these."""

    name: str
    title: str
    columns: tuple[Metric, ...]
    rows: pl.DataFrame
    seen: Mapping[str, Sequence[str]] = field(default_factory=dict)


def all_tables(results: Sequence[Result]) -> list[Table]:
    """The overall table, and for each facet one of Success@5 and one of EER (the paper's tables 8 to 14)."""
    found = [overall(results)]
    for facet in FACETS:
        for metric in (ATTRIBUTION, VERIFICATION):
            table = by_slice(results, facet, metric)
            if table.columns:
                found.append(table)
    return found


def overall(results: Sequence[Result]) -> Table:
    """Every metric over all queries, and each model's gain over the best row that sees no style."""
    rows = [
        described(result) | {metric.key: result.scores["overall"].get(metric.key) for metric in METRICS}
        for result in results
    ]
    shortcuts = [row for row in rows if row["group"] == SHORTCUT]
    for gain, metric in zip(GAINS, (ATTRIBUTION, VERIFICATION), strict=True):
        known = [row[metric.key] for row in shortcuts if row[metric.key] is not None]
        best = (max if metric.more_is_better else min)(known, default=None)
        for row in rows:
            plain = row["group"] == SHORTCUT or row[metric.key] is None or best is None
            row[gain.key] = None if plain else (row[metric.key] - best) * (1 if metric.more_is_better else -1)
    columns = (*METRICS, *GAINS)
    return Table("overall", "All queries", columns, as_frame(rows, columns), seen_by(results))


def by_slice(results: Sequence[Result], facet: str, metric: Metric) -> Table:
    """One metric in each slice of a facet that any model has a score for."""
    values: list[dict[str, float]] = []
    for result in results:
        cells: Mapping[str, Any] = result.scores[facet]
        values.append({name: cell[metric.key] for name, cell in cells.items() if metric.key in cell})
        if facet == "by_primary_genre":
            values[-1] |= {
                f"{name} (macro)": cell[MACRO][metric.key]
                for name, cell in cells.items()
                if cell[MACRO]["sub_genres"] > 1 and metric.key in cell[MACRO]
            }
    names = sorted({name for value in values for name in value}, key=slice_order)
    columns = tuple(Metric(name, name, metric.more_is_better) for name in names)
    rows = [described(result) | value for result, value in zip(results, values, strict=True)]
    what = facet.removeprefix("by_").replace("_", " ")
    name = f"{facet}_{metric.key.partition('@')[0]}"
    return Table(name, f"{metric.heading} by {what}", columns, as_frame(rows, columns), seen_by(results))


def seen_by(results: Sequence[Result]) -> dict[str, Sequence[str]]:
    return {result.name: result.seen for result in results if result.seen}


def every_score(results: Sequence[Result]) -> pl.DataFrame:
    """All of it, a row per model, slice and metric: value, 95 % interval, queries and authors."""
    rows = []
    for result in results:
        parts = {"overall": {"all": result.scores["overall"]}} | {facet: result.scores[facet] for facet in SLICES}
        for facet, cells in parts.items():
            for name, cell in cells.items():
                for metric in METRICS:
                    if metric.key in cell:
                        low, high = cell["intervals"].get(metric.key, (None, None))
                        rows.append(
                            (
                                result.group,
                                result.name,
                                facet,
                                name,
                                metric.key,
                                cell[metric.key],
                                low,
                                high,
                                cell["queries"],
                                cell["authors"],
                            )
                        )
    schema = {
        "group": pl.String, "model": pl.String, "facet": pl.String, "slice": pl.String, "metric": pl.String,
        "value": pl.Float64, "low": pl.Float64, "high": pl.Float64, "queries": pl.Int64, "authors": pl.Int64,
    }  # fmt: skip
    return pl.DataFrame(rows, schema=schema, orient="row")


def slice_order(name: str) -> tuple[int, str]:
    """Lengths stand in their order, everything else in the alphabet's."""
    return (LENGTH_BUCKETS.index(name) if name in LENGTH_BUCKETS else 0, name)


def described(result: Result) -> dict[str, Any]:
    return {"group": result.group, "model": result.name}


def as_frame(rows: Sequence[Mapping[str, Any]], columns: Sequence[Metric]) -> pl.DataFrame:
    schema = {"group": pl.String, "model": pl.String, **{metric.key: pl.Float64 for metric in columns}}
    return pl.DataFrame([{name: row.get(name) for name in schema} for row in rows], schema=schema)


def places(table: Table, metric: Metric) -> list[int | None]:
    """For each row 1 if it is the best of its group in that column, 2 if second; None for all others.

    A group of one has no best.
    """
    frame = table.rows.select("group", value=pl.col(metric.key).round(3)).with_columns(
        place=pl.col("value").rank("dense", descending=metric.more_is_better).over("group"),
        known=pl.col("value").count().over("group"),
    )
    return [
        int(place) if place is not None and place <= 2 and known > 1 else None
        for place, known in frame.select("place", "known").iter_rows()
    ]
