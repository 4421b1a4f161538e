"""Claims about the area under the ROC curve, and the ranks with ties beside it."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import rankdata, spearmanr
from sklearn.metrics import roc_auc_score

from authbench.scoring.metrics.auc import area_of_wins, auc, pairs_below
from authbench.scoring.metrics.pan import evaluate
from authbench.scoring.metrics.ranking import average_ranks, centred_ranks
from authbench.suites.style.pairs import all_to_all, predefined, unit

FEW_VALUES = st.sampled_from([0.0, 0.25, 0.5, 0.75, 1.0])
PROBLEMS = st.lists(st.tuples(st.booleans(), FEW_VALUES), min_size=2, max_size=40)


@given(PROBLEMS)
def test_the_area_is_that_of_scikit_learn_with_ties_one_half(problems):
    truth, scores = (np.array(column) for column in zip(*problems, strict=True))
    if truth.all() or not truth.any():
        assert np.isnan(auc(truth, scores))
    else:
        assert auc(truth, scores) == pytest.approx(roc_auc_score(truth, scores))
        assert auc(truth, scores) + auc(~truth, scores) == pytest.approx(1)


@pytest.mark.parametrize("score", [np.nan, np.inf, -np.inf])
def test_a_score_that_is_no_number_leaves_the_area_undefined_and_pan_says_0(score):
    truth, scores = np.array([True, False, True]), np.array([0.9, 0.1, score])
    assert np.isnan(auc(truth, scores))
    assert evaluate(truth, scores)["auc"] == 0.0


def test_one_class_leaves_the_area_undefined_and_pan_says_0():
    assert np.isnan(auc(np.array([True, True]), np.array([0.9, 0.1])))
    assert np.isnan(area_of_wins(np.zeros(3), 4, 0)).all()
    assert evaluate(np.array([True, True]), np.array([0.9, 0.1]))["auc"] == 0.0


@given(st.lists(FEW_VALUES, max_size=9), st.lists(FEW_VALUES, max_size=9))
def test_pairs_below_are_counted_one_by_one(one, other):
    expected = sum((a < b) + (a == b) / 2 for a in one for b in other)
    assert pairs_below(np.sort(one), np.array(other)) == expected


@given(st.integers(2, 9), st.integers(2, 9), st.integers(0, 99))
def test_the_same_pairs_have_the_same_area_block_by_block_and_at_once(rarer, others, seed):
    """Two labels, the pairs of one label the rarer kind or not."""
    labels = np.array([0] * rarer + [1] * others)
    rows = unit(np.random.default_rng(seed).integers(-2, 3, (len(labels), 3)))
    one, other = np.triu_indices(len(labels), 1)
    at_once = predefined(rows[one], rows[other], labels[one] == labels[other])
    assert all_to_all(rows, labels)["auroc"] == pytest.approx(at_once["auroc"], abs=1e-15)


@given(st.lists(st.tuples(FEW_VALUES, FEW_VALUES), min_size=3, max_size=20))
def test_centred_ranks_give_spearmans_correlation(rows):
    values = np.array(rows)
    centred, lengths = centred_ranks(values)
    if lengths.all():
        expected = spearmanr(values[:, 0], values[:, 1]).statistic
        assert centred[:, 0] @ centred[:, 1] / lengths.prod() == pytest.approx(expected)


def test_equal_values_share_the_mean_of_their_ranks():
    assert average_ranks(np.array([3.0, 1.0, 3.0])).tolist() == [2.5, 1.0, 2.5]
    assert average_ranks(np.array([[3.0, 1.0], [1.0, 1.0]])).tolist() == [[2.0, 1.5], [1.0, 1.5]]


@given(st.lists(st.tuples(*2 * [FEW_VALUES | st.just(np.nan)]), max_size=20))
def test_ranks_are_those_of_scipy_to_the_bit(rows):
    values = np.array(rows, np.float64).reshape(len(rows), 2)
    assert average_ranks(values).tobytes() == rankdata(values, axis=0).astype(np.float64).tobytes()
    assert average_ranks(values[:, 0]).tobytes() == rankdata(values[:, 0]).astype(np.float64).tobytes()
