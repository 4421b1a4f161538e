"""MinHash signatures over multisets, by our kernels and by datasketch."""

import datasketch
import numpy as np
import polars as pl
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from authbench.build.dedup import minhash, packages, shingle_kernels
from authbench.build.dedup.shingles import shingle_hashes

BITS64 = 2**64 - 1
SPACES = "".join(chr(c) for c in range(0x110000) if chr(c).isspace())

texts_of_all_scripts = st.text(st.characters(exclude_categories=("Cs",)), max_size=60)
repetitive_texts = st.text("ab ", max_size=60)


def folded(text):
    return " ".join(text.split())


def grams(text, length=5):
    text = folded(text)
    return [text[i : i + length] for i in range(len(text) - length + 1)] if len(text) >= length else [text]


def gram_hash(gram):
    """The documented hash of a shingle: a polynomial over its code points, then MurmurHash3's finaliser."""
    h = 0
    for character in gram:
        h = (h * int(shingle_kernels.BASE) + ord(character)) & BITS64
    for shift, factor in ((33, 0xFF51AFD7ED558CCD), (33, 0xC4CEB9FE1A85EC53)):
        h = ((h ^ (h >> shift)) * factor) & BITS64
    return h ^ (h >> 33)


@settings(max_examples=60, deadline=None)
@given(st.lists(texts_of_all_scripts | repetitive_texts, max_size=5), st.integers(1, 9))
@example(["", "abcd", "abcde", "hahahahahahaha", "吾輩は猫である", "👩‍👩‍👧‍👦\n\n a"], 5)
def test_both_backends_give_the_same_signatures_and_sketches(texts, length):
    given, permutations = pl.Series(texts, dtype=pl.String), minhash.draw_permutations(25)
    values, sizes = minhash.signatures(given, permutations, length)
    theirs, their_sizes = packages.signatures(given, permutations, length)
    assert values.tolist() == theirs.tolist()
    assert sizes.tolist() == their_sizes.tolist() == [len(grams(text, length)) for text in texts]
    assert minhash.sketches(values).tolist() == packages.sketches(values).tolist()


@pytest.mark.parametrize("permutations", [1, 64, 65, 128, 130])
def test_both_backends_take_a_bit_of_as_many_values_as_a_sketch_has_room_for(permutations):
    values = np.arange(3 * permutations, dtype=np.uint32).reshape(3, permutations)
    assert minhash.sketches(values).tolist() == packages.sketches(values).tolist()


def test_a_text_longer_than_a_batch_of_elements_is_signed_as_a_whole(monkeypatch):
    monkeypatch.setattr(packages, "AT_ONCE", 7)
    texts, permutations = pl.Series(["ab " * 100, "ab" * 12, ""]), minhash.draw_permutations(9)
    for mine, theirs in zip(
        minhash.signatures(texts, permutations, 5), packages.signatures(texts, permutations, 5), strict=True
    ):
        assert mine.tolist() == theirs.tolist()


@settings(max_examples=60, deadline=None)
@given(st.lists(texts_of_all_scripts | st.text("a" + SPACES, max_size=20), max_size=5), st.integers(1, 9))
def test_shingles_are_runs_of_code_points_after_white_space_is_folded(texts, length):
    hashes, ends = shingle_hashes(pl.Series(texts, dtype=pl.String), length)
    for d, text in enumerate(texts):
        assert hashes[ends[d] : ends[d + 1]].tolist() == [gram_hash(gram) for gram in grams(text, length)]


def test_bands_are_equal_where_their_rows_are():
    values = np.arange(20, dtype=np.uint32).reshape(2, 10)
    values[1, :4] = values[0, :4]
    bands = minhash.band_hashes(values, 5, 2)
    assert (bands[:, 0] == bands[:, 1]).tolist() == [True, True, False, False, False]


def test_permutations_are_datasketchs():
    drawn = minhash.draw_permutations(8)
    assert (drawn == datasketch.MinHash(num_perm=8, seed=1, scheme="affine32").permutations).all()
