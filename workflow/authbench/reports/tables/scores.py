"""Make the tables of models' scores: overall, by slice, in the topic-selected pool, and adjusted for chance.

`authbench evaluate` scores no slice with fewer than 20 query authors. If fewer are requested, the same scores are
computed from the written metrics of queries and scores of pairs; EER and AUC are then of those pairs.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
import polars as pl

from authbench.config.plugins import plugin_key
from authbench.core.presentation.numbers import NOTHING, decimals
from authbench.core.presentation.tables import DAGGER, Cell, Column, Row, Table, places, without_empty_columns
from authbench.core.storage.parquet_headers import bounded_parquet
from authbench.core.words import count, spaced
from authbench.models.entries import SANITY
from authbench.release.format.scores import Cell as ScoreCell
from authbench.release.format.scores import cells_of
from authbench.reports.leaderboard.collect import Result
from authbench.reports.leaderboard.tables import CHOICES, Metric, slice_order, unverified_notes
from authbench.reports.tables.models import BY_NAME, GROUPS, IN_GROUP, Choice, group_place, size_in_words, size_of
from authbench.scoring.evaluation.scores import LEAST_AUTHORS, MACRO
from authbench.scoring.evaluation.slices import SLICES
from authbench.scoring.evaluation.verification import NEGATIVES
from authbench.scoring.metrics.auc import auc
from authbench.scoring.metrics.error_rate import error_rate
from authbench.scoring.metrics.ranking import NAMES as RANKING_MEASURES
from authbench.scoring.metrics.ranking import chance_adjusted

PAIRS = "pairs.parquet"
GENRES = "by_primary_genre"
FINE = "by_genre"


@dataclass(frozen=True)
class Slice:
    """Hold a slice of the queries: its counts and, unless it is too small, its `scores`."""

    queries: int
    authors: int
    scores: Mapping[str, float]
    parts: int = 1  # sub-genres averaged


class Slices:
    """Hold the slices of a model's result.

    Args:
        result: the output of `evaluate`.
        least: a slice with fewer query authors has no scores.
    """

    def __init__(self, result: Result, least: int = LEAST_AUTHORS) -> None:
        self._result, self._least = result, least

    def of(self, facet: str) -> dict[str, Slice]:
        """Return the slices of a facet by label; empty for a model without the facet."""
        cells = cells_of(self._result.scores, facet)
        return {label: self._slice(facet, label, cell) for label, cell in cells.items()}

    def primary_genres(self) -> dict[str, Slice]:
        """Return primary genres, each the unweighted mean over its scored sub-genres (AuthBench paper, table 5)."""
        fine, found = self.of(FINE), {}
        for genre, whole in self.of(GENRES).items():
            scored = [one for name, one in fine.items() if name.partition("/")[0] == genre and one.scores]
            shared = set.intersection(*(set(one.scores) for one in scored)) if scored else set()
            means = {key: float(np.mean([one.scores[key] for one in scored])) for key in sorted(shared)}
            found[genre] = Slice(whole.queries, whole.authors, means, len(scored))
        return found

    def _slice(self, facet: str, label: str, cell: ScoreCell) -> Slice:
        counts = (int(cell["queries"]), int(cell["authors"]))
        if counts[1] < self._least:
            return Slice(*counts, {})
        known = {key: float(value) for key, value in cell.items() if isinstance(value, int | float) and key != MACRO}
        return Slice(*counts, known if "pool" in cell else self._computed(facet, label))

    def _computed(self, facet: str, label: str) -> dict[str, float]:
        rows = self._queries.filter((pl.col(SLICES[facet]) == label).fill_null(False) & pl.col("pool").is_not_null())
        names = (name for name in rows.columns if name in RANKING_MEASURES or name.startswith(plugin_key("")))
        means = {name: rows[name].mean() for name in names}
        found = {name: float(mean) for name, mean in means.items() if isinstance(mean, int | float)}
        pairs = self._pairs.filter(pl.col("query").is_in(rows["id"].implode()))
        for kind in NEGATIVES:
            suffix = "" if kind == "whole" else f"_{kind}"
            positive = pl.col("kind") == "positive"
            if kind == "same_topic":
                positive &= pl.col("rank_topic").is_not_null()
            right = pairs.filter(positive)["score"].drop_nulls().to_numpy()
            wrong = pairs.filter(pl.col("kind") == kind)["score"].drop_nulls().to_numpy()
            if len(right) and len(wrong):
                found[f"eer{suffix}"] = error_rate(right, wrong).eer
                truth = np.arange(len(right) + len(wrong)) < len(right)
                found[f"roc_auc{suffix}"] = auc(truth, np.concatenate([right, wrong]))
        return found

    @cached_property
    def _queries(self) -> pl.DataFrame:
        return self._result.queries()

    @cached_property
    def _pairs(self) -> pl.DataFrame:
        return bounded_parquet(self._result.folder / PAIRS, ["query", "kind", "score", "rank_topic"])


FACETS: Mapping[str, str] = {
    "by_language": "language",
    "by_primary_genre": "primary genre",
    "by_genre": "fine-grained genre",
    "by_length": "length",
    "by_source": "source",
}
MEAN_OVER_GENRES = "by_primary_genre_mean"
_LENGTHS = (
    "Lengths are read by name, shortest first. The AuthBench papers print these columns in reverse order (short and "
    "extra long exchanged, medium and long too): compare by name with their result files, not with their tables."
)
_MEAN = "A primary genre is the unweighted mean over its scored sub-genres, as the AuthBench paper prints it."


def chosen(results: Sequence[Result], choice: Choice) -> list[Result]:
    """Return the results in the order of tables: by group, then by the first metric or by name."""
    kept = [one for one in results if not choice.models or one.name in choice.models]
    first = choice.overall[0]

    def place(result: Result) -> tuple[object, ...]:
        value = _value(result.scores["overall"], first)
        worth = (1, 0.0) if value is None else (0, -value if first.more_is_better else value)
        return (*group_place(result.group), *(() if choice.order == BY_NAME else worth), result.name)

    return sorted(kept, key=place)


def overall_table(results: Sequence[Result], choice: Choice) -> Table:
    """Return every chosen metric over all queries (AuthBench paper, tables 3 and 8)."""
    cells = [one.scores["overall"] for one in results]
    values = [{metric.key: _value(cell, metric) for metric in choice.overall} for cell in cells]
    table = _score_table("overall", "Overall results", results, choice.overall, values, choice)
    about = _about(results)
    return without_empty_columns(replace(table, notes=[*table.notes, *about]), {})


def adjusted_table(results: Sequence[Result], choice: Choice) -> Table:
    """Return the scores of `overall_table` adjusted for chance: 0 is a random order, 1 is perfect."""
    metrics = [Metric(one.key, one.heading) for one in choice.overall]
    adjusted = [chance_adjusted(result.scores["overall"]) for result in results]
    values = [{metric.key: found.get(metric.key) for metric in metrics} for found in adjusted]
    table = _score_table("chance_adjusted", "Results adjusted for chance", results, metrics, values, choice)
    note = "0 is what a random order gives, 1 is perfect: (x - r) / (1 - r); 1 - 2 EER; 2 AUC - 1."
    return without_empty_columns(replace(table, notes=[*table.notes, note]), {})


def topic_table(results: Sequence[Result], choice: Choice) -> Table:
    """Return scores in the default and in the topic-selected pool (AuthBench paper, F.5)."""
    values: list[dict[str, float | None]] = []
    for cell in (result.scores["overall"] for result in results):
        within = cell.get("within_topic", {})
        values.append({key: cell.get(key) for key in ("success@5", "eer", "eer_same_topic", "pool")})
        values[-1] |= {f"topic:{key}": within.get(key) for key in ("success@5", "pool")}
    metrics = [
        Metric("success@5", "S@5, default pool"),
        Metric("topic:success@5", "S@5, topic pool"),
        Metric("eer", "EER, default pool", False),
        Metric("eer_same_topic", "EER, topic pool", False),
    ]
    table = _score_table("topic_pool", "The default and the topic-selected pool", results, metrics, values, choice)
    pools = next(((one["pool"], one["topic:pool"]) for one in values if one["pool"] and one["topic:pool"]), None)
    sizes = "The sizes of the pools are not stated."
    if pools:
        sizes = (
            f"In the mean a query has {pools[0]:,.0f} candidates in the default pool, and {pools[1]:,.0f} of its topic "
            "in the other: a smaller pool alone raises S@5."
        )
    left = results[0].scores["overall"].get("within_topic", {}).get("queries_left_empty") if results else None
    notes = [sizes, *([f"{count(int(left))} queries have no positive of their topic."] if left else [])]
    notes.append("A topic is that of the corpus; where it has none, the primary genre.")
    return replace(table, notes=[*table.notes, *notes])


def slice_tables(results: Sequence[Result], choice: Choice) -> tuple[list[Table], pl.DataFrame]:
    """Return a table for each facet and metric of the results, and all their values with counts in long form."""
    slices = [Slices(one, choice.least) for one in results]
    tables, long = [], []
    for facet, words in FACETS.items():
        parts = [one.of(facet) for one in slices]
        long += _long(results, facet, parts)
        tables += _facet_tables(results, facet, f"by {words}", parts, choice)
        if facet == "by_primary_genre":
            means = [one.primary_genres() for one in slices]
            long += _long(results, MEAN_OVER_GENRES, means)
            tables += _facet_tables(results, MEAN_OVER_GENRES, "by primary genre, mean over sub-genres", means, choice)
    schema = pl.Schema((name, pl.String()) for name in ("group", "model", "facet", "slice", "metric"))
    schema |= {"value": pl.Float64(), "queries": pl.Int64(), "authors": pl.Int64()}
    return tables, pl.DataFrame(long, schema=schema, orient="row")


def _facet_tables(
    results: Sequence[Result], facet: str, words: str, parts: Sequence[Mapping[str, Slice]], choice: Choice
) -> list[Table]:
    labels = sorted({label for one in parts for label in one}, key=slice_order)
    if not labels:
        return []
    tables = []
    for metric in choice.sliced:
        columns = [Metric(label, _label(facet, label), metric.more_is_better) for label in labels]
        values = [
            {label: one[label].scores.get(metric.key) if label in one else None for label in labels} for one in parts
        ]
        name = f"{facet}_{metric.key.replace('@', '_at_')}"
        table = _score_table(name, f"{metric.heading} {words}", results, columns, values, choice)
        rows = [*_count_rows(labels, parts), *table.rows]
        notes = [*table.notes, f"A slice with fewer than {choice.least} query authors has counts and no score."]
        notes += [_LENGTHS] if facet == "by_length" else []
        notes += [_MEAN] if facet == MEAN_OVER_GENRES else []
        tables.append(replace(table, rows=rows, notes=notes))
    return tables


def _count_rows(labels: Sequence[str], parts: Sequence[Mapping[str, Slice]]) -> list[Row]:
    """Return rows with the queries and query authors of each slice, as counted for the first model that has it."""
    known = [next(one[label] for one in parts if label in one) for label in labels]
    counts = {"queries": [part.queries for part in known], "query authors": [part.authors for part in known]}
    return [
        Row([Cell(name, grey=True), Cell(""), *(Cell(count(number), grey=True) for number in numbers)])
        for name, numbers in counts.items()
    ]


def _score_table(
    name: str,
    title: str,
    results: Sequence[Result],
    metrics: Sequence[Metric],
    values: Sequence[Mapping[str, float | None]],
    choice: Choice,
) -> Table:
    """Return models by scores with their sizes, the best and the second marked."""
    groups = [(one.group if one.group != SANITY else None) if choice.marks == IN_GROUP else "" for one in results]
    placed = {one.key: places(groups, [row[one.key] for row in values], one.more_is_better, choice.digits)
              for one in metrics}  # fmt: skip
    rows, data = [], []
    for at, (result, found) in enumerate(zip(results, values, strict=True)):
        size = size_of(result)
        named = f"{result.name} {DAGGER}" if result.seen else result.name
        cells = [
            Cell(decimals(found[one.key], choice.digits), found[one.key], placed[one.key][at])
            if found[one.key] is not None
            else Cell(NOTHING)
            for one in metrics
        ]
        rows.append(Row([Cell(named), Cell(size_in_words(size), size), *cells], GROUPS.get(result.group, result.group)))
        data.append((result.group, result.name, size, *(found[one.key] for one in metrics)))
    schema = {"group": pl.String, "model": pl.String, "parameters": pl.Int64}
    frame = pl.DataFrame(data, schema=schema | {one.heading: pl.Float64 for one in metrics}, orient="row")
    columns = [Column("model", words=True), Column("size")]
    columns += [Column(one.heading, more_is_better=one.more_is_better) for one in metrics]
    notes = [f"{DAGGER} {one.name} may have been trained on {', '.join(one.seen)}." for one in results if one.seen]
    return Table(name, title, columns, rows, frame, [*notes, *unverified_notes(results)])


def _long(results: Sequence[Result], facet: str, parts: Sequence[Mapping[str, Slice]]) -> list[tuple[object, ...]]:
    return [
        (result.group, result.name, facet, label, key, part.scores.get(key), part.queries, part.authors)
        for result, slices in zip(results, parts, strict=True)
        for label, part in slices.items()
        for key in CHOICES
        if not part.scores or key in part.scores
    ]


def _label(facet: str, label: str) -> str:
    return label if facet == "by_language" else spaced(label)


def _value(cell: ScoreCell, metric: Metric) -> float | None:
    value = cell.get(metric.key)
    return None if value is None else float(value)


def _about(results: Sequence[Result]) -> list[str]:
    if not results:
        return []
    first = results[0].scores
    benchmark, overall, drawn = first["benchmark"], first["overall"], first["settings"]["negatives_per_query"]
    return [
        f"{count(overall['queries'])} queries of {count(overall['authors'])} authors against "
        f"{count(benchmark['candidates'])} candidates of the {benchmark['split']} split; EER and ROC-AUC over the "
        f"positives and {drawn} drawn negatives a query."
    ]
