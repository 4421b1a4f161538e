"""Claims about the counting of character n-grams: scikit-learn's numbers and columns, whatever the text."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.sparse import csr_matrix
from sklearn.feature_extraction.text import CountVectorizer, TfidfTransformer

from authbench.models import character_ngrams
from authbench.models.character_ngrams import count_ngrams
from authbench.models.lexical import tfidf

TEXTS = st.lists(st.text(st.sampled_from("aAbß \n\t漢字é\u0301🙂\u3000\x1c\xa0"), max_size=12), min_size=1, max_size=5)
RANGES = st.sampled_from([(1, 1), (1, 4), (2, 5), (3, 5), (5, 6), (4, 4)])


def by_scikit_learn(texts, learnt, analyzer, n, lower_case):
    counter = CountVectorizer(analyzer=analyzer, ngram_range=n, lowercase=lower_case, dtype=np.float32)
    try:
        counter.fit(texts[:learnt])
    except ValueError:
        return None
    return counter.transform(texts)


def same(found, expected):
    if found is None or expected is None:
        return found is expected
    names = ("indptr", "indices", "data")
    equal = all(np.array_equal(getattr(found, name), getattr(expected, name)) for name in names)
    return equal and found.shape == expected.shape and found.dtype == np.float32


@given(TEXTS, st.integers(0, 5), st.sampled_from(["char", "char_wb"]), RANGES, st.booleans())
def test_counts_and_columns_are_those_of_scikit_learn(texts, learnt, analyzer, n, lower_case):
    learnt = min(learnt, len(texts))
    asked = texts, learnt, analyzer, n, lower_case
    assert same(count_ngrams(*asked), by_scikit_learn(*asked))


@given(TEXTS, st.sampled_from(["char", "char_wb"]), RANGES)
def test_where_characters_do_not_fit_a_number_their_pairs_do(texts, analyzer, n):
    limit, tried = 2**63 - 1, []

    def fit(digits):
        tried.append(digits.step)
        return digits.step == 2 and digits.base**digits.places <= limit

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(character_ngrams._Digits, "fit", property(fit))
        found = count_ngrams(texts, len(texts), analyzer, n, False)
    assert tried == [1, 2]
    assert same(found, by_scikit_learn(texts, len(texts), analyzer, n, False))


def test_n_grams_too_long_for_any_number_are_counted_all_the_same():
    alphabet = "".join(map(chr, range(0x4E00, 0x4E00 + 9000)))
    texts = [alphabet, alphabet[::-1] + alphabet[::3], "好" + alphabet[:50]]
    for asked in ((texts, 2, "char", (1, 9), False), (["好", *texts], 1, "char", (9, 9), False)):
        assert same(count_ngrams(*asked), by_scikit_learn(*asked))


@given(st.integers(0, 10_000), st.integers(1, 20), st.booleans())
def test_weights_of_counts_are_those_of_scikit_learn_to_the_bit(seed, learnt, sublinear):
    table = np.random.default_rng(seed).poisson(0.4, (20, 30)).astype(np.float32)
    table[3] = 0
    counts = csr_matrix(table)
    weights = TfidfTransformer(sublinear_tf=sublinear).fit(counts[:learnt])
    expected = weights.transform(counts)
    assert same(tfidf(counts, learnt, 20, sublinear), expected)
