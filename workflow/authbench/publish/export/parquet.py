"""Write tables as the Parquet shards of a Hugging Face folder."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq

from authbench.core.storage.atomic import sha256_of_file
from authbench.core.storage.parquet import split_by_bytes

SHARD_BYTES = 256 << 20  # of a table's columns in memory
GROUP_BYTES = 16 << 20
TYPES: dict[object, str] = {  # the names of types in Arrow and on the hub
    pl.String: "string",
    pl.Boolean: "bool",
    pl.Int32: "int32",
    pl.Int64: "int64",
    pl.Float32: "float32",
    pl.Float64: "float64",
}


@dataclass(frozen=True)
class Shard:
    """A Parquet file: its path in the folder, its size in bytes and its SHA-256."""

    path: str
    size: int
    sha256: str


@dataclass(frozen=True)
class ParquetTable:
    """A written split of a configuration: `bytes` is the size of its columns in memory."""

    config: str
    split: str
    schema: pl.Schema
    rows: int
    bytes: int
    shards: tuple[Shard, ...]


class TableWriter:
    """Writer of frames to `data/<config>/<split>-00000-of-00001.parquet`, with a new file after every SHARD_BYTES.

    Memory: a frame. Equal frames give equal bytes.
    """

    def __init__(self, folder: Path, config: str, split: str, schema: pl.Schema) -> None:
        self._table = (folder, config, split, schema)
        self._place = folder / "data" / config
        self._place.mkdir(parents=True, exist_ok=True)
        self._arrow = pa.schema([pa.field(name, _plain(kind)) for name, kind in schema.items()])
        self._asides: list[Path] = []
        self._writer: pq.ParquetWriter | None = None
        self._rows = self._size = self._shard = 0

    def add(self, frame: pl.DataFrame) -> None:
        for part in split_by_bytes(frame, None, GROUP_BYTES):
            if self._writer is None or self._shard >= SHARD_BYTES:
                self._next_shard()
            self._writer.write_table(part.to_arrow().cast(self._arrow), row_group_size=part.height)  # type: ignore[union-attr]
            self._rows += part.height
            self._shard += int(part.estimated_size())

    def close(self) -> ParquetTable:
        """Give the files their final names; a table without rows also has a file."""
        if self._writer is None:
            self._next_shard()
        self._end_shard()
        folder, config, split, schema = self._table
        shards = tuple(_named(folder, split, self._asides))
        return ParquetTable(config, split, schema, self._rows, self._size, shards)

    def _next_shard(self) -> None:
        self._end_shard()
        self._asides.append(self._place / f".{self._table[2]}-{len(self._asides):05d}")
        self._writer = pq.ParquetWriter(self._asides[-1], self._arrow, compression="zstd", compression_level=3)

    def _end_shard(self) -> None:
        if self._writer is not None:
            self._writer.close()
        self._size, self._shard = self._size + self._shard, 0


def write_table(
    folder: Path, config: str, split: str, schema: pl.Schema, frames: Iterable[pl.DataFrame]
) -> ParquetTable:
    """Write frames as a table (see TableWriter). Memory: a frame."""
    table = TableWriter(folder, config, split, schema)
    for frame in frames:
        table.add(frame)
    return table.close()


def _named(folder: Path, split: str, asides: Sequence[Path]) -> Iterator[Shard]:
    for number, aside in enumerate(asides):
        path = aside.with_name(f"{split}-{number:05d}-of-{len(asides):05d}.parquet")
        aside.replace(path)
        yield Shard(path.relative_to(folder).as_posix(), path.stat().st_size, sha256_of_file(path))


def _plain(kind: object) -> pa.DataType:
    """Return the Arrow type of a column, with 32-bit offsets, which every reader supports."""
    return pa.list_(_plain(kind.inner)) if isinstance(kind, pl.List) else pa.type_for_alias(TYPES[kind])
