"""Both protocols score the same vectors in one run, their results lie where STEB has them, and sums are its sums."""

import json
import re
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from cases import read_cases

from authbench.app.cli import main
from authbench.config.registry.load import load_entry
from authbench.core.errors import InputError
from authbench.models.entries import MODELS
from authbench.models.model import VectorCache
from authbench.scoring.metrics.auc import auc
from authbench.suites.style import intervals, pairs
from authbench.suites.style.datasets import find_datasets
from authbench.suites.style.entries import LabelledTask
from authbench.suites.style.run import Chosen, read_all, run
from authbench.suites.style.steb import board, layout
from authbench.suites.style.steb.layout import FIGURES
from authbench.suites.style.steb.tasks import TASKS
from authbench.suites.style.write import NOT_ASKED, what_ran

ENTRY = read_cases(Path(__file__))["ENTRY"]


@pytest.fixture(scope="module")
def home(tmp_path_factory):
    folder = tmp_path_factory.mktemp("steb")
    (folder / "data/notes").mkdir(parents=True)
    rows = [
        {
            "text": f"{'yes!' if place % 3 else 'no,'} note {place}",
            "plain": f"note {place}",
            "label": "ab"[place % 3 > 0],
        }
        for place in range(90)
    ]
    (folder / "data/notes/notes.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    (folder / "notes.yaml").write_text(ENTRY, encoding="utf-8")
    return folder


def scored(home, out, cache, protocols):
    datasets = find_datasets([str(home / "notes.yaml")])
    rows, absent = read_all(datasets, home / "data", "skip")
    chosen = Chosen(protocols=protocols)
    return run(load_entry(MODELS, "tfidf"), datasets, rows, absent, out, VectorCache(cache), chosen)


def test_neither_protocol_changes_what_the_other_gives(home, tmp_path):
    both = scored(home, tmp_path / "both", tmp_path / "first", ("strict", "steb"))
    strict = scored(home, tmp_path / "strict", tmp_path / "second", ("strict",))
    steb = scored(home, tmp_path / "steb", tmp_path / "third", ("steb",))
    assert both["datasets"] == strict["datasets"] and "steb" not in strict
    assert both["steb"] == steb["steb"] and not steb["datasets"]


def test_their_clustering_reads_rows_label_by_label():
    rows = pl.DataFrame({"t": [f"{n}" for n in range(75)], "s": ["bac"[n % 3] for n in range(75)]})
    task = TASKS["clustering"]
    taken, episodes = task.select(rows, LabelledTask(text="t", label="s"))
    assert episodes == "1_25"
    assert taken["text"].to_list() == [f"{n}" for first in range(3) for n in range(first, 75, 3)]


def test_their_protocol_takes_the_first_of_each_label_whatever_the_budget(home, tmp_path):
    told = scored(home, tmp_path / "out", tmp_path / "cache", ("strict", "steb"))
    assert told["steb"]["notes"]["episodes"] == dict.fromkeys(("clustering", "all_to_all", "order_alignment"), "1_30")
    assert told["datasets"]["notes"]["tasks"]["clustering"]["texts"] == 40
    order = told["steb"]["notes"]["tasks"]["order_alignment"]
    assert order["comparisons"] == 2 * 30 * 29 / 2 and order["distractor_comparisons"] == 2 * order["comparisons"]


def test_a_dataset_that_steb_does_not_have_is_left_out_and_named(home, tmp_path):
    (tmp_path / "notes.yaml").write_text(ENTRY.replace("steb: {}", ""), encoding="utf-8")
    datasets = find_datasets([str(tmp_path / "notes.yaml")])
    rows, absent = read_all(datasets, home / "data", "skip")
    told = run(load_entry(MODELS, "random"), datasets, rows, absent, tmp_path / "out", VectorCache(tmp_path / "cache"))
    assert told["steb"] == {} and told["not_in_steb"] == {"notes": "STEB does not have it"}


def test_a_task_that_their_code_stops_on_is_undefined_with_the_reason(home, tmp_path):
    few = (home / "data/notes/notes.jsonl").read_text(encoding="utf-8").splitlines()[:60]
    (tmp_path / "data/notes").mkdir(parents=True)
    (tmp_path / "data/notes/notes.jsonl").write_text("\n".join(few), encoding="utf-8")
    datasets = find_datasets([str(home / "notes.yaml")])
    rows, absent = read_all(datasets, tmp_path / "data", "skip")
    told = run(load_entry(MODELS, "random"), datasets, rows, absent, tmp_path / "out", VectorCache(tmp_path / "cache"))
    tasks = told["steb"]["notes"]["tasks"]  # label a has 20 texts, fewer than 25: one label is left
    assert tasks["clustering"] == {"undefined": "texts of one label only"}
    assert tasks["all_to_all"] == {"undefined": "all pairs of one kind"}
    assert tasks["order_alignment"]["comparisons"] == 25 * 24 / 2


def test_results_are_written_and_read_where_steb_has_them(home, tmp_path):
    told = scored(home, tmp_path / "out", tmp_path / "cache", ("steb",))
    layout.write(tmp_path / "results", {"tfidf": told["steb"]})
    paths = sorted(path.relative_to(tmp_path / "results") for path in (tmp_path / "results").rglob("*.json"))
    tasks = ("all_to_all_pair_classification", "clustering", "order_alignment")
    assert paths == [Path("notes/tfidf/1_30") / task / "metrics.json" for task in tasks]
    metrics = json.loads((tmp_path / "results" / paths[2]).read_bytes())
    assert set(metrics) == {"acc_mean", "distractor_acc_mean", "_per_label"}
    figures = layout.figures(layout.read(tmp_path / "results")["tfidf"])
    for task, measured in told["steb"]["notes"]["tasks"].items():
        assert figures[task, "notes"] == measured[FIGURES[task]]


def put(folder, dataset, model, episode, task, metrics):
    path = folder / dataset / model / episode / task / "metrics.json"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(metrics, encoding="utf-8")


def test_the_first_episode_with_the_figure_counts_and_the_first_folder(tmp_path):
    mine, theirs = tmp_path / "results", tmp_path / "submitted_results"
    put(mine, "blog_age", "m", "1_100", "clustering", '{"v_measure": NaN}')
    put(mine, "blog_age", "m", "1_200", "clustering", '{"v_measure": 0.25}')
    put(mine, "blog_age", "m", "2_100", "clustering", '{"v_measure": 0.5}')
    put(theirs, "blog_age", "m", "1_200", "clustering", '{"v_measure": 0.75}')
    put(theirs, "core", "m", "1_25", "clustering", '{"v_measure": 0.125}')
    found = layout.figures(layout.read(mine, theirs)["m"])
    assert found == {("clustering", "blog_age"): 0.25, ("clustering", "core"): 0.125}


@pytest.mark.parametrize("broken", ["{", "[]"])
def test_metrics_that_cannot_be_read_are_named(tmp_path, broken):
    put(tmp_path, "blog_age", "m", "1_200", "clustering", broken)
    with pytest.raises(InputError, match=r"blog_age.m.1_200.clustering.metrics\.json"):
        layout.read(tmp_path)
    with pytest.raises(InputError, match="no results of STEB"):
        layout.read(tmp_path / "nothing")


def test_a_leaderboard_is_recomputed_from_a_folder_of_results(tmp_path, capsys):
    values = {"a": (0.2, 0.6, 0.9), "b": (0.4, 0.8, 0.1), "c": (0.3, 0.7, 0.5)}
    for model, (age, gender, pairs_of) in values.items():
        put(tmp_path / "r", "blog_age", model, "1_200", "clustering", json.dumps({"v_measure": age}))
        put(tmp_path / "r", "blog_gender", model, "1_200", "clustering", json.dumps({"v_measure": gender}))
        put(tmp_path / "r", "emotion", model, "1_200", "clustering", json.dumps({"v_measure": 1.0}))
        put(tmp_path / "r", "blog_age", model, "1_200", "all_to_all_pair_classification", json.dumps({"auc": pairs_of}))
        put(
            tmp_path / "r", "pan15_authorship_verification_greek_test", model, "1_2",
            "pre_defined_pair_classification", json.dumps({"auc": 0.9}),
        )  # fmt: skip
    assert main(["style", "steb", str(tmp_path / "r"), "--out", str(tmp_path / "board")]) == 0
    assert re.findall(r"^(\w) .* (0\.\d+)$", capsys.readouterr().out, re.M)[0] == ("a", "0.650")
    told = json.loads((tmp_path / "board/leaderboard_data.json").read_bytes())["operational"]
    # the two datasets of clustering rank alike and are one cluster; other languages and topics do not count
    assert told["sort_column"] == "STEB_score (avg)"
    assert [row["model"] for row in told["rows"]] == ["a", "c", "b"]
    best = told["rows"][0]
    assert best["clustering (v_measure)"] == 40.0 and best["all_to_all_pair_classification (auc)"] == 90.0
    assert best["STEB_score (avg)"] == 65.0
    assert "pre_defined_pair_classification (auc)" not in told["columns"]
    study = json.loads((tmp_path / "board/leaderboard_data.json").read_bytes())["definitional"]["rows"]
    # a task counts like a task: mean of (.2 + .6) / 2 and .9
    assert {row["model"]: row["Demographics"] for row in study} == {"a": 65.0, "b": 35.0, "c": 50.0}


def test_order_alignment_counts_by_its_accuracy_in_studies_and_by_its_distractor_in_independence():
    cells = {("order_alignment", "STEL_register"): 0.2, ("order_accuracy", "STEL_register"): 0.8}
    frame, counts = board.definitional(dict.fromkeys("abc", cells))
    assert frame["register"].to_list() == [0.8] * 3 and frame["independence"].to_list() == [0.2] * 3
    assert frame["score"].to_list() == [0.5] * 3 and counts == {"register": 1, "independence": 1}


def test_a_report_has_both_protocols_under_their_names_with_intervals_and_chance(home, tmp_path):
    command = ["style", "run", str(home / "data"), "--dataset", str(home / "notes.yaml")]
    command += ["--out", str(tmp_path / "out")]
    assert main([*command, "--model", "tfidf", "--cache", str(tmp_path / "cache")]) == 0
    page = (tmp_path / "out/report/index.html").read_text(encoding="utf-8")
    assert "By STEB's protocol" in page.replace("&#39;", "'")
    assert "STEB's protocol: clustering" in page.replace("&#39;", "'")
    lines = (tmp_path / "out/report/scores.csv").read_text(encoding="utf-8").splitlines()
    rows = [dict(zip(lines[0].split(","), line.split(","), strict=True)) for line in lines[1:]]
    assert {(row["protocol"], row["model"]) for row in rows} == {
        (protocol, model) for protocol in ("strict", "steb") for model in ("tfidf", "random")
    }
    for row in rows:
        assert 0 <= float(row["low"]) <= float(row["value"]) + 1e-9 and float(row["value"]) <= float(row["high"]) + 1e-9
    assert (tmp_path / "out/report/steb/notes/random/1_30/clustering/metrics.json").is_file()
    for table, chance in (("all_to_all", 0.5), ("order_alignment", 0.5), ("order_accuracy", 0.5)):
        rows = pl.read_csv(tmp_path / f"out/report/steb_{table}.csv")
        assert rows.row(-1)[:3] == ("chance", "by chance", chance), table
    told = (tmp_path / "out/report/steb_clustering.md").read_text(encoding="utf-8")
    assert "random" in told and "[" in told


def test_an_interval_of_a_mean_is_that_of_its_standard_error():
    values = np.random.default_rng(1).normal(0.5, 0.1, 400).clip(0, 1)
    low, high = intervals.of_mean(values) or (0, 0)
    assert high - low == pytest.approx(2 * 1.96 * values.std() / 20, rel=0.15)
    assert intervals.of_mean(values) == [low, high]


def test_an_interval_over_owners_is_wider_where_an_owner_has_many_values():
    values = np.repeat(np.random.default_rng(2).random(30), 10)
    alone, owned = (intervals.of_mean(values, owners) for owners in (None, np.repeat(np.arange(30), 10).astype(str)))
    assert alone and owned
    assert owned[1] - owned[0] > 2.5 * (alone[1] - alone[0])


def test_an_interval_of_pairs_of_texts_is_that_of_drawing_texts_anew():
    draw = np.random.default_rng(3)
    labels = np.repeat([0, 1, 2], 30)
    vectors = draw.normal(size=(90, 8)) + 0.7 * np.eye(8)[labels]
    found = pairs.all_to_all(vectors, labels)
    unit = vectors / np.linalg.norm(vectors, axis=1, keepdims=True)
    one, other = np.triu_indices(90, 1)
    cosines, same = (unit @ unit.T)[one, other], labels[one] == labels[other]
    areas = []
    for _ in range(300):
        times = draw.multinomial(90, np.full(90, 1 / 90))
        weight = times[one] * times[other]
        areas.append(auc(np.repeat(same, weight), np.repeat(cosines, weight)))
    low, high = np.quantile(areas, [0.025, 0.975])
    assert found["interval"][1] - found["interval"][0] == pytest.approx(high - low, rel=0.25)


def test_an_interval_of_named_pairs_covers_the_area_that_the_pairs_come_from():
    draw, inside = np.random.default_rng(4), 0
    for _ in range(40):
        same = np.arange(200) % 2 == 0
        low, high = intervals.of_area(same, draw.normal(size=200) + same) or (0, 0)
        inside += low <= 0.7602 <= high  # the area of two normal distributions one apart
    assert inside >= 34


def test_a_report_counts_what_was_run_and_why_the_rest_was_not():
    cases = [(True, True, ""), (True, False, ""), (False, True, "no file fits *"), (False, True, NOT_ASKED)]
    every = [{"run": run, "paper": paper, "why": why} for run, paper, why in cases]
    assert re.findall(r"\d+", what_ran(every)) == ["1", "3", "1", "1", "1"]
    assert re.findall(r"\d+", what_ran(every[:1] * 3)) == ["3"]
    assert re.findall(r"\d+", what_ran(every[1:2] * 2)) == ["2"]
    assert re.findall(r"\d+", what_ran([*every[:1], *every[2:3] * 111, *every[1:2] * 2])) == ["1", "112", "2", "111"]
