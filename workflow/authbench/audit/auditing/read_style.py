"""Read datasets of style by their entries in config/style: `style:NAME`, or the path of an entry.

A label counts as an author: a register, a version, a level of an order. Pairs are problems of verification.
"""

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, TypeAlias

import polars as pl

from authbench.audit.auditing import dataset
from authbench.core.errors import InputError
from authbench.core.identity import digest
from authbench.release.format.hub import STYLE_PREFIX
from authbench.suites.style.datasets import find_datasets
from authbench.suites.style.entries import OrderTask
from authbench.suites.style.rows import read_dataset as read_rows
from authbench.suites.style.tasks import TASKS

STYLE = "style dataset"


def is_style_entry(path: Path) -> bool:
    return str(path).startswith(STYLE_PREFIX) or path.suffix in (".yaml", ".yml")


def read_style(path: Path, data: Path | None) -> dataset.Dataset:
    """Read a dataset of style below the folder `data`. Raises InputError if the entry, folder or file is missing."""
    if data is None:
        raise InputError(f"{path}: an entry of config/style names files below a folder of data. Expected --data DIR.")
    [entry] = find_datasets([str(path).removeprefix(STYLE_PREFIX)])
    rows = read_rows(entry, data).frame
    for task in ("retrieval", "predefined", "all_to_all", "clustering", "order_alignment"):
        if task in entry.tasks:
            documents, problems, note = _PARTS[task](TASKS[task].select(rows, entry.tasks[task]), entry.tasks[task])
            lang = pl.col("lang") if "lang" in documents.columns else pl.lit(entry.languages[0])
            named = documents.with_columns(lang=lang, split=pl.lit(dataset.ALL), source=pl.lit(entry.name))
            return dataset.unique_ids(
                dataset.Dataset(
                    f"style dataset {entry.name}",
                    dataset.as_documents(named, derived=True),
                    problems=problems,
                    notes=(note,),
                    sources=(dataset.Source(path, STYLE),),
                )
            )
    raise InputError(
        f"{entry.name}: has no task that tells two writers or styles apart. Expected one of {', '.join(_PARTS)}."
    )


# Rows with `content` and `author`, and with `lang` if the dataset states it; the problems; and a note.
Parts: TypeAlias = tuple[pl.DataFrame, pl.DataFrame, str]
_LANG = pl.col("^lang$")


def _of_retrieval(found: pl.DataFrame, settings: object) -> Parts:
    rows = found.with_row_index("n").select(
        pl.format("{} {}", "role", pl.col("n") + 1).alias("id"),
        _LANG,
        "author",
        content="text",
        unit=pl.format("{}/{}", "query", "role"),
        query=pl.col("role") == "query",
        candidate=pl.col("role") == "target",
    )
    return rows, dataset.PROBLEMS.to_frame(), "The texts of a query, and those of a target, count as one text."


def _of_labels(found: pl.DataFrame, settings: object) -> Parts:
    numbered = found.with_row_index("n")
    ident = pl.format("text {}", pl.col("n") + 1).alias("id")
    rows = numbered.select(ident, _LANG, content="text", author="label")
    return rows, dataset.PROBLEMS.to_frame(), "A label counts as an author."


def _of_order(found: pl.DataFrame, settings: OrderTask) -> Parts:
    levels = [name for name in found.columns if name.startswith("level ")]
    numbered = found.with_row_index("n")
    parts = [
        numbered.select(
            pl.format("item {} {}", pl.col("n") + 1, pl.lit(level)).alias("id"),
            _LANG,
            content=level,
            author=pl.format("{}: {}", "style", pl.lit(name)),
            origin=pl.format("item {}", pl.col("n") + 1),
        )
        for level, name in zip(levels, settings.levels, strict=True)
    ]
    note = "A level of an order counts as an author, and the levels of an item are one work."
    return pl.concat(parts), dataset.PROBLEMS.to_frame(), note


def _of_pairs(found: pl.DataFrame, settings: object) -> Parts:
    """Return pairs as problems. Texts that same pairs join have the same author, every other text a separate author."""
    keys = {side: [digest(text) for text in found[side]] for side in ("first", "second")}
    parent = dataset.joined_pairs(keys["first"], keys["second"], found["same"])
    names: dict[str, str] = {}
    rows = []
    for side in ("first", "second"):
        for number, (key, text) in enumerate(zip(keys[side], found[side], strict=True), start=1):
            if key not in names:
                names[key] = f"pair {number} {side}"
                rows.append((names[key], text, dataset.root(parent, key)))
    sides = zip(keys["first"], keys["second"], found["same"], strict=True)
    problems = [
        (dataset.ALL, f"pair {number}", names[one], names[other], same, None, None)
        for number, (one, other, same) in enumerate(sides, start=1)
    ]
    return (
        pl.DataFrame(rows, dict.fromkeys(("id", "content", "author"), pl.String), orient="row"),
        pl.DataFrame(problems, dataset.PROBLEMS, orient="row"),
        "Pairs without authors: texts that same pairs join are by one author.",
    )


_PARTS: Mapping[str, Callable[[pl.DataFrame, Any], Parts]] = {
    "retrieval": _of_retrieval,
    "predefined": _of_pairs,
    "all_to_all": _of_labels,
    "clustering": _of_labels,
    "order_alignment": _of_order,
}
