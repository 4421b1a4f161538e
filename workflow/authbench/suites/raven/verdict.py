"""Decide which verifiers rely on topics.

A verifier's lower score on HITS topics may also mean that their texts are harder for all verifiers. Its loss is
therefore compared, fold by fold, with the loss of verifiers that see only style. Without such a verifier, or if the
tested texts differ in more than their topics, there is no verdict. If most random topics are also HITS topics, a loss
could not be detected, so its absence is not evidence.
"""

import numpy as np
import polars as pl

from authbench.core.arrays import F64
from authbench.scoring.metrics.significance import p_of_fold_means
from authbench.suites.raven.covariates import differences
from authbench.suites.raven.results import Run
from authbench.suites.raven.stability import topic_shortcut
from authbench.suites.raven.subsets import MAIN, SHARED

REFERENCES = ("masked", "punctuation")  # verifiers that see no content words
SURE = 0.05
LEANS, UNSHOWN, WITHHELD, REFERENCE = "leans on topics", "no difference shown", "withheld", "sees style alone"


def not_comparable(run: Run) -> list[str]:
    """Return in words why there is no verdict: covariates that differ, or missing references."""
    found = differences(run.facts[MAIN]["covariates"], [run.facts[name]["covariates"] for name in run.random()])
    found = [f"on HITS {reason}" for reason in found]
    if not set(REFERENCES) & set(run.verifiers):
        found.append(f"no verifier of style alone took part ({' or '.join(REFERENCES)})")
    return found


def shared_topics(run: Run) -> float:
    """Return the share of random topics that are also HITS topics, averaged over seeds."""
    taken = set(run.facts[MAIN]["members"])
    shares = [len(taken & set(run.facts[name]["members"])) / len(run.facts[name]["members"]) for name in run.random()]
    return float(np.mean(shares))


def shortcut_test(run: Run) -> pl.DataFrame:
    """Return the topic shortcut test (section 8.2, table 11), a row per verifier.

    Returns:
        `verifier`, the columns of `topic_shortcut`, `p` (Overall, HITS against Random), `p_beyond` (the highest p of a
            loss greater than the loss of a verifier in REFERENCES, NaN without such a verifier), `verdict`.
    """
    hits = run.of(MAIN, "overall")
    per_seed = [run.of(name, "overall") for name in run.random()]
    random = np.concatenate(per_seed, axis=1)
    means = np.stack([np.nanmean(values, axis=1) for values in per_seed], axis=1)
    found = topic_shortcut(np.nanmean(hits, axis=1, keepdims=True), means)
    folds = hits.shape[1]
    p = [p_of_fold_means(*pair, folds) for pair in zip(hits, random, strict=True)]
    references = [place for place, name in enumerate(run.verifiers) if name in REFERENCES]
    beyond = []
    for place, name in enumerate(run.verifiers):
        others = [] if name in REFERENCES else references
        against = [
            _p_of_greater_loss(hits[place] - hits[other], random[place] - random[other], folds) for other in others
        ]
        beyond.append(max(against, default=float("nan")))
    lower = np.nanmean(hits, axis=1) < np.nanmean(random, axis=1)
    withheld = bool(not_comparable(run))
    unshown = UNSHOWN if shared_topics(run) <= SHARED else WITHHELD
    # significant, and beyond the loss of verifiers that see only style
    verdicts = []
    for name, loss, own, more in zip(run.verifiers, lower, p, beyond, strict=True):
        judged = LEANS if loss and own < SURE and more < SURE else unshown
        verdicts.append(REFERENCE if name in REFERENCES else WITHHELD if withheld else judged)
    return found.with_columns(
        pl.Series("verifier", list(run.verifiers)),
        pl.Series("p", p, pl.Float64),
        pl.Series("p_beyond", beyond, pl.Float64),
        pl.Series("verdict", verdicts),
    ).select("verifier", "random", "hits", "avg", "diff", "place", "p", "p_beyond", "verdict")


def _p_of_greater_loss(hits: F64, random: F64, folds: int) -> float:
    """Return the one-sided p that `hits` are lower than `random`, by the corrected t-test over folds."""
    p = p_of_fold_means(hits, random, folds)
    return p / 2 if np.nanmean(hits) < np.nanmean(random) else 1 - p / 2
