"""Claims about topics of pairs, and about the pictures of answers."""

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics import precision_recall_curve as of_scikit_learn
from threadpoolctl import threadpool_limits

from authbench.models.topics import content_words, topic_vectors
from authbench.suites.pan.figures import density, precision_recall_curve
from authbench.suites.pan.topics import influence, topic_similarities

SUBJECTS = [[f"{name}{letter}" for letter in "abcdefghijkl"] for name in ("sea", "farm", "star", "coin")]


def about(subject, random):
    return "the " + " and the ".join(random.choice(SUBJECTS[subject], 10))


def some_pairs(count=120):
    random = np.random.default_rng(1)
    drawn = random.integers(4, size=(count, 2))
    texts = [[about(subject, random) for subject in row] for row in drawn]
    table = pl.DataFrame({"text1": [one for one, _ in texts], "text2": [other for _, other in texts]})
    return table, drawn[:, 0] == drawn[:, 1]


def test_texts_on_one_topic_are_alike_and_others_are_not():
    pairs, alike = some_pairs()
    similar, topics = topic_similarities(pairs, 4)
    assert topics == 4
    assert similar[alike].min() > 0.9
    assert similar[~alike].max() < 0.2


def test_function_words_are_no_content():
    assert content_words("the rain and aren't we") == ["rain"]
    assert content_words("雨の日") != []


def test_texts_without_content_have_no_topics():
    similar, topics = topic_similarities(pl.DataFrame({"text1": ["the"], "text2": ["and"]}), 150)
    assert (similar.tolist(), topics) == ([0.0], 0)


def test_a_verifier_that_follows_topics_is_found_out_and_one_that_does_not_is_not():
    pairs, alike = some_pairs()
    similar, _ = topic_similarities(pairs, 4)
    random = np.random.default_rng(2)
    truth = random.random(len(alike)) < np.where(alike, 0.8, 0.2)
    follows = influence(truth, 0.1 + 0.8 * alike, similar)
    assert follows["mann_whitney"]["p"] < 0.001
    assert follows["regression"]["all"]["r2"] > 0.9
    blind = influence(truth, random.random(len(alike)), similar)
    assert blind["regression"]["all"]["r2"] < 0.1


def test_of_few_texts_there_are_few_topics():
    pairs, _ = some_pairs(15)
    assert topic_similarities(pairs, 150)[1] == 3  # a tenth of thirty texts


def test_topics_learnt_from_train_pairs_do_not_depend_on_the_pairs_that_are_asked(monkeypatch):
    train, _ = some_pairs()
    pairs = some_pairs(160)[0][120:]
    whole, topics = topic_similarities(pairs, 4, train=train)
    part, _ = topic_similarities(pairs[:5], 4, train=train)
    assert topics == 4 and part == pytest.approx(whole[:5], abs=1e-6)
    assert topic_similarities(pairs[:5], 4)[1] == 1
    monkeypatch.setattr("authbench.models.topics.MOST_TEXTS", 50)
    assert topic_similarities(pairs, 150, train=train)[1] == 5


def test_topics_are_the_same_bytes_by_one_thread_and_by_two():
    random = np.random.default_rng(1)
    words = [f"{one}{other}{one}" for one in "abcdefghijklmnopqrst" for other in "abcdefghijklmnopqrst"]
    texts = [" ".join(random.choice(words[20 * (n % 17) :], 60)) for n in range(900)]
    found = []
    for threads in (1, 2):
        with threadpool_limits(threads):
            found.append(topic_vectors(texts[::2], texts, 30, 0)[0].tobytes())
    assert found[0] == found[1]


def test_no_line_is_drawn_through_few_pairs_or_pairs_that_hardly_differ():
    random = np.random.default_rng(3)
    scores, truth = random.random(200), random.random(200) < 0.5
    alike = influence(truth, scores, 0.5 + 1e-7 * scores)["regression"]["all"]
    assert alike["beta"] is None and alike["withheld"] == "the similarities hardly differ"
    assert influence(truth, 0.5 + 1e-7 * scores, scores)["regression"]["all"]["withheld"] == "the scores hardly differ"
    few = influence(truth[:19], scores[:19], random.random(19))["regression"]["all"]
    assert few["r2"] is None and few["withheld"] == "19 pairs, and 20 are needed"
    enough = influence(truth, scores, random.random(200))["regression"]["all"]
    assert enough["withheld"] is None and enough["beta"] is not None


def test_what_is_undefined_is_none():
    found = influence(np.array([True, True]), np.array([0.9, 0.9]), np.array([0.1, 0.2]))
    assert found["mann_whitney"] is None
    nothing = {"pairs": 0, "beta": None, "r2": None, "beta_of_similarity": None}
    assert found["regression"]["wrong"] == nothing | {"withheld": "0 pairs, and 20 are needed"}
    assert found["different_authors"] == {"pairs": 0, "mean": None, "sd": None}


@given(st.lists(st.floats(0, 1), min_size=1, max_size=50))
def test_a_density_is_one(values):
    across, height = density(np.array(values))
    assert np.mean(height) == pytest.approx(1, abs=0.01)
    assert len(across) == len(height)


@given(st.lists(st.tuples(st.booleans(), st.sampled_from([0.1, 0.4, 0.5, 0.9])), min_size=2, max_size=40))
def test_precision_and_recall_are_scikit_learns(problems):
    truth, scores = (np.array(column) for column in zip(*problems, strict=True))
    if not truth.any():
        return
    recall, precision = precision_recall_curve(truth.astype(bool), scores)
    expected_precision, expected_recall, _ = of_scikit_learn(truth, scores)
    kept = len(recall)
    assert recall == pytest.approx(expected_recall[::-1][1 : kept + 1])
    assert precision == pytest.approx(expected_precision[::-1][1 : kept + 1])
