"""The page on what training gains says what the leaderboard's files say."""

import sys
from pathlib import Path

import polars as pl

from authbench.train.records import CURVES

sys.path.append(str(Path(__file__).parents[2] / "benchmarks"))
from training import as_text


def test_the_page_has_means_differences_and_gains_of_the_tables():
    names = ["m", "m-seed-0", "m-seed-1"]
    headline = pl.DataFrame(
        {
            "model": names, "score": ["auc_matched"] * 3, "value": [0.6, 0.7, 0.8], "gain_value": [None, 0.05, 0.15],
            "gain_low": [None, 0.01, 0.1], "gain_high": [None, 0.09, 0.2], "against": [None, "format", "format"],
        }
    )  # fmt: skip
    pairwise = pl.DataFrame(
        {"metric": ["auc_matched"] * 2, "model": ["m", "m-seed-1"], "other": ["m-seed-0", "m"],
         "difference": [-0.1, 0.2], "p": [0.01, 0.01], "p_holm": [0.02, 0.03]}
    )  # fmt: skip
    rows = [("m", seed, step, None, 0.1 + step / 100, 0.5 + step / 10, 0.3) for seed in (0, 1) for step in (0, 4)]
    page = as_text("m", names[1:], headline, pairwise, pl.DataFrame(rows, CURVES, orient="row"), "`it`", (90.0, 150.0))
    assert "`it`: 1.5 minutes, 2.5 of processors, for 2 seeds." in page
    assert "| auc_matched | 0.600 | 0.750 ± 0.071 | 0.700, 0.800 | +0.100 (p 0.02); +0.200 (p 0.03) | — |" in page
    assert "+0.050 [+0.010, +0.090] over format; +0.150 [+0.100, +0.200] over format |" in page
    assert "- seed 1: S@5 0.100 → 0.140, AUC matched 0.500 → 0.900 in 4 steps" in page
    assert "auc_topic" not in page
