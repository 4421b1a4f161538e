"""Define the columns of training curves: loss, and scores on the dev split, by model, seed and step."""

from pathlib import Path

import polars as pl

from authbench.errors import InputError, first_line

ON_DEV = {"success@5": "S@5", "auc_matched": "AUC matched", "eer": "EER"}  # scores on the dev split, and their headings
MEASURED = ("loss", *ON_DEV)
CURVES = pl.Schema({"model": pl.String, "seed": pl.Int64, "step": pl.Int64, **dict.fromkeys(MEASURED, pl.Float64)})


def read_curves(path: Path) -> pl.DataFrame:
    """Return the CURVES of a file. Raises InputError if it cannot be read, or has other columns."""
    try:
        table = pl.read_csv(path, schema_overrides=CURVES)
    except (pl.exceptions.PolarsError, OSError) as problem:
        raise InputError(
            f"{path}: cannot be read: {first_line(problem)}. Expected curves.csv of authbench train."
        ) from None
    if table.schema != CURVES:
        raise InputError(
            f"{path}: has the columns {', '.join(table.columns)!a:.200}, expected {', '.join(CURVES)}: curves.csv of "
            "authbench train, as this version writes it."
        )
    return table
