"""Write the answers of a verifier to pairs: <out>/answers.jsonl, in PAN's format."""

import tempfile
from pathlib import Path

import polars as pl

from authbench.format.pan import read_pairs, read_problems, write_answers
from authbench.models.model import VectorCache
from authbench.verifiers import Bench, answer
from authbench.verifiers.entries import VerifierEntry


def write_run(
    verifier: VerifierEntry,
    train: Path,
    held_out: Path | None,
    test: Path,
    out: Path,
    seed: int,
    cache: VectorCache | None = None,
) -> pl.DataFrame:
    """Let a verifier learn from a folder of pairs, write its answers to `out`/answers.jsonl and return them.

    Args:
        train: folder with pairs.jsonl and truth.jsonl to learn from.
        held_out: likewise, to calibrate on; the train pairs if None, as PAN's baselines.
        test: pairs.jsonl to answer, or its folder.
        cache: of vectors, which may serve again; a temporary one if None.
    """
    learnt = read_problems(train)
    with tempfile.TemporaryDirectory() as own:
        bench = Bench(seed, Path(own), cache)
        answers = answer(verifier, learnt, read_problems(held_out) if held_out else learnt, _read_test(test), bench)
    write_answers(answers, out / "answers.jsonl")
    return answers


def _read_test(test: Path) -> pl.DataFrame:
    return read_pairs(test / "pairs.jsonl" if test.is_dir() else test)
