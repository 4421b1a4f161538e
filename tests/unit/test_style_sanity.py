"""Chance for what knows nothing, one for what knows the label, and bad rows: from a dataset's page to its results."""

import json
from random import Random

import numpy as np
import polars as pl
import pytest
from cases import cases
from style_page import style_page

from authbench.app.cli import main
from authbench.config.registry.load import load_entry
from authbench.models.entries import MODELS
from authbench.models.open import open_model
from authbench.suites.style import run as suite
from authbench.suites.style.datasets import FIGURES
from authbench.suites.style.entries import make_dataset
from authbench.suites.style.rows import Rows
from authbench.suites.style.vectors import Vectors

AUTHORS = 12
TEXTS = 600
ABOUT = style_page(fields={})


def made_up():
    """Texts of many shapes that tell nothing of their authors, as pairs, levels, queries and targets."""
    chance = Random(5)
    words = ["rain", "Day", "it's", "12", "AND", "evening,", "so!", "whatever.", "Why?", "internationally"]
    texts = [f"{' '.join(chance.choices(words, k=chance.randint(4, 60)))} {number}" for number in range(TEXTS)]
    authors = [number % AUTHORS for number in range(TEXTS)]
    partner = [(number + AUTHORS * 7 + (number // AUTHORS % 2)) % TEXTS for number in range(TEXTS)]
    return pl.DataFrame(
        {
            "text": texts,
            "author": [str(author) for author in authors],
            "role": ["query" if number < TEXTS // 2 else "target" for number in range(TEXTS)],
            "second": [texts[other] for other in partner],
            "same": [str(authors[number] == authors[other]).lower() for number, other in enumerate(partner)],
        }
    )


PAGE = {
    **ABOUT,
    "tasks": {
        "clustering": {"label": "author"},
        "all_to_all": {"label": "author"},
        "predefined": {"first": "text"},
        "order_alignment": {"levels": ["text", "second"]},
        "retrieval": {},
        "probing": {},
    },
}


def results(model, page, frame, folder):
    opened, dataset = open_model(load_entry(MODELS, model)), make_dataset("made_up", page)
    found, _ = suite.of_dataset(opened, dataset, Rows(frame, 0, ""), folder, folder / "rate.json", 0)
    return found["tasks"]


def test_a_random_encoder_scores_chance_on_every_task(tmp_path):
    told = results("random", PAGE, made_up(), tmp_path)
    assert set(told) == set(FIGURES)
    assert told["clustering"]["v_measure"] == pytest.approx(told["clustering"]["by_chance"], abs=0.02)
    assert told["all_to_all"]["auroc"] == pytest.approx(0.5, abs=0.02)
    assert told["predefined"]["auroc"] == pytest.approx(0.5, abs=0.06)
    assert told["order_alignment"]["accuracy"] == pytest.approx(told["order_alignment"]["chance"], abs=0.03)
    assert told["order_alignment"]["distractor"] == pytest.approx(
        told["order_alignment"]["distractor_chance"], abs=0.05
    )
    assert told["retrieval"]["mrr"] == pytest.approx(told["retrieval"]["by_chance"]["mrr"], abs=0.2)
    assert told["probing"]["accuracy"] == pytest.approx(told["probing"]["chance"], abs=0.05)


def test_an_encoder_of_the_label_scores_one_in_clustering_pairs_and_retrieval(tmp_path, monkeypatch):
    frame = made_up()
    known = dict(zip(frame["text"], frame["author"], strict=True))

    def author_of(model, documents, *rest, as_given):
        rows = np.eye(AUTHORS)[[int(known[text]) for text in documents["content"]]]
        return Vectors(rows, {text: place for place, text in enumerate(documents["content"])})

    monkeypatch.setattr(suite, "vectors_of", author_of)
    told = results("random", PAGE, frame, tmp_path)
    assert told["clustering"]["v_measure"] == pytest.approx(1)
    assert told["clustering"]["by_chance"] < 0.2
    assert told["all_to_all"]["auroc"] == told["predefined"]["auroc"] == told["retrieval"]["mrr"] == 1


TEXTS_ALONE = ["clustering", "all_to_all", "probing"]


@cases
def test_classes_of_few_texts_are_scored_or_say_why_not(tmp_path, labels, scored):
    frame = pl.DataFrame({"text": [f"Text {number}." for number in range(10)], "label": labels})
    told = results("tfidf", {**ABOUT, "tasks": dict.fromkeys(TEXTS_ALONE)}, frame, tmp_path)
    assert [task for task in TEXTS_ALONE if "undefined" not in told[task]] == scored
    assert all(told[task]["undefined"] for task in TEXTS_ALONE if task not in scored)


def test_where_each_text_is_its_own_label_chance_says_that_nothing_was_found(tmp_path):
    frame = pl.DataFrame({"text": [f"{'ab' * number} text" for number in range(10)], "label": list("abcdefghij")})
    told = results("tfidf", {**ABOUT, "tasks": {"clustering": {}}}, frame, tmp_path)["clustering"]
    assert told["v_measure"] == pytest.approx(told["by_chance"])


def test_equal_texts_have_constant_features_and_leave_no_probe(tmp_path):
    frame = pl.DataFrame({"text": [f"word {number:03}" for number in range(200)]})
    told = results("stylometric", {**ABOUT, "tasks": {"probing": {}}}, frame, tmp_path)["probing"]
    assert told["undefined"] == "no feature falls into five bins"
    assert "word length" in told["left_out"]


def test_constant_vectors_are_probed_at_chance(tmp_path, monkeypatch):
    def one_point(model, documents, *rest, as_given):
        return Vectors(np.ones((documents.height, 3)), {text: place for place, text in enumerate(documents["content"])})

    monkeypatch.setattr(suite, "vectors_of", one_point)
    told = results("random", {**ABOUT, "tasks": {"probing": {}}}, made_up(), tmp_path)["probing"]
    assert told["accuracy"] == pytest.approx(0.2)


def test_a_task_without_a_row_has_no_score_and_the_others_have(tmp_path):
    frame = made_up().with_columns(blank=pl.lit(" "))
    page = {**ABOUT, "tasks": {"probing": {"text": "blank"}, "all_to_all": {"label": "author"}}}
    told = results("random", page, frame, tmp_path)
    assert told["probing"] == {"undefined": "no row"} and told["all_to_all"]["auroc"] > 0


def test_texts_of_which_a_model_knows_nothing_are_scored_at_chance(tmp_path):
    """Of vectors of zeros, as counted words give of texts that share none."""
    tasks = {"clustering": {"label": "author"}, "all_to_all": {"label": "author"}, "probing": {}}
    frame = made_up().head(48).with_columns(text=pl.Series([str(number) for number in range(48)]))
    told = results("content-words", {**ABOUT, "tasks": tasks}, frame, tmp_path)
    assert told["all_to_all"]["auroc"] == 0.5 and told["clustering"]["v_measure"] == 0


def test_a_dataset_of_empty_texts_has_no_score_and_no_crash(tmp_path, capsys):
    (tmp_path / "data/blank").mkdir(parents=True)
    (tmp_path / "data/blank/rows.jsonl").write_text('{"text": " ", "label": "a"}\n{"text": "", "label": "b"}\n')
    page = style_page(fields={"text": "text", "label": "label"}, tasks={"clustering": {}, "all_to_all": {}})
    (tmp_path / "blank.yaml").write_text(json.dumps(page))
    asked = ["style", "run", str(tmp_path / "data"), "--dataset", str(tmp_path / "blank.yaml")]
    assert main([*asked, "--out", str(tmp_path / "out"), "--model", "random"]) == 0
    told = json.loads((tmp_path / "out/random/chunk_and_pool.json").read_bytes())["datasets"]["blank"]
    assert told["tasks"] == {"clustering": {"undefined": "no text"}, "all_to_all": {"undefined": "no text"}}
    shown = (tmp_path / "out/report/index.html").read_text(encoding="utf-8") + capsys.readouterr().err
    assert all(
        shown.count(f"{task}{sign}no score") == 1 for task in ("clustering", "all to all") for sign in (" (", ": ")
    )
