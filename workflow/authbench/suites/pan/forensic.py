"""Compute the likelihood ratios of verifiers, or of models on a release's pairs, and their costs.

Of models, from their evaluations (`released_pairs.parquet`):

forensic.csv .md .tex    Cllr min, and Cllr after calibration on the other half of the queries' pairs
likelihood_ratios.csv    each pair's log10 likelihood ratio by model
figures/tippett.svg      the share of pairs with at least a ratio; figures/det.svg: misses against false alarms
"""

import logging
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import polars as pl

from authbench.core.arrays import F64
from authbench.core.errors import InputError, first_line
from authbench.core.presentation.files import write_table
from authbench.core.presentation.inert_csv import as_csv
from authbench.core.presentation.pages import write_charts
from authbench.core.presentation.palette import marks_of
from authbench.core.presentation.tables import Table
from authbench.core.storage.atomic import atomic_folder, write_text
from authbench.core.storage.parquet_headers import bounded_parquet
from authbench.core.words import listing
from authbench.scoring.metrics import forensic
from authbench.suites.pan.compare import Systems
from authbench.suites.pan.figures import det, tippett
from authbench.suites.pan.page import measure_table

FILE = "released_pairs.parquet"
_PAIR = ["group", "query", "candidate", "same"]
_HEADINGS = {"cllr": "Cllr", "cllr_min": "Cllr min", "cllr_calibrated": "Cllr, calibrated"}
_NOTE = (
    "Bits that a system's likelihood ratios lose at even prior odds: 0 is best, 1 what a ratio of 1 costs. Scores are "
    "read as probabilities at even odds; empty where one is none, infinite where it rules out the truth. Min: the best "
    "monotone reading of the scores. Calibrated: by a logistic curve fitted on the other half of the problems, which "
    "never falls; at least the min, which the two curves may pass by chance where problems are few. Intervals of 95 %, "
    "problems taken as drawn one by one."
)
_RELATIONS = [
    *((_HEADINGS["cllr_min"], _HEADINGS[other]) for other in ("cllr", "cllr_calibrated")),
    *((f"{name}_low", heading, f"{name}_high") for name, heading in _HEADINGS.items()),
]


def ratios_of(systems: Systems, names: Sequence[str]) -> pl.DataFrame:
    """Return `id`, `same` and a column per system: the decimal log likelihood ratio, calibrated on the other half."""
    ids = systems.ids.to_list()
    found = {name: forensic.calibrated(systems.truth, systems.scores[name], ids) / np.log(10) for name in names}
    table = pl.DataFrame({"id": systems.ids, "same": systems.truth} | found)
    return table.with_columns(pl.col(*found).fill_nan(None)) if found else table


def costs(systems: Systems, names: Sequence[str]) -> pl.DataFrame:
    """Return a row per system.

    `system`, `cllr`, `cllr_min`, `cllr_calibrated` (null if undefined), `_low` and `_high` of each, and `level`:
    whether a half's calibration curve is constant.
    """
    ids, truth = systems.ids.to_list(), systems.truth
    half = forensic.halves_of(ids)
    rows = []
    for name in names:
        scores = systems.scores[name]
        best, fitted = forensic.best_ratios(truth, scores), forensic.calibrated(truth, scores, ids)
        ratios = {
            "cllr": forensic.log_ratios(scores),
            "cllr_min": best,
            "cllr_calibrated": best if forensic.cllr(truth, fitted) < forensic.cllr(truth, best) else fitted,
        }
        row: dict[str, object] = {"system": name}
        for heading, own in ratios.items():
            low, high = forensic.cllr_interval(truth, own) or (None, None)
            row |= {heading: forensic.cllr(truth, own), f"{heading}_low": low, f"{heading}_high": high}
        row["level"] = any((half == one).any() and not fitted[half == one].any() for one in range(forensic.PARTS))
        rows.append(row)
    ends = [f"{heading}_{end}" for heading in _HEADINGS for end in ("low", "high")]
    schema = {"system": pl.String} | dict.fromkeys([*_HEADINGS, *ends], pl.Float64) | {"level": pl.Boolean}
    return pl.DataFrame(rows, schema=schema).with_columns(pl.col(*_HEADINGS).fill_nan(None))


def forensic_table(systems: Systems, names: Sequence[str], probabilities: bool = True) -> Table:
    """Return the costs for readers, with the lowest value per column marked and baselines grey.

    Without probabilities, Cllr is omitted.

    Systems with a constant calibration curve are listed in a note and a warning.
    """
    found = costs(systems, names)
    notes, level = [_NOTE], found.filter("level")["system"].to_list()
    if level:
        notes.append(
            f"The scores of {listing(level)} do not rise with one author in a half of the problems: calibrated ratios "
            "of the other half are 1, which says nothing. A verifier is not turned round."
        )
        logging.getLogger("authbench").warning(notes[1])
    data = found.drop("level")
    headings = {name: words for name, words in _HEADINGS.items() if probabilities or name != "cllr"}
    data = data if probabilities else data.drop("cllr", "cllr_low", "cllr_high")
    bounds = {
        (row["system"], heading): (row[f"{name}_low"], row[f"{name}_high"])
        for row in data.iter_rows(named=True)
        for name, heading in headings.items()
    }
    shown, title = data.select("system", *headings).rename(headings), "Cost of likelihood ratios"
    table = measure_table("forensic", title, shown, *notes, bounds=bounds, baselines=systems.baselines, least=True)
    return replace(table, data=data.rename(headings), relations=_RELATIONS)


def read_scores(folder: Path, pool: str) -> tuple[pl.DataFrame, Systems]:
    """Return the pairs of a pool (`group`, `query`, `candidate`, `same`), and the scores of every model below a folder.

    The systems' ids are the queries, so a query's pairs are calibrated together.

    Raises:
        InputError: no file exists, a file is unreadable, or two files have different pairs.
    """
    pairs = pl.DataFrame()
    scores: dict[str, F64] = {}
    for path in sorted(folder.glob(f"*/{FILE}")):
        try:
            table = bounded_parquet(path, ["pool", *_PAIR, "score"]).filter(pl.col("pool") == pool)
        except (pl.exceptions.PolarsError, OSError) as problem:
            raise InputError(f"{path}: cannot be read: {first_line(problem)}") from None
        if scores and not table.select(_PAIR).equals(pairs):
            raise InputError(f"{path}: has other pairs than {next(iter(scores))}. Expected evaluations of one release.")
        pairs = table.select(_PAIR)
        scores[path.parent.name] = table["score"].to_numpy()
    if not scores or not pairs.height:
        what = f"pair of the pool {pool}" if scores else f"<model>/{FILE}"
        raise InputError(f"{folder}: has no {what}. Expected the folder that evaluations of a release are in.")
    return pairs, Systems(pairs["query"], pairs["same"].to_numpy(), scores)


def write_ratios(folder: Path, pool: str, out: Path) -> Table:
    """Write the files listed in this module's docstring, and return the table of costs."""
    pairs, systems = read_scores(folder, pool)
    names, marks = list(systems.scores), marks_of(systems.scores)
    ratios = ratios_of(systems, names)
    table = forensic_table(systems, names, probabilities=False)
    with atomic_folder(out) as place:
        write_table(place, table)
        write_text(
            place / "likelihood_ratios.csv", as_csv(pl.concat([pairs, ratios.drop("id", "same")], how="horizontal"))
        )
        write_charts(place / "figures", [tippett(ratios, marks), det(systems.scores, systems.truth, marks)])
    return table
