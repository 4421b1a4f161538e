"""Verify the released matched pairs with a single threshold for all languages, and with a threshold per language.

A threshold for all languages requires more of a model than to order the texts of a language. The equal error rate is
therefore reported with its mean over languages, each with a separate threshold, and with both rates for
query-normalised scores: minus the mean, and divided by the standard deviation, of the query's scores with the drawn
candidates of its language (as Z-norm in speaker verification, Auckenthaler et al. 2000).
"""

from collections.abc import Mapping

import numpy as np

from authbench.core.arrays import BOOL, F64, I64
from authbench.release.format.scores import ByLanguage, Interval, MatchedPairs
from authbench.scoring.evaluation.headline import Authors
from authbench.scoring.evaluation.lists import Lists
from authbench.scoring.evaluation.released import Released
from authbench.scoring.metrics.bootstrap import interval
from authbench.scoring.metrics.error_rate import error_rate, error_rates_of_replicates, histograms

BINS = 256
_POOL = "matched"


def matched_error_rates(
    stated: Released, scores: F64, normalised: F64, languages: Mapping[str, BOOL], authors: Authors
) -> MatchedPairs:
    """Return the error rates of the matched pairs; empty without such pairs.

    Args:
        scores: shape (rows of `stated.lists`,).
        normalised: the same, query-normalised.
        languages: by averaged language, which queries are in it, shape (queries,).
    """
    here = (stated.pairs["pool"] == _POOL).to_numpy()
    if not here.any():
        return {}
    query = stated.pairs["query"].to_numpy().astype(np.int64)[here]
    same = stated.pairs["same"].to_numpy()[here]

    def by_language(values: F64) -> ByLanguage:
        parts: dict[str, Interval] = {}
        for lang, of_language in languages.items():
            inside = of_language[query] & np.isfinite(values)
            if part := _one_threshold(query[inside], same[inside], values[inside], authors):
                parts[lang] = part
        found: ByLanguage = {"languages": parts}
        if parts:
            found["value"] = float(np.mean([part["value"] for part in parts.values()]))
        return found

    given = scores[stated.place[here]]
    return {
        "pairs": len(same),
        "eer": _one_threshold(query, same, given, authors) or {},
        "eer_by_language": by_language(given),
        "eer_by_language_normalised": by_language(normalised[stated.place[here]]),
    }


def _one_threshold(query: I64, same: BOOL, scores: F64, authors: Authors) -> Interval | None:
    """Return the equal error rate, with its interval over authors; None where a side is empty."""
    rate = error_rate(scores[same], scores[~same])
    if not np.isfinite(rate.eer):
        return None
    edges = np.unique(np.quantile(scores, np.linspace(0, 1, BINS)[1:-1]))
    place, author = np.searchsorted(edges, scores, "right"), authors.of_query[query]
    size = len(authors.names)
    counts = [histograms(author[side], place[side], size, len(edges) + 1) for side in (same, ~same)]
    limits = interval(error_rates_of_replicates(authors.weights, *counts))
    return {"value": rate.eer, "low": limits[0], "high": limits[1]} if limits else {"value": rate.eer}


def query_normalised(stated: Released, scores: F64, drawn: Lists, against: F64) -> F64:
    """Return the released scores standardised by the scores `against` the candidates `drawn` for the query.

    NaN where these do not vary.
    """
    owners, queries = drawn.owners(), len(drawn.starts) - 1
    count = np.bincount(owners, minlength=queries)
    with np.errstate(invalid="ignore", divide="ignore"):
        mean = np.bincount(owners, against, queries) / count
        spread = np.sqrt(np.bincount(owners, (against - mean[owners]) ** 2, queries) / count)
        spread[spread < 1e-9 * np.maximum(1.0, np.abs(mean))] = np.nan
        of = stated.lists.owners()
        found: F64 = (scores - mean[of]) / spread[of]
    return found
