"""How long does the style suite take from nothing and from kept vectors, and what does all-to-all AUROC hold?

    PYTHONPATH=workflow python benchmarks/style.py DATA_DIR [DATASET ...]

DATA_DIR holds the datasets' folders. Prints a Markdown row per model: the protocol strict from an empty cache, and
again from a full one; then both protocols from that cache, which is what STEB's adds.
"""

import os
import resource
import sys
import time
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path
from tempfile import TemporaryDirectory

MODELS = ("all-minilm-l6-v2", "function-words", "stylometric", "tfidf")
TEXTS, WIDTH = 3_000, 384


def of_model(
    name: str, data: str, home: str, datasets: Sequence[str], protocols: Sequence[str]
) -> tuple[float, float, float]:
    """Wall and CPU seconds and peak MiB of one model on all datasets that are there."""
    from authbench.config.registry.load import load_entry
    from authbench.models.entries import MODELS as ENTRIES
    from authbench.models.model import VectorCache
    from authbench.suites.style.datasets import find_datasets
    from authbench.suites.style.run import Chosen, read_all, run

    wall, cpu = time.monotonic(), time.process_time()
    found = find_datasets(datasets)
    rows, absent = read_all(found, Path(data), "skip", protocols)
    out, cache = Path(home) / "out", VectorCache(Path(home) / "cache")
    run(load_entry(ENTRIES, name), found, rows, absent, out, cache, Chosen(protocols=protocols))
    return time.monotonic() - wall, time.process_time() - cpu, peak()


def all_pairs(labels: int) -> tuple[float, float, float]:
    """Wall and CPU seconds of all-to-all AUROC, and the MiB that it adds to a process that has its vectors."""
    import numpy as np

    from authbench.suites.style.pairs import all_to_all

    vectors = np.random.default_rng(0).standard_normal((TEXTS, WIDTH))
    all_to_all(vectors[:10], np.arange(10) % 2)
    before, wall, cpu = peak(), time.monotonic(), time.process_time()
    all_to_all(vectors, np.arange(TEXTS) % labels)
    return time.monotonic() - wall, time.process_time() - cpu, peak() - before


def peak() -> float:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def apart(function, *arguments):
    """The function in a process of its own, so that its peak is its own."""
    with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as pool:
        return pool.submit(function, *arguments).result()


if __name__ == "__main__":
    data, datasets = sys.argv[1], sys.argv[2:] or ["all"]
    print(f"{os.cpu_count()} cores, load {os.getloadavg()[0]:.1f}\n")
    print("| all-to-all, 3,000 texts | wall s | CPU s | MiB beside the vectors |\n| --- | ---: | ---: | ---: |")
    for labels in (2, 50):
        wall, cpu, size = apart(all_pairs, labels)
        print(f"| {labels} labels | {wall:.1f} | {cpu:.1f} | {size:.0f} |", flush=True)
    print("\n| model | vectors | wall s | CPU s | peak MiB |\n| --- | --- | ---: | ---: | ---: |")
    with TemporaryDirectory() as home:
        for kept, protocols in (
            ("none", ["strict"]),
            ("all kept", ["strict"]),
            ("those of strict; steb beside it", ["strict", "steb"]),
        ):
            for name in MODELS:
                wall, cpu, size = apart(of_model, name, data, home, datasets, protocols)
                print(f"| {name} | {kept} | {wall:.1f} | {cpu:.1f} | {size:.0f} |", flush=True)
