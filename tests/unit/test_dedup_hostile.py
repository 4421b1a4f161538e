"""De-duplication of input that is made to break it, or that looks so: small here, at size in benchmarks/dedup.py."""

import random
from collections import Counter

import numpy as np
import polars as pl
import pytest

from authbench.dedup import compare, links, minhash, shingle_kernels
from authbench.dedup.settings import DedupSettings
from authbench.dedup.shingles import shingle_hashes
from authbench.dedup.signatures import sign_texts
from authbench.dedup.similar_pairs import find_duplicates

SETTINGS = DedupSettings()


def table_of(texts: list[str]) -> pl.DataFrame:
    table = pl.DataFrame({"text": texts}, schema={"text": pl.String}).with_columns(
        doc_key=pl.int_range(pl.len()).cast(pl.String).str.zfill(8),
        source=pl.lit("s"), place=pl.lit(0), author_id=pl.lit("x"),
    )  # fmt: skip
    return table.hstack(sign_texts(table["text"], table["text"], SETTINGS))


def find(table: pl.DataFrame, settings: DedupSettings = SETTINGS) -> tuple[pl.DataFrame, dict[str, int]]:
    return find_duplicates(table, lambda rows: table["text"].gather(rows), settings)


def strangers(documents: int) -> list[str]:
    chance = random.Random(5)
    return ["".join(chance.choices("abcdefghijklmnop ", k=60)) for _ in range(documents)]


@pytest.mark.parametrize("text", ["", " ", "a text that everybody has copied from everybody"])
def test_a_hundred_thousand_equal_texts_are_never_compared(text):
    one = table_of([text])
    table = pl.concat([one] * 100_000).with_columns(doc_key=pl.int_range(100_000).cast(pl.String).str.zfill(8))
    removed, counts = find(table)
    assert removed.height == 99_999
    assert set(removed["stand_in"]) == {"00000000"}
    assert counts["pairs_compared"] == 0


def test_texts_that_share_every_band_but_are_strangers_cost_bounded_work_and_are_told():
    """As if somebody had found texts of one signature: all bands and sketches equal, no shingle in common."""
    table = table_of(strangers(300))
    forged = [name for name in table.columns if name.startswith(("band_", "sketch_"))]
    table = table.with_columns(pl.col(name).first() for name in forged)
    settings = DedupSettings(comparisons_per_document=20)
    removed, counts = find(table, settings)
    assert removed.is_empty()
    assert counts["pairs_compared"] == sum(min(before, 20) for before in range(300))
    assert counts["comparisons_curtailed"] == 300 - 21
    assert find(table.reverse(), settings)[1] == counts
    assert find(table)[1]["comparisons_curtailed"] == 0


def test_what_is_met_before_the_limit_is_what_is_nearest_in_corpus_order():
    texts = [f"{text} and a common end of some length" for text in strangers(3)]
    copies = [texts[0] + "!", texts[2] + "!"]
    table = table_of(texts + copies)
    forged = [name for name in table.columns if name.startswith(("band_", "sketch_"))]
    table = table.with_columns(pl.col(name).first() for name in forged)
    removed, _ = find(table, DedupSettings(comparisons_per_document=2))
    assert removed.select("doc_key", "stand_in").rows() == [("00000004", "00000002")]


def test_strangers_in_one_bucket_are_told_apart_by_their_sketches():
    table = table_of(strangers(500)).with_columns(pl.lit(7, pl.UInt64).alias(f"band_{j}") for j in range(25))
    removed, counts = find(table)
    assert removed.is_empty()
    assert counts["pairs_compared"] < 25


def test_a_bucket_wider_than_is_looked_at_loses_no_pair(monkeypatch):
    monkeypatch.setattr(links, "WIDEST", 10)
    texts = strangers(50)
    table = table_of(texts + [f"{text}!" for text in texts]).with_columns(band_0=pl.lit(7, pl.UInt64))
    removed, _ = find(table)
    assert removed["stand_in"].to_list() == [f"{i:08d}" for i in range(50)]


def test_one_shingle_a_million_times_is_counted_as_often():
    long, longer, short = "a" * 1_000_004, "a" * 1_100_004, "a" * 500_004
    table = table_of([long, longer, short])
    assert table["grams"].to_list() == [1_000_000, 1_100_000, 500_000]
    removed, _ = find(table)
    assert removed.select("stand_in", "similarity").rows() == [("00000000", 1_000_000 / 1_100_000)]


def test_a_text_of_more_shingles_than_are_counted_at_once_has_the_signature_of_all():
    text = "".join(random.Random(1).choices("abcdefghijklmnop ", k=4_300_000))
    hashes, _ = shingle_hashes(pl.Series([text]), 5)
    order = np.argsort(hashes, kind="stable")
    starts = np.diff(hashes[order], prepend=~hashes[order[:1]]) != 0
    before = np.arange(len(hashes)) - np.maximum.accumulate(np.where(starts, np.arange(len(hashes)), 0))
    elements = ((hashes[order] + before.astype(np.uint64) * shingle_kernels.GOLDEN) >> np.uint64(32)).astype(np.uint32)
    for shift, factor in ((16, 0x85EBCA6B), (13, 0xC2B2AE35), (16, 1)):
        elements = (elements ^ (elements >> np.uint32(shift))) * np.uint32(factor)
    values, sizes = minhash.signatures(pl.Series([text]), 10, 5)
    assert sizes.tolist() == [len(hashes)]
    a, b = minhash.permutations(10)
    assert values[0].tolist() == [(factor * elements + term).min() for factor, term in zip(a, b, strict=True)]


def test_a_component_too_large_for_memory_goes_through_a_file(monkeypatch):
    texts = [f"{strangers(1)[0]} {i}" for i in range(30)]
    expected, _ = find(table_of(texts))
    monkeypatch.setattr(compare, "BLOCK_SHINGLES", 100)
    assert find(table_of(texts))[0].equals(expected)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("😀😃😄😁😆" * 12, "😀😃😄😁😆" * 13),
        ("e" + "\u0301" * 400, "e" + "\u0301" * 420),
        ("\u202eעברית " * 30, "\u202eעברית " * 31),
        ("👩‍👩‍👧‍👦" * 20, "👩‍👩‍👧‍👦" * 22),
    ],
    ids=["emoji", "combining marks", "right to left", "joined emoji"],
)
def test_strange_characters_are_characters(one, other):
    a, b = (Counter(text[i : i + 5] for i in range(len(text) - 4)) for text in map(folded, (one, other)))
    removed, _ = find(table_of([one, other]))
    assert removed["similarity"].to_list() == [(a & b).total() / (a | b).total()]


def folded(text: str) -> str:
    return " ".join(text.split())
