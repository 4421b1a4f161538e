"""Rank from lists in which only some candidates of a query have a score.

Candidates without a score rank behind all others, in an unknown order. A rank within the list is therefore exact, in
every pool too. A metric is computed if the list is long enough for all queries; otherwise it is NaN for all of them.
Memory: 40 bytes per listed pair.
"""

from collections.abc import Mapping

import numpy as np
import polars as pl

from authbench.core.arrays import BOOL, F64, I32, I64, U64
from authbench.models.vector_file import named
from authbench.scoring.evaluation.lists import Lists
from authbench.scoring.evaluation.released import CUTOFF, POOLS, S_AT_5
from authbench.scoring.evaluation.retrieval import NEAREST, Ranking, pool_sizes, pools, tie_keys, without_positives
from authbench.scoring.evaluation.split import Split
from authbench.scoring.metrics.bootstrap import mixed
from authbench.scoring.metrics.ranking import CUTOFFS, per_query
from authbench.scoring.metrics.score_bins import BITS, bins_of

BEHIND = np.iinfo(np.int32).max  # the rank of a positive that is not listed


def rank_listed(listed: pl.DataFrame, split: Split, negatives: Mapping[str, Lists]) -> Ranking:
    """Return the result of `retrieval.rank` for LISTED pairs; other pairs have NaN as score and BEHIND as rank."""
    in_pool = pools(split)
    scores = {name: _scores(listed, pairs) for name, pairs in {**negatives, "": split.positives}.items()}
    ordered = _ordered(listed, split)
    query, candidate = (ordered[column].to_numpy() for column in ("query", "candidate"))
    ranks, depths = {}, {}
    for name, (of_query, of_candidate) in in_pool.items():
        inside = of_query[query] == of_candidate[candidate]
        owners = query[inside]
        depths[name] = np.bincount(owners, minlength=len(split.asks)).astype(np.int32)
        starts = np.concatenate([[0], np.cumsum(depths[name])])
        place = (np.arange(len(owners)) - starts[owners] + 1).astype(np.int32)
        found = _at(owners, candidate[inside], place, split.positives)
        here = of_query[split.positives.owners()] == of_candidate[split.positives.rows]
        ranks[name] = np.where(here, np.where(found > 0, found, BEHIND), 0).astype(np.int32)
    rows, best = _nearest(ordered, len(split.asks))
    sizes, positives = pool_sizes(split, in_pool), scores.pop("")
    others = _others(ordered, split, depths["whole"] >= sizes["whole"], positives)
    return Ranking(ranks, sizes, positives, rows, best, scores, depths, others)


def _others(ordered: pl.DataFrame, split: Split, whole: BOOL, positives: F64) -> I64 | None:
    """Return the negatives by bin of their score; None unless every query with positives lists all candidates."""
    answered = split.positives.lengths() > 0
    if not whole[answered].all() or not np.isfinite(positives).all():
        return None
    listed = ordered["score"].to_numpy()[answered[ordered["query"].to_numpy()]]
    return without_positives(np.bincount(bins_of(listed), minlength=1 << BITS), positives)


def _ordered(listed: pl.DataFrame, split: Split) -> pl.DataFrame:
    """Return the pairs that are not excluded by query, best first; ties are broken by the hash of both ids."""
    kept = listed.join(split.excluded.frame(), on=["query", "candidate"], how="anti")
    keys: U64 = tie_keys(split)
    of_query, of_candidate = keys[split.asks][kept["query"].to_numpy()], keys[kept["candidate"].to_numpy()]
    tie = pl.Series(mixed(of_query ^ mixed(of_candidate)), dtype=pl.UInt64)
    return kept.with_columns(tie=tie).sort("query", -pl.col("score"), "tie")


def _scores(listed: pl.DataFrame, pairs: Lists) -> F64:
    wanted = pairs.frame().join(listed, on=["query", "candidate"], how="left", maintain_order="left")
    return wanted["score"].fill_null(float("nan")).to_numpy()


def _at(query: I64, candidate: I32, place: I32, pairs: Lists) -> I32:
    """Return the place of each pair; 0 where it has none."""
    places = pl.DataFrame(
        {"query": query, "candidate": candidate, "place": place},
        schema={"query": pl.Int32, "candidate": pl.Int32, "place": pl.Int32},
    )
    found = pairs.frame().join(places, on=["query", "candidate"], how="left", maintain_order="left")
    return found["place"].fill_null(0).to_numpy()


def _nearest(ordered: pl.DataFrame, queries: int) -> tuple[I32, F64]:
    rows, best = np.full((queries, NEAREST + 1), -1, np.int32), np.full((queries, NEAREST + 1), -np.inf)
    near = ordered.with_columns(place=pl.int_range(pl.len()).over("query")).filter(pl.col("place") <= NEAREST)
    at = near["query"].to_numpy(), near["place"].to_numpy()
    rows[at], best[at] = near["candidate"].to_numpy(), near["score"].to_numpy()
    return rows, best


def known_values(
    values: Mapping[str, F64], pool: str, ranking: Ranking, positives: Lists
) -> tuple[dict[str, F64], list[int]]:
    """Return the metrics of a pool, NaN for all queries if any cannot be computed, and the queries with short lists.

    Args:
        values: metrics by name, each of shape (queries,), from `metrics.ranking.per_query`.
        ranking: with `depths`.

    Returns:
        Metrics by name, each of shape (queries,), and the numbers of queries with too short a list, ascending.
    """
    assert ranking.depths is not None
    ranks, depth = ranking.ranks[pool], ranking.depths[pool]
    owners, queries = positives.owners(), len(depth)
    count = np.bincount(owners[ranks > 0], minlength=queries)
    found = np.bincount(owners[(ranks > 0) & (ranks < BEHIND)], minlength=queries)
    known: dict[str, BOOL] = {"mrr": found > 0}
    for k in CUTOFFS:
        enough = depth >= np.minimum(k, ranking.sizes[pool])
        known[f"success@{k}"] = enough | (values[f"success@{k}"] == 1)
        known[f"recall@{k}"] = known[f"ndcg@{k}"] = enough | (found == count)
    lacking = {name: (count > 0) & ~known[name] for name in values}
    short = sorted({int(query) for one in lacking.values() for query in np.flatnonzero(one)})
    return {name: np.full(queries, np.nan) if lacking[name].any() else value for name, value in values.items()}, short


def _tells_other_work(hit: F64, other_work: BOOL, ranking: Ranking, positives: Lists) -> bool:
    """Return whether the list of every query is long enough for Success@5 of positives from another work."""
    assert ranking.depths is not None
    ranks, owners = ranking.ranks["language"], positives.owners()
    own = (ranks > 0) & ~other_work
    listed_own = np.bincount(owners[own & (ranks < BEHIND)], minlength=len(hit))
    size = ranking.sizes["language"] - np.bincount(owners[own], minlength=len(hit))
    enough = ranking.depths["language"] - listed_own >= np.minimum(CUTOFF, size)
    return bool((enough | (hit == 1) | np.isnan(hit)).all())


def without_unknown(own: Mapping[str, F64], split: Split, ranking: Ranking) -> tuple[dict[str, F64], dict[str, str]]:
    """Return headline scores of queries, NaN for all queries if any is unknown, and the reasons by score.

    Args:
        own: by name, each of shape (queries,), from `released.group_scores` and `released.success_of_other_work`.
        ranking: of the split; complete if it has no `depths`.
    """
    found = dict(own)
    left_out: dict[str, str] = {}
    if ranking.depths is None:
        return found, left_out
    for pool, score in POOLS.items():
        unknown = int(((own[f"{pool}_groups"] > 0) & np.isnan(own[score])).sum())
        if unknown:
            left_out[score] = f"pairs of {unknown} queries have no score"
    if not _tells_other_work(own[S_AT_5], split.released.other_work, ranking, split.positives):
        left_out[S_AT_5] = "for some queries fewer than five candidates of their language are ranked"
    return found | {score: np.full_like(own[score], np.nan) for score in left_out}, left_out


def reasons(split: Split, ranking: Ranking) -> dict[str, str]:
    """Return by metric why it is not computed; empty if all are computed."""
    if ranking.depths is None:
        return {}
    found = {}
    values = per_query(ranking.ranks["whole"], split.positives.starts)
    kept, short = known_values(values, "whole", ranking, split.positives)
    if short:
        ids = split.documents["id"].gather(split.asks[short]).to_list()
        for name in values:
            if np.isnan(kept[name]).all():
                found[name] = f"too few candidates are ranked, for one of these metrics or more, for {named(ids)}"
    if (ranking.ranks["whole"] == BEHIND).any():
        found |= {name: "not every positive is ranked" for name in ranking.plugged if ":" not in name}
    if not is_complete(ranking):
        found["eer"] = "not every drawn pair has a score"
    return found


def is_complete(ranking: Ranking) -> bool:
    """Return whether every scored pair has a score."""
    scores = (ranking.scores, *ranking.negatives.values())
    return ranking.depths is None or all(np.isfinite(one).all() for one in scores)
