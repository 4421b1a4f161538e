"""How fast is exact retrieval, and what does scoring it take?

    PYTHONPATH=workflow python benchmarks/retrieval.py [--documents 20000] [--dimensions 384] [--repeat 3]
    PYTHONPATH=workflow python benchmarks/retrieval.py --device cuda [--documents 20000] [--dimensions 384] [--repeat 3]

Every document asks all others, as vectors of random numbers: first the ten nearest alone (a split without positives),
then ranks of the positives in three pools, the ten nearest and drawn negatives, then metrics, slices and 1,000
replicates over authors. The measure is one float32 matrix product of that shape in the same process, run in turn with
the others, after their memory was measured (it holds all scores at once). Prints a Markdown table of CPU seconds, and
of the peak memory beyond the vectors.

With `--device` the ranks are also computed by torch on that device: wall seconds of both, run in turn, the peak memory
of the device, and how many ranks are equal.
"""

import argparse
import resource
import statistics
import time
from collections.abc import Callable
from typing import Any

import numpy as np
import polars as pl

from authbench.scoring.evaluation.headline import Authors
from authbench.scoring.evaluation.lists import Lists
from authbench.scoring.evaluation.released import released
from authbench.scoring.evaluation.retrieval import cosine, rank
from authbench.scoring.evaluation.scores import summarise
from authbench.scoring.evaluation.split import Split
from authbench.scoring.evaluation.verification import draw_negatives

TEXTS_PER_AUTHOR = 3
PRODUCT = "one float32 matrix product"
NEAREST = "the ten nearest of every query"
DRAWING = "drawing 4 x 50 negatives a query"
RANKS = "ranks in three pools, ten nearest, scores of pairs"
METRICS = "metrics, all slices, 1,000 replicates over authors"
LANGUAGES, GENRES, LENGTHS = 10, 12, ("short", "medium", "long", "extra_long")


def make_split(documents: int, answered: bool = True) -> Split:
    """A split in which every document asks and its author's others answer, or nothing does."""
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
            "topic": genre,
            "source": [f"s{k}" for k in author % 5],
            "content": ["x" * int(50 + row * 37 % 3000) for row in rows],
            "length": [LENGTHS[row % 4] for row in rows],
        }
    )
    groups = [range(k * TEXTS_PER_AUTHOR, min((k + 1) * TEXTS_PER_AUTHOR, documents)) for k in author]
    positives = Lists.of(
        [[other for other in group if answered and other != row] for row, group in zip(rows, groups, strict=True)]
    )
    excluded = Lists.of([[row] for row in rows])
    places = {ident: row for row, ident in enumerate(table["id"])}
    stated = released("test", list(places), places, positives)
    return Split("test", table, documents, rows.astype(np.int32), positives, excluded, "", stated)


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
    parser.add_argument("--device", help="a device of torch, e.g. cuda")
    arguments = parser.parse_args()
    if arguments.device:
        on_device(arguments.device, arguments.documents, arguments.dimensions, arguments.repeat)
    else:
        on_processor(arguments.documents, arguments.dimensions, arguments.repeat)


def on_processor(documents: int, dimensions: int, repeat: int) -> None:
    """Measure each step against one matrix product."""
    warm = make_split(60)
    few = np.eye(60, dimensions, dtype=np.float32)
    rank(cosine(few, few), warm, draw_negatives(warm, 0))

    split, unanswered = make_split(documents), make_split(documents, answered=False)
    vectors = make_vectors(documents, dimensions)
    before = peak()

    def beyond() -> float:
        return (peak() - before) / 1024

    def nearest() -> None:
        rank(cosine(vectors, vectors), unanswered, {})

    nearest()
    memory = {NEAREST: beyond()}
    drawing, _, negatives = cpu(lambda: draw_negatives(split, 0))
    ranking = rank(cosine(vectors, vectors), split, negatives)
    memory[RANKS] = beyond()
    scoring, wall, _ = cpu(lambda: summarise(split, ranking, negatives, Authors.of(split.queries, 0), split.slices))
    memory[METRICS] = beyond()
    seconds: dict[str, list[float]] = {PRODUCT: [], NEAREST: [], RANKS: []}
    for _ in range(repeat):
        seconds[PRODUCT].append(cpu(lambda: vectors @ vectors.T)[0])
        seconds[NEAREST].append(cpu(nearest)[0])
        seconds[RANKS].append(cpu(lambda: rank(cosine(vectors, vectors), split, negatives))[0])
    took = {step: statistics.median(runs) for step, runs in seconds.items()} | {DRAWING: drawing, METRICS: scoring}
    print(f"{documents:,} queries x {documents:,} candidates, {dimensions} dimensions\n")
    print("| step | CPU s | against one matrix product | MiB beyond the vectors |\n| --- | ---: | ---: | ---: |")
    for step, used in took.items():
        held = f"{memory[step]:.0f}" if step in memory else ""
        print(f"| {step} | {used:.1f} | {used / took[PRODUCT]:.2f} | {held} |")
    print(f"\nMetrics took {wall:.1f} s of wall time.")


def make_vectors(documents: int, dimensions: int) -> np.ndarray:
    """Return random unit vectors, float32 of shape (documents, dimensions)."""
    vectors = np.random.default_rng(1).standard_normal((documents, dimensions), np.float32)
    return vectors / np.linalg.norm(vectors, axis=1, keepdims=True)


def on_device(device: str, documents: int, dimensions: int, repeat: int) -> None:
    """Compare the compiled ranks with those of torch on a device."""
    import torch

    from authbench.scoring.evaluation.device import rank_on

    split, vectors = make_split(documents), make_vectors(documents, dimensions)
    negatives = draw_negatives(split, 0)
    steps = {
        "compiled": lambda: rank(cosine(vectors, vectors), split, negatives),
        device: lambda: rank_on(device, vectors, vectors, split, negatives),
    }
    given = {step: run() for step, run in steps.items()}
    seconds = {step: [cpu(run)[1] for _ in range(repeat)] for step, run in steps.items()}
    compiled, other = given["compiled"].ranks, given[device].ranks
    equal = [float(np.mean(compiled[pool] == other[pool])) for pool in compiled]
    held = torch.cuda.max_memory_allocated() / 2**20 if device.startswith("cuda") else 0.0
    print(f"{documents:,} queries x {documents:,} candidates, {dimensions} dimensions; {held:.0f} MiB on the device\n")
    print("| ranks by | wall s |\n| --- | ---: |")
    for step, runs in seconds.items():
        print(f"| {step} | {statistics.median(runs):.2f} |")
    print(f"\nEqual ranks: {min(equal):.6f} of the pool with the fewest.")


def peak() -> int:
    """The largest resident set so far, in KiB."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss


if __name__ == "__main__":
    main()
