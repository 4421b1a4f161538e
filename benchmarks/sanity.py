"""How long do sanity rows take to compare texts, beside other models of counts?

    PYTHONPATH=workflow python benchmarks/sanity.py RELEASE [--texts 5000]

The texts of all splits of a release, from the first again where there are too few; 1,000 of them ask, and words are
learnt from all. Prints a Markdown table of CPU seconds, of vectors and of products, each the median of three.
"""

import argparse
import time
from collections.abc import Callable
from pathlib import Path
from statistics import median
from typing import Any

import numpy as np
import polars as pl

from authbench.config.registry.load import load_entry
from authbench.models.entries import MODELS
from authbench.models.open import open_model
from authbench.release.format.verify import open_verified
from authbench.scoring.evaluation.retrieval import cosine

ROWS = (
    "random",
    "metadata",
    "format",
    "edges",
    "content-words",
    "topic-model",
    "content-characters",
    "punctuation",
    "masked",
    "ids",
)
OTHERS = ("tfidf", "char-ngram", "function-words", "stylometric")
ASKING = 1_000


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("release", type=Path)
    parser.add_argument("--texts", type=int, default=5_000)
    asked = parser.parse_args()
    release = open_verified(asked.release, unverified=True)
    found = pl.concat([batch for split in release.splits for batch in release.texts(split)])
    texts = pl.concat([found] * -(-asked.texts // found.height))[: asked.texts].with_columns(
        id=pl.format("doc_{}", pl.int_range(asked.texts))
    )
    queries = np.arange(ASKING, dtype=np.int32)
    print(f"{asked.texts} texts, {texts['content'].str.len_chars().sum() / 1e6:.1f} million characters\n")
    print("| model | vectors | products |\n| --- | ---: | ---: |")
    for name in (*ROWS, *OTHERS):
        model = open_model(load_entry(MODELS, name))
        vectors, made = timed(lambda model=model: model.compare(texts, texts.height, queries, [texts]))
        score = cosine(vectors.queries, vectors.candidates)
        _, compared = timed(lambda score=score: score(0, ASKING))
        print(f"| {name} | {made:.1f} | {compared:.1f} |", flush=True)


def timed(step: Callable[[], Any]) -> tuple[Any, float]:
    """Return the result of a step, and the median CPU seconds of three times."""
    seconds = []
    for _ in range(3):
        started = time.process_time()
        result = step()
        seconds.append(time.process_time() - started)
    return result, median(seconds)


if __name__ == "__main__":
    main()
