"""Each format of STEB's datasets is read as its loader reads it, from files made in that format."""

import re
from pathlib import Path

import polars as pl
import pytest
from cases import cases, read_cases
from steb_formats import ENCODINGS, FORMATS, jsonl

from authbench.core.errors import InputError
from authbench.release.format.pan import read_pairs
from authbench.suites.style.datasets import find_datasets
from authbench.suites.style.entries import (
    LabelledTask,
    Obtained,
    OrderTask,
    PairsTask,
    ProbingTask,
    RetrievalTask,
)
from authbench.suites.style.rows import read_dataset
from authbench.suites.style.steb import probing
from authbench.suites.style.steb.tasks import TASKS as TASKS_OF_STEB

# Tasks that STEB's configurations declare for datasets whose names fit; of the whole of the paper's table 15.
TASKS = read_cases(Path(__file__))["TASKS"]


def test_every_dataset_of_theirs_has_the_tasks_of_its_configuration():
    theirs = {entry.name: entry.in_steb for entry in find_datasets(["all"]) if entry.in_steb}
    for name, entry in theirs.items():
        [tasks] = [tasks for pattern, tasks in TASKS.items() if re.fullmatch(pattern, name)]
        assert list(entry.tasks) == tasks, name
    assert len(theirs) == 113


def put(folder, dataset, files):
    """Write files below the dataset's folder, or where their names say for those that share one."""
    [entry] = find_datasets([dataset])
    folders = {one.rows.folder for one in (entry, entry.steb) if one and one.rows.folder}
    for name, content in files.items():
        shared = any(name.startswith(f"{folder}/") for folder in folders)
        path = folder / name if shared else folder / dataset / name
        path.parent.mkdir(parents=True, exist_ok=True)
        if isinstance(content, str):
            path.write_text(content, encoding=ENCODINGS.get(path.name, "utf-8"), newline="")
        else:
            pl.DataFrame(content).write_parquet(path)
    return entry


def rows_of(entry, rows):
    """Return texts and labels of the last task in their protocol, so that an order is looked at where there is one."""
    assert entry.in_steb and rows.steb
    settings = list(entry.in_steb.tasks.values())[-1]
    frame = rows.steb.frame
    match settings:
        case LabelledTask(text, label):
            return frame.select(text, label).drop_nulls().rows()
        case PairsTask(first, second, same):
            return frame.select(first, second, same).drop_nulls().rows()
        case OrderTask(levels, style):
            return frame.select(*levels, pl.col(style) if style else pl.lit("all").alias("style")).rows()
        case RetrievalTask(text, author, role):
            return frame.select(text, author, role).drop_nulls().rows()
        case ProbingTask(text):
            assert settings.classes and settings.parts
            return frame.select(text).rows()
    raise AssertionError(settings)


@pytest.mark.parametrize("dataset", FORMATS)
def test_a_file_of_each_format_is_read_as_their_loader_reads_it(dataset, tmp_path):
    files, expected = FORMATS[dataset]
    entry = put(tmp_path, dataset, files)
    assert rows_of(entry, read_dataset(entry, tmp_path)) == list(expected)


def test_endive_has_standard_texts_once_beside_five_dialects(tmp_path):
    entry = put(tmp_path, "endive", FORMATS["endive"][0])
    rows = read_dataset(entry, tmp_path).frame
    assert dict(rows.group_by("label").len().iter_rows()) == {
        **dict.fromkeys(("aave", "chce", "collsge", "inde", "sae"), 7),
        "jame": 6,
    }
    assert set(rows.filter(pl.col("label") == "sae")["text"]) == set("abcfmzw")


def test_every_entry_states_what_was_read_of_its_files_or_why_nothing():
    assert [entry.name for entry in find_datasets(["all"]) if not entry.obtained] == []


def test_every_form_of_file_that_an_entry_reads_was_read_or_is_made_here():
    met, untried = set(), {}
    for entry in find_datasets(["all"]):
        for entry_of in filter(None, (entry, entry.in_steb)):
            for table in entry_of.all_tables.values():
                form = repr(table.reader)
                if isinstance(entry.obtained, Obtained) or entry.name in FORMATS:
                    met.add(form)
                else:
                    untried.setdefault(form, entry.name)
    assert len(met) > 10 and {name for form, name in untried.items() if form not in met} == set()


def test_every_task_of_an_entry_finds_its_columns_in_both_protocols(tmp_path):
    for dataset, (files, _) in FORMATS.items():
        entry = put(tmp_path, dataset, files)
        rows = read_dataset(entry, tmp_path)
        for one, frame in ((entry, rows.frame), (entry.in_steb, rows.steb and rows.steb.frame)):
            assert one is not None and frame is not None
            for settings in one.tasks.values():
                names = {
                    name
                    for name in (getattr(settings, field, None) for field in ("text", "label", "author", "role"))
                    if name
                }
                names |= set(getattr(settings, "levels", ()))
                assert names <= set(frame.columns), dataset


def test_a_table_that_cannot_be_read_shows_the_reader_s_own_message_and_line(tmp_path):
    lines = ["text_type,text", *["ham"] * 60]
    entry = put(tmp_path, "telegram-spam-ham", {"dataset.csv": "\n".join(lines) + "\n"})
    with pytest.raises(InputError, match=r"60 of 60 rows .*The first: dataset\.csv, line 2: .+") as told:
        read_dataset(entry, tmp_path)
    assert "config/style/telegram-spam-ham.yaml" in str(told.value)


@pytest.mark.parametrize(("year", "file"), [(22, "pan22-authorship-verification-training.jsonl"), (23, "pairs.jsonl")])
def test_pairs_across_discourse_types_are_read_in_pan_s_form(year, file, tmp_path):
    """The form of PAN 2022 and 2023: discourse types where 2020 has fandoms, tags in the texts."""
    rows = [(str(one), f"<new>an essay {one}<nl>", f"an email {one}", one % 2 == 0) for one in range(4)]
    kinds = ["essay", "email"]
    pairs = jsonl(*[{"id": one, "discourse_types": kinds, "pair": list(texts)} for one, *texts, _ in rows])
    truth = jsonl(*[{"id": one, "same": same, "authors": ["en_1", "en_2"]} for one, *_, same in rows])
    name = f"pan{year}_authorship_verification"
    entry = put(tmp_path, name, {file: pairs, "truth.jsonl": truth})
    frame = read_dataset(entry, tmp_path).frame
    assert set(frame.select("first", "second", "same").rows()) == {
        (*texts, "true" if same else "false") for _, *texts, same in rows
    }
    problems = read_pairs(tmp_path / name / file)
    assert problems["topic1"].to_list() == ["essay"] * 4 and problems["topic2"].to_list() == ["email"] * 4


def test_classes_and_parts_of_a_probing_file_are_those_that_are_probed(tmp_path):
    rows = [
        {
            "text": f"text {one}",
            "label": [one % 2, None if one < 3 else 2.0],
            "split": ["train", None if one < 3 else "test"],
        }
        for one in range(5)
    ]
    entry = put(tmp_path, "probing_reddit", {"probing/reddit.jsonl": jsonl(*rows), "one.parquet": {"text": ["other"]}})
    read = read_dataset(entry, tmp_path)
    assert read.frame["text"].to_list() == ["other"]
    assert entry.in_steb and read.steb
    settings = entry.in_steb.tasks["probing"]
    kept, episode = TASKS_OF_STEB["probing"].select(read.steb.frame, settings)
    assert (kept["text"].to_list(), episode) == ([f"text {one}" for one in range(5)], "1_1")
    labels, splits = probing.given(kept["classes"].to_list(), kept["parts"].to_list())
    assert labels == {"feature 1": [0, 1, 0, 1, 0], "feature 2": [None, None, None, 2, 2]}
    assert splits == {"feature 1": ["train"] * 5, "feature 2": [None, None, None, "test", "test"]}


@cases
def test_a_probing_file_whose_lists_do_not_fit_is_refused(classes, problem):
    with pytest.raises(InputError, match=problem):
        probing.given(classes, [["train"], ["test"]])


def test_every_probing_dataset_asks_for_steb_s_own_file():
    for entry in find_datasets(["all"]):
        if entry.in_steb and "probing" in entry.tasks:
            assert entry.in_steb.rows.folder == "probing"
            assert entry.in_steb.rows.files == (f"{entry.name.removeprefix('probing_')}.jsonl",)
