"""Compare the answers of several systems to the same verification problems.

The tables of the overview of PAN 2021: scores (1), significance (2, also of AUC, Brier and Overall), systems by
dataset (3), problems answered by a system (4), and c@1 against non-answers (figure 3).
"""

import re
import warnings
from collections.abc import Iterable, Mapping, Sequence
from itertools import combinations
from typing import NamedTuple

import numpy as np
import polars as pl

from authbench.core.arrays import F64
from authbench.scoring.metrics.influence import influences, intervals, p_of_areas, p_of_difference
from authbench.scoring.metrics.paired_f1 import p_of_paired_f1
from authbench.scoring.metrics.pan import MEASURES, OF_2020, OF_MACHINES, Truth, evaluate, overall, without_open
from authbench.scoring.metrics.significance import holm

META = "meta (mean)"
CHANCE = "by chance"
LEAST_SYSTEMS = 6  # with fewer, a signed-rank test cannot reach 0.05
_NAME = re.compile(r"(?:answers[-_])?(?P<team>.+?)(?P<year>\d{2})(?P<set>-large|-small)?")


class Systems(NamedTuple):
    """The problems' ids and ground truth, and each system's scores.

    Attributes:
        baselines: the systems that others must beat.
        published_2020: whether F0.5u counts a score of 0.5 as "same author", as PAN's tables of 2020 do.
    """

    ids: pl.Series
    truth: Truth
    scores: Mapping[str, F64]
    baselines: tuple[str, ...] = ()
    published_2020: bool = False

    def only(self, names: Iterable[str]) -> "Systems":
        return self._replace(scores={name: self.scores[name] for name in names})


def scores_table(systems: Systems, year: int = 2021) -> pl.DataFrame:
    """Return `system`, MEASURES, `overall` of that year and `non_answers`, sorted by overall, then by name."""
    rows = [{"system": name, **_measured(systems, scores, year)} for name, scores in systems.scores.items()]
    table = pl.DataFrame(rows, schema_overrides={"non_answers": pl.Int64})
    return table.with_columns(pl.col(*MEASURES, "overall").fill_nan(None)).sort(
        "overall", "system", descending=[True, False], nulls_last=True
    )


def _measured(systems: Systems, scores: F64, year: int) -> dict[str, float]:
    found = evaluate(systems.truth, scores, systems.published_2020, year)
    return {**found, "non_answers": int((scores == 0.5).sum())}


def by_chance(truth: Truth, year: int = 2021) -> dict[str, float]:
    """Return the expected MEASURES and `overall` of uniform random scores in [0, 1], for many problems.

    F1 and F0.5u depend on the share of true problems. The AUC is 0 if a class is missing, as in PAN's evaluator.
    """
    share = float(truth.mean())
    found = {
        "auc": 0.5 if 0 < share < 1 else 0.0,
        "c@1": 0.5,
        "f1": 2 * share / (2 * share + 1),
        "f0.5u": 1.25 * share / (1 + share / 2),
        "brier": 2 / 3,
    }
    return {**found, "overall": overall(found, OF_2020 if year == 2020 else MEASURES)}


def bounds_of(systems: Systems, year: int = 2021) -> dict[str, dict[str, tuple[float, float] | None]]:
    """Return the 95 % interval of each measure of each system (`metrics.influence`); None if undefined."""
    return {
        name: intervals(
            _measured(systems, scores, year), influences(systems.truth, scores, systems.published_2020, year)
        )
        for name, scores in systems.scores.items()
    }


def with_meta(systems: Systems) -> Systems:
    """Return the systems and their `meta` system, unless its name is already taken."""
    others = [name for name in systems.scores if name not in systems.baselines]
    if len(others or systems.scores) < 2 or META in systems.scores:
        return systems
    return systems._replace(scores={**systems.scores, META: meta(systems)})


def where_answered(systems: Systems, by: str, year: int = 2021) -> pl.DataFrame:
    """Return `scores_table` on the problems that system `by` answers (table 4); empty if it answers none."""
    answered = systems.scores[by] != 0.5
    if not answered.any():
        return scores_table(systems, year).clear()
    scores = {name: own[answered] for name, own in systems.scores.items()}
    ids = systems.ids.filter(pl.Series(answered))
    return scores_table(systems._replace(ids=ids, truth=systems.truth[answered], scores=scores), year)


def _team(system: str) -> str:
    """Return a PAN system's name without the training set at its end.

    >>> _team("boenninghoff21-large"), _team("all-minilm-l6-v2")
    ('boenninghoff21', 'all-minilm-l6-v2')
    """
    return system.removesuffix("-large").removesuffix("-small")


def leading(table: pl.DataFrame, baselines: Sequence[str]) -> list[str]:
    """Return each team's best system with a higher overall score than all baselines, best first."""
    known = table.filter(pl.col("overall").is_not_null())
    most = known.filter(pl.col("system").is_in(list(baselines)))["overall"].max()
    others = known.filter(~pl.col("system").is_in(list(baselines)))
    if isinstance(most, float):
        others = others.filter(pl.col("overall") > most)
    best: dict[str, str] = {}
    for name in others["system"]:
        best.setdefault(_team(name), name)
    return list(best.values())


def meta(systems: Systems) -> F64:
    """Return each problem's mean score over all systems but the baselines, or over these if there are no others."""
    others = [scores for name, scores in systems.scores.items() if name not in systems.baselines]
    return np.asarray(np.mean(others or list(systems.scores.values()), axis=0))


def silence_pays(table: pl.DataFrame) -> dict[str, object]:
    """Return the overview's signed-rank test of non-answers and c@1 over systems, and their Spearman correlation.

    The overview asks whether non-answers increase the score. Its test compares a count with a share and is hardly
    informative; the correlation answers the question. Values are None if uninformative: for fewer than LEAST_SYSTEMS
    systems or constant values.
    """
    from scipy.stats import spearmanr, wilcoxon

    silent, right = table["non_answers"].to_numpy().astype(float), table["c@1"].to_numpy()
    found: dict[str, object] = {"systems": len(silent), "w": None, "p": None, "rho": None, "rho_p": None}
    if len(silent) >= LEAST_SYSTEMS and np.ptp(silent):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            signed = wilcoxon(silent, right)
            ranked = spearmanr(silent, right)
        found |= {"w": float(signed.statistic), "p": float(signed.pvalue)}
        if np.isfinite(ranked.statistic):
            found |= {"rho": float(ranked.statistic), "rho_p": float(ranked.pvalue)}
    return found


def by_data_set(tables: Mapping[str, pl.DataFrame]) -> pl.DataFrame:
    """Return table 3: a row per system, a column per dataset, null if a system has no answers."""
    names = sorted({name for table in tables.values() for name in table["system"]})
    found = pl.DataFrame({"system": names}, schema={"system": pl.String})
    for data_set, table in tables.items():
        column = table.select("system", pl.col("c@1").alias(data_set))
        found = found.join(column, on="system", how="left", maintain_order="left")
    return found


def by_team(tables: Mapping[str, pl.DataFrame]) -> pl.DataFrame:
    """Return table 3 by team: a row per team and train set, a column per dataset and year of submission.

    PAN's systems are named by team, two digits of the year, and train set: `gagala20-small`, or like the file,
    `answers_gagala20-small`. Any other system is a separate team without a year. Empty if no system has a year.
    """
    cells: dict[tuple[str, str], dict[str, float | None]] = {}
    years = set()
    for data_set, table in tables.items():
        for system, value in table.select("system", "c@1").iter_rows():
            parts = _NAME.fullmatch(system)
            team, year, trained = parts.group("team", "year", "set") if parts else (system, "", "")
            years.add(year)
            heading = f"{data_set}, systems of 20{year}" if year else data_set
            own = cells.setdefault((team, (trained or "").removeprefix("-")), {})
            known = own.get(heading)
            own[heading] = value if known is None else max(known, value if value is not None else known)
    if not any(years):
        return pl.DataFrame(schema={"team": pl.String, "trained on": pl.String})
    headings = [
        heading
        for data_set in tables
        for heading in (data_set, *(f"{data_set}, systems of 20{year}" for year in sorted(years - {""})))
        if any(heading in own for own in cells.values())
    ]
    rows = [{"team": team, "trained on": trained} | cells[team, trained] for team, trained in sorted(cells)]
    schema = {"team": pl.String, "trained on": pl.String} | dict.fromkeys(headings, pl.Float64)
    return pl.DataFrame(rows, schema=schema)


SIGNS = ((0.001, "***"), (0.01, "**"), (0.05, "*"))
COMPARED = ("f1", "auc", "brier", "overall")
_SCHEMA = {"measure": pl.String, "system": pl.String, "other": pl.String, "difference": pl.Float64, "p": pl.Float64}


def compare_all(
    truth: Truth,
    scores: Mapping[str, F64],
    published_2020: bool = False,
    year: int = 2021,
    measures: Sequence[str] = COMPARED[:1],
) -> pl.DataFrame:
    """Return `measure`, `system`, `other`, `difference`, `p`, `p_holm` for every two systems, in the order of `scores`.

    F1 is tested by all swaps of answers, AUC by DeLong's test, Brier and Overall by each problem's influence; `p_holm`
    is corrected within a measure. Values are null if a measure is set by convention, such as Brier with scores outside
    [0, 1].

    Args:
        scores: by system, each of shape (problems,).
        published_2020: measure as PAN 2020 published, as in `metrics.pan.evaluate`.
    """
    decided = {name: without_open(own) if year >= OF_MACHINES else own for name, own in scores.items()}
    values, moved = {}, {}
    for name, own in scores.items() if set(measures) - {"f1"} else ():
        values[name] = evaluate(truth, own, published_2020, year)
        moved[name] = influences(truth, own, published_2020, year)
    rows = []
    for measure in measures:
        for one, other in combinations(scores, 2):
            if measure == "f1":
                difference, p = p_of_paired_f1(truth, decided[one], decided[other])
            else:
                difference = values[one][measure] - values[other][measure]
                pair = moved[one][measure], moved[other][measure]
                p = p_of_areas(truth, difference, *pair) if measure == "auc" else p_of_difference(difference, *pair)
            rows.append((measure, one, other, difference, p))
    table = pl.DataFrame(rows, schema=_SCHEMA, orient="row").with_columns(pl.col("difference", "p").fill_nan(None))
    parts = [
        part.with_columns(pl.Series("p_holm", _corrected(part["p"]), dtype=pl.Float64))
        for part in table.partition_by("measure", maintain_order=True)
    ]
    return pl.concat(parts) if parts else table.with_columns(p_holm=pl.lit(None, pl.Float64))


def _corrected(p: pl.Series) -> F64:
    values = p.fill_null(float("nan")).to_numpy().copy()
    known = np.isfinite(values)
    values[known] = holm(values[known])
    return np.asarray(values, np.float64)


def _sign(p: float | None) -> str:
    """Return the overview's notation of a p value, or `?` if unknown.

    >>> [_sign(p) for p in (0.0001, 0.004, 0.03, 0.05, None)]
    ['***', '**', '*', '=', '?']
    """
    if p is None:
        return "?"
    return next((mark for below, mark in SIGNS if p < below), "=")


def matrix(pairs: pl.DataFrame, corrected: bool = False, measure: str = "f1") -> pl.DataFrame:
    """Return the overview's table 2, `_sign` above the diagonal, with Holm-corrected p values if `corrected`.

    It has a row for each system but the last, and a column for each but the first.
    """
    own = pairs.filter(pl.col("measure") == measure)
    names = list(dict.fromkeys([*own["system"], *own["other"]]))
    column = pl.col("p_holm" if corrected else "p").fill_nan(None)
    signs = {(one, other): _sign(p) for one, other, p in own.select("system", "other", column).iter_rows()}
    return pl.DataFrame(
        {"system": names[:-1]} | {other: [signs.get((one, other), "") for one in names[:-1]] for other in names[1:]}
    )
