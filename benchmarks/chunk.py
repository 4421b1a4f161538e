"""What does chunking cost beside the tokens alone, and beside cutting that counts every piece anew?

    PYTHONPATH=workflow:benchmarks python benchmarks/chunk.py [documents]

Two corpora of ten languages (benchmarks/corpus.py): short texts, which nearly all stay whole, and one long text of each
language (half a megabyte), cut without a cap. "Tokens alone" is tiktoken's fastest call, once per text. "Counting anew"
is the usual way: sentences are joined until the next would be too much, and each attempt is tokenised. Prints medians
of three rounds, in CPU seconds of one thread.
"""

import statistics
import sys
import time
from collections.abc import Callable

import numpy as np
import polars as pl
from corpus import CHARACTERS, texts
from machine import heading
from normalize import documents

from authbench.build.chunk.cut import chunk_records
from authbench.build.chunk.sentences import sentence_starts
from authbench.build.normalize.table import normalize_records
from authbench.core.records import DOCUMENT
from authbench.core.tokens import encode, load_encoding, load_tokenizer

CHUNK = {
    "max_tokens": 500,
    "min_tokens": 100,
    "remainder_tokens": 50,
    "extra_long_share": 0.4,
    "extra_long_tokens": [501, 2000],
    "max_chunks_per_document": 1_000_000,
}
BOOK_CHARS = 500_000
ROUNDS = 3


def books(like: pl.DataFrame) -> pl.DataFrame:
    """RECORD rows of one long text per language."""
    rows = like.group_by("lang", maintain_order=True).first()
    contents = []
    for lang in rows["lang"]:
        parts = texts(lang, BOOK_CHARS // 500, 600 * CHARACTERS[lang], np.random.default_rng([8, *lang.encode()]))
        contents.append("\n\n".join(parts)[: int(BOOK_CHARS * CHARACTERS[lang])])
    return rows.with_columns(content=pl.Series(contents)).select(like.columns)


def tokens_alone(records: pl.DataFrame) -> int:
    encoding = load_encoding()
    return sum(len(encode(encoding, text)) for text in records["content"])


def chunked(records: pl.DataFrame) -> int:
    frame, _ = chunk_records(records, load_tokenizer(), CHUNK, 1)
    assert frame.columns == DOCUMENT.names()
    return frame.height


def counting_anew(records: pl.DataFrame) -> int:
    encoding, chunks = load_encoding(), 0
    for text in records["content"]:
        if len(encoding.encode_ordinary(text)) <= CHUNK["max_tokens"]:
            chunks += 1
            continue
        start = end = 0
        for place in [*sentence_starts(text, 0, len(text)), len(text)]:
            if len(encoding.encode_ordinary(text[start:place])) > CHUNK["max_tokens"] and end > start:
                chunks, start = chunks + 1, end
            end = place
        chunks += 1
    return chunks


def seconds(work: Callable[[pl.DataFrame], int], records: pl.DataFrame) -> float:
    started = time.process_time()
    work(records)
    return time.process_time() - started


def main(number: int) -> None:
    short, *_ = normalize_records(documents(number), {}, {"mask": [], "quotes": "keep"})
    long, *_ = normalize_records(books(short), {}, {"mask": [], "quotes": "keep"})
    chunked(long)
    print(f"{heading()}\n")
    print("| texts | MB | tokens alone, CPU s | chunk, CPU s | counting anew, CPU s | chunk / tokens | anew / chunk |")
    print("| --- | --- | --- | --- | --- | --- | --- |")
    for name, records in ((f"{short.height:,} short", short), (f"{long.height} long", long)):
        rounds = [[seconds(work, records) for work in (tokens_alone, chunked, counting_anew)] for _ in range(ROUNDS)]
        least, own, anew = (statistics.median(column) for column in zip(*rounds, strict=True))
        megabytes = records["content"].str.len_bytes().sum() / 1e6
        times = f"{least:.2f} | {own:.2f} | {anew:.2f}"
        print(f"| {name} | {megabytes:.0f} | {times} | {own / least:.2f} | {anew / own:.1f} |")


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 20_000)
