"""Claims about which systems differ by more than chance, and how sure a measure is."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from shared_folders import oracle

from authbench.scoring.metrics.influence import influences, intervals
from authbench.scoring.metrics.paired_f1 import p_of_paired_f1
from authbench.scoring.metrics.pan import evaluate, f1
from authbench.scoring.metrics.significance import p_of_paired_means
from authbench.suites.pan.compare import COMPARED, compare_all, matrix


def test_the_oracle_of_significance_holds():
    reference = oracle("significance")
    for case in [*reference["cases"], *reference["monte_carlo"]]:
        truth = np.array(case["labels"], bool)
        one, other = (np.array(case[f"system_{name}"], float) for name in "ab")
        by_f1 = case.get("metric", "f1") == "f1"
        if by_f1:
            difference, p = p_of_paired_f1(truth, one, other)
            if "observed_absolute_difference" in case:
                assert abs(difference) == pytest.approx(case["observed_absolute_difference"])
        else:
            apart = (one == truth).astype(float) - (other == truth)
            p = p_of_paired_means(apart[None, :], [str(k) for k in range(len(apart))], seed=1)[0]
        if "exact_p" in case:
            tolerance = 1e-9 if by_f1 else case["tolerance_p_10000"]
            assert p == pytest.approx(case["exact_p"], abs=tolerance), case.get("name")


PROBLEMS = st.lists(st.tuples(st.booleans(), *[st.sampled_from([0.0, 0.5, 1.0])] * 2), min_size=1, max_size=7)


@given(PROBLEMS)
def test_p_of_f1_is_the_share_of_all_swaps_that_go_as_far(problems):
    truth, one, other = (np.array(column) for column in zip(*problems, strict=True))
    truth = truth.astype(bool)
    observed = abs(f1(truth, one) - f1(truth, other))
    as_far = 0
    for swap in range(1 << len(truth)):
        swapped = np.array([swap >> place & 1 for place in range(len(truth))], bool)
        first, second = np.where(swapped, other, one), np.where(swapped, one, other)
        as_far += abs(f1(truth, first) - f1(truth, second)) >= observed - 1e-12
    difference, p = p_of_paired_f1(truth, one, other)
    assert difference == pytest.approx(f1(truth, one) - f1(truth, other))
    assert p == pytest.approx(as_far / (1 << len(truth)), abs=1e-9)


def some_scores(count, shares, seed=1):
    random = np.random.default_rng(seed)
    truth = random.random(count) < 0.5
    scores = {}
    for name, share in shares.items():
        said = np.where(random.random(count) < share, truth, ~truth)
        made = 0.5 + np.where(said, 1, -1) * random.beta(2, 2, count) / 2
        scores[name] = np.where(random.random(count) < 0.1, 0.5, made)
    return truth, scores


def test_p_of_f1_at_size_is_what_a_million_rounds_come_to():
    truth, scores = some_scores(3_000, {"a": 0.8, "b": 0.78})
    one, other = scores.values()
    difference, p = p_of_paired_f1(truth, one, other)
    random, rounds, as_far = np.random.default_rng(1), 20_000, 0
    yes, no = np.stack([one > 0.5, other > 0.5]), np.stack([one < 0.5, other < 0.5])
    kinds, numbers = np.unique(np.concatenate([truth[None], yes, no]), axis=1, return_counts=True)
    counts = [random.binomial(number, 0.5, rounds) for number in numbers]  # of each kind, what stays as it is
    hits, weights = np.zeros((2, rounds)), np.zeros((2, rounds))
    for kind, number, kept in zip(kinds.T, numbers, counts, strict=True):
        same, says, denies = kind[0], kind[1:3], kind[3:5]
        for system in (0, 1):
            for own, share in ((system, kept), (1 - system, number - kept)):
                hits[system] += share * (says[own] & same)
                weights[system] += share * (int(says[own]) + int((says[own] | denies[own]) & same))
    apart = 2 * hits[0] / weights[0] - 2 * hits[1] / weights[1]
    as_far = (np.abs(apart) >= abs(difference) - 1e-12).mean()
    assert p == pytest.approx(as_far, abs=4 * np.sqrt(p / rounds)) and 0.001 < p < 0.9


def test_p_depends_on_no_order_of_systems_or_problems():
    truth, scores = some_scores(300, {"b": 0.8, "a": 0.7})
    first = compare_all(truth, scores, measures=COMPARED)
    order = np.random.default_rng(2).permutation(300)
    again = compare_all(truth[order], {name: scores[name][order] for name in ("a", "b")}, measures=COMPARED)
    assert first["p"].to_list() == pytest.approx(again["p"].to_list())
    assert first["difference"].to_list() == pytest.approx([-one for one in again["difference"]])


def test_the_matrix_speaks_the_overviews_language_and_holm_only_raises_p():
    random = np.random.default_rng(2)
    truth = random.random(2_000) < 0.5
    shares = {"good": 0.95, "fair": 0.9, "equal": 0.9, "poor": 0.5}
    scores = {name: np.where(random.random(2_000) < share, truth, ~truth) * 1.0 for name, share in shares.items()}
    pairs = compare_all(truth, scores)
    plain = matrix(pairs)
    assert plain.columns == ["system", "fair", "equal", "poor"]
    assert plain["system"].to_list() == ["good", "fair", "equal"]
    assert plain.row(0)[1:] == ("***", "***", "***")
    assert plain["fair"].to_list()[1:] == ["", ""]
    assert (pairs["p_holm"] >= pairs["p"]).all()
    assert {"*", "**", "***", "=", ""} >= set(matrix(pairs, corrected=True)["poor"])


def test_a_difference_that_is_sure_stays_so_among_many_systems():
    truth, scores = some_scores(3_000, {f"s{number:02d}": 0.6 + 0.025 * number for number in range(13)})
    pairs = compare_all(truth, scores, measures=COMPARED)
    for measure in COMPARED:
        assert matrix(pairs, corrected=True, measure=measure).row(0)[-1] == "***", measure


def delong(truth, one, other):
    """DeLong's test by its definition, placements counted pair by pair."""
    areas, places = [], []
    for scores in (one, other):
        wins = (scores[truth][:, None] > scores[~truth]) + 0.5 * (scores[truth][:, None] == scores[~truth])
        areas.append(wins.mean())
        places.append((wins.mean(axis=1), wins.mean(axis=0)))
    variance = sum(np.var(places[0][side] - places[1][side], ddof=1) / len(places[0][side]) for side in (0, 1))
    return areas[0] - areas[1], (areas[0] - areas[1]) / np.sqrt(variance)


def test_areas_are_compared_as_delong_et_al_compare_them():
    from scipy.stats import norm, ttest_rel

    truth, scores = some_scores(400, {"a": 0.8, "b": 0.7})
    found = {row["measure"]: row for row in compare_all(truth, scores, measures=COMPARED).iter_rows(named=True)}
    difference, z = delong(truth, *scores.values())
    assert found["auc"]["difference"] == pytest.approx(difference)
    assert found["auc"]["p"] == pytest.approx(2 * norm.sf(abs(z)), rel=1e-9)
    squares = [1 - (own - truth) ** 2 for own in scores.values()]
    assert found["brier"]["p"] == pytest.approx(ttest_rel(*squares).pvalue, rel=1e-9)


@pytest.mark.parametrize("published_2020", [False, True])
def test_the_influence_of_a_problem_is_how_the_measures_move_with_its_weight(published_2020):
    truth, scores = some_scores(60, {"a": 0.8})
    own = scores["a"]
    found = influences(truth, own, published_2020)
    whole = evaluate(np.tile(truth, 200), np.tile(own, 200), published_2020)
    for at in (0, 7, 31):
        more = evaluate(
            np.append(np.tile(truth, 200), truth[at]), np.append(np.tile(own, 200), own[at]), published_2020
        )
        for name, influence in found.items():
            assert (more[name] - whole[name]) * 60 * 200 == pytest.approx(influence[at], abs=2e-3), (name, at)


def test_intervals_and_tests_are_as_often_wrong_as_they_say():
    missed, told, trials = dict.fromkeys(evaluate(np.array([True, False]), np.ones(2)), 0), [], 200
    truth, scores = some_scores(200_000, {"a": 0.8, "b": 0.8}, seed=5)
    expected = {name: evaluate(truth, own) for name, own in scores.items()}
    for trial in range(trials):
        part = np.random.default_rng(trial).integers(0, len(truth), 250)
        own = scores["a"][part]
        bounds = intervals(evaluate(truth[part], own), influences(truth[part], own))
        for name, (low, high) in bounds.items():
            missed[name] += not low <= expected["a"][name] <= high
        pairs = compare_all(truth[part], {name: own[part] for name, own in scores.items()}, measures=COMPARED)
        told.append((pairs["p"] < 0.05).to_list())
    for name, often in missed.items():
        assert 0.01 < often / trials < 0.105, name
    assert ((np.mean(told, axis=0) > 0.01) & (np.mean(told, axis=0) < 0.105)).all()


def test_values_that_are_set_have_no_interval_and_no_test():
    truth = np.arange(20) % 2 == 0
    scores = {"outside": np.where(truth, 1.5, 0.2), "inside": np.where(truth, 0.9, 0.2), "same": np.full(20, 0.9)}
    found = intervals(evaluate(truth, scores["outside"]), influences(truth, scores["outside"]))
    assert found["brier"] is None and found["overall"] is None
    assert found["auc"] == (pytest.approx(0.025 ** (1 / 20)), 1.0)
    pairs = compare_all(truth, scores, measures=COMPARED)
    assert matrix(pairs, measure="brier").row(0)[1:] == ("?", "?")
    alone = compare_all(np.ones(20, bool), scores, measures=COMPARED)
    assert set(matrix(alone, measure="auc").row(0)[1:]) == {"?"}
