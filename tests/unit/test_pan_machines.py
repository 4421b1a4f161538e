"""Answers to PAN's tasks of detecting what machines wrote are read and scored as in 2024 and 2025."""

import json

import numpy as np
import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics import brier_score_loss, f1_score, roc_auc_score

from authbench.app.cli import main
from authbench.release.format.pan import form_of, read_answers, read_pairs, read_truth
from authbench.scoring.metrics.influence import influences
from authbench.scoring.metrics.pan import evaluate

PROBLEMS = st.lists(
    st.tuples(st.booleans(), st.sampled_from([0.0, 0.2, 0.5, 0.500001, 0.9, 1.0, 1.5])), min_size=2, max_size=40
)


def as_their_evaluator(truth, given, year):
    """Return the measures as the evaluators of these years define them, with scikit-learn's functions."""
    y, p = np.array(truth, float), np.array(given, float)
    p = np.clip(p, 0, 1) if year == 2024 else p
    open_ones = p == 0.5
    right = (y == (p > 0.5)) & ((year == 2024) | ~open_ones)
    above = 1.25 * np.sum(y * (p > 0.5))
    below = above + 0.25 * (np.sum(y * (p < 0.5)) + open_ones.sum()) + np.sum((1 - y) * (p > 0.5))
    found = {
        "auc": roc_auc_score(y, p) if 0 < y.sum() < len(y) else 0.0,
        "c@1": (right.sum() + open_ones.sum() * right.sum() / len(y)) / len(y),
        "f1": f1_score(y, p > 0.5, zero_division=0),
        "f0.5u": above / below if below else float("nan"),
        "brier": 1 - brier_score_loss(y, np.clip(p, 0, 1), pos_label=1),
    }
    counted = [0.0 if np.isnan(one) and year == 2025 else one for one in found.values()]
    return {**found, "overall": float(np.mean(counted))}


@pytest.mark.parametrize("year", [2024, 2025])
@given(PROBLEMS)
def test_measures_are_those_of_the_year_s_evaluator(year, problems):
    truth, scores = (np.array(one) for one in zip(*problems, strict=True))
    expected = as_their_evaluator(truth, scores, year)
    assert evaluate(truth, scores, year=year) == pytest.approx(expected, abs=1e-12, nan_ok=True)


@pytest.mark.parametrize("year", [2024, 2025])
def test_the_influence_of_a_problem_follows_the_year_s_rules(year):
    random = np.random.default_rng(4)
    truth = random.random(400) < 0.5
    sure = np.clip(0.5 + (truth - 0.5) * 0.4 + random.normal(0, 0.3, 400), 0, 1)
    scores = np.where(random.random(400) < 0.1, 0.5, sure)
    moved = influences(truth, scores, year=year)
    whole = evaluate(np.tile(truth, 20), np.tile(scores, 20), year=year)
    for place in (0, 17, int(np.flatnonzero(scores == 0.5)[0])):
        own = [np.append(np.tile(one, 20), one[place]) for one in (truth, scores)]
        twice = evaluate(own[0].astype(bool), own[1], year=year)
        for name, value in moved.items():
            assert (twice[name] - whole[name]) * len(own[0]) == pytest.approx(value[place], abs=0.02), name


def lines(path, rows):
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return path


def test_pairs_of_2024_are_read_and_scored_by_their_form(tmp_path, capsys):
    human = {"a": [True, False], "b": [False, True], "c": [False, True], "d": [True, False]}
    truth = lines(tmp_path / "truth.jsonl", [{"id": one, "is_human": two} for one, two in human.items()])
    pairs = lines(tmp_path / "pairs.jsonl", [{"id": one, "text1": f"{one}1", "text2": f"{one}2"} for one in human])
    answers = [{"id": "a", "is_human": 0.1}, {"id": "b", "is_human": [False, True]}, {"id": "c", "is_human": 0.3}]
    given = lines(tmp_path / "team.jsonl", answers)
    assert form_of(truth) == 2024
    assert read_truth(truth)["same"].to_list() == [False, True, True, False]
    assert read_pairs(pairs).select("text1", "text2").row(1) == ("b1", "b2")
    assert main(["pan", "evaluate", "--truth", str(truth), "--answers", str(given), "--json"]) == 0
    told = capsys.readouterr()
    measures = orjson.loads(told.out)["team"]
    expected = as_their_evaluator([False, True, True, False], [0.1, 1.0, 0.3, 0.5], 2024)
    assert {name: measures[name] for name in expected} == pytest.approx(expected)
    assert measures["c@1"] == pytest.approx((3 + 3 / 4) / 4)  # the pair left open is right, as it says the first
    assert "1 of 4 problems have no line" in told.err
    assert main(["pan", "evaluate", "--truth", str(truth), "--answers", str(given), "--year", "2021", "--json"]) == 0
    assert orjson.loads(capsys.readouterr().out)["team"]["c@1"] == pytest.approx((2 + 2 / 4) / 4)


def test_texts_of_2025_are_scored_by_their_form_and_told_on_the_page(tmp_path, capsys):
    labels = [1, 1, 0, 0, 1]
    truth = lines(
        tmp_path / "truth.jsonl",
        [{"id": str(one), "label": label, "genre": "essays", "model": "m"} for one, label in enumerate(labels)],
    )
    scores = {"naive": [0.9, 0.2, 0.5, 0.1, 1.2], "other": [0.5, 0.5, 0.4, 0.6, 0.7]}
    for name, values in scores.items():
        lines(tmp_path / f"{name}.jsonl", [{"id": str(one), "label": value} for one, value in enumerate(values)])
    given = [part for name in scores for part in ("--answers", str(tmp_path / f"{name}.jsonl"))]
    assert main(["pan", "evaluate", "--truth", str(truth), *given, "--json", "--out", str(tmp_path / "out")]) == 0
    told = capsys.readouterr()
    for name, measures in orjson.loads(told.out).items():
        expected = as_their_evaluator([bool(one) for one in labels], scores[name], 2025)
        assert {key: measures[key] for key in expected} == pytest.approx(expected)
        assert all(measures["intervals"].values())
    assert "outside [0, 1] (4); they count as its ends" in told.err
    page = (tmp_path / "out/index.html").read_text(encoding="utf-8")
    assert "5 texts, 3 of them by machines" in page and "as in 2025" in page


@pytest.mark.parametrize("value", [[True, True], "human", None, [0.2, 0.8]])
def test_a_truth_or_an_answer_that_says_nothing_is_refused_with_its_line(tmp_path, value):
    file = lines(tmp_path / "one.jsonl", [{"id": "a", "is_human": True}, {"id": "b", "is_human": value}])
    with pytest.raises(Exception, match="line 2: is_human is"):
        read_truth(file)
    file = lines(tmp_path / "one.jsonl", [{"id": "a", "is_human": 0.5}, {"id": "b", "is_human": value}])
    with pytest.raises(Exception, match="line 2: is_human is"):
        read_answers(file)
