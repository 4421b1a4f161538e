"""How long does it take to pair a split, and what memory?

    PYTHONPATH=workflow python benchmarks/pools.py [--documents 20000]

Made-up texts in five languages, two genres and three sources; lengths are log-normal (90 tokens in the middle), words
follow Zipf's law, and each author has five texts, each a work. Every text asks. Prints a Markdown table of CPU seconds
for each step, and the peak memory of the process.
"""

import argparse
import resource
import time
from collections.abc import Callable
from typing import Any

import numpy as np
import polars as pl

from authbench.build.release.pools import make_pools
from authbench.build.release.queries import choose_queries
from authbench.build.release.relations import relate
from authbench.core.content_words import content_vectors, fit_words

TEXTS_PER_AUTHOR = 5
LANGUAGES = ("en", "en", "en", "en", "zh", "zh", "ru", "de", "ar", "ar")
SETTINGS = {
    "queries_per_author": "all",
    "queries_in_candidates": True,
    "positives": "other_work",
    "min_letters_for_query": 20,
    "min_documents_for_query": 3,
}
LETTERS = "abcdefghijklmnopqrstuvwxyz"


def make_documents(documents: int) -> pl.DataFrame:
    chance = np.random.default_rng(1)
    author = chance.integers(0, documents // TEXTS_PER_AUTHOR, documents)
    lengths = np.exp(chance.normal(4.5, 1, documents)).astype(int).clip(3, 2000)
    words = np.array([a + b + c for a in LETTERS for b in LETTERS for c in LETTERS])
    drawn = words[chance.zipf(1.3, size=int(lengths.sum())) % len(words)]
    texts = np.split(drawn, np.cumsum(lengths)[:-1])
    rows = np.arange(documents)
    return pl.DataFrame(
        {
            "doc_key": [f"key {row}" for row in rows],
            "id": [f"doc_{row:06d}" for row in rows],
            "split": ["test"] * documents,
            "author_id": [f"{k:064x}" for k in author],
            "author_kind": ["person"] * documents,
            "lang": [LANGUAGES[k % 10] for k in author],
            "genre": ["blog/arts" if k % 2 else "news" for k in author],
            "source": [f"source_{k % 3}" for k in author],
            "content": [" ".join(text) for text in texts],
            "token_length": pl.Series(lengths, dtype=pl.Int32),
            "origin": [f"work {row}" for row in rows],
            "file": ["f"] * documents,
            "ordinal": rows * 2,
            "chunk_start": pl.Series([None] * documents, dtype=pl.Int64),
            "chunk_end": pl.Series([None] * documents, dtype=pl.Int64),
            "date": [f"20{n % 17 + 3:02d}-{n % 11 + 1:02d}-{n % 28 + 1:02d}" for n in range(documents)],
        }
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--documents", type=int, default=20_000)
    documents = make_documents(parser.parse_args().documents)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    rows: list[tuple[str, float]] = []

    def timed(step: str, work: Callable[[], Any]) -> Any:
        start = time.process_time()
        result = work()
        rows.append((step, time.process_time() - start))
        return result

    queries = timed("queries and answers", lambda: choose_queries(documents, SETTINGS, 7))
    statistics = timed("counting words", lambda: fit_words(documents.iter_slices(10_000)))
    vectors = timed("vectors of content words", lambda: content_vectors(documents, statistics))
    related = timed("relations", lambda: relate(documents, queries, True, vectors)).drop("split")
    letters = SETTINGS["min_letters_for_query"]
    pairs, counts = timed("all pools", lambda: make_pools(documents, related, queries, vectors, letters, 7))
    print(f"{queries.height:,} queries, {related.height:,} relations, {pairs.height:,} pairs")
    print("\n| step | CPU s |\n| --- | ---: |")
    print("\n".join(f"| {step} | {seconds:.1f} |" for step, seconds in rows))
    print(counts.group_by("pool", maintain_order=True).agg(pl.col("positives", "kept", "left_out").sum()))
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    print(f"peak {peak / 1024:.0f} MiB, {(peak - before) / 1024:.0f} beyond the documents")


if __name__ == "__main__":
    main()
