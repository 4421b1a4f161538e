"""Run external systems by a command that reads pairs in PAN's format and writes answers.jsonl.

It may name these folders:

    {train}        pairs.jsonl and truth.jsonl to learn from
    {calibration}  pairs.jsonl and truth.jsonl to set thresholds on
    {test}         pairs.jsonl
    {out}          the folder for answers.jsonl
"""

import re
import shlex
import subprocess
from pathlib import Path
from typing import NamedTuple

import polars as pl

from authbench.core.arrays import F64
from authbench.core.errors import InputError
from authbench.core.runtime.commands import run_command
from authbench.release.format.pan import align, read_answers, write_pairs, write_truth
from authbench.scoring.verifiers import Bench
from authbench.scoring.verifiers.parameters import ExternalParameters

PLACE = re.compile(r"\{(train|calibration|test|out)\}")
LAST_OUTPUT = 2_000  # characters of the last output of a failed command


class _Fitted(NamedTuple):
    command: str
    time_limit: float  # seconds
    folder: Path


def fit(train: pl.DataFrame, parameters: ExternalParameters, bench: Bench) -> _Fitted:
    _write_problems(train, bench.folder / "train")
    return _Fitted(parameters.command, parameters.time_limit, bench.folder)


def calibrate(fitted: _Fitted, held_out: pl.DataFrame) -> _Fitted:
    _write_problems(held_out, fitted.folder / "calibration")
    return fitted


def predict(fitted: _Fitted, pairs: pl.DataFrame) -> F64:
    """Return the scores, shape (pairs,); a pair without an answer is 0.5.

    Raises:
        InputError: the command fails, takes longer than its time limit, or its answers cannot be read.
    """
    here = fitted.folder.resolve()
    test, out = here / "test", here / "out"
    write_pairs(pairs, test / "pairs.jsonl")
    out.mkdir(parents=True, exist_ok=True)
    (out / "answers.jsonl").unlink(missing_ok=True)
    try:
        words = [PLACE.sub(lambda found: str(here / found[1]), word) for word in shlex.split(fitted.command)]
        ended = run_command(words, fitted.time_limit)
    except subprocess.TimeoutExpired:
        raise InputError(
            f"The command `{fitted.command}` was not done after {fitted.time_limit:g} seconds, and was ended with all "
            "that it had started. Raise the verifier's time_limit if it needs longer."
        ) from None
    except (OSError, ValueError) as problem:
        raise InputError(f"The command `{fitted.command}` cannot be run: {problem}.") from None
    if ended.returncode:
        output = (ended.stderr or ended.stdout)[-LAST_OUTPUT:]
        raise InputError(f"The command `{fitted.command}` ended with status {ended.returncode}:\n{output}")
    return align(pairs["id"], read_answers(out / "answers.jsonl"), str(out / "answers.jsonl"))


def _write_problems(pairs: pl.DataFrame, folder: Path) -> None:
    write_pairs(pairs, folder / "pairs.jsonl")
    write_truth(pairs, folder / "truth.jsonl")
