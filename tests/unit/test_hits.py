"""HITS takes the topics that are least alike, and says how stable rankings are."""

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy.stats import t
from shared_folders import oracle

from authbench.core.errors import InputError
from authbench.scoring.metrics.ranking import average_ranks
from authbench.scoring.metrics.significance import p_of_fold_means, p_of_unpaired_means
from authbench.suites.raven.folds import topic_folds
from authbench.suites.raven.stability import rank_correlations, topic_shortcut
from authbench.suites.raven.subsets import (
    mean_similarity_to_others,
    nearest,
    select_topics,
    similarities,
    unit_rows,
)
from authbench.suites.raven.vectors import topic_vectors


def test_selection_of_each_oracle_is_the_same_in_order_and_in_scores():
    values = oracle("hits")
    for case in values["cases"]:
        taken, scores = select_topics(np.array(case["topic_vectors"]), case["m"])
        expected = case["expected"]
        assert taken == expected["order"], case["name"]
        assert scores == pytest.approx([step["score"] for step in expected["trace"]], abs=values["tolerance"])
        means = mean_similarity_to_others(unit_rows(np.array(case["topic_vectors"])))
        assert means == pytest.approx(expected["initial_mean_similarity_to_other_topics"], abs=values["tolerance"])


def test_topic_vectors_of_each_oracle_are_means_of_normalised_documents():
    values = oracle("hits")
    for case in values["documents_to_topics"]:
        expected = case["hits_authorship_code"]
        documents = pl.DataFrame({"topic": case["topics"], "vector": case["document_vectors"]})
        names = case["topic_names_sorted"]
        batches = documents.iter_slices(5)  # documents come in batches
        vectors = topic_vectors(names, batches, lambda batch: np.array(batch["vector"].to_list()))
        assert vectors == pytest.approx(np.array(expected["topic_vectors"]), abs=values["tolerance"])
        taken, _ = select_topics(vectors, case["m"])
        assert [names[row] for row in taken] == expected["order"]


def test_folds_of_each_oracle_hold_the_topics_in_order():
    for case in oracle("hits")["kfold"]:
        folds = topic_folds(list(range(case["topics"])), case["k"])
        assert folds == case["test_topics_per_fold"]


def test_rank_stability_of_each_oracle():
    values = oracle("rank_stability")
    for case in values["cases"]:
        found = rank_correlations(np.array([case["x"], case["y"]], np.float64).T)
        assert found == pytest.approx([np.float64(case["spearman"])], abs=values["tolerance"], nan_ok=True)
    for case in values["split_stability"]:
        found = rank_correlations(np.array(case["scores_splits_by_models"]).T)
        assert found.mean() == pytest.approx(case["mean_pairwise_spearman"], abs=values["tolerance"])


def test_topic_shortcut_of_each_oracle():
    values = oracle("rank_stability")
    for case in values["topic_shortcut"]:
        found = topic_shortcut(
            np.array(case["hits_scores_models_by_seeds"]), np.array(case["random_scores_models_by_seeds"])
        )
        for column, key in (("random", "random_mean"), ("hits", "hits_mean"), ("avg", "avg"), ("diff", "diff")):
            assert found[column].to_list() == pytest.approx(case[key], abs=values["tolerance"])
        assert found["place"].arg_sort().to_list() == case["most_robust_first"]


vectors = st.integers(2, 12).flatmap(
    lambda topics: arrays(np.float64, (topics, 4), elements=st.floats(-1, 1, allow_nan=False, width=16))
)


@given(vectors)
def test_every_selection_begins_a_longer_one(rows):
    whole, scores = select_topics(rows, len(rows))
    assert sorted(whole) == list(range(len(rows)))
    for count in range(1, len(rows)):
        assert select_topics(rows, count) == (whole[:count], scores[:count])


@given(vectors, st.floats(0.5, 8, width=16))
def test_the_length_of_a_topic_vector_decides_nothing(rows, by):
    taken, _ = select_topics(rows, len(rows) - 1)
    stretched = rows.copy()
    stretched[0] *= 4.0
    assert select_topics(stretched, len(rows) - 1)[0] == taken


@given(vectors, st.data())
def test_a_topic_joins_the_taken_one_it_is_most_like(rows, data):
    taken, _ = select_topics(rows, data.draw(st.integers(1, len(rows))))
    joined, alike = nearest(rows, taken), similarities(rows)
    for topic in range(len(rows)):
        if topic in taken:
            assert taken[joined[topic]] == topic
        else:
            assert alike[topic, taken[joined[topic]]] == pytest.approx(alike[topic, taken].max())


@pytest.mark.parametrize("count", [0, 4])
def test_more_topics_than_there_are_cannot_be_taken(count):
    with pytest.raises(InputError, match=f"{count} topics are asked for, of 3"):
        select_topics(np.eye(3), count)


def test_a_vector_that_is_no_number_is_refused():
    with pytest.raises(InputError, match="not numbers"):
        select_topics(np.array([[1.0, 0.0], [np.nan, 1.0]]), 1)


@pytest.mark.parametrize("count", [0, 1, 5])
def test_topics_that_cannot_make_so_many_folds_are_refused(count):
    with pytest.raises(InputError, match="4 topics"):
        topic_folds(list("abcd"), count)


@given(st.integers(2, 40), st.integers(2, 12))
def test_folds_share_the_topics_evenly(topics, count):
    if count <= topics:
        folds = topic_folds(list(range(topics)), count)
        assert [topic for fold in folds for topic in fold] == list(range(topics))
        assert max(map(len, folds)) - min(map(len, folds)) <= 1


def test_ranks_of_systems_begin_with_the_best_and_are_shared_by_equals():
    assert average_ranks(-np.array([[0.9, 0.5], [0.7, 0.5], [0.8, 0.6]])).tolist() == [[1, 2.5], [3, 2.5], [2, 1]]


def test_a_fold_on_which_all_systems_score_the_same_ranks_nothing():
    found = rank_correlations(np.array([[0.5, 0.1, 0.2], [0.5, 0.3, 0.4]]))
    assert np.isnan(found[:2]).all() and found[2] == pytest.approx(1)


def test_a_difference_is_tested_as_of_independent_samples():
    assert p_of_unpaired_means(np.array([1.0, 2.0, 3.0]), np.array([1.0, 2.0, 3.0])) == pytest.approx(1)
    assert p_of_unpaired_means(np.array([1.0, 2.0, 3.0]), np.array([11.0, 12.0, 13.0])) < 0.001
    assert p_of_unpaired_means(np.array([1.0, 1.0]), np.array([1.0, 1.0])) == 1
    assert p_of_unpaired_means(np.array([1.0, 1.0]), np.array([2.0, 2.0])) == 0
    assert np.isnan(p_of_unpaired_means(np.array([1.0]), np.array([1.0, 2.0])))
    assert np.isnan(p_of_unpaired_means(np.array([1.0, np.nan]), np.array([1.0, 2.0])))


def test_the_t_of_folds_is_that_of_student_shrunk_by_what_their_training_texts_share():
    one, other = np.array([0.8, 0.7, 0.75, 0.9]), np.array([0.9, 0.85, 0.95, 0.8, 0.91, 0.88, 0.99, 0.86])
    plain = t.isf(p_of_unpaired_means(one, other) / 2, 10)
    shrunk = plain * np.sqrt((1 / 4 + 1 / 8) / ((1 / 4 + 1 / 3) + (1 / 4 + 1 / 3) / 2))
    assert p_of_fold_means(one, other, 4) == pytest.approx(2 * t.sf(shrunk, 10))
    assert p_of_fold_means(other, one, 4) == p_of_fold_means(one, other, 4)
    missing = p_of_fold_means(np.append(one[:3], np.nan), other, 4)
    assert p_of_unpaired_means(one[:3], other) < missing < 1
    assert p_of_fold_means(np.ones(4), np.ones(8), 4) == 1 and p_of_fold_means(np.ones(4), np.zeros(8), 4) == 0
    assert np.isnan(p_of_fold_means(np.array([1.0, np.nan, np.nan, np.nan]), other, 4))
