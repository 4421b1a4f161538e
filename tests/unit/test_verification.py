"""Claims about error rates, drawn negatives, intervals and significance."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from shared_folders import oracle
from small_split import a_split

from authbench.scoring.evaluation.headline import Authors
from authbench.scoring.evaluation.retrieval import rank
from authbench.scoring.evaluation.scores import MACRO, scored_pairs, summarise
from authbench.scoring.evaluation.verification import draw_negatives
from authbench.scoring.metrics.auc import auc
from authbench.scoring.metrics.bootstrap import author_weights, interval, intervals, weighted_means, weighted_sums
from authbench.scoring.metrics.error_rate import error_rate, error_rates_of_histograms, error_rates_of_replicates
from authbench.scoring.metrics.ranking import chance_adjusted
from authbench.scoring.metrics.score_bins import BITS, bins_of, rates_of_bins
from authbench.scoring.metrics.significance import holm, p_of_paired_means


def test_the_oracle_of_error_rates_holds():
    reference = oracle("eer")
    for case in reference["cases"]:
        rate = error_rate(np.array(case["positive_scores"], float), np.array(case["negative_scores"], float))
        expected = case["expected"]
        assert rate.eer == pytest.approx(expected["linear_interpolation_toolkit"], abs=reference["tolerance"]), case[
            "name"
        ]
        highest = expected["paper_argmin"]["highest_tau"]
        assert (rate.far, rate.frr) == pytest.approx((highest["far"], highest["frr"]), abs=reference["tolerance"]), (
            case["name"]
        )
        assert rate.threshold == pytest.approx(float(highest["tau"])), case["name"]


def test_the_oracle_of_pooled_slices_holds():
    reference = oracle("eer")["per_slice_versus_pooled"]
    sides = ([], [])
    for part in reference["slices"]:
        for side, name in zip(sides, ("positive_scores", "negative_scores"), strict=True):
            side.append(np.array(part[name], float))
    each = [error_rate(*pair).eer for pair in zip(*sides, strict=True)]
    assert error_rate(*map(np.concatenate, sides)).eer != pytest.approx(np.mean(each), abs=1e-6)


@given(st.permutations(range(30)), st.integers(1, 29))
def test_without_ties_error_rates_are_those_of_the_roc_curve_of_scikit_learn(order, positives):
    from scipy.optimize import brentq
    from sklearn.metrics import roc_curve

    scores = np.array(order, float) / 7
    right = np.arange(len(scores)) < positives
    far, tpr, thresholds = roc_curve(right, scores, drop_intermediate=False)
    found = error_rate(scores[right], scores[~right])
    assert found.eer == pytest.approx(brentq(lambda rate: 1 - rate - np.interp(rate, far, tpr), 0, 1), abs=1e-9)
    gap = np.abs(far - (1 - tpr))
    assert abs(found.far - found.frr) == pytest.approx(gap.min(), abs=1e-9)
    [at] = np.flatnonzero(thresholds == found.threshold)
    assert (found.far, found.frr) == pytest.approx((far[at], 1 - tpr[at]), abs=1e-9)


def test_without_one_side_or_with_a_nan_there_is_no_error_rate():
    assert np.isnan(error_rate(np.array([]), np.array([0.5])).eer)
    assert np.isnan(error_rate(np.array([0.5, np.nan]), np.array([0.5])).eer)


def test_negatives_are_the_lowest_hashes_never_an_answer_and_share_what_they_must():
    ids = [f"d{k:02d}" for k in range(40)]
    langs = {ident: ("en", "fr")[k % 2] for k, ident in enumerate(ids)}
    genres = {ident: ("news", "blog", "poetry")[k % 3] for k, ident in enumerate(ids)}
    split = a_split(
        ids,
        ids[:6],
        {ident: [ids[k + 2]] for k, ident in enumerate(ids[:6])},
        {"d00": ["d04"]},
        lang=langs,
        genre=genres,
    )
    drawn = draw_negatives(split, seed=1, count=5)
    for query in range(6):
        for kind, pairs in drawn.items():
            chosen = pairs.rows[slice(*pairs.starts[query : query + 2])].tolist()
            assert len(set(chosen)) == len(chosen) == 5
            assert not {query, query + 2} & set(chosen)
            assert query or 4 not in chosen
            if kind in ("same_language", "matched"):
                assert {langs[ids[row]] for row in chosen} == {langs[ids[query]]}
            if kind == "matched":
                assert {genres[ids[row]] for row in chosen} == {genres[ids[query]]}


def test_the_topic_selected_pool_has_positives_and_negatives_of_the_query_s_topic_alone():
    ids = [f"d{k:02d}" for k in range(20)]
    genres = {ident: ("blog/arts", "blog/tech", "news/world")[k % 3] for k, ident in enumerate(ids)}
    split = a_split(ids, ["d00"], {"d00": ["d01", "d02", "d03"]}, genre=genres)
    negatives = draw_negatives(split, seed=1)
    assert {genres[ids[row]].split("/")[0] for row in negatives["same_topic"].rows} == {"blog"}
    scores = np.arange(20.0)[None]
    found = scored_pairs(split, rank(lambda first, last: scores[first:last].copy(), split, negatives), negatives)
    assert found["positives"][1].tolist() == [1.0, 2.0, 3.0]
    assert found["positives_same_topic"][1].tolist() == [1.0, 3.0]


def test_who_else_is_in_the_pool_does_not_change_who_is_drawn_first():
    ids = [f"d{k:02d}" for k in range(40)]
    many = draw_negatives(a_split(ids, ["q"], {"q": ["d00"]}), 1, 10)["whole"].rows
    named = {ids[row] for row in many}
    fewer = [ident for ident in ids if ident in named or int(ident[1:]) % 2 == 0]
    again = draw_negatives(a_split(fewer, ["q"], {"q": ["d00"]}), 1, 10)["whole"].rows
    assert {fewer[row] for row in again} == named


def test_where_the_pool_is_too_small_all_of_it_is_drawn_and_no_positives_means_no_negatives():
    split = a_split(["d1", "d2", "d3"], ["p", "q"], {"q": ["d1"]})
    assert np.diff(draw_negatives(split, 0)["whole"].starts).tolist() == [0, 2]


@given(st.lists(st.floats(-3, 3), min_size=1, max_size=40), st.lists(st.floats(-3, 3), min_size=1, max_size=40))
def test_histograms_with_a_bin_per_score_give_the_error_rate_itself(right, wrong):
    edges = np.unique(right + wrong)
    counts = [
        np.bincount(np.searchsorted(edges, side), minlength=len(edges))[None].astype(float) for side in (right, wrong)
    ]
    assert error_rates_of_histograms(*counts)[0] == pytest.approx(
        error_rate(np.array(right), np.array(wrong)).eer, abs=1e-9
    )


@given(st.integers(0, 10_000), st.integers(1, 40), st.integers(1, 80), st.floats(-1, 1))
def test_the_bins_around_the_crossing_give_the_rates_of_all_bins_to_the_bit(seed, authors, bins, apart):
    chance = np.random.default_rng(seed)
    weights = author_weights(tuple(str(k) for k in range(authors)), seed, 60)
    middles = (bins * (0.5 + apart / 2), bins * (0.5 - apart / 2))
    counts = [
        chance.poisson(3 * np.exp(-((np.arange(bins) - middle) ** 2) / bins), (authors, bins)).astype(np.float32)
        * chance.integers(0, 2, (authors, 1)).astype(np.float32)
        for middle in middles
    ]
    expected = error_rates_of_histograms(*(weights @ side for side in counts))
    assert np.array_equal(error_rates_of_replicates(weights, *counts), expected, equal_nan=True)


@given(st.integers(0, 100), st.sampled_from([np.float32, np.float64]), st.booleans())
def test_intervals_of_several_columns_are_those_of_each_to_the_bit(seed, kind, broken):
    table = np.random.default_rng(seed).normal(size=(101, 4)).astype(kind)
    table[3, 1] = np.nan if broken else 0
    assert intervals(table) == [interval(column) for column in table.T]


def test_the_oracle_of_the_bootstrap_of_a_mean_holds():
    for case in oracle("significance")["bootstrap_of_the_mean"]:
        values = np.array(case["values"])
        weights = author_weights(tuple(f"author {k}" for k in range(len(values))), seed=3, replicates=4_000)
        low, high = interval(weighted_means(weights, values[:, None], np.ones((len(values), 1)))[:, 0])
        slack = 2 * case["tolerance"]  # Poisson counts instead of draws of exactly n
        assert (low, high) == pytest.approx(tuple(case["percentile_95"]), abs=slack)


def test_an_author_is_in_the_same_replicates_whoever_else_there_is():
    both, one = author_weights(("a", "b"), 7, 50), author_weights(("b",), 7, 50)
    assert (both[:, 1] == one[:, 0]).all()
    assert author_weights(tuple(str(k) for k in range(2_000)), 1, 20).mean() == pytest.approx(1.0, abs=0.02)


def test_the_oracle_of_paired_means_holds():
    reference = oracle("significance")
    cases = [(case["system_a"], case["system_b"], case) for case in reference["paired_means"]] + [
        tuple(np.array(case[side]) == np.array(case["labels"]) for side in ("system_a", "system_b")) + (case,)
        for case in reference["cases"]
        if case["metric"] == "accuracy"
    ]
    assert len(cases) > 3
    for a, b, case in cases:
        difference = np.array(a, float) - np.array(b, float)
        [p] = p_of_paired_means(difference[None], [str(k) for k in range(len(difference))], seed=11)
        assert p == pytest.approx(case["exact_p"], abs=case["tolerance_p_10000"])


def test_equal_systems_do_not_differ():
    for queries in ("abcde", ""):
        assert p_of_paired_means(np.zeros((1, len(queries))), queries, seed=0).tolist() == [1.0]


def test_the_order_of_queries_and_the_other_pairs_do_not_show():
    differences = np.array([[0.5, 0.25, -0.125, 1.0], [0.0, 1.0, 1.0, 0.5]])
    queries = list("abcd")
    both = p_of_paired_means(differences, queries, seed=2)
    assert (p_of_paired_means(differences[:, ::-1], queries[::-1], seed=2) == both).all()
    assert p_of_paired_means(differences[1:], queries, seed=2)[0] == both[1]


def test_holm_multiplies_the_smallest_most_and_never_falls():
    assert holm(np.array([0.04, 0.01, 0.03])).tolist() == pytest.approx([0.06, 0.03, 0.06])
    assert holm(np.array([0.6, 0.9])).max() == 1.0


@given(st.lists(st.floats(-5, 5, width=32), min_size=2, max_size=50))
def test_bins_are_in_the_order_of_scores(scores):
    ordered = np.sort(np.array(scores))
    assert (np.diff(bins_of(ordered)) >= 0).all() and bins_of(np.array([-0.0])) == bins_of(np.array([0.0]))
    assert bins_of(ordered).max() < 1 << BITS


@pytest.mark.parametrize("ties", [False, True])
def test_rates_of_bins_are_those_of_the_scores_themselves(ties):
    drawn = np.random.default_rng(3)
    right, wrong = drawn.normal(0.6, 0.2, 3_000), drawn.normal(0.2, 0.2, 60_000)
    if ties:
        right, wrong = right.round(1), wrong.round(1)
    eer, area = rates_of_bins(right, np.bincount(bins_of(wrong), minlength=1 << BITS))
    truth = np.arange(63_000) < 3_000
    assert eer == pytest.approx(error_rate(right, wrong).eer, abs=0 if ties else 2e-4)
    assert area == pytest.approx(auc(truth, np.concatenate([right, wrong])), abs=1e-12 if ties else 2e-4)


def test_scores_over_all_negatives_are_those_of_every_pair():
    """Against the plain way: the scores of all pairs, in a list."""
    ids = [f"c{number:02}" for number in range(40)]
    positives = {one: [ids[(at + 1) % 40], ids[(at + 7) % 40]] for at, one in enumerate(ids) if at % 5}
    ignored = {one: [ids[(at + 3) % 40]] for at, one in enumerate(ids)}
    split = a_split(ids, ids, positives, ignored, author_id={one: f"a{at}" for at, one in enumerate(ids)})
    table = np.random.default_rng(6).integers(-4, 9, (len(split.asks), split.candidates)).astype(np.float32) / 8
    ranking = rank(lambda first, last: table[first:last].copy(), split, draw_negatives(split, 1))
    right, wrong = [], []
    for query in range(len(split.asks)):
        answers = set(split.positives.rows[split.positives.starts[query] : split.positives.starts[query + 1]])
        barred = set(split.excluded.rows[split.excluded.starts[query] : split.excluded.starts[query + 1]])
        if answers:
            right += [table[query, one] for one in answers]
            wrong += [table[query, one] for one in range(split.candidates) if one not in answers | barred]
    overall = summarise(split, ranking, draw_negatives(split, 1), Authors.of(split.queries, 1), {})["overall"]
    assert overall["eer_all"] == pytest.approx(
        error_rate(np.array(right, float), np.array(wrong, float)).eer, abs=1e-12
    )
    truth = np.arange(len(right) + len(wrong)) < len(right)
    assert overall["roc_auc_all"] == pytest.approx(auc(truth, np.array([*right, *wrong], float)), abs=1e-12)
    assert overall["pairs_all"] == len(right) + len(wrong)


def test_a_mean_over_sub_genres_has_what_any_of_them_has_whatever_their_names():
    ids = [f"{at:02}" for at in range(80)]
    langs = {one: f"l{at // 2}" if at < 40 else "en" for at, one in enumerate(ids)}
    answers = {one: [ids[at ^ 1]] for at, one in enumerate(ids)}
    split = a_split(ids, ids, answers, lang=langs, author_id={one: f"a{at // 2}" for at, one in enumerate(ids)})
    table = np.random.default_rng(6).random((80, 80), np.float32)
    negatives = draw_negatives(split, 1)
    ranking = rank(lambda first, last: table[first:last].copy(), split, negatives)
    alone = np.arange(80) < 40  # whose language nobody else writes
    found = []
    for parts in ((alone, ~alone), (~alone, alone)):
        slices = {("by_genre", f"blog/{name}"): part for name, part in zip("ab", parts, strict=True)}
        slices["by_primary_genre", "blog"] = np.ones(80, bool)
        found.append(summarise(split, ranking, negatives, Authors.of(split.queries, 1), slices))
    of_genre = [one["by_primary_genre"]["blog"][MACRO] for one in found]
    assert of_genre[0] == of_genre[1]
    assert "eer_same_language" not in found[0]["by_genre"]["blog/a"]
    assert of_genre[0]["eer_same_language"] == found[0]["by_genre"]["blog/b"]["eer_same_language"]


def test_scores_adjusted_for_chance_are_0_by_chance_and_1_if_perfect():
    expected = {"success@5": 0.2, "mrr": 0.1, "recall@5": 1.0}
    chance = {**expected, "eer": 0.5, "roc_auc": 0.5, "eer_all": 0.5, "random_expectation": expected}
    perfect = {**chance, "success@5": 1.0, "mrr": 1.0, "eer": 0.0, "roc_auc": 1.0, "eer_all": 0.0}
    assert set(chance_adjusted(chance).values()) == {0.0} and set(chance_adjusted(perfect).values()) == {1.0}
    assert chance_adjusted(perfect).keys() == {"success@5", "mrr", "eer", "roc_auc", "eer_all"}
    assert chance_adjusted({"success@5": 0.36, "random_expectation": {"success@5": 0.2}})["success@5"] == pytest.approx(
        0.2
    )


def test_weighted_sums_have_the_same_bits_in_any_order_of_the_authors():
    chance = np.random.default_rng(3)
    weights, values = chance.poisson(1, (60, 5_000)).astype(np.float32), chance.random((5_000, 7))
    order = chance.permutation(5_000)
    assert np.array_equal(weighted_sums(weights, values), weighted_sums(weights[:, order], values[order]))
    assert np.allclose(weighted_sums(weights, values), weights.astype(float) @ values, atol=1e-5)
