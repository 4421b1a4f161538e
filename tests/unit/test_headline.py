"""Claims about the headline scores: what counts, what is averaged, and what a release must state for them."""

from pathlib import Path

import numpy as np
import polars as pl
import pytest
from cases import read_cases
from hypothesis import given
from hypothesis import strategies as st
from small_split import a_split

from authbench.core.errors import InputError
from authbench.release.format.columns import PAIRS, POSITIVES
from authbench.scoring.evaluation.headline import Authors, headline, headlines_of_slices, means_of_authors
from authbench.scoring.evaluation.lists import Lists
from authbench.scoring.evaluation.released import BY_CHANCE, S_AT_5, group_scores, released, success_of_other_work
from authbench.scoring.evaluation.thresholds import matched_error_rates, query_normalised
from authbench.scoring.metrics.auc import areas_of_groups, auc

scores_of_group = st.tuples(st.integers(0, 3), st.lists(st.integers(0, 3), min_size=1, max_size=5))


@given(st.lists(scores_of_group, min_size=1, max_size=8), st.randoms())
def test_the_area_of_a_group_is_the_share_of_negatives_below_its_positive(groups, order):
    rows = [
        (number, k == 0, float(score))
        for number, (positive, negatives) in enumerate(groups)
        for k, score in enumerate([positive, *negatives])
    ]
    order.shuffle(rows)
    number, same, score = (np.array(column) for column in zip(*rows, strict=True))
    found = areas_of_groups(number, same, score)
    for at in range(len(groups)):
        assert found[at] == pytest.approx(auc(same[number == at], score[number == at]))


def test_a_score_that_is_no_number_leaves_its_group_without_an_area():
    found = areas_of_groups(np.array([0, 0, 1, 1]), np.array([True, False, True, False]), np.array([1, np.nan, 1, 0.0]))
    assert np.isnan(found[0]) and found[1] == 1


def queries_of(rows):
    """A table of queries from (author, lang, score, groups)."""
    return pl.DataFrame(
        [(f"q{k}", *row) for k, row in enumerate(rows)],
        schema=["id", "author_id", "lang", "auc_matched", "matched_groups"],
        orient="row",
    )


def test_a_score_is_the_mean_over_authors_of_the_mean_over_their_groups():
    table = queries_of([("a", "en", 1.0, 3.0), ("a", "en", 0.0, 1.0), ("b", "en", 0.25, 9.0), ("b", "en", None, 0.0)])
    found = headline(table, {"en": 50}, Authors.of(table, 1))["auc_matched"]
    assert (found["value"], found["authors"], found["queries"], found["groups"]) == (0.5, 2, 3, 13)


def test_a_macro_mean_leaves_out_languages_with_few_query_authors_or_few_in_the_pool():
    rows = [(f"{lang}{k}", lang, value, 1.0) for lang, count, value in
            (("en", 12, 1.0), ("de", 30, 0.5), ("fr", 9, 0.0), ("hi", 15, 0.0)) for k in range(count)]  # fmt: skip
    table = queries_of(rows)
    found = headline(table, {"en": 20, "de": 30, "fr": 40, "hi": 19}, Authors.of(table, 1))["auc_matched"]
    assert found["languages"] == ["de", "en"]
    assert found["macro"] == found["macro_low"] == found["macro_high"] == 0.75
    assert found["value"] == pytest.approx(27 / 66)


def test_an_author_of_two_languages_counts_in_each_by_what_is_written_in_it():
    rows = [("both", "en", 1.0, 1.0), ("both", "de", 0.0, 1.0)]
    rows += [(f"{lang}{k}", lang, 0.5, 1.0) for lang in ("en", "de") for k in range(9)]
    table = queries_of(rows)
    found = headline(table, {"en": 30, "de": 30}, Authors.of(table, 1))["auc_matched"]
    assert found["macro"] == pytest.approx((5.5 / 10 + 4.5 / 10) / 2)


def test_a_slice_of_few_authors_has_a_value_without_an_interval():
    table = queries_of([(f"a{k}", "en", 0.5, 1.0) for k in range(9)] + [("z", "de", 0.1, 1.0)] * 3)
    authors = Authors.of(table, 1)
    slices = {("by_language", "en"): (table["lang"] == "en").to_numpy(), ("", ""): np.ones(table.height, bool)}
    english, everyone = headlines_of_slices(table, authors, slices).values()
    found = english["auc_matched"]
    assert found["value"] == 0.5 and "low" not in found
    assert "auc_topic" not in everyone


def test_means_of_authors_do_not_depend_on_the_order_of_queries():
    table = queries_of([(f"a{k % 5}", "en", k / 16, 1.0 + k % 3) for k in range(15)])
    turned = table.reverse()
    both = [
        means_of_authors(one["auc_matched"].to_numpy()[None], one["matched_groups"].to_numpy(), Authors.of(one, 1),
                         np.ones(15, bool)) for one in (table, turned)
    ]  # fmt: skip
    assert both[0].values == pytest.approx(both[1].values)


IDS = [f"d{k}" for k in range(8)]


def stated(relations, pairs):
    """What is released of a split of IDS, of which d0 and d1 ask; d0 is answered by d2, d3, d1 by d4."""
    positives = Lists.of([[2, 3], [4]])
    schema = {name: POSITIVES.schema[name] for name in ("query_id", "candidate_id", "same_work")}
    return positives, released(
        "test",
        ["d0", "d1"],
        {ident: row for row, ident in enumerate(IDS)},
        positives,
        pl.DataFrame(relations, schema=schema, orient="row"),
        pl.DataFrame(pairs, schema=PAIRS.schema, orient="row"),
    )


RELATIONS = [("d0", "d2", True), ("d0", "d3", False), ("d1", "d4", False), ("d0", "d7", True)]
PAIR_ROWS = read_cases(Path(__file__))["PAIR_ROWS"]


def test_released_pairs_are_scored_once_each_and_averaged_by_query():
    _, found = stated(RELATIONS, PAIR_ROWS)
    assert found.lists.rows.tolist() == [3, 5, 6, 4, 5, 6]
    assert found.lists.starts.tolist() == [0, 3, 6]
    values = group_scores(found, np.array([0.5, 0.5, 0.1, 0.3, 0.9, 0.1]), 2)
    assert values["auc_matched"].tolist()[0] == 0.75 and np.isnan(values["auc_matched"][1])
    assert values["auc_topic"].tolist()[1] == 0.5
    assert values["topic_matched_groups"].tolist() == [0, 2]
    assert np.isnan(values["auc_adversarial"]).all()


def test_positives_of_the_query_s_own_work_neither_answer_nor_stand_in_the_way():
    positives, found = stated(RELATIONS, PAIR_ROWS)
    assert found.other_work.tolist() == [False, True, True]
    at_six = success_of_other_work(found, positives, np.array([1, 6, 6]), np.array([8, 8]))
    assert at_six[S_AT_5].tolist() == [1.0, 0.0]
    assert at_six[BY_CHANCE].tolist() == [pytest.approx(5 / 7), pytest.approx(5 / 8)]
    outside = success_of_other_work(found, positives, np.array([1, 0, 2]), np.array([8, 8]))
    assert np.isnan(outside[S_AT_5][0]) and np.isnan(outside[BY_CHANCE][0])


def test_a_release_without_pairs_and_relations_has_no_headline_and_says_why():
    split = a_split(IDS, IDS[:2], {"d0": ["d2"], "d1": ["d4"]})
    assert set(split.released.left_out) == {"auc_matched", "auc_topic", "auc_time", S_AT_5}
    assert not split.released.other_work.any()
    assert split.released.pairs.height == 0


@pytest.mark.parametrize(
    ("relations", "pairs", "message"),
    [
        (RELATIONS, [*PAIR_ROWS, ("matched", 9, "d0", "x", True)], f"row {len(PAIR_ROWS) + 1}: its candidate_id"),
        (RELATIONS, [("matched", 0, "d5", "d0", True)], "row 1: its query_id"),
        (RELATIONS, PAIR_ROWS[1:], "groups, such as 0, are not one query"),
        (RELATIONS, PAIR_ROWS[:1], "groups, such as 0, are not one query"),
        (RELATIONS, [*PAIR_ROWS, PAIR_ROWS[1]], "groups, such as 0, are not one query"),
        (RELATIONS[1:], PAIR_ROWS, "1 positives of ground_truth.jsonl are not there once"),
        (RELATIONS + RELATIONS[:1], PAIR_ROWS, "some positives of ground_truth.jsonl are not there once"),
    ],
)
def test_pairs_that_are_none_of_the_split_are_refused(relations, pairs, message):
    with pytest.raises(InputError, match=message):
        stated(relations, pairs)


def test_normalising_by_query_lets_one_threshold_serve_queries_that_score_all_alike_high():
    rows = [
        ("matched", query, f"d{query}", candidate, same)
        for query in (0, 1)
        for candidate, same in (("d4", True), ("d5", False), ("d6", False), ("d7", False))
    ]
    positives = Lists.of([[4], [4]])
    candidates = {ident: row for row, ident in enumerate(IDS)}
    relations = pl.DataFrame(
        schema={name: POSITIVES.schema[name] for name in ("query_id", "candidate_id", "same_work")}
    )
    pairs = pl.DataFrame(rows, schema=PAIRS.schema, orient="row")
    found = released("test", ["d0", "d1"], candidates, positives, relations, pairs)
    scores = np.array([0.4, 0.1, 0.2, 0.3, 0.9, 0.6, 0.7, 0.8])
    drawn = Lists.of([[5, 6, 7], [5, 6, 7]])
    normalised = query_normalised(found, scores, drawn, np.array([0.1, 0.2, 0.3, 0.6, 0.7, 0.8]))
    assert normalised[:4] == pytest.approx(normalised[4:])
    authors = Authors.of(pl.DataFrame({"author_id": ["a", "b"]}), 1)
    rates = matched_error_rates(found, scores, normalised, {"en": np.array([True, True])}, authors)
    assert rates["eer"]["value"] == rates["eer_by_language"]["value"] > 0.3
    assert rates["eer_by_language_normalised"]["value"] == 0
