"""Score people and models on the pairs that people judged.

    auc       how often a same-author pair scores higher than a different-author pair of its language, ties half: over
              all such couples of all languages (people: their mean sureness; models: their score of the pair)
    accuracy  share of correct decisions: people say `same` above 0; a model does above the median of its scores in the
              language, as half of the drawn pairs are by the same author and people know it; a tie is half correct

Intervals are 95 % intervals from a bootstrap over pairs (no two share an author). Models are scored on exactly the
judged pairs, so the difference to people is paired.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations

import numpy as np
import polars as pl

from authbench.core.arrays import BOOL, F64
from authbench.scoring.evaluation.headline import LEAST_QUERY_AUTHORS
from authbench.scoring.metrics.bootstrap import author_weights, interval
from authbench.scoring.people.draw import POOL
from authbench.scoring.people.verdicts import mean_sureness

PEOPLE = "people"
MEASURES = ("auc", "accuracy")


def score_people(
    drawn: pl.DataFrame, people: Sequence[Mapping[str, int]], models: Mapping[str, pl.DataFrame], seed: int
) -> dict[str, object]:
    """Return the scores of people and of models on the judged pairs, over all and by language.

    Args:
        drawn: DRAWN.
        people: by person the sureness of each judged pair.
        models: by name `pool`, `query`, `candidate`, `score` of the released pairs.
        seed: of the bootstrap.
    """
    table = drawn.with_columns(mean_sureness(drawn, people))
    judged = table.filter(pl.col(PEOPLE).is_not_null())
    weights = author_weights(tuple(judged["author_id"]), seed).astype(np.float64)
    same, languages = judged["same"].to_numpy(), judged["lang"].to_numpy()
    sureness = judged[PEOPLE].to_numpy()
    ours = measured(sureness, same, languages, weights, dict.fromkeys(judged["lang"].unique(), 0.0))
    rows = [{"name": PEOPLE} | _summary(ours, None, languages)]
    for name, released in sorted(models.items()):
        scores = scores_of(judged, released)
        if not np.isfinite(scores).all():
            missing = int((~np.isfinite(scores)).sum())
            rows.append({"name": name, "left_out": f"no score of {missing} of {len(scores)} pairs"})
            continue
        theirs = measured(scores, same, languages, weights, _medians(scores, languages))
        rows.append({"name": name} | _summary(theirs, ours, languages))
    return {
        "people": len(people),
        "drawn": dict(drawn.group_by("lang").len().sort("lang").iter_rows()),
        "judged": dict(judged.group_by("lang").len().sort("lang").iter_rows()),
        "agreement": agreement(people),
        "rows": rows,
    }


def scores_of(judged: pl.DataFrame, released: pl.DataFrame) -> F64:
    """Return a model's score of each judged pair, shape (pairs,); NaN if missing."""
    own = released.filter(pl.col("pool") == POOL).select(
        "score", query_id=pl.col("query").cast(pl.String), candidate_id=pl.col("candidate").cast(pl.String)
    )
    unique = own.unique(["query_id", "candidate_id"], keep="first", maintain_order=True)
    joined = judged.join(unique, on=["query_id", "candidate_id"], how="left", maintain_order="left")
    return joined["score"].cast(pl.Float64).fill_null(float("nan")).to_numpy()


@dataclass(frozen=True)
class Measured:
    """AUC and accuracy over pairs, and in each bootstrap replicate.

    Attributes:
        values: value by measure; NaN if a kind of pair is missing.
        replicates: by measure, shape (replicates,).
        by_language: the number of pairs and the values by language.
    """

    values: dict[str, float] = field(default_factory=dict)
    replicates: dict[str, F64] = field(default_factory=dict)
    by_language: dict[str, dict[str, float]] = field(default_factory=dict)


def measured(scores: F64, same: BOOL, languages: np.ndarray, weights: F64, thresholds: Mapping[str, float]) -> Measured:
    """Measure scores of pairs.

    Args:
        scores: shape (pairs,), higher means more likely by the same author.
        same: shape (pairs,).
        languages: shape (pairs,).
        weights: shape (replicates, pairs).
        thresholds: by language the score above which a pair counts as by the same author.
    """
    found = Measured()
    wins, couples = np.zeros(len(weights) + 1), np.zeros(len(weights) + 1)
    drawn = np.concatenate([np.ones((1, len(scores))), weights])  # first row: every pair once
    right = np.zeros(len(scores))
    for lang in sorted(set(languages.tolist())):
        here = languages == lang
        one, two = np.flatnonzero(here & same), np.flatnonzero(here & ~same)
        above = (np.sign(scores[one][:, None] - scores[two][None, :]) + 1) / 2
        won = np.einsum("rs,sd,rd->r", drawn[:, one], above, drawn[:, two], optimize=True)
        pairs = drawn[:, one].sum(axis=1) * drawn[:, two].sum(axis=1)
        wins, couples = wins + won, couples + pairs
        right[here] = (np.sign(scores[here] - thresholds[lang]) * np.where(same[here], 1, -1) + 1) / 2
        with np.errstate(invalid="ignore", divide="ignore"):
            area, share = float(won[0] / pairs[0]), float(right[here].mean())
        found.by_language[lang] = {"pairs": int(here.sum()), "auc": area, "accuracy": share}
    with np.errstate(invalid="ignore", divide="ignore"):
        measures = {"auc": wins / couples, "accuracy": (drawn @ right) / drawn.sum(axis=1)}
    for measure, values in measures.items():
        found.values[measure], found.replicates[measure] = float(values[0]), values[1:]
    return found


def agreement(people: Sequence[Mapping[str, int]]) -> float | None:
    """Return how often two people agree on a pair; None if no pair has two verdicts."""
    same = [
        (one[pair] > 0) == (other[pair] > 0)
        for one, other in combinations(people, 2)
        for pair in sorted(one.keys() & other.keys())
    ]
    return sum(same) / len(same) if same else None


def _medians(scores: F64, languages: np.ndarray) -> dict[str, float]:
    return {lang: float(np.median(scores[languages == lang])) for lang in set(languages.tolist())}


def _summary(own: Measured, people: Measured | None, languages: np.ndarray) -> dict[str, object]:
    found: dict[str, object] = {"pairs": len(languages)}
    enough = len(languages) >= LEAST_QUERY_AUTHORS
    for measure in MEASURES:
        found[measure] = _with_interval(own.values[measure], own.replicates[measure], enough)
        if people is not None:
            found[f"{measure}_over_people"] = _with_interval(
                own.values[measure] - people.values[measure],
                own.replicates[measure] - people.replicates[measure],
                enough,
            )
    found["by_language"] = {
        lang: {name: _finite(value) for name, value in values.items()} for lang, values in own.by_language.items()
    }
    return found


def _with_interval(value: float, replicates: F64, enough: bool) -> dict[str, float | None]:
    limits = interval(replicates) if enough and np.isfinite(value) else None
    return {"value": _finite(value), "low": limits[0] if limits else None, "high": limits[1] if limits else None}


def _finite(value: float) -> float | None:
    return value if np.isfinite(value) else None
