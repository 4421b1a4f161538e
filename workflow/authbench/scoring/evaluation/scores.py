"""Scores of a model on a split, overall and by slice."""

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from authbench.config.plugins import plugin_key
from authbench.core.arrays import F32, F64, I32
from authbench.core.json_values import JsonObject
from authbench.release.format.scores import Cell
from authbench.scoring.evaluation.headline import Authors
from authbench.scoring.evaluation.listed import is_complete, known_values
from authbench.scoring.evaluation.lists import Lists
from authbench.scoring.evaluation.retrieval import Ranking
from authbench.scoring.evaluation.slices import OVERALL, SLICES, Slices, by_slice
from authbench.scoring.evaluation.split import Split
from authbench.scoring.evaluation.verification import NEGATIVES
from authbench.scoring.metrics.auc import area_of_wins, pairs_below
from authbench.scoring.metrics.bootstrap import interval, intervals, weighted_means
from authbench.scoring.metrics.error_rate import error_rate, error_rates_of_replicates, histograms
from authbench.scoring.metrics.ranking import NAMES as RANKING_MEASURES
from authbench.scoring.metrics.ranking import chance_adjusted, cuts_in_ties, per_query, random_per_query
from authbench.scoring.metrics.score_bins import rates_of_bins

Pairs = tuple[I32, F64]  # the query and the score of each pair

LEAST_AUTHORS = 20  # a slice with fewer query authors has counts but no scores
BINS = 256  # of scores; only the width of an interval depends on them
WITHIN = ("language", "language_source", "topic")  # pools of queries, in addition to the whole
MACRO = "macro over sub-genres"


def summarise(
    split: Split, ranking: Ranking, negatives: Mapping[str, Lists], authors: Authors, slices: Slices
) -> JsonObject:
    """Return the scores of a split: `overall`, and for each facet a mapping from the labels of `slices` to scores.

    Scores are means over the queries that have positives; the equal error rates pool the pairs of these queries. A
    score that cannot be computed from a partial ranking is None. Intervals cover 95 % of 1,000 replicates over authors.
    """
    values = per_query_values(split, ranking)
    pairs = scored_pairs(split, ranking, negatives) if is_complete(ranking) else {}
    places = {OVERALL: np.ones(len(split.asks), bool), **slices}
    cells = by_slice(places, lambda chosen: _scores_of(chosen, values, pairs, authors.of_query, authors.weights))
    overall = cells.pop(OVERALL) | {"cuts_in_ties": cuts_in_ties(ranking.best)}
    if "pool" in overall and ranking.others is not None and is_complete(ranking):
        eer, area = rates_of_bins(ranking.scores, ranking.others)
        every = {"eer_all": eer, "roc_auc_all": area, "pairs_all": int(ranking.others.sum() + len(ranking.scores))}
        overall |= _without_nan(every)
        overall["chance_adjusted"] = chance_adjusted(overall)
    result: JsonObject = {"overall": overall} | {facet: {} for facet in SLICES}
    for (facet, label), cell in cells.items():
        result[facet][label] = cell
    for genre, cell in result["by_primary_genre"].items():
        cell[MACRO] = _macro(genre, result["by_genre"])
    return result if ranking.depths is None else _with_nulls(result, ranking)


def per_query_values(split: Split, ranking: Ranking) -> dict[str, F64]:
    """Return every metric of every query, shape (queries,) each, NaN where a query has none.

    Keys without a prefix refer to the pool of all candidates; `language:`, `language_source:` and `topic:` to the pools
    within the query's language, language and source, and topic; `random:` to the expectation of a random ranking of all
    candidates. `pool` is a pool's size.
    """
    values: dict[str, F64] = {}
    for pool, ranks in ranking.ranks.items():
        prefix = "" if pool == "whole" else f"{pool}:"
        found = per_query(ranks, split.positives.starts)
        values[f"{prefix}pool"] = np.where(np.isnan(found["mrr"]), np.nan, ranking.sizes[pool])
        if ranking.depths is not None:
            found, _ = known_values(found, pool, ranking, split.positives)
        values |= {f"{prefix}{name}": value for name, value in found.items()}
    random = random_per_query(ranking.sizes["whole"], split.positives.lengths())
    return {**values, **ranking.plugged, **{f"random:{name}": value for name, value in random.items()}}


def scored_pairs(split: Split, ranking: Ranking, negatives: Mapping[str, Lists]) -> dict[str, Pairs]:
    """Return the query and the score of every pair, lowest score first.

    Keys are `positives`, `positives_same_topic` and the kinds of negatives.
    """
    owners, same_topic = split.positives.owners(), ranking.ranks["topic"] > 0
    return {
        "positives": _by_score(owners, ranking.scores),
        "positives_same_topic": _by_score(owners[same_topic], ranking.scores[same_topic]),
    } | {kind: _by_score(pairs.owners(), ranking.negatives[kind]) for kind, pairs in negatives.items()}


def _by_score(queries: I32, scores: F64) -> Pairs:
    order = np.argsort(scores, kind="stable")
    return queries[order], scores[order]


def _scores_of(
    chosen: np.ndarray, values: Mapping[str, F64], pairs: Mapping[str, Pairs], of_author: np.ndarray, weights: F32
) -> Cell:
    """Return counts, scores and intervals of the queries where `chosen` is true."""
    answered = chosen & ~np.isnan(values["pool"])
    cell: Cell = {
        "queries": int(answered.sum()),
        "queries_without_positives": int((chosen & ~answered).sum()),
        "authors": len(np.unique(of_author[answered])),
    }
    if cell["authors"] < LEAST_AUTHORS:
        return cell
    names = list(values)
    table = np.stack([values[name] for name in names], axis=1)[answered]
    known = ~np.isnan(table)
    with np.errstate(invalid="ignore"):
        mean = np.where(known, table, 0.0).sum(axis=0) / known.sum(axis=0)
    plain = [column for column, name in enumerate(names) if name != "pool" and ":" not in name]
    present = np.unique(of_author[answered])
    column_of, drawn = np.searchsorted(present, of_author), weights[:, present]
    sums = np.zeros((len(present), len(plain)))
    np.add.at(sums, column_of[answered], table[:, plain])
    counts = np.bincount(column_of[answered], minlength=len(present)).astype(np.float32)
    replicates = weighted_means(drawn, sums, counts[:, None])
    cell |= {names[column]: float(mean[column]) for column in plain}
    limited = dict(zip((names[column] for column in plain), intervals(replicates), strict=True))
    for suffix, found, limits in _error_rates(answered, pairs, column_of, drawn):
        cell |= {f"{name}{suffix}": value for name, value in found.items()}
        limited[f"eer{suffix}"] = limits
    cell["intervals"] = {name: list(limits) for name, limits in limited.items() if limits}
    cell["pool"] = float(mean[names.index("pool")])
    for part in (*WITHIN, "random"):
        cell[{"random": "random_expectation"}.get(part, f"within_{part}")] = {
            name.removeprefix(f"{part}:"): float(mean[column])
            for column, name in enumerate(names)
            if name.startswith(f"{part}:")
        }
    for pool in WITHIN:
        lost = answered & np.isnan(values[f"{pool}:pool"])
        cell[f"within_{pool}"]["queries_left_empty"] = int(lost.sum())
    finite: Cell = _without_nan(cell)
    return finite | {"chance_adjusted": chance_adjusted(finite)}


def _error_rates(
    answered: np.ndarray, pairs: Mapping[str, Pairs], of_author: np.ndarray, weights: F32
) -> Iterator[tuple[str, dict[str, float], tuple[float, float] | None]]:
    """Yield for each kind of negatives the suffix of keys, the error rate, area and pairs, and the rate's interval."""
    if not pairs:
        return
    sides = {side: _chosen_pairs(found, answered) for side, found in pairs.items()}
    scores = [sides["positives"][1], np.concatenate([sides[kind][1] for kind in NEGATIVES])]
    steps = np.linspace(0, 1, BINS // 2)[1:-1]
    edges = np.unique(np.concatenate([np.quantile(side, steps) for side in scores if len(side)]))

    def counted(side: str) -> F32:
        queries, values = sides[side]
        starts = [0, *np.searchsorted(values, edges), len(values)]
        bins = np.repeat(np.arange(len(edges) + 1), np.diff(starts))
        return histograms(of_author[queries], bins, weights.shape[1], len(edges) + 1)

    counts = {side: counted(side) for side in sides}
    for kind in NEGATIVES:
        right = f"positives_{kind}" if f"positives_{kind}" in sides else "positives"
        above, wrong = sides[right][1], sides[kind][1]
        rate = error_rate(above, wrong)
        drawn = error_rates_of_replicates(weights, counts[right], counts[kind]) if np.isfinite(rate.eer) else None
        limits = None if drawn is None else interval(drawn)
        area = float(area_of_wins(pairs_below(wrong, above), len(above), len(wrong)))
        found = {**rate._asdict(), "roc_auc": area, "pairs": len(wrong)}
        yield "" if kind == "whole" else f"_{kind}", found, limits


def _chosen_pairs(pairs: Pairs, chosen: np.ndarray) -> Pairs:
    queries, scores = pairs
    kept = chosen[queries]
    return queries[kept], scores[kept]


def _macro(genre: str, by_genre: Mapping[str, Cell]) -> Cell:
    """Return the unweighted mean over the scored sub-genres of a primary genre (paper, tables 11 and 12)."""
    parts = [cell for name, cell in by_genre.items() if name.partition("/")[0] == genre and "pool" in cell]
    families = ("eer", "roc_auc", plugin_key(""))
    known = dict.fromkeys(name for cell in parts for name in cell)
    names = [name for name in known if name in RANKING_MEASURES or name.startswith(families)]
    return {"sub_genres": len(parts)} | {
        name: float(np.mean([cell[name] for cell in parts if name in cell])) for name in names
    }


def _with_nulls(result: JsonObject, ranking: Ranking) -> JsonObject:
    """Return the scores, with None for scores that a cell with other scores lacks."""
    suffixes = ["" if kind == "whole" else f"_{kind}" for kind in NEGATIVES]
    ranked = (*RANKING_MEASURES, *(name for name in ranking.plugged if ":" not in name))
    usual = (*ranked, *(f"{name}{suffix}" for suffix in suffixes for name in ("eer", "roc_auc")))
    for name, part in result.items():
        for cell in [part] if name == "overall" else part.values():
            if "pool" in cell:
                cell |= {key: cell.get(key) for key in usual}
                for within in WITHIN:
                    cell[f"within_{within}"] |= {key: cell[f"within_{within}"].get(key) for key in ranked}
    return result


def _without_nan(cell: object) -> Any:
    """Return nested mappings without values that are not finite, which JSON cannot represent."""
    if isinstance(cell, dict):
        return {
            key: _without_nan(value)
            for key, value in cell.items()
            if not (isinstance(value, float) and not np.isfinite(value))
        }
    return cell
