"""Write a verifier's answers to pairs: <out>/answers.jsonl, in PAN's format, and likelihood_ratios.jsonl."""

import logging
import tempfile
from pathlib import Path

import numpy as np
import polars as pl

from authbench.core.errors import InputError
from authbench.core.storage.json_lines import write_json_lines
from authbench.models.model import VectorCache
from authbench.release.format.pan import read_pairs, read_problems, write_answers
from authbench.scoring.metrics.forensic import calibrated_by
from authbench.scoring.verifiers import Bench, learnt
from authbench.scoring.verifiers.requested import VerifierEntry


def write_run(
    verifier: VerifierEntry,
    train: Path,
    held_out: Path | None,
    test: Path,
    out: Path,
    seed: int,
    cache: VectorCache | None = None,
    ratios: Path | None = None,
) -> pl.DataFrame:
    """Train a verifier on a folder of pairs, write its answers to `out`/answers.jsonl and return them.

    Args:
        train: folder with pairs.jsonl and truth.jsonl for training.
        held_out: the same for calibration; None: the train pairs, as in PAN's baselines.
        test: pairs.jsonl to answer, or its folder.
        cache: of vectors, reusable; None: a temporary cache.
        ratios: pairs with truth that are not in train or held-out. A logistic curve of their scores converts the
            answers to decimal log likelihood ratios, in `out`/likelihood_ratios.jsonl.

    Raises:
        InputError: pairs of `ratios` are also training or calibration pairs, or of a single class.
    """
    asked = test / "pairs.jsonl" if test.is_dir() else test
    if not asked.is_file():  # told before a training, which may take hours
        raise InputError(f"{asked}: there is no such file. Expected PAN's pairs.jsonl.")
    learns = read_problems(train)
    sets = learns, read_problems(held_out) if held_out else learns
    apart = read_problems(ratios) if ratios else None
    if apart is not None:
        _expect_apart(apart, pl.concat([one.select("text1", "text2") for one in sets]), ratios)
    with tempfile.TemporaryDirectory() as own:
        scores = learnt(verifier, *sets, Bench(seed, Path(own), cache))
        answers = scores(read_pairs(asked))
        known = scores(apart)["value"].to_numpy() if apart is not None else None
    write_answers(answers, out / "answers.jsonl")
    if apart is not None and known is not None:
        found = calibrated_by(apart["same"].to_numpy(), known, answers["value"].to_numpy()) / np.log(10)
        if not found.any():
            logging.getLogger("authbench").warning(
                f"{out}: the scores of {ratios} do not rise with one author: every likelihood ratio is 1, says nothing"
            )
        rows = answers.select("id", pl.Series("log10_lr", found))
        write_json_lines(out / "likelihood_ratios.jsonl", rows.iter_rows(named=True))
    return answers


def _expect_apart(apart: pl.DataFrame, learns: pl.DataFrame, place: Path | None) -> None:
    """Raise InputError unless the pairs have both classes and none was used for training."""
    again = apart.join(learns, on=["text1", "text2"], how="semi").height
    if again:
        raise InputError(
            f"{place}: {again} of its {apart.height} pairs are among those that the verifier learns from, which would "
            "make likelihood ratios too sure. Expected other pairs."
        )
    if apart["same"].n_unique() < 2:
        raise InputError(
            f"{place}: all {apart.height} pairs are of one class. Expected pairs by one author and by two."
        )
