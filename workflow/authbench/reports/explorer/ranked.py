"""Compute the shares of errors by slice, and the ranks and scores of the candidates of single queries."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import polars as pl

from authbench.core.errors import InputError
from authbench.core.identity import keyed_hashes
from authbench.core.storage.parquet_headers import bounded_parquet
from authbench.reports.leaderboard.collect import Result
from authbench.scoring.evaluation.joined import expect_same_queries, expect_types
from authbench.scoring.evaluation.retrieval import NEAREST

FACETS = {"lang": "language", "primary_genre": "genre", "length": "length"}  # columns, in words
ANSWERS = 10  # listed true answers of a query
SLICES = 40  # listed values of a facet
_QUERIES = {"success@1": pl.Float64, "nearest": pl.List(pl.String), "scores": pl.List(pl.Float64)}
_PAIRS = {"query": pl.String, "candidate": pl.String, "kind": pl.String, "score": pl.Float64, "rank": pl.Int32}


@dataclass(frozen=True)
class Explored:
    """What the pages show.

    Attributes:
        models: names by share of errors, in ascending order.
        left_out: names of models that rank no candidates.
        outcomes: from `outcomes`.
        slices: from `errors_by_slice`.
        queries: the metadata of the queries that are shown, by id.
        margins: of these queries, from `margins`.
        rows: of these queries, from `listed`.
    """

    models: Sequence[str]
    left_out: Sequence[str]
    outcomes: pl.DataFrame
    slices: pl.DataFrame
    queries: pl.DataFrame
    margins: pl.DataFrame
    rows: pl.DataFrame


def explore(results: Sequence[Result], most: int) -> Explored:
    """Return the errors of models on a split, and the candidates of at most `most` queries, drawn by a keyed hash.

    Raises:
        InputError: a file of a result cannot be used, the results are of different queries, or no model is left.
    """
    tables = [result.queries() for result in results]
    expect_same_queries([result.scores for result in results], tables)
    queries = {result.name: table for result, table in zip(results, tables, strict=True)}
    found = outcomes(queries)
    slices = errors_by_slice(found)
    models = slices.filter(facet="all")["model"].to_list()
    if not models:
        raise InputError(f"{results[0].place}: no model ranks the candidates of a query that has an answer.")
    ids = draw(found["id"].unique(), most, results[0].scores["settings"]["seed"])
    parts = []
    for result in results:
        if result.name in models:
            asked = queries[result.name].filter(pl.col("id").is_in(ids))
            parts.append(ranked(asked, read_answers(result.folder, ids)).with_columns(model=pl.lit(result.name)))
    rows = pl.concat(parts)
    asked = queries[models[0]].filter(pl.col("id").is_in(ids)).sort("id")
    left_out = [name for name in queries if name not in models]
    return Explored(models, left_out, found, slices, asked, margins(rows), listed(rows))


def outcomes(queries: Mapping[str, pl.DataFrame]) -> pl.DataFrame:
    """Return a row per model and query with an answer: `model`, `id`, `author_id`, FACETS, and whether it is `wrong`.

    Args:
        queries: queries.parquet of each model.

    Raises:
        InputError: a table lacks a column or has another type in it.
    """
    parts = []
    for name, table in queries.items():
        expect_types(f"queries.parquet of {name}", table, _QUERIES)
        if table["nearest"].list.len().ne_missing(table["scores"].list.len()).any():
            raise InputError(f"queries.parquet of {name}: some candidates have no score. Evaluate the model again.")
        facets = [facet if facet in table.columns else pl.lit(None, pl.String).alias(facet) for facet in FACETS]
        known = table.filter(pl.col("success@1").is_not_nan())
        parts.append(
            known.select(pl.lit(name).alias("model"), "id", "author_id", *facets, wrong=pl.col("success@1") < 1)
        )
    return pl.concat(parts)


def errors_by_slice(found: pl.DataFrame) -> pl.DataFrame:
    """Return a row per facet, slice and model: `queries`, their `authors`, and the share `wrong`, in ascending order.

    The facet `all` has one slice; of each other facet the SLICES with most queries are returned.

    Args:
        found: from `outcomes`.
    """
    facets = [("all", pl.lit("all")), *((facet, pl.col(facet)) for facet in FACETS)]
    table = (
        pl.concat(found.with_columns(facet=pl.lit(facet), slice=value) for facet, value in facets)
        .drop_nulls("slice")
        .group_by("facet", "slice", "model")
        .agg(queries=pl.len(), authors=pl.col("author_id").n_unique(), wrong=pl.col("wrong").mean())
    )
    sizes = table.group_by("facet", "slice").agg(pl.max("queries")).sort("queries", "slice", descending=[True, False])
    kept = sizes.group_by("facet").head(SLICES).select("facet", "slice")
    return table.join(kept, on=["facet", "slice"], how="semi").sort("wrong", "facet", "slice", "model")


def draw(ids: pl.Series, most: int, seed: int) -> list[str]:
    """Return the ids with the smallest keyed hashes, at most `most`, sorted."""
    hashed = pl.DataFrame({"id": ids, "rank": keyed_hashes(seed, "explore", ids)})
    return hashed.sort("rank", "id").head(most)["id"].sort().to_list()


def read_answers(folder: Path, ids: list[str]) -> pl.DataFrame:
    """Return `query`, `candidate`, `score` and `rank` of the true answers of some queries, from pairs.parquet.

    Raises:
        InputError: the file cannot be read, lacks a column or has another type in it.
    """
    path = folder / "pairs.parquet"
    table = bounded_parquet(path, [*_PAIRS])
    expect_types(path, table, _PAIRS)
    return table.filter(pl.col("query").is_in(ids), kind="positive").drop("kind")


def ranked(queries: pl.DataFrame, answers: pl.DataFrame) -> pl.DataFrame:
    """Return the nearest candidates and the true answers of queries, each once, with what a model gives them.

    Args:
        queries: rows of queries.parquet.
        answers: from `read_answers`.

    Returns:
        `query`, `candidate`, `rank`, `score` (both null if unknown) and whether it is `right`.
    """
    nearest = (
        queries.select(
            query="id", candidate=pl.col("nearest").list.head(NEAREST), score=pl.col("scores").list.head(NEAREST)
        )
        .with_columns(rank=pl.int_ranges(1, pl.col("candidate").list.len().cast(pl.Int32) + 1, dtype=pl.Int32))
        .explode("candidate", "score", "rank")
    )
    both = pl.concat([answers.with_columns(right=True), nearest.with_columns(right=False)], how="diagonal")
    return both.drop_nulls("candidate").unique(["query", "candidate"], keep="first", maintain_order=True)


def margins(rows: pl.DataFrame) -> pl.DataFrame:
    """Return for each query and model the first right and the first wrong candidate, and the `margin` of their scores.

    Args:
        rows: from `ranked`, with `model`.

    Returns:
        `query`, `model`, `rank`, `score` of the first right candidate, `wrong_score`, `margin`; null if unknown.
    """
    first = rows.sort("rank", "candidate", nulls_last=True).group_by("query", "model", maintain_order=True)
    best = first.agg(
        pl.col("rank").filter("right").first(),
        pl.col("score").filter("right").first(),
        wrong_score=pl.col("score").filter(~pl.col("right")).first(),
    )
    return best.with_columns(margin=pl.col("score") - pl.col("wrong_score"))


def listed(rows: pl.DataFrame) -> pl.DataFrame:
    """Return the rows of the nearest candidates of each model and of the ANSWERS true answers with the best ranks.

    Args:
        rows: from `ranked`, with `model`.

    Returns:
        By query and `best`, the candidate's best rank, with `more`: how many true answers of the query are left out.
    """
    candidates = rows.group_by("query", "candidate").agg(pl.any("right"), best=pl.min("rank"))
    kept = ~pl.col("right") | (pl.col("right").cum_sum().over("query") <= ANSWERS)
    candidates = (
        candidates.sort("query", "best", "candidate", nulls_last=True)
        .with_columns(kept=kept | (pl.col("best") <= NEAREST).fill_null(False))
        .with_columns(more=(~pl.col("kept")).sum().over("query"))
        .filter("kept")
    )
    joined = rows.join(candidates.drop("right", "kept"), on=["query", "candidate"])
    return joined.sort("query", "best", "candidate", "model", nulls_last=True)
