"""Claims about the measures of PAN."""

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from shared_folders import oracle
from sklearn.metrics import f1_score, roc_auc_score

from authbench.core.errors import InputError
from authbench.release.format.pan import align
from authbench.scoring.metrics.pan import MEASURES, OF_2020, evaluate, overall

ORACLE_NAMES = {"auc": "auc", "c@1": "c@1", "f1": "F1", "f0.5u": "f_05_u", "brier": "brier"}


def aligned(truth, answers):
    ids = pl.Series("id", sorted(truth))
    table = pl.DataFrame(
        {"id": list(answers), "value": [float(value) for value in answers.values()]},
        schema={"id": pl.String, "value": pl.Float64},
    )
    return np.array([truth[ident] for ident in ids], bool), align(ids, table, "answers")


def test_the_oracle_of_pan_metrics_holds():
    reference = oracle("pan_metrics")
    for case in reference["cases"]:
        expected = case["expected"]
        if "error" in expected:
            with pytest.raises(InputError):
                aligned(case["truth"], case["answers"])
            continue
        found = evaluate(*aligned(case["truth"], case["answers"]))
        for ours, theirs in ORACLE_NAMES.items():
            value = expected["raw"][theirs]
            if isinstance(value, str) and value.startswith("error"):
                assert np.isnan(found[ours]), (case["name"], ours)
            else:
                assert found[ours] == pytest.approx(float(value), abs=reference["tolerance"]), (case["name"], ours)
        for year, measures in (("2021", MEASURES), ("2020", OF_2020)):
            value = expected[f"overall_{year}"]
            if value == "undefined":
                assert np.isnan(overall(found, measures)), case["name"]
            else:
                assert overall(found, measures) == pytest.approx(float(value), abs=reference["tolerance"]), case["name"]


SCORES = st.lists(st.tuples(st.booleans(), st.sampled_from([0.0, 0.2, 0.5, 0.500001, 0.7, 1.0])), min_size=1)


@given(SCORES)
def test_measures_agree_with_those_of_scikit_learn(problems):
    truth, scores = (np.array(column) for column in zip(*problems, strict=True))
    found = evaluate(truth.astype(bool), scores.astype(float))
    if truth.any() and not truth.all():
        assert found["auc"] == pytest.approx(roc_auc_score(truth, scores))
    answered = scores != 0.5
    if answered.any():
        expected = f1_score(truth[answered], scores[answered] > 0.5, zero_division=0)
        assert found["f1"] == pytest.approx(expected)


@given(SCORES)
def test_without_non_answers_c_at_1_is_accuracy_and_all_measures_lie_in_0_to_1(problems):
    truth, scores = (np.array(column) for column in zip(*problems, strict=True))
    found = evaluate(truth.astype(bool), scores.astype(float))
    assert all(0 <= value <= 1 or np.isnan(value) for value in found.values())
    if (scores != 0.5).all():
        assert found["c@1"] == pytest.approx(np.mean((scores > 0.5) == truth))


def test_a_non_answer_is_worth_what_the_others_earn():
    truth = np.array([True, False, True, False])
    assert evaluate(truth, np.array([1.0, 0.0, 0.5, 0.5]))["c@1"] == pytest.approx((2 + 2 * 2 / 4) / 4)
