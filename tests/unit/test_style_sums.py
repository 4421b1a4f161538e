"""Sums of scores have intervals and a chance level that follow from those of the scores."""

import numpy as np
import polars as pl
import pytest

from authbench.reports.leaderboard.tables import Metric, score_table
from authbench.suites.style import scores
from authbench.suites.style import scores as sums
from authbench.suites.style.steb import board
from authbench.suites.style.tables import CHANCE, OF_CHANCE, with_chance

DATASETS = ("a", "b", "c", "d")


def operational(models, held=None):
    return scores.operational(models, DATASETS, held)[0]


def limits(models, half):
    return {model: {key: (value - half, value + half) for key, value in own.items()} for model, own in models.items()}


def width(found, column):
    low, high = found["m", column]
    return (high - low) / 2


def test_a_mean_over_datasets_is_surer_than_each_by_the_root_of_their_number():
    models = {"m": {("clustering", name): 0.5 for name in DATASETS}}
    found = sums.intervals(operational, models, limits(models, 0.1))
    assert width(found, "clustering") == pytest.approx(0.05) and sum(found["m", "score"]) == pytest.approx(1.0)


def test_scores_of_one_dataset_are_taken_to_err_together():
    models = {"m": {("clustering", "a"): 0.5, ("all_to_all", "a"): 0.5}}
    assert width(sums.intervals(operational, models, limits(models, 0.1)), "score") == pytest.approx(0.1)
    models = {"m": {("clustering", "a"): 0.5, ("all_to_all", "b"): 0.5}}
    assert width(sums.intervals(operational, models, limits(models, 0.1)), "score") == pytest.approx(0.1 / np.sqrt(2))


def test_clusters_of_datasets_count_as_one():
    models = {"m": {("clustering", name): 0.5 for name in DATASETS}}
    held = {"clusters": {"clustering": {"a": 0, "b": 0, "c": 0, "d": 1}}}
    found = sums.intervals(lambda one: operational(one, held), models, limits(models, 0.1))
    assert width(found, "clustering") == pytest.approx(0.1 * np.sqrt(3 / 36 + 1 / 4))


def test_the_interval_of_a_sum_covers_it_as_often_as_it_says():
    chance = np.random.default_rng(7)
    keys = [(task, name) for task, names in (("clustering", "ab"), ("all_to_all", "cd")) for name in names]
    spread = dict(zip(keys, (0.02, 0.05, 0.03, 0.01), strict=True))
    covered = 0
    for _ in range(200):
        drawn = {key: 0.6 + spread[key] * chance.normal() for key in keys}
        ends = {key: (drawn[key] - sums.NORMAL * spread[key], drawn[key] + sums.NORMAL * spread[key]) for key in keys}
        low, high = sums.intervals(operational, {"m": drawn}, {"m": ends})["m", "score"]
        covered += low <= 0.6 <= high
    assert 180 <= covered <= 199


def test_a_sum_of_a_score_without_an_interval_has_none():
    models = {"m": {("clustering", "a"): 0.5, ("clustering", "b"): 0.5, ("all_to_all", "c"): 0.5}}
    ends = limits(models, 0.1)
    ends["m"]["clustering", "b"] = None
    assert set(sums.intervals(operational, models, ends)) == {("m", "all_to_all")}


def test_only_scores_that_every_model_has_are_in_a_sum():
    models = {"m": {("clustering", "a"): 0.5, ("clustering", "b"): 0.9}, "n": {("clustering", "a"): 0.3}}
    found = sums.intervals(operational, models, limits(models, 0.1))
    assert found["m", "clustering"] == pytest.approx((0.4, 0.6)) and found["n", "score"] == pytest.approx((0.2, 0.4))


def test_the_chance_of_a_sum_is_the_same_sum_of_chances():
    models = {"m": {("clustering", "a"): 0.5, ("clustering", "b"): 0.5, ("all_to_all", "c"): 0.9}}
    chances = {("clustering", "a"): 0.1, ("clustering", "b"): 0.3, ("all_to_all", "c"): 0.5}
    found = sums.by_chance(operational, models, chances)
    assert found == pytest.approx({"clustering": 0.2, "all_to_all": 0.5, "score": 0.35})
    assert sums.by_chance(operational, models, chances | {("all_to_all", "c"): None})["score"] is None


def test_sums_by_stebs_protocol_have_intervals_with_the_clusters_of_the_models_at_hand():
    chance = np.random.default_rng(3)
    models = {f"m{at}": {("clustering", name): float(chance.random()) for name in DATASETS} for at in range(4)}
    make = board.with_clusters_of(models)
    theirs = board.operational(models)[0]
    assert make(models)["score"].to_list() == pytest.approx(theirs["score"].to_list())
    found = sums.intervals(make, models, limits(models, 0.1))
    clusters = board.of_task(models, "clustering")["clusters"]
    share = [1 / len(clusters) / len(one) for one in clusters for _ in one]
    low, high = found["m1", "score"]
    assert (high - low) / 2 == pytest.approx(0.1 * np.linalg.norm(share), abs=1e-6) or low == 0 or high == 1


def test_the_row_of_chance_is_the_last_and_never_the_best():
    frame = pl.DataFrame({"group": ["g", "g"], "model": ["m", "n"], "a": [0.2, 0.3], "b": [0.1, 0.4]})
    columns = (Metric("a", "A"), Metric("b", "B"))
    table = with_chance(score_table("t", "T", columns, frame), columns, {"a": 0.9, "b": None})
    assert [cell.text for cell in table.rows[-1].cells] == [CHANCE, "0.900", "–"]
    assert {cell.place for cell in table.rows[-1].cells} == {0} and table.rows[1].cells[1].place == 1
    assert table.data.rows()[-1] == (OF_CHANCE, CHANCE, 0.9, None)
    plain = score_table("t", "T", columns, frame)
    assert with_chance(plain, columns, {}) == plain
