"""Tables as the Parquet shards of a Hugging Face folder."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq

from authbench.storage.atomic import sha256_of_file
from authbench.storage.parquet import split_by_bytes

SHARD_BYTES = 256 << 20  # of a table's columns in memory
GROUP_BYTES = 16 << 20
_PLAIN = {
    pl.String: pa.string(),
    pl.Boolean: pa.bool_(),
    pl.Int32: pa.int32(),
    pl.Int64: pa.int64(),
    pl.Float32: pa.float32(),
    pl.Float64: pa.float64(),
}


@dataclass(frozen=True)
class Shard:
    """A Parquet file: its path in the folder, its size in bytes and its SHA-256."""

    path: str
    size: int
    sha256: str


@dataclass(frozen=True)
class ParquetTable:
    """A split of a configuration as it was written: `bytes` are those of its columns in memory."""

    config: str
    split: str
    schema: pl.Schema
    rows: int
    bytes: int
    shards: tuple[Shard, ...]


def write_table(
    folder: Path, config: str, split: str, schema: pl.Schema, frames: Iterable[pl.DataFrame]
) -> ParquetTable:
    """Write frames as `data/<config>/<split>-00000-of-00001.parquet`, a new file after every SHARD_BYTES.

    Memory: one frame. Equal frames give equal bytes.
    """
    place = folder / "data" / config
    place.mkdir(parents=True, exist_ok=True)
    arrow = pa.schema([pa.field(name, _plain(kind)) for name, kind in schema.items()])
    asides: list[Path] = []
    rows = size = 0
    parts = (part for frame in frames for part in split_by_bytes(frame, None, GROUP_BYTES))
    waiting = next(parts, None)
    while waiting is not None or not asides:
        asides.append(place / f".{split}-{len(asides):05d}")
        with pq.ParquetWriter(asides[-1], arrow, compression="zstd", compression_level=3) as writer:
            shard = 0
            while waiting is not None and shard < SHARD_BYTES:
                writer.write_table(waiting.to_arrow().cast(arrow), row_group_size=waiting.height)
                rows, shard = rows + waiting.height, shard + int(waiting.estimated_size())
                waiting = next(parts, None)
        size += shard
    return ParquetTable(config, split, schema, rows, size, tuple(_named(folder, split, asides)))


def _named(folder: Path, split: str, asides: Sequence[Path]) -> Iterator[Shard]:
    """Give the files their names, which say how many there are."""
    for number, aside in enumerate(asides):
        path = aside.with_name(f"{split}-{number:05d}-of-{len(asides):05d}.parquet")
        aside.replace(path)
        yield Shard(path.relative_to(folder).as_posix(), path.stat().st_size, sha256_of_file(path))


def _plain(kind: Any) -> pa.DataType:
    """Return the Arrow type of a column, with 32-bit offsets, which every reader knows."""
    return pa.list_(_plain(kind.inner)) if isinstance(kind, pl.List) else _PLAIN[kind.base_type()]
