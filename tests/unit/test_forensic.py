"""Cllr is what the literature defines, and calibration on held-out problems brings it near its least value."""

import json
import re
from dataclasses import replace

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import minimize
from scipy.stats import norm, rankdata

from authbench.app.cli import main
from authbench.core.presentation.charts import as_svg, legend_height
from authbench.core.presentation.files import write_table
from authbench.core.presentation.palette import marks_of
from authbench.core.presentation.tables import Table, broken_relations
from authbench.release.format.pan import write_pairs, write_truth
from authbench.scoring.metrics.forensic import (
    at_least,
    best_ratios,
    calibrated,
    calibrated_by,
    cllr,
    cllr_interval,
    detection_errors,
    log_ratios,
)
from authbench.scoring.metrics.pan import evaluate
from authbench.suites.pan.compare import Systems
from authbench.suites.pan.figures import _cut_at, det
from authbench.suites.pan.forensic import costs, forensic_table


def defined(truth, ratios):
    """Return Cllr term by term (Brümmer and du Preez 2006, equation 1)."""
    same = [np.log2(1 + 1 / one) for one, kind in zip(ratios, truth, strict=True) if kind]
    other = [np.log2(1 + one) for one, kind in zip(ratios, truth, strict=True) if not kind]
    return float(sum(same) / len(same) + sum(other) / len(other)) / 2


def pooled(truth, scores):
    """Return the isotonic chances by their max-min formula, each score's class once."""
    levels = sorted(set(scores))

    def mean(low, high):
        own = [kind for kind, score in zip(truth, scores, strict=True) if levels[low] <= score <= levels[high]]
        return sum(own) / len(own)

    found = {
        level: max(min(mean(low, high) for high in range(at, len(levels))) for low in range(at + 1))
        for at, level in enumerate(levels)
    }
    return [found[score] for score in scores]


def cllr_min(truth, scores):
    return cllr(truth, best_ratios(truth, scores))


problems = st.lists(st.tuples(st.booleans(), st.integers(0, 9)), min_size=2, max_size=40).filter(
    lambda rows: 0 < sum(kind for kind, _ in rows) < len(rows)
)


@given(problems)
def test_cllr_is_its_definition(rows):
    truth, ratios = [kind for kind, _ in rows], [2.0 ** (score - 4) for _, score in rows]
    assert cllr(np.array(truth), np.log(ratios)) == pytest.approx(defined(truth, ratios), abs=1e-9)


@given(problems)
def test_the_least_cllr_is_that_of_the_pooled_chances(rows):
    truth, scores = [kind for kind, _ in rows], [score for _, score in rows]
    odds = sum(truth) / (len(truth) - sum(truth))
    with np.errstate(divide="ignore"):
        ratios = [np.divide(chance, 1 - chance) / odds for chance in pooled(truth, scores)]
        terms = [np.log2(1 + 1 / one) if kind else np.log2(1 + one) for one, kind in zip(ratios, truth, strict=True)]
    expected = np.mean(
        [np.mean([t for t, kind in zip(terms, truth, strict=True) if kind is side]) for side in (True, False)]
    )
    assert cllr_min(np.array(truth), np.array(scores, float)) == pytest.approx(expected, abs=1e-9)


def test_what_always_knows_costs_nothing_and_what_says_nothing_one_bit():
    truth = np.array([True, False, True, False])
    assert cllr(truth, log_ratios(truth.astype(float))) == 0
    assert cllr(truth, log_ratios(np.full(4, 0.5))) == 1 and cllr_min(truth, np.full(4, 0.5)) == pytest.approx(1)
    assert cllr(truth, log_ratios(1 - truth.astype(float))) == np.inf
    assert np.isnan(cllr(np.ones(3, bool), np.zeros(3)))


def test_calibration_on_other_problems_mends_scores_that_say_too_much():
    draw = np.random.default_rng(0)
    truth = np.arange(2000) % 2 == 0
    honest = draw.normal(size=2000) * np.sqrt(2) + np.where(truth, 1, -1)  # its own log ratios
    loud = 1 / (1 + np.exp(-8 * honest))
    ids = [str(number) for number in range(2000)]
    costs_of = {
        "raw": cllr(truth, log_ratios(loud)),
        "calibrated": cllr(truth, calibrated(truth, loud, ids)),
        "least": cllr_min(truth, loud),
        "honest": cllr(truth, honest),
    }
    assert costs_of["raw"] > 1.5 * costs_of["calibrated"]
    assert costs_of["least"] <= costs_of["calibrated"] <= costs_of["honest"] + 0.02


@given(problems, st.sampled_from([np.exp, np.cbrt, lambda scores: scores / 9, lambda scores: np.log(scores)]))
def test_calibration_depends_on_the_order_of_scores_only(rows, scale):
    truth, scores = np.array([kind for kind, _ in rows]), np.array([float(score) for _, score in rows])
    new = np.arange(-1.0, 11)
    with np.errstate(divide="ignore", invalid="ignore"):
        ratios, rescaled = calibrated_by(truth, scores, scores), calibrated_by(truth, scale(scores), scale(scores))
    assert rescaled == pytest.approx(ratios)
    beyond = calibrated_by(truth, scores, new)
    assert (np.diff(beyond) >= 0).all()


def test_ratios_are_those_of_a_logistic_curve_of_least_loss_over_normal_ranks():
    draw = np.random.default_rng(5)
    truth = np.arange(300) % 3 == 0
    scores = np.round(draw.normal(size=300) + truth, 1)
    ranks = norm.ppf(rankdata(scores) / 301)
    signs = np.where(truth, 1, -1)
    fitted = minimize(lambda at: np.logaddexp(0, -signs * (at[0] + at[1] * ranks)).sum(), [0, 0], tol=1e-12).x
    expected = fitted[0] + fitted[1] * ranks - np.log(100 / 200)
    assert calibrated_by(truth, scores, scores) == pytest.approx(expected, abs=1e-3)


def test_the_interval_of_cllr_is_that_of_drawing_the_problems_again():
    draw = np.random.default_rng(3)
    truth = np.arange(600) % 3 == 0
    ratios = draw.normal(size=600) * 1.5 + np.where(truth, 1, -1)
    bounds = cllr_interval(truth, ratios)
    assert bounds is not None
    again = []
    for _ in range(500):
        rows = np.concatenate([draw.choice(np.flatnonzero(side), int(side.sum())) for side in (truth, ~truth)])
        again.append(cllr(truth[rows], ratios[rows]))
    assert bounds == pytest.approx(np.quantile(again, [0.025, 0.975]), abs=0.02)
    assert cllr_interval(truth, np.where(truth, -np.inf, 0.0)) is None
    assert cllr_interval(np.ones(3, bool), np.zeros(3)) is None


def test_the_interval_of_the_least_cllr_is_as_wide_as_that_of_drawing_and_fitting_again():
    draw = np.random.default_rng(5)
    truth = np.arange(900) % 2 == 0
    scores = draw.normal(size=900) + truth
    low, high = cllr_interval(truth, best_ratios(truth, scores)) or (0.0, 0.0)
    assert low < cllr_min(truth, scores) < high
    again = []
    for _ in range(200):
        rows = np.concatenate([draw.choice(np.flatnonzero(side), int(side.sum())) for side in (truth, ~truth)])
        again.append(cllr_min(truth[rows], scores[rows]))
    assert high - low == pytest.approx(2 * 1.96 * np.std(again), rel=0.2)


def test_a_report_of_systems_has_their_costs():
    truth = np.arange(40) % 2 == 0
    systems = Systems(
        pl.Series([f"p{one}" for one in range(40)]),
        truth,
        {"good": np.where(truth, 0.9, 0.1), "odd": np.where(truth, 2.0, 0)},
    )
    told = {row["system"]: row for row in costs(systems, ["good", "odd"]).iter_rows(named=True)}
    assert told["good"]["cllr"] == pytest.approx(np.log2(1 / 0.9)) and told["good"]["cllr_min"] == pytest.approx(0)
    assert told["odd"]["cllr_min_low"] is not None
    assert told["odd"]["cllr"] is None and told["odd"]["cllr_min"] == pytest.approx(0)


@given(problems, st.integers(0, 1))
def test_no_calibration_costs_less_than_the_best_reading(rows, turned):
    truth, scores = np.array([kind for kind, _ in rows]), np.array([float(score) for _, score in rows])
    systems = Systems(
        pl.Series([str(one) for one in range(len(rows))]), truth, {"one": -scores if turned else scores / 9}
    )
    assert broken_relations(forensic_table(systems, ["one"])) == []


def test_a_verifier_whose_scores_fall_is_named_and_not_turned_round(caplog):
    draw = np.random.default_rng(2)
    truth = np.arange(400) % 2 == 0
    scores = 1 / (1 + np.exp(-draw.normal(size=400) - truth))
    ids = [str(number) for number in range(400)]
    assert not calibrated(truth, 1 - scores, ids).any() and calibrated(truth, scores, ids).all()
    table = forensic_table(Systems(pl.Series(ids), truth, {"falls": 1 - scores, "rises": scores}), ["falls", "rises"])
    told = dict(table.data.select("system", "Cllr, calibrated").iter_rows())
    assert told["falls"] == pytest.approx(1) and told["rises"] < 0.95
    assert [("falls" in record.message, "rises" in record.message) for record in caplog.records] == [(True, False)]
    assert caplog.records[0].message in table.notes


def test_a_table_that_breaks_a_relation_between_its_columns_is_not_written(tmp_path):
    data = pl.DataFrame({"low": [0.1, None, 0.3], "value": [0.2, 0.5, 0.3 - 1e-12], "high": [1.0, 2.0, float("nan")]})
    table = Table("scores", "Scores", [], [], data, relations=[("low", "value", "high"), ("absent", "low")])
    write_table(tmp_path, table)
    with pytest.raises(ArithmeticError, match="scores: low is above value in row 3"):
        write_table(tmp_path / "no", replace(table, data=data.with_columns(value=pl.lit(0.25))))
    assert not (tmp_path / "no").exists()


def test_the_published_f05u_of_2020_counts_an_open_problem_as_same_author():
    truth, scores = np.array([True, True, False, False]), np.array([0.9, 0.5, 0.1, 0.1])
    assert evaluate(truth, scores, published_2020=True)["f0.5u"] == 1  # two right, none wrong or missed
    assert evaluate(truth, scores)["f0.5u"] == pytest.approx(1.25 / 1.5)  # one right, one left open
    assert evaluate(truth, scores, published_2020=True)["c@1"] == evaluate(truth, scores)["c@1"]


def test_any_verifier_gives_likelihood_ratios_by_pairs_held_out(tmp_path, capsys, refused, caplog):
    draw = np.random.default_rng(1)
    styles = [("storm; ", "harbour; ", "lantern; "), ("meadow - ", "copper - ", "violet - ")]

    def problems(name, count, same=None):
        rows = []
        for number in range(count):
            one = number // 2 % 2
            kind = same if same is not None else number % 2 == 0
            texts = ["".join(draw.choice(styles[side], 30)) for side in (one, one if kind else 1 - one)]
            rows.append((f"{name}{number}", *texts, kind))
        table = pl.DataFrame(rows, schema=["id", "text1", "text2", "same"], orient="row")
        write_pairs(table, tmp_path / name / "pairs.jsonl")
        write_truth(table, tmp_path / name / "truth.jsonl")
        return tmp_path / name

    train, apart, test, one_class = (problems(*of) for of in (("a", 40), ("b", 40), ("c", 40), ("d", 8, True)))
    command = ["pan", "run", "--train", str(train), "--test", str(test)]
    command += ["--verifier", "ppm", "--out", str(tmp_path / "o")]
    assert main([*command, "--likelihood-ratios", str(apart)]) == 0
    lines = (tmp_path / "o/ppm/likelihood_ratios.jsonl").read_text(encoding="utf-8").splitlines()
    ratios = {row["id"]: row["log10_lr"] for row in map(json.loads, lines)}
    assert list(ratios) == [f"c{number}" for number in range(40)]
    sides = [[ratio for one, ratio in ratios.items() if (int(one[1:]) % 2 == 0) is same] for same in (True, False)]
    assert min(sides[0]) > 0 > max(sides[1])
    answers = (tmp_path / "o/ppm/answers.jsonl").read_bytes()
    assert main(command) == 0 and (tmp_path / "o/ppm/answers.jsonl").read_bytes() == answers
    turned = problems("e", 40)
    truth = [json.loads(line) for line in (turned / "truth.jsonl").read_text(encoding="utf-8").splitlines()]
    lines = [json.dumps(row | {"same": not row["same"]}) for row in truth]
    (turned / "truth.jsonl").write_text("\n".join(lines), encoding="utf-8")
    assert main([*command, "--likelihood-ratios", str(turned)]) == 0
    lines = (tmp_path / "o/ppm/likelihood_ratios.jsonl").read_text(encoding="utf-8").splitlines()
    assert {json.loads(line)["log10_lr"] for line in lines} == {0}
    assert [str(turned) in record.message for record in caplog.records] == [True]
    capsys.readouterr()
    for wrong, said in ((train, "40 of its 40 pairs are among those"), (one_class, "all 8 pairs are of one class")):
        assert said in refused([*command, "--likelihood-ratios", str(wrong)])


@given(problems)
def test_errors_of_detection_are_counted_at_each_score(rows):
    truth, scores = (np.array(column) for column in zip(*rows, strict=True))
    alarms, misses = detection_errors(truth, scores.astype(float))
    for place, threshold in enumerate(sorted(set(scores.tolist()), reverse=True)):
        assert alarms[place] == pytest.approx((scores[~truth] >= threshold).mean())
        assert misses[place] == pytest.approx((scores[truth] < threshold).mean())


def test_a_tippett_curve_is_the_share_of_ratios_at_least_as_large():
    place, share = at_least(np.array([0.0, -1.0, 2.0, 0.0, np.inf]))
    assert place.tolist() == [-1, 0, 2] and share.tolist() == pytest.approx([1, 0.8, 0.4])


def test_models_evaluated_on_a_release_give_likelihood_ratios(tmp_path, capsys, refused):
    draw = np.random.default_rng(4)
    same = np.arange(600) % 3 == 0
    pairs = pl.DataFrame(
        {
            "pool": ["matched"] * 600,
            "group": np.arange(600) // 3,
            "same": same,
            "query": [f"q{one // 3}" for one in range(600)],
            "candidate": [f"c{one}" for one in range(600)],
        }
    )
    for model, spread in (("sharp", 0.2), ("dull", 2.0)):
        (tmp_path / "scores" / model).mkdir(parents=True)
        table = pairs.with_columns(score=pl.Series(np.where(same, 0.5, -0.2) + draw.normal(0, spread, 600)))
        table.write_parquet(tmp_path / "scores" / model / "released_pairs.parquet")
    command = ["pan", "ratios", str(tmp_path / "scores"), "--out", str(tmp_path / "out")]
    assert main(command) == 0
    assert capsys.readouterr().out.startswith("system ")
    costs_of = pl.read_csv(tmp_path / "out/forensic.csv")
    assert costs_of["system"].to_list() == ["dull", "sharp"]
    assert costs_of["Cllr, calibrated"][1] < 0.4 < 0.8 < costs_of["Cllr, calibrated"][0] < 1.1
    ratios = pl.read_csv(tmp_path / "out/likelihood_ratios.csv")
    assert ratios["candidate"].to_list() == pairs["candidate"].to_list()
    assert np.mean((ratios["sharp"].to_numpy() > 0) == same) > 0.9
    assert {path.name for path in (tmp_path / "out/figures").iterdir()} >= {"tippett.svg", "det.svg"}
    assert "has no pair of the pool topic_matched" in refused([*command, "--pool", "topic_matched"])
    table.head(300).write_parquet(tmp_path / "scores/sharp/released_pairs.parquet")
    assert "has other pairs than dull" in refused(command)


def test_no_curve_of_errors_is_drawn_over_the_names_above_it():
    chance = np.random.default_rng(0)
    truth = np.arange(400) % 2 == 0
    scores = {f"a system with a long name {one}": truth * one / 9 + chance.normal(size=400) for one in range(9)}
    picture = as_svg(det(scores, truth, marks_of(scores)))
    paths = [re.findall(r"[ML] \S+ (\S+)", path) for path in re.findall(r'<path d="([^"]+)"', picture)]
    curves = [[float(height) for height in heights] for heights in paths if len(heights) > 20]
    assert len(curves) == len(scores)
    assert min(map(min, curves)) >= legend_height(list(scores))


def test_a_curve_of_errors_goes_up_to_the_edge_and_no_further():
    curve = np.array([[0.0, 1.0, 1.0, 3.0, 5.0], [6.0, 2.0, 1.0, 0.0, 0.0]])
    expected = [[np.nan, 0.5, 1.0, 1.0, 3.0, 4.0, np.nan], [np.nan, 4.0, 2.0, 1.0, 0.0, 0.0, np.nan]]
    np.testing.assert_array_equal(_cut_at(curve, 4.0), expected)
    np.testing.assert_array_equal(_cut_at(curve, 9.0), curve)
