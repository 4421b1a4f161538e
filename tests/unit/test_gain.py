"""Claims about gains over shortcuts, difficulty, power, and how results are joined."""

import json
from dataclasses import replace

import numpy as np
import polars as pl
import pytest
from scipy.stats import norm
from scored_release import evaluated, write_scored_release

from authbench.scoring.evaluation.gain import Scored, compare
from authbench.scoring.evaluation.headline import LEAST_DEV_AUTHORS
from authbench.scoring.evaluation.released import HEADLINES, S_AT_5
from authbench.scoring.metrics.significance import smallest_difference, standard_error_of_mean

AUTHORS = 60


def scored(name, matched, shortcut=False, on_dev=None, hits=None, langs=("en",)):
    """Results of a model: by author its auc_matched, the same for auc_topic and auc_time; S@5 by `hits`."""
    count = len(matched)
    return Scored(
        name,
        shortcut,
        pl.DataFrame(
            {
                "id": [f"q{k:03d}" for k in range(count)],
                "author_id": [f"a{k:03d}" for k in range(count)],
                "lang": [langs[k % len(langs)] for k in range(count)],
                "source": ["s"] * count,
                **dict.fromkeys(("auc_matched", "auc_topic", "auc_time"), matched),
                "matched_groups": [1.0] * count,
                **dict.fromkeys(("topic_matched_groups", "time_matched_groups"), [2.0] * count),
                S_AT_5: hits if hits is not None else [0.0] * count,
                "s@5_other_work_by_chance": [0.1] * count,
            }
        ),
        on_dev or {},
    )


def values(mean, seed=0, spread=0.1):
    return (mean + spread * np.random.default_rng(seed).standard_normal(AUTHORS)).tolist()


DEV = dict.fromkeys(HEADLINES, 0.5)
LOW = scored("low", values(0.5, 1), True, DEV | {"auc_matched": 0.7})
HIGH = scored("high", values(0.6, 2), True, DEV)


def row_of(found, model, score="auc_matched", place=("overall", "all"), against=None):
    [row] = found.gains.filter(
        (pl.col("model") == model) & (pl.col("score") == score) & (pl.col("facet") == place[0])
        & (pl.col("slice") == place[1]) & (pl.col("against") == (against or found.chosen[score][0]))
    ).to_dicts()  # fmt: skip
    return row


def test_the_shortcut_to_beat_is_the_best_on_dev_whatever_it_scores_here():
    found = compare([LOW, HIGH, scored("model", values(0.7))], {"en": 60}, 1)
    assert found.chosen["auc_matched"] == ("low", "dev")
    assert row_of(found, "model")["value"] == pytest.approx(np.mean(values(0.7)) - np.mean(values(0.5, 1)))


def test_without_a_dev_split_it_is_the_best_on_a_half_of_the_authors_and_that_is_said():
    bare = [scored(one.name, one.queries["auc_matched"].to_list(), True) for one in (LOW, HIGH)]
    found = compare([*bare, scored("model", values(0.7))], {"en": 60}, 1)
    assert found.chosen["auc_matched"] == ("high", "half of the authors")


def test_a_model_that_equals_the_shortcut_gains_nothing():
    found = compare([LOW, scored("same", values(0.5, 1))], {"en": 60}, 1)
    row = row_of(found, "same")
    assert (row["value"], row["low"], row["high"], row["p"], row["p_holm"]) == (0, 0, 0, 1, 1)


def test_a_gain_has_an_interval_and_is_corrected_over_all_models_and_scores():
    found = compare([LOW, HIGH, scored("much", values(0.7)), scored("none", values(0.5, 5))], {"en": 60}, 1)
    much, none = row_of(found, "much"), row_of(found, "none")
    assert much["low"] > 0.1 and much["p_holm"] < 0.005 and none["p_holm"] > 0.05
    assert found.tests == 2 * len(HEADLINES)
    family = found.gains.filter((pl.col("facet") == "overall") & pl.col("p").is_not_null())
    assert much["p_holm"] == pytest.approx(min(family["p"]) * found.tests)
    assert much["macro"] == pytest.approx(much["value"])


def test_shortcuts_have_no_gain_and_alone_nothing_is_compared():
    found = compare([LOW, HIGH], {"en": 60}, 1)
    assert not found.gains.height and not found.tests and not found.power
    assert not compare([scored("model", values(0.7))], {"en": 60}, 1).gains.height


def test_a_slice_has_gains_of_its_own_family_where_ten_authors_are_asked():
    both = [LOW.queries["auc_matched"].to_list(), values(0.7)]
    few = [("fr" if k < 9 else "en") for k in range(AUTHORS)]
    models = [
        scored("low", both[0], True, DEV),
        scored("model", both[1]),
    ]
    models = [
        Scored(one.name, one.shortcut, one.queries.with_columns(lang=pl.Series(few)), one.on_dev) for one in models
    ]
    found = compare(models, {"en": 51, "fr": 9}, 1)
    assert row_of(found, "model", place=("by_language", "en"))["authors"] == AUTHORS - 9
    assert not found.gains.filter(pl.col("slice") == "fr").height
    family = found.gains.filter((pl.col("facet") == "by_source") & (pl.col("slice") == "s"))
    assert family.height == len(HEADLINES)
    assert family["p_holm"].min() == pytest.approx(family["p"].min() * len(HEADLINES))


def test_gains_over_punctuation_stand_beside_those_over_the_shortcut():
    found = compare([LOW, scored("punctuation", values(0.6, 3)), scored("model", values(0.7))], {"en": 60}, 1)
    beside = row_of(found, "model", against="punctuation")
    assert beside["value"] == pytest.approx(np.mean(values(0.7)) - np.mean(values(0.6, 3)))
    assert beside["p"] is None
    assert found.gains.filter(pl.col("model") == "punctuation")["against"].unique().to_list() == ["low"]


def test_difficulty_names_the_shortcuts_that_solve_a_query_and_the_unsolved_are_a_slice():
    hits = [[1.0] * 20 + [0.0] * 40, [0.0] * 10 + [1.0] * 20 + [0.0] * 30, [0.0] * 45 + [1.0] * 15]
    models = [
        scored("b", values(0.5), True, DEV, hits[0]),
        scored("a", values(0.5), True, DEV, hits[1]),
        scored("model", values(0.5), hits=hits[2]),
    ]
    found = compare(models, {"en": 60}, 1)
    assert found.difficulty["difficulty"].to_list()[::10] == [["b"], ["a", "b"], ["a"], [], [], []]
    cell = found.unsolved["model"]
    assert (cell["value"], cell["by_chance"], cell["queries"]) == (0.5, pytest.approx(0.1), 30)
    assert found.unsolved["a"]["value"] == 0


def test_a_model_without_a_score_takes_no_gain_from_others():
    listed = scored("listed", values(0.8, 3))
    listed = replace(listed, queries=listed.queries.with_columns(auc_matched=pl.lit(None, pl.Float64)))
    alone, beside = (
        compare([LOW, HIGH, scored("model", values(0.7)), *more], {"en": 60}, 1) for more in ((), (listed,))
    )
    assert row_of(beside, "model")["value"] == row_of(alone, "model")["value"]
    assert set(beside.gains.filter(score="auc_matched")["model"]) == {"model"} and beside.tests == alone.tests + 3
    assert beside.power["auc_matched"]["authors"] == AUTHORS


def test_the_result_does_not_depend_on_the_order_of_models():
    models = [LOW, HIGH, scored("much", values(0.7)), scored("none", values(0.5, 5))]
    one, other = compare(models, {"en": 60}, 1), compare(models[::-1], {"en": 60}, 1)
    assert one.gains.equals(other.gains) and one.power == other.power and one.chosen == other.chosen


def test_the_smallest_difference_is_shown_four_times_in_five():
    error, tests = 0.02, 12
    chance = np.random.default_rng(3).normal(smallest_difference(error, tests), error, 100_000)
    shown = 2 * norm.sf(np.abs(chance) / error) * tests < 0.05
    assert shown.mean() == pytest.approx(0.8, abs=0.01)


def test_power_names_languages_of_under_a_hundred_authors_and_shrinks_with_authors():
    langs = ("en", "en", "de")
    difference = np.array([0.2 + 0.1 * (-1) ** (k // 3) for k in range(AUTHORS)])
    found = compare(
        [scored("low", [0.5] * AUTHORS, True, DEV, langs=langs), scored("model", 0.5 + difference, langs=langs)],
        {"en": 60, "de": 60},
        1,
    )
    power = found.power["auc_matched"]
    assert power["not_supported"] == ["de", "en"]
    assert power["difference"] < power["by_language"]["en"]["difference"] < power["by_language"]["de"]["difference"]
    assert power["by_language"]["de"]["authors"] == 20
    error = difference.std(ddof=1) / np.sqrt(AUTHORS)
    assert power["difference"] == pytest.approx(smallest_difference(error, len(HEADLINES)))
    assert standard_error_of_mean([3.0, 4.0]) == 2.5


@pytest.fixture(scope="module")
def results(tmp_path_factory):
    folder = tmp_path_factory.mktemp("gain")
    release = write_scored_release(folder / "release", authors=44)
    for models in (("random", "metadata"), ("tfidf",)):
        evaluated(release, folder / "out", *models)
    return folder / "out"


def test_a_dev_split_of_few_authors_chooses_no_shortcut(tmp_path):
    release = write_scored_release(tmp_path / "release", authors=LEAST_DEV_AUTHORS - 1)
    evaluated(release, tmp_path / "out", "random", "metadata", "tfidf")
    held = {name: json.loads((tmp_path / "out" / name / "scores.json").read_text()) for name in ("random", "tfidf")}
    assert set(held["random"]["headline_on_dev"]) == {"split", "checksum"}
    gain = held["tfidf"]["headline"]["auc_matched"]["gain"]
    assert gain["chosen_on"] == "half of the authors"


@pytest.mark.parametrize("candidates", [True, False])
def test_a_dev_split_without_queries_is_none(tmp_path, candidates):
    release = write_scored_release(tmp_path / "release", authors=12)
    for name in ("queries", "ground_truth", *([] if candidates else ["candidates"])):
        (release / "dev" / f"{name}.jsonl").write_text("")
    evaluated(release, tmp_path / "out", "random", "tfidf")
    held = {name: json.loads((tmp_path / "out" / name / "scores.json").read_text()) for name in ("random", "tfidf")}
    assert "headline_on_dev" not in held["random"]
    assert held["tfidf"]["headline"]["auc_matched"]["gain"]["chosen_on"] == "half of the authors"


def test_results_that_are_evaluated_one_after_another_are_joined(results):
    held = {name: json.loads((results / name / "scores.json").read_text()) for name in ("random", "metadata", "tfidf")}
    gain = held["tfidf"]["headline"]["auc_matched"]["gain"]
    assert gain["against"] in ("random", "metadata") and gain["chosen_on"] == "dev"
    assert 0 <= gain["p"] <= 1 and gain["low"] <= gain["value"] <= gain["high"]
    assert held["random"]["headline"]["auc_matched"]["gain"] is None
    assert held["random"]["headline_on_dev"]["split"] == "dev"
    assert "headline_on_dev" not in held["tfidf"]
    assert held["tfidf"]["power"] == held["random"]["power"]
    assert held["tfidf"]["by_language"]["de"]["headline"][S_AT_5]["gain"]["against"] in ("random", "metadata")


def test_the_score_of_released_pairs_can_be_computed_again_without_the_model(results):
    pairs = pl.read_parquet(results / "tfidf/released_pairs.parquet").filter(pl.col("pool") == "matched")
    positive = pl.col("score").filter("same").first()
    below = (pl.col("score") < positive) + 0.5 * (pl.col("score") == positive)
    areas = pairs.group_by("group", "query").agg(below.filter(~pl.col("same")).mean().alias("area"))
    queries = pl.read_parquet(results / "tfidf/queries.parquet")
    by_author = areas.join(queries, left_on="query", right_on="id").group_by("author_id").agg(pl.col("area").mean())
    held = json.loads((results / "tfidf/scores.json").read_text())["headline"]["auc_matched"]
    assert by_author["area"].mean() == pytest.approx(held["value"])
    assert held["groups"] == areas.height


def test_every_query_says_which_shortcuts_solve_it(results):
    tables = {name: pl.read_parquet(results / name / "queries.parquet") for name in ("random", "metadata", "tfidf")}
    for name in ("random", "metadata"):
        solved = tables["tfidf"]["difficulty"].list.contains(name)
        assert solved.equals((tables[name][S_AT_5] == 1).alias("difficulty"))
    assert tables["random"]["difficulty"].equals(tables["tfidf"]["difficulty"])
