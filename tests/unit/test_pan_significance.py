"""Claims about which systems' F1 differ by more than chance."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from shared_folders import oracle

from authbench.metrics.pan import f1
from authbench.metrics.significance import p_of_paired_f1, p_of_paired_means
from authbench.pan.significance import compare_all, matrix


def generator(seed=0):
    return np.random.Generator(np.random.Philox(seed))


def test_the_oracle_of_significance_holds():
    reference = oracle("significance")
    for case in [*reference["cases"], *reference["monte_carlo"]]:
        truth = np.array(case["labels"], bool)
        one, other = (np.array(case[f"system_{name}"], float) for name in "ab")
        if case.get("metric", "f1") == "accuracy":
            apart = (one == truth).astype(float) - (other == truth)
            p = p_of_paired_means(apart[None, :], [str(k) for k in range(len(apart))], seed=1)[0]
        else:
            difference, p = p_of_paired_f1(truth, one, other, generator())
            if "observed_absolute_difference" in case:
                assert abs(difference) == pytest.approx(case["observed_absolute_difference"])
        if "exact_p" in case:
            assert p == pytest.approx(case["exact_p"], abs=case["tolerance_p_10000"]), case.get("name")


PROBLEMS = st.lists(st.tuples(st.booleans(), *[st.sampled_from([0.0, 0.5, 1.0])] * 2), min_size=1, max_size=8)


@given(PROBLEMS)
def test_a_round_is_as_likely_as_if_every_problem_were_swapped_on_its_own(problems):
    truth, one, other = (np.array(column) for column in zip(*problems, strict=True))
    truth = truth.astype(bool)
    observed = abs(f1(truth, one) - f1(truth, other))
    as_far = 0
    for swap in range(1 << len(truth)):
        swapped = np.array([swap >> place & 1 for place in range(len(truth))], bool)
        first, second = np.where(swapped, other, one), np.where(swapped, one, other)
        as_far += abs(f1(truth, first) - f1(truth, second)) >= observed - 1e-12
    difference, p = p_of_paired_f1(truth, one, other, generator(), 4_000)
    assert difference == pytest.approx(f1(truth, one) - f1(truth, other))
    assert p == pytest.approx(as_far / (1 << len(truth)), abs=0.06)


def test_p_depends_on_no_order_of_systems_or_problems():
    random = np.random.default_rng(1)
    truth = random.random(300) < 0.5
    scores = {
        name: np.where(random.random(300) < share, truth, ~truth) * 1.0 for name, share in (("b", 0.8), ("a", 0.7))
    }
    first = compare_all(truth, scores, seed=3)
    order = random.permutation(300)
    again = compare_all(truth[order], {name: scores[name][order] for name in ("a", "b")}, seed=3)
    assert first["p"][0] == again["p"][0]
    assert first["difference"][0] == pytest.approx(-again["difference"][0])


def test_the_matrix_speaks_the_overviews_language_and_holm_only_raises_p():
    random = np.random.default_rng(2)
    truth = random.random(2_000) < 0.5
    shares = {"good": 0.95, "fair": 0.9, "equal": 0.9, "poor": 0.5}
    scores = {name: np.where(random.random(2_000) < share, truth, ~truth) * 1.0 for name, share in shares.items()}
    pairs = compare_all(truth, scores, seed=1)
    plain = matrix(pairs)
    assert plain.columns == ["system", "fair", "equal", "poor"]
    assert plain["system"].to_list() == ["good", "fair", "equal"]
    assert plain.row(0)[1:] == ("***", "***", "***")
    assert plain["fair"].to_list()[1:] == ["", ""]
    assert (pairs["p_holm"] >= pairs["p"]).all()
    assert {"*", "**", "***", "=", ""} >= set(matrix(pairs, corrected=True)["poor"])
