"""Read the files of a dataset as rows.

Readers and field expressions are the same as for sources (`build.ingest`); the entry's steps then derive the rows
for tasks.
"""

import hashlib
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TypeAlias

import polars as pl

from authbench.build.ingest.blocks import FILE_IS_TEXT
from authbench.build.ingest.fields import compile_expression, compile_pattern, needs
from authbench.config.registry.expressions import FILE_FIELDS, names
from authbench.config.registry.readers import Reader
from authbench.core.errors import InputError
from authbench.core.storage.raw_files import RawFile, UnreadableFile
from authbench.core.storage.raw_paths import match_files
from authbench.release.reading.characters import whole_characters
from authbench.release.reading.readers import READERS
from authbench.release.reading.rows import BadRow, Block, Row, Wanted
from authbench.suites.style.entries import Dataset, DatasetTable
from authbench.suites.style.steps import apply

TableKey: TypeAlias = tuple[str, str]  # folder and reader
ReadTable: TypeAlias = tuple[pl.DataFrame, int]  # rows, and the number of unreadable records
MOST_BAD = 0.01  # a table with a larger share of unreadable rows is rejected


@dataclass(frozen=True)
class Rows:
    """The rows of a dataset after its steps, the number of unreadable rows, and a digest of rows and columns.

    `steb` contains the rows of STEB's protocol, if requested and available for the dataset; else `not_in_steb` gives
    the reason.
    """

    frame: pl.DataFrame
    bad_rows: int
    digest: str
    steb: "Rows | None" = None
    not_in_steb: str = "STEB does not have it"


def missing_files(dataset: Dataset, data: Path) -> str | None:
    """Return which files of a dataset are missing and how to get them; None if complete."""
    for table in dataset.all_tables.values():
        folder = data / dataset.folder(table)
        if not match_files(folder, table.files):
            return f"no file fits {', '.join(table.files)} in {folder}/. {dataset.acquire.where}: {dataset.acquire.how}"
    return None


def read_dataset(dataset: Dataset, data: Path) -> Rows:
    """Return the rows of a dataset whose files are below `data`, for both protocols.

    Raises:
        InputError: a file is unreadable or lacks a field, or a step does not fit the rows.
    """
    return read_datasets([dataset], data)[dataset.name]


def read_datasets(datasets: Sequence[Dataset], data: Path, steb: bool = True) -> dict[str, Rows]:
    """Return the rows of datasets by name, with the rows of STEB's protocol if `steb`.

    A table shared by several datasets is read once and kept until its last use.

    Raises:
        InputError: a file is missing, unreadable or lacks a field, or a step does not fit the rows.
    """
    forms = {one.name: [one, *([one.in_steb] if steb and one.in_steb else [])] for one in datasets}
    waiting = Counter(key for takers in forms.values() for one in takers for key in _table_keys(one).values())
    read: dict[TableKey, ReadTable] = {}
    found = {}
    for dataset in datasets:
        found[dataset.name] = _read(dataset, data, read, steb)
        waiting.subtract(key for one in forms[dataset.name] for key in _table_keys(one).values())
        read = {key: table for key, table in read.items() if waiting[key]}
    return found


def _read(dataset: Dataset, data: Path, read: dict[TableKey, ReadTable], steb: bool) -> Rows:
    if problem := missing_files(dataset, data):
        raise InputError(f"{dataset.name}: {problem}")
    theirs = dataset.in_steb
    found = _derived(dataset, data, read)
    if theirs is None or not steb:
        return found
    if theirs is not dataset and (problem := missing_files(theirs, data)):
        return replace(found, not_in_steb=problem)
    return replace(found, steb=found if theirs is dataset else _derived(theirs, data, read))


def _table_keys(dataset: Dataset) -> dict[str, TableKey]:
    return {name: (dataset.folder(table), repr(table)) for name, table in dataset.all_tables.items()}


def _derived(dataset: Dataset, data: Path, read: dict[TableKey, ReadTable]) -> Rows:
    """Return the rows of a dataset after its steps; `read` caches tables for other datasets."""
    tables = {}
    for name, key in _table_keys(dataset).items():
        tables[name] = read[key] = read.get(key) or _read_table(dataset, dataset.all_tables[name], data)
    frames = {name: frame for name, (frame, _) in tables.items()}
    frame = apply(dataset.steps, frames["rows"], frames, f"config/style/{dataset.name}.yaml")
    digest = hashlib.sha256(frame.write_json().encode()).hexdigest()
    return Rows(frame, sum(bad for _, bad in tables.values()), digest)


def _read_table(dataset: Dataset, table: DatasetTable, data: Path) -> ReadTable:
    """Return the rows of a table, a text column per field, null if missing, and the number of unreadable records.

    Halves of surrogate pairs become U+FFFD.
    """
    where = f"config/style/{dataset.name}.yaml"
    folder = data / dataset.folder(table)
    derived = {name: compile_expression(one, f"{where}: derive.{name}") for name, one in table.derive.items()}
    fields = {name: compile_expression(one, f"{where}: fields.{name}") for name, one in table.fields.items()}
    pattern = compile_pattern(table.path_fields, f"{where}: path_fields") if table.path_fields else None
    given = FILE_FIELDS | set(pattern.groupindex if pattern else ()) | set(derived)
    every = [*table.fields.values(), *table.derive.values()]
    wanted = Wanted(
        frozenset(name.partition(".")[0] for one in every for name in names(one)) - given,
        {
            f"{where}: fields.{name}": [fields for fields in needs(one) if not fields & given]
            for name, one in table.fields.items()
        },
    )
    columns: dict[str, list[object]] = {name: [] for name in fields}
    good = bad = 0
    first = ""
    for relative in match_files(folder, table.files):
        for member in RawFile(folder / relative, relative, "").members(table.files):
            of_path: Row = {"path": member.relative, "file_name": member.relative.rpartition("/")[2]}
            if pattern and (found := pattern.search(member.relative)):
                of_path.update(found.groupdict())
            for block in _blocks(member, table.reader, wanted):
                rows = [{**row, **of_path} for row in block if not isinstance(row, BadRow)]
                good, bad = good + len(rows), bad + len(block) - len(rows)
                if not first and len(rows) < len(block):
                    [problem, *_] = (row for row in block if isinstance(row, BadRow))
                    first = f"{member.relative}, {problem.position}: {problem.reason}"
                for name, values in derived.items():
                    for row, value in zip(rows, values(rows), strict=True):
                        row[name] = value
                for name, values in fields.items():
                    columns[name] += values(rows)
    if bad > MOST_BAD * (good + bad):
        raise InputError(
            f"{dataset.name}: {bad} of {good + bad} rows below {folder} cannot be read. "
            f"The first: {first.rstrip('.')}. Check `reader` in {where}."
        )
    return pl.DataFrame([_column(where, *column) for column in columns.items()]), bad


def _blocks(file: RawFile, options: Reader, wanted: Wanted) -> Iterator[Block]:
    """Yield the blocks of rows of a file; an empty or wrongly encoded file of a single text counts as a bad row."""
    try:
        yield from READERS[type(options)](file, options, wanted)
    except UnreadableFile as problem:
        if not isinstance(options, FILE_IS_TEXT):
            raise
        yield [BadRow("whole file", str(problem))]


def _column(where: str, name: str, values: list[object]) -> pl.Series:
    """Return values as text, or all as lists of text if any value is a list.

    Raises:
        InputError: a value is an object.
    """
    if any(isinstance(part, dict) for value in values for part in (value if isinstance(value, list) else [value])):
        raise InputError(f"{where}: fields.{name} is of objects. Expected text; name a field of theirs.")
    if not any(isinstance(value, list) for value in values):
        return pl.Series(name, [None if value is None else _as_text(value) for value in values], pl.String)
    lists = (value if isinstance(value, list) or value is None else [value] for value in values)
    parts = [None if value is None else list(map(_as_text, value)) for value in lists]
    return pl.Series(name, parts, pl.List(pl.String))


def _as_text(value: object) -> str:
    return whole_characters(str(value))
