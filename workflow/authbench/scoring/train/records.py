"""Define the columns of training curves: loss and scores by model, seed, step, split and slice."""

from pathlib import Path

import polars as pl

from authbench.core.errors import InputError, first_line

# What is measured on each split, and its headings.
MEASURED = {"loss": "loss", "success@5": "S@5", "auc_matched": "AUC matched", "eer": "EER"}
FACETS = ("by_language", "by_primary_genre", "by_length")
TRAINING = ("training", "batches")  # the place among the slices of the loss of the batches since the row before
CURVES = pl.Schema(
    {"model": pl.String, "seed": pl.Int64, "step": pl.Int64}
    | dict.fromkeys(("split", "facet", "slice"), pl.String)
    | dict.fromkeys(MEASURED, pl.Float64)
)


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
