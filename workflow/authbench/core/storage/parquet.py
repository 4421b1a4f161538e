"""Read and write the Parquet tables that stages exchange, atomically and with checksums.

`read_*` and `scan_columns` raise InputError if a file was changed. Large tables are read and written in row groups of
bounded size, hence a process holds a group, not the corpus.
"""

import math
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, suppress
from itertools import chain
from pathlib import Path
from typing import BinaryIO, NamedTuple

import numpy as np
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
from numpy.typing import NDArray

from authbench.core.errors import InputError
from authbench.core.storage.atomic import atomic_file
from authbench.core.storage.checksums import Chunk, add_checksums, check_chunks, read_checksums

GROUP_BYTES = 16 << 20
MOST_BYTES = 2 * GROUP_BYTES
_ATTEMPTS = 3
_ROWS = 1 << 17  # of a row group; without it, the parts would follow the number of threads


def write_parquet(frame: pl.DataFrame, path: str | Path) -> None:
    write_batches(path, frame.schema, [frame])


def write_plain_parquet(frame: pl.DataFrame, path: str | Path) -> None:
    """Write a table without checksums, for other readers; equal rows give equal bytes, whatever their memory layout.

    If the caller holds the only reference to the table, a single column at a time is in memory twice. Categories become
    texts while the table is encoded, in parts.
    """
    columns, joined = frame.get_columns(), []
    del frame
    while columns:
        joined.append(columns.pop(0).rechunk())
    with atomic_file(path) as aside:
        pl.LazyFrame(joined).cast({pl.Categorical: pl.String, pl.Enum: pl.String}).sink_parquet(
            aside, compression="zstd", compression_level=1, row_group_size=_ROWS
        )


def write_batches(path: str | Path, schema: pl.Schema, frames: Iterable[pl.DataFrame]) -> None:
    """Write frames one after another as the row groups of a Parquet file."""
    write_parquets({"all": (path, schema)}, ({"all": frame} for frame in frames))


def read_batches(paths: Sequence[str | Path], columns: Sequence[str] | None = None) -> Iterator[pl.DataFrame]:
    """Yield the row groups of the files in the order of the paths; an empty file yields an empty frame."""
    for path in paths:
        with _groups(path, columns) as (groups, read):
            yield from map(read, range(groups.num_row_groups))
        if not groups.num_row_groups:
            yield pl.read_parquet(path, columns=list(columns) if columns else None)


def read_numbered_rows(path: str | Path, rows: NDArray[np.integer], columns: Sequence[str]) -> Iterator[pl.DataFrame]:
    """Yield the rows with these ascending numbers, a frame per row group that contains any; other groups are not read.

    Raises:
        InputError: the file has fewer rows.
    """
    with _groups(path, columns) as (groups, read):
        sizes = [groups.row_group(group).num_rows for group in range(groups.num_row_groups)]
        if len(rows) and rows[-1] >= sum(sizes):
            raise InputError(f"{path} has {sum(sizes)} rows, and row {rows[-1]} of it is asked for; make it anew")
        ends = np.cumsum(sizes)
        for group, (end, size) in enumerate(zip(ends, sizes, strict=True)):
            here = rows[np.searchsorted(rows, end - size) : np.searchsorted(rows, end)]
            if len(here):
                yield read(group)[here - (end - size)]


def read_between(
    paths: Sequence[str | Path], column: str, low: int, high: int, columns: Sequence[str] | None = None
) -> Iterator[pl.DataFrame]:
    """Yield the rows whose value in a column is at least `low` and at most `high`, as `ranges_of`."""
    return ranges_of(paths, column, columns)(low, high)


def ranges_of(
    paths: Sequence[str | Path], column: str, columns: Sequence[str] | None = None
) -> Callable[[int, int], Iterator[pl.DataFrame]]:
    """Return a function that yields the rows whose value in a column is in a range (inclusive), by row group.

    Row groups excluded by their statistics are not read: most of them if the file is sorted by the column. With
    `columns`, the rows have these and that column. Memory: the footers, which are read once, some 4 kB per row group.
    """
    names = [*columns, column] if columns else None
    footers = [_footer(path, names) for path in paths]
    bounds = [list(_bounds(footer.metadata, column)) for footer in footers]

    def between(low: int, high: int) -> Iterator[pl.DataFrame]:
        for path, footer, of_groups in zip(paths, footers, bounds, strict=True):
            wanted = [group for group, (least, most) in enumerate(of_groups) if least <= high and most >= low]
            if wanted:
                with _groups(path, names, footer) as (_, read):
                    yield from (read(group).filter(pl.col(column).is_between(low, high)) for group in wanted)

    return between


def _bounds(metadata: pq.FileMetaData, column: str) -> Iterator[tuple[float, float]]:
    """Yield the least and the greatest value of a column of numbers in each row group, as far as known.

    `metadata.schema` is not used: it and the metadata would hold each other until Python looks for cycles.
    """
    for group in map(metadata.row_group, range(metadata.num_row_groups)):
        chunks = map(group.column, range(group.num_columns))
        known = next(chunk for chunk in chunks if chunk.path_in_schema == column).statistics
        yield (known.min, known.max) if known is not None and known.has_min_max else (-math.inf, math.inf)


def count_rows(path: str | Path) -> int:
    """Return the number of rows of a table; only the footer is read."""
    with _groups(path, []) as (groups, _):
        return int(groups.num_rows)


def split_by_bytes(
    frame: pl.DataFrame, column: str | None = "content", limit: int = GROUP_BYTES
) -> Iterator[pl.DataFrame]:
    """Yield consecutive parts of the frame, each with at most `limit` bytes of text (or a longer row).

    Args:
        column: the text to count; None for the text of all columns and an equal share of other bytes for each row.
    """
    sizes = frame[column].str.len_bytes().fill_null(0).cast(pl.Int64) if column else _row_bytes(frame)
    ends = sizes.cum_sum()
    start = 0
    while start < frame.height:
        before = ends[start - 1] if start else 0
        stop = max(start + 1, int(ends.search_sorted(before + limit, side="right")))
        yield frame.slice(start, stop - start)
        start = stop


def join_small(frames: Iterable[pl.DataFrame]) -> Iterator[pl.DataFrame]:
    """Yield consecutive frames, joined until they hold GROUP_BYTES, to share a row group."""
    waiting: list[pl.DataFrame] = []
    size = 0
    for frame in frames:
        waiting.append(frame)
        size += int(frame.estimated_size())
        if size >= GROUP_BYTES:
            yield pl.concat(waiting)
            waiting, size = [], 0
    if waiting:
        yield pl.concat(waiting)


def read_columns(paths: Sequence[str | Path], columns: Sequence[str] | None = None) -> pl.DataFrame:
    """Return the named columns (by default all) of all files, concatenated in the order of the paths."""
    frames = []
    for path in paths:
        with _checked(path, columns) as file:
            frames.append(_whole(file, columns))
    return pl.concat(frames)


def _whole(file: BinaryIO, columns: Sequence[str] | None) -> pl.DataFrame:
    """Return the named columns of a verified file; retry if polars takes an interrupted call for its end."""
    for _ in range(_ATTEMPTS - 1):
        with suppress(OSError):
            return pl.read_parquet(file, columns=list(columns) if columns else None)
        file.seek(0)
    return pl.read_parquet(file, columns=list(columns) if columns else None)


def scan_columns(paths: Sequence[str | Path], columns: Sequence[str] | None = None) -> pl.LazyFrame:
    """Return the result of `read_columns` as a lazy frame; checksums are verified immediately."""
    for path in paths:
        with _checked(path, columns):
            pass
    frames = pl.concat([pl.scan_parquet(path) for path in paths])
    return frames.select(columns) if columns else frames


def without(frame: pl.DataFrame, removed: Sequence[str | Path | pl.DataFrame]) -> pl.DataFrame:
    """Return the rows whose doc_key is in none of the tables of removed documents, given as paths or frames."""
    for gone in removed:
        keys = gone.select("doc_key") if isinstance(gone, pl.DataFrame) else read_columns([gone], ["doc_key"])
        frame = frame.join(keys, on="doc_key", how="anti", maintain_order="left")
    return frame


def write_parquets(
    outputs: Mapping[str, tuple[str | Path, pl.Schema]], batches: Iterable[Mapping[str, pl.DataFrame]]
) -> None:
    """Write several Parquet files from batches that hold a frame for each; all appear, or none.

    A row group holds at most `MOST_BYTES` (or a longer row).
    """
    with ExitStack() as places, ExitStack() as open_files:
        writers = {}
        for name, (path, schema) in outputs.items():
            arrow = pl.DataFrame(schema=schema).to_arrow().schema
            writers[name] = open_files.enter_context(_writer(places.enter_context(atomic_file(path)), arrow))
        for batch in batches:
            for name, frame in batch.items():
                _append(writers[name], frame.select(outputs[name][1].names()))


def write_frames(path: str | Path, frames: Iterable[pl.DataFrame]) -> None:
    """Write frames of the same schema, at least 1, as the row groups of a Parquet file."""
    waiting = iter(frames)
    first = next(waiting)
    write_parquets({"all": (path, first.schema)}, ({"all": frame} for frame in chain([first], waiting)))


@contextmanager
def _writer(path: Path, schema: pa.Schema) -> Iterator[pq.ParquetWriter]:
    words = [field.name for field in schema if pa.types.is_large_string(field.type)]  # numbers are mostly hashes
    with pq.ParquetWriter(path, schema, compression="zstd", compression_level=1, use_dictionary=words) as writer:
        yield writer
    add_checksums(path)


def _append(writer: pq.ParquetWriter, frame: pl.DataFrame) -> None:
    for part in [frame] if frame.estimated_size() <= MOST_BYTES else split_by_bytes(frame, None, MOST_BYTES):
        if part.height:
            table = part.to_arrow()
            if table.schema != writer.schema:  # casting imports pyarrow.compute
                table = table.cast(writer.schema)
            writer.write_table(table, row_group_size=part.height)


def _row_bytes(frame: pl.DataFrame) -> pl.Series:
    """Return for each row the bytes of its texts plus an equal share of all other bytes."""
    rest = int(frame.select(pl.exclude(pl.String)).estimated_size()) // max(frame.height, 1) + 1
    texts = pl.col(pl.String).str.len_bytes().fill_null(0).cast(pl.Int64)
    return frame.select(pl.sum_horizontal(pl.repeat(rest, pl.len(), dtype=pl.Int64), texts)).to_series()


class _Footer(NamedTuple):
    """Hold the metadata of a file's row groups, and the column chunks of each."""

    metadata: pq.FileMetaData
    chunks: Mapping[int, list[Chunk]]


def _footer(path: str | Path, columns: Sequence[str] | None) -> _Footer:
    """Read and verify the footer of a file of which these columns are read."""
    with Path(path).open("rb") as file:
        chunks = defaultdict(list)
        for chunk in _chunks_of(read_checksums(file), columns):
            chunks[chunk.group].append(chunk)
        return _Footer(pq.read_metadata(file), chunks)


@contextmanager
def _groups(
    path: str | Path, columns: Sequence[str] | None, footer: _Footer | None = None
) -> Iterator[tuple[pq.FileMetaData, Callable[[int], pl.DataFrame]]]:
    """Yield the footer's metadata of the row groups, and a function that verifies and returns a group by number."""
    metadata, chunks = footer or _footer(path, columns)
    with Path(path).open("rb") as file, pq.ParquetFile(file, metadata=metadata) as parquet:

        def read(group: int) -> pl.DataFrame:
            check_chunks(file, chunks[group])
            return pl.DataFrame(parquet.read_row_group(group, columns=list(columns) if columns else None))

        yield metadata, read


@contextmanager
def _checked(path: str | Path, columns: Sequence[str] | None) -> Iterator[BinaryIO]:
    """Yield the open file after verifying the columns."""
    with Path(path).open("rb") as file:
        check_chunks(file, _chunks_of(read_checksums(file), columns))
        file.seek(0)
        yield file


def _chunks_of(chunks: Iterable[Chunk], columns: Sequence[str] | None) -> list[Chunk]:
    """Return the chunks that a reader of these columns reads; the chunks of a nested column are named `column.…`."""
    if columns is None:
        return list(chunks)
    return [
        chunk
        for chunk in chunks
        if any(chunk.column == name or chunk.column.startswith(f"{name}.") for name in columns)
    ]
