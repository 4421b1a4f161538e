"""Do the shipped pages read the real files, and does a model that knows nothing score chance on them?"""

import csv

import polars as pl
import pytest
from shared_folders import DATA, skip_without_corpus

from authbench.config.registry.load import load_entry
from authbench.core.runtime.inventory import source_digest, take_inventory
from authbench.core.storage.raw_paths import FileSet
from authbench.models.entries import MODELS
from authbench.models.open import open_model
from authbench.suites.style.datasets import find_datasets
from authbench.suites.style.entries import Obtained
from authbench.suites.style.rows import missing_files, read_dataset
from authbench.suites.style.run import of_dataset, texts_of
from authbench.suites.style.tasks import TASKS

READ = [dataset for dataset in find_datasets(["all"]) if isinstance(dataset.obtained, Obtained)]


def here(name):
    [dataset] = find_datasets([name])
    if missing_files(dataset, DATA):
        skip_without_corpus(f"files of {name}")
    return dataset, read_dataset(dataset, DATA)


@pytest.mark.parametrize("name", [dataset.name for dataset in READ])
def test_real_files_give_every_task_something_to_ask(name):
    dataset, rows = here(name)
    assert rows.bad_rows <= 0.01 * rows.frame.height
    asked = {task: TASKS[task].select(rows.frame, settings) for task, settings in dataset.tasks.items()}
    assert all(frame.height for frame in asked.values())
    documents = texts_of(dataset, asked)
    assert documents["content"].is_unique().all()
    assert documents["content"].str.strip_chars().str.len_chars().min() > 0


@pytest.mark.parametrize("dataset", READ, ids=lambda dataset: dataset.name)
def test_the_register_has_the_rows_and_the_digest_of_the_real_files(dataset, tmp_path):
    _, rows = here(dataset.name)
    files = {"rows": FileSet(dataset.folder(dataset.rows), dataset.rows.files)}
    digest = source_digest(take_inventory(DATA, files, tmp_path / "digests.json")["rows"])
    assert (rows.frame.height, digest) == (dataset.obtained.rows, dataset.obtained.digest)


@pytest.mark.parametrize("name", ["STEL_register", "parallel_shakespeare", "poetry_period_es", "poetry_retrieval_es"])
def test_real_texts_are_nothing_to_a_random_model(name, tmp_path):
    dataset, rows = here(name)
    found, _ = of_dataset(open_model(load_entry(MODELS, "random")), dataset, rows, tmp_path, tmp_path / "rate.json", 0)
    for task, told in found["tasks"].items():
        if task == "clustering":
            assert told["v_measure"] == pytest.approx(told["by_chance"], abs=0.05)
        elif task == "all_to_all":
            assert told["auroc"] == pytest.approx(0.5, abs=0.03)
        elif task == "order_alignment":
            assert told["accuracy"] == pytest.approx(told["chance"], abs=0.04)
            assert told["distractor"] == pytest.approx(told["distractor_chance"], abs=0.08)
        else:
            assert told["mrr"] == pytest.approx(told["by_chance"]["mrr"], abs=0.15)


def test_real_quoted_newlines_of_stel_are_one_record():
    folder = DATA / "style_tasks/stel"
    files = sorted(folder.glob("dimensions/*.tsv"))
    if not files:
        skip_without_corpus(folder)
    _, rows = here("STEL_register")
    expected = set()
    for path in files:
        with path.open(encoding="utf-8-sig", newline="") as handle:
            for record in csv.DictReader(handle, delimiter="\t"):
                expected |= {record["Anchor 1"].replace("\\n", "\n"), record["Alternative 1.2"].replace("\\n", "\n")}
    texts = {text.strip() for text in (*rows.frame["first"], *rows.frame["second"])}
    assert {text.strip() for text in expected} <= texts


def test_real_shakespeare_has_no_pair_of_equal_lines():
    _, rows = here("parallel_shakespeare")
    bare = rows.frame.select(
        pl.col("original", "modern").str.to_lowercase().str.replace_all(r"\s+", " ").str.strip_chars()
    )
    assert not (bare["original"] == bare["modern"]).any()


def test_real_reading_levels_have_no_mark_of_their_level():
    _, rows = here("OneStopEnglishCorpus")
    for level in ("ele", "int", "adv"):
        heads = rows.frame[level].str.strip_chars().str.slice(0, 12).str.to_lowercase()
        assert not heads.str.contains("^\ufeff|^intermediate|^elementary|^advanced").any()
