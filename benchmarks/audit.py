"""How long does an audit take, and what memory?

    PYTHONPATH=workflow python benchmarks/audit.py [--documents 300000] [--folder FOLDER]

A made-up table in five languages: lengths are log-normal (90 words in the middle), words follow the law of Zipf and
Mandelbrot, each author has five texts, and one text in a hundred is a copy of another: half of them exact, half with a
word more. Half of the authors are in train, half in test. Prints seconds of wall and CPU, peak memory, and how many of
the planted copies were found; with --folder, those of an audit of that dataset.
"""

import argparse
import json
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
import polars as pl

TEXTS_PER_AUTHOR = 5
COPIES = 100  # one text in so many
LANGUAGES = ("en", "en", "en", "de", "es", "ru", "fr")
LETTERS = "abcdefghijklmnopqrstuvwxyz"


def make_table(path: Path, documents: int) -> set[str]:
    """Write the table, and return the ids of the copies."""
    chance = np.random.default_rng(1)
    words = np.array([a + b + c + d for a in LETTERS for b in LETTERS for c in LETTERS for d in LETTERS[:4]])
    lengths = np.exp(chance.normal(4.5, 1, documents)).astype(int).clip(12, 1500)
    rank = np.searchsorted(_shares(len(words)), chance.random(int(lengths.sum())))
    drawn = words[rank * 7919 % len(words)]
    texts = [" ".join(part) for part in np.split(drawn, np.cumsum(lengths)[:-1])]
    author = np.arange(documents) // TEXTS_PER_AUTHOR
    rows = np.arange(documents)
    copied = rows[COPIES - 1 :: COPIES]
    for number, row in enumerate(copied):
        texts[row] = texts[row - 40] + (f" {words[row % len(words)]}" if number % 2 else "")
    ids = [f"text-{value:x}" for value in chance.permutation(10 * documents)[:documents]]
    order = chance.permutation(documents)
    pl.DataFrame(
        {
            "id": ids,
            "author": [f"writer {one}" for one in author],
            "split": np.where(author % 2 == 0, "train", "test"),
            "lang": [LANGUAGES[one % len(LANGUAGES)] for one in author],
            "text": texts,
        }
    )[order].write_parquet(path)
    return {ids[row] for row in copied}


def _shares(words: int) -> np.ndarray:
    """Return the cumulated shares of words by rank (Zipf and Mandelbrot: the most frequent one is 5 % of a text)."""
    shares = 1 / (np.arange(words) + 2.7) ** 1.07
    return np.cumsum(shares / shares.sum())


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--documents", type=int, default=300_000)
    parser.add_argument("--folder", type=Path)
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        place, planted = asked.folder or Path(folder) / "table.parquet", set()
        if asked.folder is None:
            planted = make_table(place, asked.documents)
        started, out = time.monotonic(), Path(folder) / "out"
        command = [sys.executable, "-m", "authbench", "audit", str(place), "--out", str(out)]
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
        wall, used = time.monotonic() - started, resource.getrusage(resource.RUSAGE_CHILDREN)
        found = json.loads((out / "audit.json").read_text())
        copies = {one for finding in found["findings"] for one in finding["ids"]
                  if finding["claim"] in ("exact_copy", "disguised_copy", "near_copy")}  # fmt: skip
        print(
            "| documents | wall s | CPU s | MiB | planted copies | found |\n| ---: | ---: | ---: | ---: | ---: | ---: |"
        )
        print(
            f"| {found['dataset']['documents']:,} | {wall:.0f} | {used.ru_utime + used.ru_stime:.0f} | "
            f"{used.ru_maxrss / 1024:,.0f} | {len(planted):,} | {len(planted & copies):,} |"
        )


if __name__ == "__main__":
    main()
