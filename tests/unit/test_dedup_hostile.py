"""De-duplication of input that is made to break it, or that looks so: small here, at size in benchmarks/dedup.py."""

import random

import numpy as np
import polars as pl
import pytest
from dedup_stage import deduplicate
from defaults import section

from authbench.build.dedup import links, minhash, shingle_kernels
from authbench.build.dedup.minhash import draw_permutations
from authbench.build.dedup.shingles import shingle_hashes

SETTINGS = section("dedup")


def table_of(texts):
    return pl.DataFrame({"content": texts}, schema={"content": pl.String}).with_columns(
        doc_key=pl.int_range(pl.len()).cast(pl.String).str.zfill(8),
        source=pl.lit("s"), author_id=pl.lit("x"), lang=pl.lit("en"),
    )  # fmt: skip


def find(table, settings=SETTINGS, change=None):
    return deduplicate(table, settings, ["s"], change_signatures=change)


def forged(signatures):
    """All bands and sketches equal, as if somebody had found texts of one signature."""
    names = [name for name in signatures.columns if name.startswith(("band_", "sketch_"))]
    return signatures.with_columns(pl.col(name).first() for name in names)


def strangers(documents):
    chance = random.Random(5)
    return ["".join(chance.choices("abcdefghijklmnop ", k=60)) for _ in range(documents)]


@pytest.mark.parametrize("text", ["", " ", "a text that everybody has copied from everybody"])
def test_a_hundred_thousand_equal_texts_are_never_compared(text):
    removed, counts = find(table_of([text] * 100_000))
    assert removed.height == 99_999
    assert set(removed["kept"]) == {"00000000"}
    assert counts["pairs_compared"] == 0


def test_texts_that_share_every_band_but_are_strangers_cost_bounded_work_and_are_told():
    table = table_of(strangers(300))
    settings = section("dedup", comparisons_per_document=20)
    removed, counts = find(table, settings, forged)
    assert removed.is_empty()
    assert counts["pairs_compared"] == sum(min(before, 20) for before in range(300))
    assert counts["comparisons_curtailed"] == 300 - 21
    assert find(table.reverse(), settings, forged).counts == counts
    assert find(table, change=forged).counts["comparisons_curtailed"] == 0


def test_what_is_met_before_the_limit_is_what_is_nearest_in_corpus_order():
    texts = [f"{text} and a common end of some length" for text in strangers(3)]
    copies = [texts[0] + "!", texts[2] + "!"]
    removed, _ = find(table_of(texts + copies), section("dedup", comparisons_per_document=2), forged)
    assert removed.select("doc_key", "kept").rows() == [("00000004", "00000002")]


def test_strangers_in_one_bucket_are_told_apart_by_their_sketches():
    one_bucket = [pl.lit(7, pl.UInt64).alias(f"band_{j}") for j in range(25)]
    removed, counts = find(table_of(strangers(500)), change=lambda signatures: signatures.with_columns(one_bucket))
    assert removed.is_empty()
    assert counts["pairs_compared"] < 25


def test_a_bucket_wider_than_is_looked_at_loses_no_pair(monkeypatch):
    monkeypatch.setattr(links, "WIDEST", 10)
    texts = strangers(50)
    one_bucket = pl.lit(7, pl.UInt64).alias("band_0")
    table = table_of(texts + [f"{text}!" for text in texts])
    removed, _ = find(table, change=lambda signatures: signatures.with_columns(one_bucket))
    assert removed["kept"].to_list() == [f"{i:08d}" for i in range(50)]


def test_one_shingle_a_million_times_is_counted_as_often():
    long, longer, short = "a" * 1_000_004, "a" * 1_100_004, "a" * 500_004
    _, sizes = minhash.signatures(pl.Series([long, longer, short]), draw_permutations(10), 5)
    assert sizes.tolist() == [1_000_000, 1_100_000, 500_000]
    removed, _ = find(table_of([long, longer, short]))
    assert removed.select("kept", "value").rows() == [("00000000", 1_000_000 / 1_100_000)]


def test_a_text_of_more_shingles_than_are_counted_at_once_has_the_signature_of_all():
    text = "".join(random.Random(1).choices("abcdefghijklmnop ", k=4_300_000))
    hashes, _ = shingle_hashes(pl.Series([text]), 5)
    order = np.argsort(hashes, kind="stable")
    starts = np.diff(hashes[order], prepend=~hashes[order[:1]]) != 0
    before = np.arange(len(hashes)) - np.maximum.accumulate(np.where(starts, np.arange(len(hashes)), 0))
    elements = ((hashes[order] + before.astype(np.uint64) * shingle_kernels.GOLDEN) >> np.uint64(32)).astype(np.uint32)
    for shift, factor in ((16, 0x85EBCA6B), (13, 0xC2B2AE35), (16, 1)):
        elements = (elements ^ (elements >> np.uint32(shift))) * np.uint32(factor)
    a, b = draw_permutations(10)
    values, sizes = minhash.signatures(pl.Series([text]), np.stack([a, b]), 5)
    assert sizes.tolist() == [len(hashes)]
    assert values[0].tolist() == [(factor * elements + term).min() for factor, term in zip(a, b, strict=True)]
