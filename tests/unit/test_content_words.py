"""Content words: what counts as one, and that vectors of them do not depend on how texts are handed over."""

import math
from itertools import pairwise, product

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.sparse import csr_matrix

from authbench.core.content_words import (
    COLUMNS,
    FREQUENT,
    WordStatistics,
    content_vectors,
    content_vectors_of_batches,
    fit_words,
)
from authbench.core.product_kernels import products_of_pairs, products_with

NOTHING = WordStatistics({}, {}, pl.DataFrame(schema={"lang": pl.String, "word": pl.String, "documents": pl.UInt32}))
SOME = ["harbour", "lantern", "the", "of", "月亮", "夜晚", "小説", "カメラ", "ёлка", "the.harbour", "!!"]
WORDS = st.lists(st.sampled_from(SOME), max_size=8)
TEXTS = st.lists(st.tuples(st.sampled_from(["en", "zh", "ru"]), WORDS.map(" ".join)), min_size=1, max_size=12)


def frame(*texts, lang="en"):
    return pl.DataFrame(
        {"lang": [lang] * len(texts), "content": texts}, schema={"lang": pl.String, "content": pl.String}
    )


def similarity(one, other, lang="en", statistics=NOTHING, topic="words"):
    vectors = content_vectors(frame(one, other, lang=lang), statistics, topic).toarray()
    return float(vectors[0] @ vectors[1])


def test_texts_that_share_only_function_words_share_no_content():
    assert similarity("The lantern of the harbour", "And the of it was with sorrow") == 0
    assert similarity("The Lantern, burning", "lantern burning") == pytest.approx(1)


def test_a_frequent_word_of_the_language_is_no_content():
    common = frame(*[f"harbour {word}" for word in ("lantern", "anchor", "sorrow")])
    assert fit_words([common]).frequent == {"en": ("harbour",)}
    assert similarity("harbour lantern", "harbour anchor", statistics=fit_words([common])) == 0
    assert similarity("harbour lantern", "harbour anchor") > 0.4


def test_at_most_300_words_are_frequent():
    text = " ".join(f"word{chr(97 + a)}{chr(97 + b)}" for a in range(26) for b in range(26))
    assert len(fit_words([frame(text, text)]).frequent["en"]) == FREQUENT


def test_a_rare_word_weighs_more_than_a_common_one():
    padding = " ".join(f"w{chr(97 + a)}{chr(97 + b)}" for a in range(26) for b in range(26))
    known = fit_words([frame(*[f"{padding} harbour"] * 9, padding, padding)])
    assert "harbour" not in known.frequent["en"]
    common = similarity("harbour lantern", "harbour anchor", statistics=known)
    rare = similarity("lantern harbour", "lantern anchor", statistics=known)
    assert rare > common > 0


def test_han_and_kana_count_by_pairs_without_function_words():
    assert similarity("月亮的夜晚", "月亮在天上", "zh") > 0
    assert similarity("我的", "你的", "zh") == 0
    assert similarity("カメラ", "カメラは", "ja") == pytest.approx(1)


def test_forms_of_a_word_share_sequences_of_three_letters_and_pairs_of_characters_each_character():
    assert similarity("sailing", "sailors") == similarity("月亮", "月光", "zh") == 0
    assert similarity("sailing", "sailors", topic="words_and_pieces") == pytest.approx(1 / 3 * 3 / 7)  # ^sa sai ail
    assert similarity("月亮", "月光", "zh", topic="words_and_pieces") == pytest.approx(1 / 6)
    assert similarity("sailing", "sailing", topic="words_and_pieces") == pytest.approx(1)
    assert (
        similarity("a", "a", topic="words_and_pieces") == similarity("sailing", "the of", topic="words_and_pieces") == 0
    )


def test_a_piece_of_many_words_weighs_as_one_in_every_text():
    known = fit_words([frame(*["oxo oxi oxa", "oxo oxi oxa"])] * 2)
    known = WordStatistics(known.texts, {}, known.documents)
    assert ("en", "^ox", 12) in known.of_pieces.documents.rows() and known.texts == {"en": 4}
    found = similarity("oxy", "oxu", statistics=known, topic="words_and_pieces")
    rare = math.log(5 / 2) + 1
    assert found == pytest.approx(1 / 3 / (1 + 2 * rare**2))


def test_a_word_without_end_has_no_more_pieces_than_a_long_one():
    endless = "".join("".join(letters) for letters in product("abcdefghij", repeat=3))
    assert content_vectors(frame(endless), NOTHING, "words_and_pieces").nnz <= 1 + 100


def test_a_text_without_content_words_has_an_empty_row():
    vectors = content_vectors(frame("12 !!", "the of", "lantern", ""), NOTHING)
    assert np.diff(vectors.indptr).tolist() == [0, 0, 1, 0]
    assert vectors.dtype == np.float32
    assert content_vectors(frame(), NOTHING).shape[0] == 0


@given(TEXTS, st.integers(1, 5), st.randoms(use_true_random=False))
def test_order_and_batches_make_no_difference(texts, size, chance):
    whole = pl.DataFrame(texts, schema=["lang", "content"], orient="row")
    known = fit_words([whole])
    order = list(range(len(texts)))
    chance.shuffle(order)
    parts = [whole[order[start : start + size]] for start in range(0, len(order), size)]
    again = fit_words(parts)
    assert again.frequent == known.frequent
    assert again.texts == known.texts
    assert again.documents.equals(known.documents)
    vectors, others = content_vectors(whole, known), [content_vectors(part, known) for part in parts]
    for place, row in enumerate(order):
        part, within = divmod(place, size)
        assert (vectors[row] != others[part][within]).nnz == 0
    lengths = np.sqrt(vectors.multiply(vectors).sum(axis=1))
    assert all(length == pytest.approx(1, abs=1e-5) or length == 0 for length in np.asarray(lengths).ravel())


@given(
    st.lists(st.tuples(st.sampled_from(["en", "ja", "xx"]), st.text("ab 漢字の.", max_size=20)), max_size=12),
    st.sampled_from(["words", "words_and_pieces"]),
    st.data(),
)
def test_vectors_are_the_same_in_whatever_batches_texts_come(texts, topic, data):
    rows = pl.DataFrame(texts, schema={"lang": pl.String, "content": pl.String}, orient="row")
    cuts = sorted(data.draw(st.lists(st.integers(0, rows.height), max_size=4)))
    known = fit_words([rows])
    whole = content_vectors(rows, known, topic)
    found = content_vectors_of_batches(
        (rows.slice(a, b - a) for a, b in pairwise([0, *cuts, rows.height])), known, topic
    )
    assert found.shape == whole.shape == (rows.height, COLUMNS * (1 if topic == "words" else 2))
    assert found.dtype == whole.dtype == np.float32 and found.indices.dtype == np.int32
    for name in ("data", "indices", "indptr"):
        assert np.array_equal(getattr(found, name), getattr(whole, name))


@given(st.lists(st.lists(st.tuples(st.integers(0, 6), st.floats(-4, 4, width=16)), max_size=5), min_size=1, max_size=6))
def test_products_of_sparse_rows_are_those_of_scipy(rows):
    cells = [(row, column, value) for row, cells in enumerate(rows) for column, value in dict(cells).items()]
    row, column, value = (np.array(part) for part in zip(*cells, strict=True)) if cells else np.empty((3, 0))
    matrix = csr_matrix((value.astype(np.float32), (row.astype(int), column.astype(int))), shape=(len(rows), 7))
    expected = (matrix @ matrix.T).toarray()
    assert products_with(matrix)(matrix) == pytest.approx(expected, abs=1e-5)
    one, other = np.indices(expected.shape).reshape(2, -1)
    assert products_of_pairs(matrix, one, other) == pytest.approx(expected.ravel(), abs=1e-5)
