"""Containment: long texts of different origins that share long runs of characters."""

import random

import polars as pl
import pytest
from defaults import section
from hypothesis import given, settings
from hypothesis import strategies as st

from authbench.build.dedup import containment
from authbench.build.dedup.containment import contained_pairs

DEFAULT = section("split.containment")


def prose(seed, characters):
    chance = random.Random(seed)
    words = ["".join(chance.choices("abcdefghijklmnop", k=chance.randint(2, 9))) for _ in range(characters // 3)]
    return " ".join(words)[:characters].strip()


def shingles(text, length=24):
    text = " ".join(text.split())
    return {text[i : i + length] for i in range(len(text) - length + 1)}


def share(one, other):
    a, b = shingles(one), shingles(other)
    return len(a & b) / min(len(a), len(b))


def texts(*rows):
    schema = {"doc_key": pl.String, "origin_id": pl.String, "content": pl.String}
    return pl.DataFrame(rows, schema=schema, orient="row")


def pairs(*rows):
    return contained_pairs(texts(*rows), DEFAULT).pairs.select("a", "b").rows()


BOOK, OTHER = prose(1, 6000), prose(2, 6000)


def test_an_excerpt_is_found_in_the_book_however_its_lines_break():
    excerpt = BOOK[2000:2700]
    found = contained_pairs(texts(("b", "B", excerpt.replace(" ", "\n  ")), ("a", "A", BOOK)), DEFAULT).pairs
    assert found.rows() == [("a", "b", pytest.approx(share(BOOK, excerpt)))]


def test_chunks_cut_at_other_places_are_found():
    one = [(f"a{i}", "A", BOOK[i * 2000 : (i + 1) * 2000]) for i in range(3)]
    two = [(f"b{i}", "B", BOOK[i * 2000 + 900 : (i + 1) * 2000 + 900]) for i in range(2)]
    assert pairs(*one, *two) == [("a0", "b0"), ("a1", "b0"), ("a1", "b1"), ("a2", "b1")]


def test_short_texts_take_no_part():
    assert pairs(("a", "A", BOOK), ("b", "B", BOOK[:499])) == []
    assert pairs(("a", "A", BOOK), ("b", "B", BOOK[:500])) == [("a", "b")]


def test_nothing_long_no_pairs():
    found = contained_pairs(texts(), DEFAULT).pairs
    assert found.schema == {"a": pl.String, "b": pl.String, "share": pl.Float64}


@settings(max_examples=40, deadline=None)
@given(
    st.lists(st.tuples(st.integers(0, 3000), st.integers(0, 3000), st.integers(0, 2)), min_size=2, max_size=6),
    st.permutations(range(6)),
)
def test_pairs_are_those_that_comparing_everything_finds(cuts, order):
    """Each text is a piece of one book followed by a piece of another; the origins repeat."""
    rows = [
        (f"d{i}", f"o{origin}", f"{BOOK[start : start + 400]} {prose(start + 7, 50)} {OTHER[other : other + 300]}")
        for i, (start, other, origin) in enumerate(cuts)
    ]
    expected = [
        (a[0], b[0], share(a[2], b[2]))
        for i, a in enumerate(rows)
        for b in rows[i + 1 :]
        if a[1] != b[1] and share(a[2], b[2]) >= DEFAULT["share"]
    ]
    given_rows = [rows[i] for i in order if i < len(rows)]
    # A pair within a hair of the share may fall out of the sample: by design once in 1000.
    found = contained_pairs(texts(*given_rows), DEFAULT).pairs.rows()
    assert [pair for pair in found if pair in expected] == found
    assert [pair for pair in expected if pair not in found and pair[2] >= 0.36] == []


def test_texts_too_many_for_one_block_are_compared_all_the_same(monkeypatch):
    rows = [(f"d{i}", f"o{i}", BOOK[i * 700 : i * 700 + 2000]) for i in range(6)]
    whole = contained_pairs(texts(*rows), DEFAULT).pairs
    monkeypatch.setattr(containment, "BLOCK_CHARS", 2500)
    assert contained_pairs(texts(*rows), DEFAULT).pairs.equals(whole)
    assert whole.height >= 5


LICENCE = prose(3, 2000)


@settings(max_examples=25, deadline=None)
@given(st.integers(4, 9), st.integers(2, 8), st.permutations(range(9)))
def test_a_licence_that_many_texts_have_links_none_but_what_two_of_them_share_besides(holders, most, order):
    own = [prose(100 + i, 1500) for i in range(holders)]
    own[1] = own[0][:1200] + own[1][:300]
    rows = [(f"d{i}", f"o{i}", f"{text} {LICENCE}") for i, text in enumerate(own)]
    found = contained_pairs(texts(*(rows[i] for i in order if i < holders)), DEFAULT, most)
    everybody = [(f"d{i}", f"d{j}") for i in range(holders) for j in range(i + 1, holders)]
    if holders > most:
        assert found.pairs.select("a", "b").rows() == [("d0", "d1")]
        assert found.common == holders
    else:
        assert found.pairs.select("a", "b").rows() == everybody
        assert found.common == 0
    assert found.pairs["share"].to_list() == [
        pytest.approx(share(*({key: text for key, _, text in rows}[key] for key in pair)))
        for pair in found.pairs.select("a", "b").rows()
    ]
