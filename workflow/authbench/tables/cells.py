"""Score a model in the slices of its queries, and count the slices without scores.

`authbench evaluate` scores no slice with fewer than 20 query authors. If fewer are requested, the same scores are
computed from the written metrics of queries and scores of pairs; EER and AUC are then of those pairs.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import polars as pl

from authbench.errors import InputError, first_line
from authbench.evaluation.scores import LEAST_AUTHORS, MACRO
from authbench.evaluation.slices import SLICES
from authbench.evaluation.verification import NEGATIVES
from authbench.format.scores import Cell as ScoreCell
from authbench.format.scores import cells_of
from authbench.leaderboard.collect import Result
from authbench.metrics.auc import auc
from authbench.metrics.error_rate import error_rate
from authbench.metrics.ranking import NAMES as RANKING_MEASURES
from authbench.storage.parquet_headers import bounded_parquet

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
    """Hold the slices of one model's result.

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
        means = {name: rows[name].mean() for name in RANKING_MEASURES if name in rows.columns}
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
        path = self._result.folder / PAIRS
        try:
            return bounded_parquet(path, ["query", "kind", "score", "rank_topic"])
        except (pl.exceptions.PolarsError, OSError) as problem:
            raise InputError(f"{path}: cannot be read: {first_line(problem)}. Evaluate the model again.") from None
