"""Claims about training: what is paired, and that a trained model is one like any other."""

import json
import random

import numpy as np
import polars as pl
import pytest
from split_folder import write_release

from authbench.cli import main
from authbench.presentation.charts import as_svg
from authbench.train.curves import training_chart
from authbench.train.pairs import author_pairs, batches_of_epochs
from authbench.train.records import CURVES


def texts_of(authors, each=3):
    rows = [(f"d{a}-{k}", f"author {a}", f"text {k} of {a}") for a in range(authors) for k in range(each)]
    return pl.DataFrame(rows, schema=["id", "author_id", "content"], orient="row")


def test_an_author_is_in_an_epoch_once_with_two_texts_of_their_own():
    table = texts_of(20)
    pairs = author_pairs(table, seed=1, epoch=0)
    of = dict(zip(table["content"], table["author_id"], strict=True))
    assert len({of[one] for one, _ in pairs}) == len(pairs) == 20
    assert all(of[one] == of[other] and one != other for one, other in pairs)
    assert author_pairs(table.reverse(), seed=1, epoch=0) == pairs
    assert author_pairs(table, seed=1, epoch=1) != pairs != author_pairs(table, seed=2, epoch=0)


def test_authors_with_one_text_are_left_out_and_no_batch_holds_two_epochs():
    assert author_pairs(texts_of(5, each=1), 0, 0) == []
    pairs = list(batches_of_epochs(texts_of(10), seed=0, epochs=3, batch=4))
    assert len(pairs) == 3 * 8
    assert all(len({one.split()[-1] for one, _ in pairs[at : at + 4]}) == 4 for at in range(0, 24, 4))


def test_a_classifier_is_refused_before_the_release_is_read(tmp_path, capsys):
    assert main(["train", str(tmp_path / "nowhere"), "--model", "neurobiber", "--out", str(tmp_path / "out")]) == 2
    assert "neurobiber: pooling: labels" in capsys.readouterr().err


def test_curves_are_drawn_with_a_line_per_seed():
    rows = [(seed, step, 1.0 / (step + 1), 0.1 * step, 0.5 - 0.1 * step) for seed in (0, 1) for step in range(4)]
    drawn = as_svg(training_chart(pl.DataFrame(rows, schema=CURVES, orient="row"), "mine <b>"))
    assert drawn.count("<title>seed 0</title>") == drawn.count("<title>seed 1</title>") == 3
    assert "<b>" not in drawn


def states_of_libraries():
    """What other libraries keep for the whole process and a training changes."""
    import datasets
    import torch
    from transformers.utils import logging

    bars = logging.is_progress_bar_enabled(), datasets.are_progress_bars_disabled()
    numpy = np.random.get_state()
    return bars, random.getstate(), (numpy[1].tolist(), *numpy[2:]), torch.get_rng_state().tolist()


def test_a_trained_model_has_curves_and_evaluates_like_any_other(checkpoint, tmp_path, capsys):
    pytest.importorskip("datasets", reason="the extra `models` is not installed")
    release = write_release(tmp_path / "release", authors=24)
    for split in ("train", "dev"):
        (release / split).symlink_to(release / "test")
    page = tmp_path / "tiny.yaml"
    page.write_text(
        f"title: tiny\ngroup: embedding\nkind: transformer\n"
        f"parameters: {{checkpoint: {checkpoint}, pooling: mean, max_tokens: 32}}\n"
    )
    command = ["train", str(release), "--model", str(page), "--out", str(tmp_path / "out")]
    states = states_of_libraries()
    assert main([*command, "--seeds", "2", "--batch", "8", "--epochs", "2", "--learning-rate", "1e-3"]) == 0
    assert states_of_libraries() == states
    assert "mean of 2 seeds" in capsys.readouterr().out
    curves = pl.read_csv(tmp_path / "out/curves.csv")
    assert curves.group_by("seed").len().sort("seed")["len"].to_list() == [7, 7]
    assert curves.filter(pl.col("step") == 0)["success@5"].n_unique() == 1
    stated = json.loads((tmp_path / "out/release.json").read_text())
    assert (stated["verified"], stated["reason"]) == (False, "no checksums")
    trained = tmp_path / "out/tiny-seed-0.yaml"
    assert main(["evaluate", str(release), "--model", str(trained), "--out", str(tmp_path / "scores")]) == 0
    assert (tmp_path / "scores/tiny-seed-0/scores.json").is_file()


def test_a_model_without_weights_and_a_batch_without_authors_are_refused(checkpoint, tmp_path, capsys):
    pytest.importorskip("datasets", reason="the extra `models` is not installed")
    release = write_release(tmp_path / "release", authors=5)
    for split in ("train", "dev"):
        (release / split).symlink_to(release / "test")
    assert main(["train", str(release), "--model", "tfidf", "--out", str(tmp_path / "out")]) == 2
    assert "cannot be tuned" in capsys.readouterr().err
    page = tmp_path / "tiny.yaml"
    page.write_text(
        f"title: tiny\ngroup: embedding\nkind: transformer\nparameters: {{checkpoint: {checkpoint}, pooling: mean}}\n"
    )
    assert main(["train", str(release), "--model", str(page), "--out", str(tmp_path / "out")]) == 2
    assert "not one batch" in capsys.readouterr().err
