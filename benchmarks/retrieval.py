"""How fast is exact retrieval, and what does scoring it take?

    PYTHONPATH=workflow python benchmarks/retrieval.py [--documents 20000] [--dimensions 384] [--repeat 3]

Every document asks all others, as vectors of random numbers: ranks of the positives, the ten nearest, drawn negatives.
The measure is one float32 matrix product of that shape in the same process; then metrics, slices and 1,000 replicates
over authors. Prints a Markdown table of CPU seconds, and the memory taken beyond the vectors.
"""

import argparse
import resource
import statistics
import time
from collections.abc import Callable
from typing import Any

import numpy as np
import polars as pl

from authbench.evaluate.retrieval import cosine, rank
from authbench.evaluate.scores import summarise
from authbench.evaluate.split import Lists, Split
from authbench.evaluate.verification import draw_negatives

TEXTS_PER_AUTHOR = 3
LANGUAGES, GENRES, LENGTHS = 10, 12, ("short", "medium", "long", "extra_long")


def make_split(documents: int) -> Split:
    """A split in which every document asks and its author's others answer."""
    rows = np.arange(documents)
    author = rows // TEXTS_PER_AUTHOR
    genre = [f"genre_{k % 4}/{k}" for k in author % GENRES]
    table = pl.DataFrame(
        {
            "id": [f"doc_{row:06d}" for row in rows],
            "author_id": [f"{k:064x}" for k in author],
            "lang": [f"l{k}" for k in author % LANGUAGES],
            "genre": genre,
            "primary_genre": [name.partition("/")[0] for name in genre],
            "source": [f"s{k}" for k in author % 5],
            "content": ["x" * int(50 + row * 37 % 3000) for row in rows],
            "length": [LENGTHS[row % 4] for row in rows],
        }
    )
    groups = [range(k * TEXTS_PER_AUTHOR, min((k + 1) * TEXTS_PER_AUTHOR, documents)) for k in author]
    positives = Lists.of([[other for other in group if other != row] for row, group in zip(rows, groups, strict=True)])
    excluded = Lists.of([[row] for row in rows])
    return Split("test", table, documents, rows.astype(np.int32), positives, excluded, "")


def cpu(run: Callable[[], Any]) -> tuple[float, float, Any]:
    """CPU and wall seconds of a call, and what it gave."""
    wall, used = time.perf_counter(), time.process_time()
    given = run()
    return time.process_time() - used, time.perf_counter() - wall, given


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--documents", type=int, default=20_000)
    parser.add_argument("--dimensions", type=int, default=384)
    parser.add_argument("--repeat", type=int, default=3)
    arguments = parser.parse_args()
    warm = make_split(60)
    few = np.eye(60, arguments.dimensions, dtype=np.float32)
    rank(cosine(few, few), warm, draw_negatives(warm, 0))

    split = make_split(arguments.documents)
    vectors = np.random.default_rng(1).standard_normal((arguments.documents, arguments.dimensions), np.float32)
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    drawing, _, negatives = cpu(lambda: draw_negatives(split, 0))
    rows = [cpu(lambda: rank(cosine(vectors, vectors), split, negatives)) for _ in range(arguments.repeat)]
    beyond = (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) / 1024
    scoring, wall, _ = cpu(lambda: summarise(split, rows[-1][2], negatives, 0))
    products = [cpu(lambda: vectors @ vectors.T)[:2] for _ in range(arguments.repeat)]
    ranking, product = (statistics.median(run[0] for run in runs) for runs in (rows, products))
    print(f"{arguments.documents:,} queries x {arguments.documents:,} candidates, {arguments.dimensions} dimensions\n")
    print("| step | CPU s | against one matrix product |\n| --- | ---: | ---: |")
    print(f"| one float32 matrix product | {product:.1f} | 1.00 |")
    print(f"| ranks in three pools, ten nearest, scores of pairs | {ranking:.1f} | {ranking / product:.2f} |")
    print(f"| drawing 3 x 50 negatives a query | {drawing:.1f} | {drawing / product:.2f} |")
    print(f"| metrics, all slices, 1,000 replicates over authors | {scoring:.1f} ({wall:.1f} s wall) | |")
    print(f"\nMemory beyond the vectors: {beyond:.0f} MiB.")


if __name__ == "__main__":
    main()
