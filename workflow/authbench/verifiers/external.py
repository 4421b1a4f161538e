"""How do other people's systems take part?

A command is given a fold's pairs in PAN's format and writes answers.jsonl. It may name these folders:

    {train}        pairs.jsonl and truth.jsonl to learn from
    {calibration}  pairs.jsonl and truth.jsonl to set thresholds on
    {test}         pairs.jsonl
    {out}          where it leaves answers.jsonl
"""

import re
import shlex
import subprocess
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

import polars as pl

from authbench.arrays import F64
from authbench.errors import InputError
from authbench.pan.formats import align, read_answers, write_pairs, write_truth
from authbench.verifiers import Bench

PLACE = re.compile(r"\{(train|calibration|test|out)\}")
SAID = 2_000  # characters of what a failed command said last


class Fitted(NamedTuple):
    command: str
    folder: Path


def fit(train: pl.DataFrame, parameters: Mapping[str, Any], bench: Bench) -> Fitted:
    hand_over(train, bench.folder / "train")
    return Fitted(parameters["command"], bench.folder)


def calibrate(fitted: Fitted, held_out: pl.DataFrame) -> Fitted:
    hand_over(held_out, fitted.folder / "calibration")
    return fitted


def predict(fitted: Fitted, pairs: pl.DataFrame) -> F64:
    """Raises InputError where the command fails or its answers cannot be read; a pair without an answer is 0.5."""
    here = fitted.folder.resolve()
    test, out = here / "test", here / "out"
    write_pairs(pairs, test / "pairs.jsonl")
    out.mkdir(parents=True, exist_ok=True)
    (out / "answers.jsonl").unlink(missing_ok=True)
    try:
        words = [PLACE.sub(lambda found: str(here / found[1]), word) for word in shlex.split(fitted.command)]
        ended = subprocess.run(words, capture_output=True, text=True, errors="replace", check=False)
    except (OSError, ValueError) as problem:
        raise InputError(f"The command `{fitted.command}` cannot be run: {problem}.") from None
    if ended.returncode:
        said = (ended.stderr or ended.stdout)[-SAID:]
        raise InputError(f"The command `{fitted.command}` ended with status {ended.returncode}:\n{said}")
    return align(pairs["id"], read_answers(out / "answers.jsonl"), str(out / "answers.jsonl"))


def hand_over(pairs: pl.DataFrame, folder: Path) -> None:
    write_pairs(pairs, folder / "pairs.jsonl")
    write_truth(pairs, folder / "truth.jsonl")
