"""Ids in a random order tell nothing; those in any order of documents are found."""

import random

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from authbench.release.checking.form import _rank_correlation, neighbours


@given(st.lists(st.integers(1, 9), min_size=2, max_size=60), st.integers(0, 1_000_000))
def test_a_random_order_is_within_chance(sizes, seed):
    labels = [author for author, size in enumerate(sizes) for _ in range(size)]
    random.Random(seed).shuffle(labels)
    found, most = neighbours(labels)
    assert found <= most


@pytest.mark.parametrize(("authors", "texts"), [(12, 3), (20, 4), (200, 5), (3, 40)])
def test_texts_in_the_order_of_their_authors_are_not(authors, texts):
    found, most = neighbours([author for author in range(authors) for _ in range(texts)])
    assert found > most


def test_the_mean_and_spread_of_neighbours_are_those_of_random_orders():
    labels, chance = [author for author in range(30) for _ in range(6)], random.Random(1)
    counts = []
    for _ in range(2_000):
        chance.shuffle(labels)
        counts.append(neighbours(labels)[0])
    mean = sum(counts) / len(counts)
    spread = (sum((count - mean) ** 2 for count in counts) / len(counts)) ** 0.5
    most = neighbours(labels)[1]
    assert most - 3 == pytest.approx(mean + 6 * spread, abs=1.5)


@given(st.integers(0, 1_000_000), st.integers(3, 200))
def test_lengths_in_a_random_order_neither_rise_nor_fall(seed, size):
    lengths = list(range(size))
    random.Random(seed).shuffle(lengths)
    assert abs(_rank_correlation(pl.Series(lengths))) < 6


def test_sorted_lengths_rise():
    assert _rank_correlation(pl.Series(range(100))) > 9
    assert _rank_correlation(pl.Series([5] * 100)) == 0
