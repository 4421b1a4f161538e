"""Read rows of known types from a CSV file of a user-supplied release."""

import types
from pathlib import Path
from typing import Any, TypeVar, get_args, get_origin, get_type_hints

import polars as pl

from authbench.core.errors import InputError
from authbench.core.printable import printable
from authbench.release.reading.foreign import bad_rows_note, read_foreign, text_column

Row = TypeVar("Row")
_KINDS: dict[type, pl.DataType] = {str: pl.String(), int: pl.Int64(), float: pl.Float64(), bool: pl.String()}
_TRUTH = {"true": True, "false": False, None: None}


def read_rows(path: Path, kind: type[Row]) -> list[Row]:
    """Return the rows of a CSV file with the columns of a TypedDict; other columns are ignored.

    Raises:
        InputError: the file is missing, is unreadable or lacks a column, or a value has another type.
    """
    declared = {name: _type(hint) for name, hint in get_type_hints(kind).items()}
    read = read_foreign(path, declared.__contains__, "utf-8")
    if read.bad:
        raise InputError(f"{bad_rows_note(path, read.bad)}. Expected a table as AuthBench writes it.")
    if not read.rows:
        return []
    if lacking := [name for name in declared if name not in read.columns]:
        names = ", ".join(printable(name[:40]) for name in read.names[:20])
        raise InputError(f"{path}: has no column {', '.join(lacking)}; it has {names or 'none'}.")
    columns = [_column(path, name, read.columns[name], *declared[name]) for name in declared]
    rows: Any = [dict(zip(declared, values, strict=True)) for values in zip(*columns, strict=True)]
    found: list[Row] = rows
    return found


def _type(hint: Any) -> tuple[type, bool]:
    """Return the type of a field, and whether it may be empty."""
    several = [one for one in get_args(hint) if one is not type(None)] if get_origin(hint) is types.UnionType else []
    return (several[0], True) if several else (hint, False)


def _column(path: Path, name: str, values: list[object], kind: type, may_be_empty: bool) -> list[object]:
    texts = text_column(path, name, values, True).replace("", None)
    if not may_be_empty and texts.null_count():
        raise InputError(f"{path}: the column {name} is empty in row {texts.is_null().arg_true()[0] + 1}.")
    found: list[object] = texts.cast(_KINDS[kind], strict=False).to_list()
    wrong = [text for text, value in zip(texts, found, strict=True) if (text is None) != (value is None)]
    wrong += [text for text in texts if text not in _TRUTH] if kind is bool else []
    if wrong:
        raise InputError(f"{path}: {wrong[0]!a:.40} in the column {name} is no {kind.__name__}.")
    return [_TRUTH[text] for text in texts] if kind is bool else found
