"""Claims about verifiers: what they answer, and that nothing but pairs and seed decides it."""

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from test_retrieval import oracle

from authbench.pan.metrics import evaluate
from authbench.verifiers import naive, ppm, unmasking
from authbench.verifiers.texts import both_texts
from authbench.verifiers.thresholds import GRID, Thresholds, overall_on_grid, rescale, search


def of_pairs(pairs, labels):
    first, second = zip(*pairs, strict=True)
    ids = [f"p{k:04d}" for k in range(len(pairs))]
    return pl.DataFrame({"id": ids, "text1": first, "text2": second, "same": [bool(label) for label in labels]})


def test_the_oracle_of_the_naive_cosine_holds():
    reference = oracle("naive_cosine")
    for case in reference["cases"]:
        pairs = of_pairs(case["pairs"], case["labels"])
        vectorizer = naive.fitted_vectorizer(both_texts(pairs), "char", case["ngram_size"], case["vocab_size"])
        found = naive.similarities(naive.Fitted(vectorizer), pairs)
        assert found == pytest.approx(np.array(case["similarities"]), abs=reference["tolerance"]), case["name"]
        for thresholds, expected in case["corrected"].items():
            corrected = rescale(found, Thresholds(*map(float, thresholds.split(","))))
            assert corrected == pytest.approx(np.array(expected), abs=1e-8), (case["name"], thresholds)
        if "grid_search" in case:
            chosen, truth = search(pairs["same"].to_numpy(), found), pairs["same"].to_numpy()
            expected = case["grid_search"]
            best = evaluate(truth, rescale(found, chosen))["overall"]
            assert round(best, 3) == expected["overall_rounded_3"], case["name"]
            assert chosen == pytest.approx((expected["p1"], expected["p2"])), case["name"]


def test_the_oracle_of_corrected_scores_holds():
    reference = oracle("naive_cosine")
    for case in reference["correct_scores_edges"]:
        corrected = rescale(np.array(case["scores"], float), Thresholds(case["p1"], case["p2"]))
        assert corrected == pytest.approx(np.array(case["expected"]), abs=reference["tolerance"])


@given(st.lists(st.tuples(st.booleans(), st.floats(0, 1).map(lambda x: round(x, 2))), min_size=1, max_size=60))
def test_the_grid_is_scored_as_the_measures_score(problems):
    truth, similarities = (np.array(column) for column in zip(*problems, strict=True))
    p1, p2 = np.array([GRID[3], GRID[20], GRID[60]]), np.array([GRID[5], GRID[90], GRID[61]])
    found = overall_on_grid(truth.astype(bool), similarities, p1, p2)
    for value, *thresholds in zip(found, p1, p2, strict=True):
        expected = evaluate(truth.astype(bool), rescale(similarities, Thresholds(*thresholds)))["overall"]
        assert value == pytest.approx(expected, abs=1e-9, nan_ok=True)


def test_the_oracle_of_compression_holds():
    reference = oracle("compression")
    released = reference["tools"]["pan21_released_model"]
    for case in reference["cases"]:
        pair = of_pairs([(case["text1"], case["text2"])], [case["same"]])
        for order, expected in case["orders"].items():
            found = ppm.cross_entropies(pair, int(order))
            wanted = [expected["h_text2_given_text1"], expected["h_text1_given_text2"]]
            assert found[0] == pytest.approx(wanted, abs=reference["tolerance_cross_entropy"]), (case["name"], order)
            assert ppm.features(found)[0] == pytest.approx(
                expected["pan21_features"], abs=reference["tolerance_rounded"]
            )
        if "pan21_released_model_order5" in case:
            expected = case["pan21_released_model_order5"]
            weight = np.dot(ppm.features(ppm.cross_entropies(pair, 5))[0], released["coef"]) + released["intercept"]
            probability = np.array([1 / (1 + np.exp(-weight))])
            for name, value in expected.items():
                if name.startswith("answer_radius_"):
                    found = ppm.answers(probability, float(name.removeprefix("answer_radius_")))[0]
                    assert found == pytest.approx(value, abs=1e-3), (case["name"], name)


def plain_cross_entropy(known, asked, order):
    """The same by dictionaries, as the definition reads."""
    counts = {}
    for i, char in enumerate(known):
        for length in range(min(i, order) + 1):
            of_context = counts.setdefault(known[i - length : i], {})
            of_context[char] = of_context.get(char, 0) + 1
    total = 0.0
    for i, char in enumerate(asked):
        seen = [counts.get(asked[i - length : i], {}) for length in range(min(i, order), -1, -1)]
        p = next((own[char] / sum(own.values()) for own in seen if char in own), 1 / 256)
        total -= np.log2(p)
    return total / len(asked)


@given(st.text("ab c", min_size=1, max_size=40), st.text("ab d", min_size=1, max_size=40), st.integers(0, 6))
def test_compiled_compression_counts_as_dictionaries_do(one, other, order):
    found = ppm.cross_entropies(of_pairs([(one, other)], [True]), order)[0]
    assert found == pytest.approx([plain_cross_entropy(one, other, order), plain_cross_entropy(other, one, order)])


def test_a_text_of_nothing_costs_eight_bits_a_character():
    assert ppm.cross_entropies(of_pairs([("", "abc")], [True]), 5).tolist() == [[8.0, 8.0]]


def test_the_oracle_of_unmasking_holds():
    reference = oracle("unmasking")
    asked = reference["parameters"]
    settings = {
        "rounds": asked["rounds"],
        "features": asked["top_n"],
        "folds": asked["cv_folds"],
        "removed": asked["n_delete"],
        "chunk_trigrams": asked["chunk_size"],
        "chunks": asked["n_chunks"],
    }
    exact = reference["deterministic_parts"]
    assert unmasking.trigrams(exact["text"]) == exact["character_trigrams"]
    for case in reference["cases"][:: max(1, len(reference["cases"]) // 3)]:
        chance = np.random.Generator(np.random.Philox(1))
        curve = unmasking.curve(case["text1"], case["text2"], settings, chance)
        assert len(curve) == case["expected"]["curve_points"]
        assert curve.mean() == pytest.approx(
            case["expected"]["mean_curve_value"], abs=reference["tolerance_mean_curve_value"]
        ), case["name"]
