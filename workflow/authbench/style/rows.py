"""How do the files of a dataset become rows?

Its files are read by the readers of the sources (`authbench.ingest`), its fields are expressions as theirs; the steps
of its page then make of these rows what a task asks about.
"""

import hashlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import polars as pl

from authbench.errors import InputError
from authbench.ingest.fields import compile_expression, compile_pattern, names, needs
from authbench.ingest.readers import READERS
from authbench.ingest.rows import BadRow, Block, Row, Wanted
from authbench.registry.readers import Reader, make_reader
from authbench.storage.raw_files import RawFile, UnreadableFile, match_files
from authbench.style.datasets import Dataset
from authbench.style.steps import apply

OF_THE_FILE = frozenset({"path", "file_name"})
MOST_BAD = 0.01  # a table with a larger share of unreadable rows is not used


@dataclass(frozen=True)
class Rows:
    """The rows of a dataset after its steps, what was unreadable, and a digest of rows and columns."""

    frame: pl.DataFrame
    bad_rows: int
    digest: str


def missing_files(dataset: Dataset, data: Path) -> str | None:
    """What is said of a dataset whose files are not there, with how to get them; None if they are."""
    for table in tables_of(dataset).values():
        folder = table_folder(dataset, table, data)
        if not match_files(folder, table["files"]):
            acquire = dataset.page["acquire"]
            return f"no file fits {', '.join(table['files'])} in {folder}/. {acquire['where']}: {acquire['how']}"
    return None


def read_rows(dataset: Dataset, data: Path) -> Rows:
    """The rows of a dataset whose files are below `data`.

    Raises InputError where a file cannot be read, lacks a field, or a step does not fit its rows.
    """
    if problem := missing_files(dataset, data):
        raise InputError(f"{dataset.name}: {problem}")
    read = {name: read_table(dataset, table, data) for name, table in tables_of(dataset).items()}
    frame = apply(
        dataset.page.get("steps", []),
        read["rows"][0],
        {name: table for name, (table, _) in read.items()},
        f"config/style/{dataset.name}.yaml",
    )
    digest = hashlib.sha256(frame.write_json().encode()).hexdigest()
    return Rows(frame, sum(bad for _, bad in read.values()), digest)


def tables_of(dataset: Dataset) -> dict[str, Mapping[str, Any]]:
    """The tables of a page by name: `rows` is its own, others stand under `tables`."""
    return {"rows": dataset.page, **dataset.page.get("tables", {})}


def table_folder(dataset: Dataset, table: Mapping[str, Any], data: Path) -> Path:
    return data / str(table.get("folder", dataset.page.get("folder", dataset.name)))


def read_table(dataset: Dataset, table: Mapping[str, Any], data: Path) -> tuple[pl.DataFrame, int]:
    """The rows of one table, a text column per field (null where it has no value), and how many were unreadable."""
    where = f"config/style/{dataset.name}.yaml"
    folder = table_folder(dataset, table, data)
    derived = {
        name: compile_expression(one, f"{where}: derive.{name}") for name, one in table.get("derive", {}).items()
    }
    fields = {name: compile_expression(one, f"{where}: fields.{name}") for name, one in table["fields"].items()}
    pattern = compile_pattern(table["path_fields"], f"{where}: path_fields") if "path_fields" in table else None
    given = OF_THE_FILE | set(pattern.groupindex if pattern else ()) | set(derived)
    every = [*table["fields"].values(), *table.get("derive", {}).values()]
    options = make_reader(table["reader"])
    wanted = Wanted(
        frozenset(name.partition(".")[0] for one in every for name in names(one)) - given,
        {
            f"{where}: fields.{name}": [fields for fields in needs(one) if not fields & given]
            for name, one in table["fields"].items()
        },
    )
    columns: dict[str, list[Any]] = {name: [] for name in fields}
    good = bad = 0
    for relative in match_files(folder, table["files"]):
        for member in RawFile(folder / relative, relative, "").members(table["files"]):
            of_path: Row = {"path": member.relative, "file_name": member.relative.rpartition("/")[2]}
            if pattern and (found := pattern.search(member.relative)):
                of_path.update(found.groupdict())
            for block in blocks(member, options, wanted):
                rows = [{**row, **of_path} for row in block if not isinstance(row, BadRow)]
                good, bad = good + len(rows), bad + len(block) - len(rows)
                for name, values in derived.items():
                    for row, value in zip(rows, values(rows), strict=True):
                        row[name] = value
                for name, values in fields.items():
                    columns[name] += values(rows)
    if bad > MOST_BAD * (good + bad):
        raise InputError(f"{dataset.name}: {bad} of {good + bad} rows below {folder} cannot be read. Check `reader`.")
    return pl.DataFrame({name: list(_plain(values)) for name, values in columns.items()}, strict=False), bad


def blocks(file: RawFile, options: Reader, wanted: Wanted) -> Iterator[Block]:
    """The blocks of rows of a file; one that is empty, or not in its encoding, is one bad row."""
    try:
        yield from READERS[type(options)](file, options, wanted)
    except UnreadableFile as problem:
        yield [BadRow("whole file", str(problem))]


def _plain(values: list[Any]) -> Iterator[Any]:
    """Values as text, or all of them as lists of text where one of them is a list."""
    lists = any(isinstance(value, list) for value in values)
    for value in values:
        if lists:
            yield [str(part) for part in (value if isinstance(value, list) else [value])] if value is not None else None
        else:
            yield None if value is None else str(value)
