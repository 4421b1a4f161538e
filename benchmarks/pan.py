"""How fast is PPM compression, and how fast are PAN's measures and its significance matrix?

    PYTHONPATH=workflow python benchmarks/pan.py [--texts FOLDER] [--pairs 20] [--problems 20000] [--systems 10]

PPM of order 5 in both directions over pairs of texts of 20,000 characters, beside the same by dictionaries of plain
Python (their cross-entropies are compared); texts are those of a folder of .txt files, or made up. Then six measures,
the significance of F1, and that of all measures that are compared. Prints Markdown tables of CPU seconds, and the
memory that the second part takes.
"""

import argparse
import resource
import time
from collections.abc import Callable
from math import log2
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from authbench.scoring.verifiers.ppm import cross_entropies
from authbench.suites.pan.compare import COMPARED, Systems, compare_all, scores_table

CHARACTERS = 20_000
ORDER = 5


def plain_cross_entropy(known: str, asked: str) -> float:
    """By dictionaries of contexts, each with how often it occurs and how often each character follows it."""
    contexts: dict[str, dict[str, int]] = {}
    totals: dict[str, int] = {}
    for i, char in enumerate(known):
        for start in range(max(0, i - ORDER), i + 1):
            context = known[start:i]
            counts = contexts.setdefault(context, {})
            counts[char] = counts.get(char, 0) + 1
            totals[context] = totals.get(context, 0) + 1
    bits = 0.0
    for i, char in enumerate(asked):
        for start in range(max(0, i - ORDER), i + 1):
            counts = contexts.get(asked[start:i], {})
            if char in counts:
                bits -= log2(counts[char] / totals[asked[start:i]])
                break
        else:
            bits += 8.0
    return bits / len(asked)


def read_texts(folder: Path | None, count: int) -> list[str]:
    """Texts of CHARACTERS characters: of the folder's files, or of made-up words in Zipf's proportions."""
    if folder:
        joined = (path.read_text(encoding="utf-8", errors="ignore") for path in sorted(folder.rglob("*.txt")))
        long = [text for text in joined if len(text) >= CHARACTERS]
        return [long[number % len(long)][-CHARACTERS:] for number in range(count)]
    random = np.random.default_rng(1)
    letters = np.array(list("etaoinshrdlucmfwypvbgk"))
    words = ["".join(random.choice(letters, random.integers(2, 9))) for _ in range(4_000)]
    drawn = (random.zipf(1.3, CHARACTERS) % len(words) for _ in range(count))
    return [" ".join(words[place] for place in places)[:CHARACTERS] for places in drawn]


def cpu(run: Callable[[], Any]) -> tuple[float, float, Any]:
    wall, used = time.perf_counter(), time.process_time()
    given = run()
    return time.process_time() - used, time.perf_counter() - wall, given


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--texts", type=Path)
    parser.add_argument("--pairs", type=int, default=20)
    parser.add_argument("--problems", type=int, default=20_000)
    parser.add_argument("--systems", type=int, default=10)
    asked = parser.parse_args()

    texts = read_texts(asked.texts, 2 * asked.pairs)
    pairs = pl.DataFrame({"text1": texts[::2], "text2": texts[1::2]})
    cross_entropies(pairs.head(1), ORDER)  # compiles
    ours, _, found = cpu(lambda: cross_entropies(pairs, ORDER))
    plain, _, expected = cpu(
        lambda: [(plain_cross_entropy(one, other), plain_cross_entropy(other, one)) for one, other in pairs.iter_rows()]
    )
    apart = float(np.abs(found - np.array(expected)).max())
    print("| PPM of order 5 | pairs | CPU s | a pair, ms | ratio |\n| --- | ---: | ---: | ---: | ---: |")
    for name, spent in (("compiled", ours), ("dictionaries", plain)):
        print(f"| {name} | {asked.pairs} | {spent:.2f} | {1e3 * spent / asked.pairs:.0f} | {plain / spent:.1f} |")
    print(f"\nThe cross-entropies differ by at most {apart:.1e} bits.\n")

    random = np.random.default_rng(2)
    truth = random.random(asked.problems) < 0.5
    scores = {
        f"system {number}": np.where(
            random.random(asked.problems) < 0.1, 0.5, np.clip(random.normal(0.5 + 0.1 * truth, 0.2), 0, 1)
        )
        for number in range(asked.systems)
    }
    ids = pl.Series("id", [f"p{number:06d}" for number in range(asked.problems)])
    systems = Systems(ids, truth, scores)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    measured, wall, _ = cpu(lambda: scores_table(systems))
    compare_all(truth[:100], {name: own[:100] for name, own in list(scores.items())[:2]}, measures=COMPARED)  # compiles
    compared, more, matrix = cpu(lambda: compare_all(truth, scores))
    whole, longer, _ = cpu(lambda: compare_all(truth, scores, measures=COMPARED))
    grown = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    print(f"| {asked.problems:,} problems, {asked.systems} systems | CPU s | wall s |\n| --- | ---: | ---: |")
    print(f"| measures | {measured:.2f} | {wall:.2f} |")
    print(f"| F1 of {matrix.height} pairs | {compared:.2f} | {more:.2f} |")
    print(f"| F1, AUC, Brier and Overall of these | {whole:.2f} | {longer:.2f} |")
    print(f"\nPeak memory {grown / 1024:.0f} MiB, {(grown - before) / 1024:.0f} MiB of it for this part.")


if __name__ == "__main__":
    main()
