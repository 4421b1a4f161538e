"""Make the table of topic: what the measure of topic that is furthest above .5 scores where topics are matched."""

from collections.abc import Sequence

import numpy as np
import polars as pl

from authbench.core.json_values import JsonObject
from authbench.core.presentation.numbers import decimals, limits, p_value
from authbench.core.presentation.tables import Cell, Column, Row, Table
from authbench.core.words import listing
from authbench.models.parameters import TOPIC_KINDS
from authbench.reports.leaderboard.collect import Result
from authbench.reports.leaderboard.verdict import HEADINGS, SURE
from authbench.scoring.evaluation.headline import Authors, counts_of, means_of_authors, values_of
from authbench.scoring.evaluation.scores import LEAST_AUTHORS
from authbench.scoring.evaluation.slices import OVERALL
from authbench.scoring.metrics.bootstrap import interval
from authbench.scoring.metrics.significance import holm, p_of_paired_means

SCORE, CHANCE = "auc_topic", 0.5
_WHOLE = OVERALL[1]
_SCHEMA = {
    "source": pl.String, "measure": pl.String, "value": pl.Float64, "low": pl.Float64, "high": pl.Float64,
    "authors": pl.Int64, "p_holm": pl.Float64,
}  # fmt: skip


def topic_table(results: Sequence[Result], queries: Sequence[pl.DataFrame], seed: int) -> list[Table]:
    """Return the table of all sources and of each source with LEAST_AUTHORS; none if no measure of topic is scored."""
    measures = {
        one.name: table
        for one, table in zip(results, queries, strict=True)
        if one.scores["model"].get("kind") in TOPIC_KINDS and not np.isnan(values_of(table, SCORE)).all()
    }
    if not measures:
        return []
    tested = [row for name, table in measures.items() for row in rows_by_source(name, table, seed)]
    data = (
        pl.DataFrame(tested, schema={**_SCHEMA, "p": pl.Float64})
        .with_columns(p_holm=pl.col("p").map_batches(lambda p: pl.Series(holm(p.to_numpy())), pl.Float64))
        .sort(pl.col("source") != _WHOLE, "source", -pl.col("value"), "measure")
        .unique("source", keep="first", maintain_order=True)
        .select(_SCHEMA.keys())
    )
    columns = [Column("source", words=True), Column("measure", words=True), Column(HEADINGS[SCORE])]
    columns += [Column("authors"), Column("p, Holm")]
    about = (
        f"Of {listing(sorted(measures))}, the furthest above {CHANCE}; sources of {LEAST_AUTHORS} or more authors. "
        f"p: that it is {CHANCE}, by approximate randomisation over authors, after Holm over {len(tested)} tests."
    )
    return [Table("topic", "What is left of topic", columns, list(map(_row, data.to_dicts())), data, [about])]


def rows_by_source(name: str, queries: pl.DataFrame, seed: int) -> list[JsonObject]:
    """Return a measure's score, interval and p over all queries, and in each source with LEAST_AUTHORS."""
    authors, values, counts = Authors.of(queries, seed), values_of(queries, SCORE), counts_of(queries, SCORE)
    sources = queries["source"].drop_nulls().unique().sort().to_list()
    places = {_WHOLE: np.ones(queries.height, bool)}
    places |= {source: (queries["source"] == source).fill_null(False).to_numpy() for source in sources}
    rows = []
    for place, chosen in places.items():
        means = means_of_authors(values[None], counts, authors, chosen)
        if len(means.present) < LEAST_AUTHORS and place != _WHOLE:
            continue
        low, high = interval(means.replicates(authors)[:, 0]) or (None, None)
        [p] = p_of_paired_means(means.values - CHANCE, means.names(authors), seed)
        rows.append(
            {"source": place, "measure": name, "value": float(means.values.mean()), "low": low, "high": high,
             "authors": len(means.present), "p": float(p)}
        )  # fmt: skip
    return rows


def _row(found: JsonObject) -> Row:
    sure = " *" if found["p_holm"] < SURE else ""
    value = Cell(decimals(found["value"]) + sure, found["value"], interval=limits(found["low"], found["high"]))
    p = Cell(p_value(found["p_holm"]), found["p_holm"])
    return Row([Cell(found["source"]), Cell(found["measure"]), value, Cell(f"{found['authors']:,}"), p])
