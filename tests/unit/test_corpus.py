"""The corpus of the benchmarks: always the same one, and one that the pipeline takes."""

import sys
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from jsonschema import Draft202012Validator

ROOT = Path(__file__).parents[2]
sys.path.append(str(ROOT / "benchmarks"))

import corpus  # noqa: E402

from authbench.config.registry.sources import source_schema  # noqa: E402
from authbench.core.records import LANGUAGES  # noqa: E402

PLAN = corpus.make_plan(8_000, seed=7)
MEAN = {lang: 800 * factor for lang, factor in corpus.CHARACTERS.items()}


@pytest.fixture(scope="module")
def block():
    return corpus.make_block(0, PLAN, MEAN, seed=7)


def test_a_block_is_always_the_same(block):
    assert block.equals(corpus.make_block(0, corpus.make_plan(8_000, seed=7), MEAN, seed=7))
    assert not block.equals(corpus.make_block(0, PLAN, MEAN, seed=8))


def test_it_has_all_languages_and_sources_in_the_shares_of_the_recipe(block):
    assert set(block["lang"]) == set(LANGUAGES)
    assert set(block["source"]) == set(corpus.READERS)
    assert 0.3 < (block["lang"] == "en").mean() < 0.4


def test_it_has_texts_of_all_lengths_and_none_is_empty(block):
    lengths = block.filter(pl.col("lang") == "en")["text"].str.len_chars()
    assert lengths.min() > 0
    assert (lengths < 40).any()
    assert (lengths > 2_500).any()


def test_it_has_copies_and_mess(block):
    assert 0.01 < block["text"].is_duplicated().mean() < 0.15
    assert block["text"].str.contains("<br />", literal=True).any()


def test_authors_have_a_heavy_tail_of_documents():
    counts = np.bincount(np.bincount(corpus.make_plan(100_000, seed=7).author_of))
    assert counts[1] > counts[2] > counts[3] > 0
    assert len(counts) == 101


@pytest.mark.parametrize("source", corpus.READERS)
def test_its_pages_fit_the_schema(source):
    Draft202012Validator(source_schema()).validate(corpus.page(source))
