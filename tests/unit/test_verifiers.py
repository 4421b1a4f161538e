"""Claims about verifiers: what they answer, and that nothing but pairs and seed decides it."""

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from test_retrieval import oracle

from authbench.pan.metrics import evaluate
from authbench.verifiers import naive
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
