"""Compute models' likelihood ratios on a release's pairs, from their evaluations (`released_pairs.parquet`).

forensic.csv .md .tex    Cllr min, and Cllr after calibration on the other half of the queries' pairs
likelihood_ratios.csv    each pair's log10 likelihood ratio by model
figures/tippett.svg      the share of pairs with at least a ratio; figures/det.svg: misses against false alarms
"""

from pathlib import Path

import polars as pl

from authbench.arrays import F64
from authbench.errors import InputError, first_line
from authbench.pan.compare import Systems
from authbench.pan.figures import det, tippett
from authbench.pan.forensic import forensic_table, ratios_of
from authbench.presentation.files import write_table
from authbench.presentation.pages import write_charts
from authbench.presentation.spreadsheets import as_csv
from authbench.presentation.tables import Table
from authbench.storage.atomic import atomic_folder, write_text
from authbench.storage.parquet_headers import bounded_parquet

FILE = "released_pairs.parquet"
_PAIR = ["group", "query", "candidate", "same"]


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
    names = list(systems.scores)
    ratios = ratios_of(systems, names)
    costs = forensic_table(systems, names, probabilities=False)
    with atomic_folder(out) as place:
        write_table(place, costs)
        write_text(
            place / "likelihood_ratios.csv", as_csv(pl.concat([pairs, ratios.drop("id", "same")], how="horizontal"))
        )
        write_charts(place / "figures", [tippett(ratios), det(systems.scores, systems.truth)])
    return costs
