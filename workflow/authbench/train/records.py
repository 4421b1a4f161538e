"""Columns of the curves of a training: loss and scores by seed and step."""

import polars as pl

CURVES = pl.Schema({"seed": pl.Int64, "step": pl.Int64, "loss": pl.Float64, "success@5": pl.Float64, "eer": pl.Float64})
