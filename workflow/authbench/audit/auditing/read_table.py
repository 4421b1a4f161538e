"""Read tables with columns of authors and texts, in any form that `reading.foreign` reads, and STEB's JSON lines."""

from collections.abc import Mapping, Sequence
from pathlib import Path

import polars as pl

from authbench.audit.auditing.dataset import ALL, Dataset, Source, as_documents, unique_ids
from authbench.core.errors import InputError
from authbench.core.printable import printable
from authbench.core.storage.raw_files import EmptyFile
from authbench.release.format.hub import stated_configs
from authbench.release.reading.column_names import NAMES, guess_columns
from authbench.release.reading.foreign import ForeignTable, bad_rows_note, read_foreign, text_column

DIFF = "diff.jsonl"  # the removals of a clean version
IDENTS = ("author", "id", "split", "origin", "item", "account")  # columns in which values must not be merged
_SPLITS = ("train", "training", "dev", "development", "val", "valid", "validation", "test", "testing")
STEB, TABLE = "STEB JSON lines", "table"


def read_tables(
    path: Path,
    files: Sequence[Path],
    columns: Mapping[str, str],
    encoding: str | None = None,
    config: str | None = None,
    most: int | None = None,
) -> Dataset:
    """Read files as a dataset; a file with the name of a split is that split (`train.csv`, `test-00000.parquet`).

    Among several files, empty files and files without a column of authors or texts are skipped and noted.

    Args:
        path: the path that the user gave, for errors.
        columns: the tables' names of columns, by our names; all others are found by NAMES.
        encoding: of texts; None: as `foreign.encoding_of` finds.
        config: the configuration to use: of the dataset's README.md, or a folder if files of a split are in several
            folders.
        most: how many rows of each split are read; None: all.

    Raises:
        InputError: a file cannot be read, lacks a column, or a split is in several folders.
    """
    splits = splits_of_files(path, files, config)
    left = dict.fromkeys(splits.values(), most)
    parts: list[pl.DataFrame] = []
    notes: dict[str, None] = {}
    unreadable: list[str] = []
    steb = False
    places: dict[str, list[Path]] = {}
    passed_over: list[InputError] = []
    for file in splits:
        if left[splits[file]] == 0:
            continue
        label = printable(str(file.relative_to(path)) if path.is_dir() else file.name)
        try:
            table = _read(file, columns, encoding, left[splits[file]])
            own = _columns(file, table, columns)
        except _PassedOver as problem:
            passed_over.append(problem)
            notes[f"Passed over {label}: it {problem.why}."] = None
            continue
        places[label] = [file]
        steb |= "is_query" in table.columns and "label" in table.columns
        chosen = pl.DataFrame(
            [
                text_column(file, theirs, table.columns[theirs], ours in IDENTS).alias(ours)
                for ours, theirs in own.items()
            ]
        )
        if "is_query" in table.columns:
            said = text_column(file, "is_query", table.columns["is_query"], False)
            asks = said.str.to_lowercase().is_in(["true", "1"]).fill_null(False)
            chosen = chosen.with_columns(query=asks, candidate=~asks)
        if "lang" not in own:
            notes["No column of languages: langid's guess stands for them."] = None
        read_as = ", ".join(f"{ours}: {theirs}" for ours, theirs in sorted(own.items()))
        notes[f"Read as {read_as}{''.join(f'; {one}' for one in table.assumed)}."] = None
        if (room := left[splits[file]]) is not None:
            left[splits[file]] = room - len(table.rows) - len(table.bad)
            if left[splits[file]] == 0:
                notes[
                    f"Of {label if splits[file] == ALL else splits[file]} the first {most:,} rows were read (--rows)."
                ] = None
        if table.bad:
            notes[bad_rows_note(file, table.bad)] = None
            unreadable += [f"{label} {one.position}" for one in table.bad]
        chosen = chosen.with_columns(place=pl.lit(label), row=pl.Series(table.rows, dtype=pl.Int64))
        if "split" not in chosen.columns:
            chosen = chosen.with_columns(split=pl.lit(splits[file]))
        if "id" not in chosen.columns:
            prefix = f"{label}:" if len(splits) > 1 else "row "
            chosen = chosen.with_columns(id=pl.format("{}{}", pl.lit(prefix), pl.col("row") + 1))
        parts.append(as_documents(chosen))
    if not parts:
        raise passed_over[0]
    documents = pl.concat(parts)
    if steb:
        side = pl.when("query").then(pl.lit("query")).otherwise(pl.lit("target"))
        documents = documents.with_columns(
            unit=pl.when(pl.col("author").is_not_null()).then(pl.format("{}/{}/{}", "split", "author", side))
        )
        notes["The texts of a label on one side count as one text, as STEB pools their vectors."] = None
    form = STEB if steb else TABLE
    source = Source(path, form, places, encoding)
    return unique_ids(Dataset(form, documents, notes=tuple(notes), sources=(source,), unreadable=tuple(unreadable)))


class _PassedOver(InputError):
    """A table is empty, or lacks a column of authors or of texts: `why`, after its name."""

    def __init__(self, message: str, why: str) -> None:
        super().__init__(message)
        self.why = why


def splits_of_files(path: Path, files: Sequence[Path], config: str | None) -> dict[Path, str]:
    """Return the files of a configuration with their splits.

    Datasets of Hugging Face state configurations in README.md, or have them in folders.
    """
    found = stated_configs(path) if path.is_dir() else {}
    stated = {name: splits for name, splits in found.items() if splits.keys() & set(files)}
    if config is None and len(stated) == 1:
        (config,) = stated
    if config is not None:
        in_folders = [file for file in files if config in file.relative_to(path).parts[:-1]] if path.is_dir() else []
        chosen = [file for file in files if file in stated.get(config, {})] or in_folders
        if not chosen:
            known = f" README.md states {', '.join(map(printable, stated))}." if stated else ""
            raise InputError(f"{path}: has no configuration and no folder of tables called {config}.{known}")
        named = stated.get(config, {})
        return {file: printable(named.get(file) or _split_of(file, len(chosen) > 1)) for file in chosen}
    split_of = {
        file: _split_of(file, len(files) > 1, file.parent.name if file.parent != path else "") for file in files
    }
    folders: dict[str, set[Path]] = {}
    for file, split in split_of.items():
        folders.setdefault(split, set()).add(file.parent)
    several = sorted(set().union(*(found for found in folders.values() if len(found) > 1)))
    if several:
        names = ", ".join(folder.name for folder in several)
        raise InputError(
            f"{path}: tables of one name lie in several folders: {names}. They are configurations, or parts, of a "
            f"dataset; choose one by --config {several[0].name}, or name the folders one after another."
        )
    return split_of


def _split_of(file: Path, several: bool, folder: str = "") -> str:
    for name in (file.name.lower().split(".")[0].split("-")[0], folder.lower() if several else ""):
        if name in _SPLITS:
            return {"training": "train", "development": "dev", "testing": "test"}.get(name, name)
    return printable(file.name.split(".")[0]) if several else ALL


def _columns(file: Path, table: ForeignTable, given: Mapping[str, str]) -> dict[str, str]:
    """Return the table's name of each of our columns that it has.

    Raises:
        InputError: two columns differ only in case, or a given column does not exist.
    """
    lowered: dict[str, str] = {}
    for name in table.columns:
        if (other := lowered.setdefault(name.strip().lower(), name)) != name:
            raise InputError(f"{file}: has the columns {other!a} and {name!a}. Name the one that counts by --column.")
    for ours in filter(given.__contains__, NAMES):
        if given[ours] not in table.columns:
            raise InputError(f"{file}: has no column {given[ours]}. It has {_listed(table)}.")
    found = guess_columns(list(table.columns), given)
    missing = [ours for ours in ("author", "content") if ours not in found]
    if missing:
        cure = " ".join(f"--column {ours}=NAME" for ours in missing)
        raise _PassedOver(
            f"{file}: no column is surely the {' and '.join(missing)}. It has {_listed(table)}. Give {cure}.",
            f"has no column of {' and '.join(missing)}",
        )
    return found


def _listed(table: ForeignTable) -> str:
    return ", ".join(printable(name[:40]) for name in table.names)[:400] or "none"


def _read(file: Path, given: Mapping[str, str], encoding: str | None, most: int | None) -> ForeignTable:
    """Return the columns of a file that may be ours. Raises InputError for a file without rows."""
    wanted = {other for others in NAMES.values() for other in others} | {"is_query"}
    numbered = bool(given) and all(name.isdecimal() for name in given.values())

    def keep(name: str) -> bool:
        return name in given.values() or name.strip().lower() in wanted

    try:
        table = read_foreign(file, keep, encoding, numbered, "--encoding", most)
    except EmptyFile as problem:
        raise _PassedOver(str(problem), "is empty") from None
    expected = "Expected a table with a column of authors and one of texts."
    if table.bad and not table.rows:
        raise InputError(f"{file}: none of its rows can be read. {expected}")
    if not table.rows:
        raise _PassedOver(f"{file}: is empty. {expected}", "is empty")
    return table
