"""Add fields from tables next to raw files to the files' rows, such as users to their posts."""

import logging
from collections.abc import Mapping
from pathlib import Path, PurePosixPath
from typing import NamedTuple

import numpy as np
import pyarrow as pa

from authbench.config.registry.readers import Reader
from authbench.config.registry.source_entry import Beside
from authbench.core.arrays import I64
from authbench.core.errors import InputError
from authbench.core.storage.raw_files import MAX_RECORD_BYTES, RawFile
from authbench.core.storage.raw_paths import matches
from authbench.release.reading.readers import READERS
from authbench.release.reading.rows import BadRow, Block, Row, Wanted
from authbench.release.reading.units import Units

LOG = logging.getLogger(__name__)


class _Table(NamedTuple):
    """The numeric keys of a table's rows, ascending, and the values of each field in that order."""

    keys: I64
    values: Mapping[str, pa.LargeStringArray]


class TablesBeside:
    """The tables of a source; only the last file's folder is in memory.

    Memory: 8 bytes plus the values per table row, twice that during reading.
    """

    def __init__(
        self,
        beside: Beside | None,
        reader: Reader,
        folder: Path,
        files: Mapping[str, str],
        max_record_bytes: int = MAX_RECORD_BYTES,
    ) -> None:
        self.beside, self.reader, self.folder, self.files = beside, reader, folder, files
        self.max_record_bytes = max_record_bytes
        self.path_of = {PurePosixPath(path).parent: path for path in sorted(files) if is_beside(path, beside)}
        self._held: tuple[str, _Table] | None = None

    def add_fields(self, relative: str, block: Block) -> None:
        """Add the fields of a file's table to its rows; rows missing in the table are unchanged.

        Raises:
            InputError: the table lacks the key, or contains it twice.
        """
        path = self.path_of.get(PurePosixPath(relative).parent)
        if self.beside is None or path is None:
            return
        if self._held is None or self._held[0] != path:
            self._held = None
            self._held = path, self._read(path, self.beside)
        table, by = self._held[1], self.beside.by
        asking = [
            (row, number)
            for row in block
            if not isinstance(row, BadRow) and (number := _number(row.get(by))) is not None
        ]
        if not asking or not len(table.keys):
            return
        wanted = np.array([number for _, number in asking], np.int64)
        places = np.minimum(np.searchsorted(table.keys, wanted), len(table.keys) - 1)
        known = table.keys[places] == wanted
        for name, column in table.values.items():
            for (row, _), value, there in zip(asking, column.take(pa.array(places)).to_pylist(), known, strict=True):
                if there and value is not None:
                    row[name] = value

    def _read(self, path: str, beside: Beside) -> _Table:
        file = RawFile(self.folder / path, path, self.files[path], max_record_bytes=self.max_record_bytes)
        keys: list[I64] = [np.empty(0, np.int64)]
        parts: dict[str, list[pa.LargeStringArray]] = {
            name: [pa.array([], pa.large_string())] for name in beside.fields
        }
        bad, met = 0, False
        for block in READERS[type(self.reader)](
            file, self.reader, Wanted([beside.key, *beside.fields.values()]), Units()
        ):
            rows = [row for row in block if not isinstance(row, BadRow)]
            met = met or any(beside.key in row for row in rows)
            numbered = [(number, row) for row in rows if (number := _number(row.get(beside.key))) is not None]
            bad += len(block) - len(rows)
            keys.append(np.array([number for number, _ in numbered], np.int64))
            for name, theirs in beside.fields.items():
                parts[name].append(pa.array([_text(row, theirs) for _, row in numbered], pa.large_string()))
        if not met:
            raise InputError(f"{path}: no row has the field '{beside.key}'; see `beside` in the source's YAML.")
        found = np.concatenate(keys)
        order = np.argsort(found, kind="stable")
        found = found[order]
        if len(twice := found[1:][found[1:] == found[:-1]]):
            raise InputError(f"{path}: two rows have the {beside.key} {twice[0]}; fetch the file again.")
        if bad:
            LOG.warning("%s: %d rows cannot be read; what they say is not added to any row", path, bad)
        by_order = pa.array(order)
        return _Table(found, {name: pa.concat_arrays(column).take(by_order) for name, column in parts.items()})


def is_beside(path: str, beside: Beside | None) -> bool:
    """Return whether a file of a source is such a table instead of a file of records."""
    return beside is not None and matches(path, [f"**/{beside.file}"])


def _number(value: object) -> int | None:
    """Return an integer of at most 18 digits, or None."""
    text = value if isinstance(value, str) else str(value) if isinstance(value, int) else ""
    return int(text) if text.isascii() and text.isdecimal() and len(text) <= 18 else None


def _text(row: Row, name: str) -> str | None:
    value = row.get(name)
    return None if value is None else str(value)
