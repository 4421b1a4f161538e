"""How fast do texts become normal, a column at a time against one by one?

    PYTHONPATH=workflow:benchmarks python benchmarks/normalize.py [documents]

Texts of ten languages (benchmarks/corpus.py: 600 characters on average, one in twenty with mark-up or addresses) from a
source with HTML. "One by one" calls the functions that define the result for every text; "a column at a time" is what
the stage does. Both must give the same texts. Prints medians of three rounds, in CPU seconds of one thread.
"""

import statistics
import sys
import time
from collections.abc import Callable

import numpy as np
import polars as pl
from corpus import CHARACTERS, texts
from machine import heading

from authbench.build.normalize.boilerplate import strip, strip_texts
from authbench.build.normalize.personal import mask
from authbench.build.normalize.table import normalize_records
from authbench.build.normalize.text import normalize_text
from authbench.config.registry.source_entry import Normalize
from authbench.core.records import RECORD

SETTINGS = {"mask": ["email", "phone", "handle", "url"], "quotes": "keep"}
RULES = {"bench": Normalize(html=1)}
MEAN_CHARS = 600
ROUNDS = 3


def documents(number: int) -> pl.DataFrame:
    """RECORD rows in ten languages, as many of each."""
    english = MEAN_CHARS / statistics.mean(CHARACTERS.values())
    parts = []
    for lang, length in CHARACTERS.items():
        chance = np.random.default_rng([7, *lang.encode()])
        made = texts(lang, number // len(CHARACTERS), english * length, chance)
        parts.append(pl.DataFrame({"lang": [lang] * len(made), "content": made}))
    frame = pl.concat(parts).with_row_index("n").with_columns(doc_key=pl.format("bench:{}", "n"))
    frame = frame.with_columns(source=pl.lit("bench"), task=pl.lit("authorship"), author_id=pl.lit("a"))
    return frame.select([pl.col(n) if n in frame.columns else pl.lit(None, t).alias(n) for n, t in RECORD.items()])


def normalized_one_by_one(records: pl.DataFrame) -> list[str]:
    return [mask(normalize_text(text, html=1), SETTINGS["mask"])[0] for text in records["content"]]


def normalized_by_column(records: pl.DataFrame) -> list[str]:
    return normalize_records(records, RULES, SETTINGS)[0]["content"].to_list()


def stripped_one_by_one(records: pl.DataFrame) -> list[str]:
    return [strip(text, lang) for lang, text in records.select("lang", "content").iter_rows()]


def stripped_by_column(records: pl.DataFrame) -> list[str]:
    return strip_texts(records).to_list()


def timed(work: Callable[[pl.DataFrame], list[str]], records: pl.DataFrame) -> tuple[float, list[str]]:
    started = time.process_time()
    result = work(records)
    return time.process_time() - started, result


def main(number: int) -> None:
    records = documents(number)
    megabytes = records["content"].str.len_bytes().sum() / 1e6
    print(f"{heading()}\n\n{records.height:,} documents, {megabytes:.0f} MB\n")
    print("| work | one by one, CPU s | a column at a time, CPU s | documents per CPU s | ratio |")
    print("| --- | --- | --- | --- | --- |")
    for work, one_by_one, by_column in (
        ("normalize", normalized_one_by_one, normalized_by_column),
        ("leave out boilerplate", stripped_one_by_one, stripped_by_column),
    ):
        slow, fast = [], []
        for _ in range(ROUNDS):
            seconds, expected = timed(one_by_one, records)
            slow.append(seconds)
            seconds, result = timed(by_column, records)
            fast.append(seconds)
            assert result == expected, work
        one, column = statistics.median(slow), statistics.median(fast)
        print(f"| {work} | {one:.2f} | {column:.2f} | {records.height / column:,.0f} | {one / column:.1f} |")


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 50_000)
