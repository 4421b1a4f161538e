"""The page on what training gains says what the leaderboard's files say."""

import json
import subprocess
import sys
from pathlib import Path

import polars as pl
import pytest
from scored_release import write_scored_release

from authbench.app.cli import main
from authbench.models.requested import load_model
from authbench.scoring.train.records import CURVES

sys.path.append(str(Path(__file__).parents[2] / "benchmarks"))
from training import as_text, gains_over, timed, with_fewer_tokens


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
    rows = [
        ("m", seed, step, "dev", "overall", "all", None, 0.1 + step / 100, 0.5 + step / 10, 0.3)
        for seed in (0, 1)
        for step in (0, 4)
    ]
    gained = pl.DataFrame({"model": ["m-seed-0"], "score": ["auc_matched"], "low": [0.04], "high": [0.16]})
    curves = pl.DataFrame(rows, CURVES, orient="row")
    page = as_text("m", names[1:], headline, pairwise, gained, curves, "`it`", (90.0, 150.0))
    assert "`it`: 1.5 minutes, 2.5 of processors, for 2 seeds." in page
    assert "| auc_matched | 0.600 | 0.750 ± 0.071 | 0.700, 0.800 " in page
    assert "| +0.100 ([+0.040, +0.160], p 0.02); +0.200 (p 0.03) | — |" in page
    assert "+0.050 [+0.010, +0.090] over format; +0.150 [+0.100, +0.200] over format |" in page
    assert "- seed 1: S@5 0.100 → 0.140, AUC matched 0.500 → 0.900 in 4 steps" in page
    assert "auc_topic" not in page


def test_gains_over_the_untuned_model_have_intervals_around_the_difference(tmp_path):
    write_scored_release(tmp_path / "release", authors=40)
    models = ("--model", "random", "--model", "char-ngram")
    command = ["evaluate", str(tmp_path / "release"), "--unverified", *models]
    assert main([*command, "--out", str(tmp_path / "scores")]) == 0
    gained = gains_over(tmp_path / "scores", "random", ["char-ngram"])
    assert set(gained["model"]) == {"char-ngram"} and set(gained["against"]) == {"random"} and gained.height
    assert all(low <= value <= high for low, value, high in gained.select("low", "value", "high").rows())


def test_a_model_that_reads_fewer_tokens_says_so_and_is_otherwise_the_same(tmp_path):
    whole = load_model("all-minilm-l6-v2")
    cut = load_model(str(with_fewer_tokens(whole, 64, tmp_path)))
    assert (cut.name, cut.parameters.max_tokens, whole.parameters.max_tokens) == ("all-minilm-l6-v2", 64, 512)
    assert cut.title == f"{whole.title}, 64 tokens of a text"
    assert {**cut.parameters.as_dict(), "max_tokens": 512} == whole.parameters.as_dict()


def test_seconds_are_those_of_all_parts_also_of_one_that_failed(tmp_path):
    seconds = tmp_path / "seconds.json"
    seconds.write_text("[100.0, 50.0]")
    wall, processors = timed(seconds, "--version")
    assert 100 < wall < 160 and 50 < processors < 110
    with pytest.raises(subprocess.CalledProcessError):
        timed(seconds, "train", "nowhere", "--model", "all-minilm-l6-v2", "--out", str(tmp_path / "out"))
    kept = json.loads(seconds.read_text())
    assert kept[0] > wall and kept[1] > processors
