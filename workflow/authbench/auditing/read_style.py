"""Read datasets of style by their entries in config/style: `style:NAME`, or the path of an entry.

A label counts as an author: a register, a version, a level of an order. Pairs are problems of verification.
"""

from dataclasses import replace
from pathlib import Path

import polars as pl

from authbench.auditing.dataset import ALL, PROBLEMS, Dataset, Source, as_documents, root, unique_ids
from authbench.errors import InputError
from authbench.format.hub import STYLE_PREFIX
from authbench.identity import digest
from authbench.style.datasets import find_datasets
from authbench.style.entries import Dataset as StyleDataset
from authbench.style.entries import OrderTask
from authbench.style.rows import read_dataset as read_rows
from authbench.style.tasks import TASKS

STYLE = "style dataset"


def is_style_entry(path: Path) -> bool:
    return str(path).startswith(STYLE_PREFIX) or path.suffix in (".yaml", ".yml")


def read_style(path: Path, data: Path | None) -> Dataset:
    """Read a dataset of style below the folder `data`. Raises InputError if the entry, folder or file is missing."""
    if data is None:
        raise InputError(f"{path}: an entry of config/style names files below a folder of data. Expected --data DIR.")
    [entry] = find_datasets([str(path).removeprefix(STYLE_PREFIX)])
    rows = read_rows(entry, data).frame
    for task in ("retrieval", "predefined", "all_to_all", "clustering", "order_alignment"):
        if task in entry.tasks:
            found = TASKS[task].select(rows, entry.tasks[task])
            return replace(_DATASETS[task](entry, found), sources=(Source(path, STYLE),))
    raise InputError(
        f"{entry.name}: has no task that tells two writers or styles apart. Expected one of {', '.join(_DATASETS)}."
    )


def _documents(entry: StyleDataset, table: pl.DataFrame) -> pl.DataFrame:
    """Return DOCUMENTS of rows with `content` and `author`; equal texts of a label and side are a single row."""
    lang = pl.col("lang") if "lang" in table.columns else pl.lit(entry.languages[0])
    named = table.with_columns(lang=lang, split=pl.lit(ALL), source=pl.lit(entry.name))
    return as_documents(named, derived=True)


def _of_retrieval(entry: StyleDataset, found: pl.DataFrame) -> Dataset:
    rows = found.with_row_index("n").select(
        pl.format("{} {}", "role", pl.col("n") + 1).alias("id"),
        *(["lang"] if "lang" in found.columns else []),
        "author",
        content="text",
        unit=pl.format("{}/{}", "query", "role"),
        query=pl.col("role") == "query",
        candidate=pl.col("role") == "target",
    )
    note = "The texts of a query, and those of a target, count as one text."
    return unique_ids(Dataset(f"style dataset {entry.name}", _documents(entry, rows), notes=(note,)))


def _of_labels(entry: StyleDataset, found: pl.DataFrame) -> Dataset:
    rows = found.with_row_index("n").select(
        pl.format("text {}", pl.col("n") + 1).alias("id"),
        *(["lang"] if "lang" in found.columns else []),
        content="text",
        author="label",
    )
    return unique_ids(
        Dataset(f"style dataset {entry.name}", _documents(entry, rows), notes=("A label counts as an author.",))
    )


def _of_order(entry: StyleDataset, found: pl.DataFrame) -> Dataset:
    settings = entry.tasks["order_alignment"]
    assert isinstance(settings, OrderTask)
    levels = [name for name in found.columns if name.startswith("level ")]
    numbered = found.with_row_index("n")
    parts = [
        numbered.select(
            pl.format("item {} {}", pl.col("n") + 1, pl.lit(level)).alias("id"),
            *(["lang"] if "lang" in found.columns else []),
            content=level,
            author=pl.format("{}: {}", "style", pl.lit(name)),
            origin=pl.format("item {}", pl.col("n") + 1),
        )
        for level, name in zip(levels, settings.levels, strict=True)
    ]
    note = "A level of an order counts as an author, and the levels of an item are one work."
    return unique_ids(
        Dataset(f"style dataset {entry.name}", _documents(entry, pl.concat(parts)), notes=(note,))
    )  # fmt: skip


def _of_pairs(entry: StyleDataset, found: pl.DataFrame) -> Dataset:
    """Return pairs as problems. Texts that same pairs join have the same author, every other text a separate author."""
    parent: dict[str, str] = {}
    keys = {side: [digest(text) for text in found[side]] for side in ("first", "second")}
    for one, other, same in zip(keys["first"], keys["second"], found["same"], strict=True):
        if same:
            parent[root(parent, one)] = root(parent, other)
    names: dict[str, str] = {}
    rows = []
    for side in ("first", "second"):
        for number, (key, text) in enumerate(zip(keys[side], found[side], strict=True), start=1):
            if key not in names:
                names[key] = f"pair {number} {side}"
                rows.append({"id": names[key], "content": text, "author": root(parent, key)})
    problems = [
        {
            "split": ALL,
            "problem": f"pair {number}",
            "one": names[one],
            "other": names[other],
            "same": same,
            "author_one": None,
            "author_other": None,
        }
        for number, (one, other, same) in enumerate(
            zip(keys["first"], keys["second"], found["same"], strict=True), start=1
        )
    ]
    note = "Pairs without authors: texts that same pairs join are by one author."
    return unique_ids(
        Dataset(
            f"style dataset {entry.name}",
            _documents(entry, pl.DataFrame(rows, dict.fromkeys(("id", "content", "author"), pl.String))),
            problems=pl.DataFrame(problems, PROBLEMS),
            notes=(note,),
        )
    )


_DATASETS = {
    "retrieval": _of_retrieval,
    "predefined": _of_pairs,
    "all_to_all": _of_labels,
    "clustering": _of_labels,
    "order_alignment": _of_order,
}
