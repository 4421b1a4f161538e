"""The sentence that opens a leaderboard says what the headline table says, and no control is called a model."""

import pytest
from cases import cases
from hypothesis import given
from hypothesis import strategies as st

from authbench.reports.leaderboard.verdict import over_controls, verdict


def row(model, value, gain, p=None, **others):
    return {
        "group": "lexical", "model": model, "score": "auc_matched", "value": value, "authors": 104, "against": "date",
        "gain_value": gain, "p_holm": p, **others,
    }  # fmt: skip


CONTROL = row("masked", 0.95, 0.3, 0.001, group="sanity")


def test_a_proved_gain_is_told_with_its_basis():
    assert verdict([row("a", 0.8, 0.2, 0.0)]).startswith("a recognises")
    said = verdict([CONTROL, row("a", 0.8, 0.2, 0.01), row("b", 0.9, 0.3, 0.2)])
    assert said.startswith("a recognises authors better than the best shortcut in AUC matched: 0.800, 0.200 above date")
    assert "104 authors" in said and "1 of 2 models prove a gain" in said and "masked" not in said


@pytest.mark.parametrize(("gain", "p"), [(0.2, 0.05), (0.0, 0.01), (-0.2, 0.001), (0.1, None)])
def test_a_gain_that_may_be_chance_is_no_proof(gain, p):
    assert verdict([CONTROL, row("a", 0.8, gain, p)]).startswith("No gain over a shortcut is proved in AUC matched.")


def test_without_models_or_shortcuts_the_sentence_says_so():
    assert verdict([]) == ""
    assert verdict([CONTROL]) == "Only controls were evaluated."
    assert verdict([CONTROL, row("a", None, None)]) == "Only controls were evaluated."
    assert verdict([row("a", 0.7, None)]) == "a has AUC matched 0.700 (104 authors); it was compared with no shortcut."


@given(st.lists(st.tuples(st.floats(0, 1), st.floats(-1, 1), st.floats(0, 1)), min_size=1, max_size=6))
def test_the_sentence_tells_a_gain_where_one_is_sure(scores):
    said = verdict([row(f"m{place}", *numbers) for place, numbers in enumerate(scores)])
    assert ("No gain" in said) == (not any(gain > 0 and p < 0.05 for _, gain, p in scores))


@cases
def test_a_sentence_compares_the_best_model_with_the_best_control(models, controls, p, said):
    assert over_controls("overall", models, controls, lambda one, other: {"ac": p}[one + other]) == said
