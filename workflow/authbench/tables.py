"""How do tables and files reach the disk, whole or not at all?

Every file is written under a temporary name beside its place and renamed when it is complete. Large tables
are read and written in row groups bounded in bytes, so that a process holds one group, not the corpus.
"""

import json
import shutil
import uuid
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from itertools import chain
from pathlib import Path
from typing import Any

import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq

GROUP_BYTES = 16 << 20


@contextmanager
def whole(path: str | Path) -> Iterator[Path]:
    """Give a temporary path beside `path`; rename it there when the block ends well, remove it otherwise."""
    path = Path(path)
    path.parent.mkdir(parents=True, exist_ok=True)
    aside = path.with_name(f".{path.name}.{uuid.uuid4().hex}")
    try:
        yield aside
        aside.replace(path)
    finally:
        aside.unlink(missing_ok=True)


@contextmanager
def whole_folder(path: str | Path) -> Iterator[Path]:
    """Give an empty temporary folder beside `path`; it takes the place of `path` when the block ends well."""
    path = Path(path)
    aside, before = (path.with_name(f".{path.name}.{uuid.uuid4().hex}") for _ in range(2))
    aside.mkdir(parents=True)
    try:
        yield aside
        if path.exists():
            path.replace(before)
        aside.replace(path)
    finally:
        for leftover in (aside, before):
            shutil.rmtree(leftover, ignore_errors=True)


def write_text(path: str | Path, text: str) -> None:
    with whole(path) as aside:
        aside.write_text(text, encoding="utf-8", newline="")


def write_json(path: str | Path, value: Any) -> None:
    write_text(path, json.dumps(value, ensure_ascii=False, indent=2, sort_keys=True) + "\n")


def read_json(path: str | Path) -> Any:
    return json.loads(Path(path).read_text(encoding="utf-8"))


def write_parquet(frame: pl.DataFrame, path: str | Path) -> None:
    with whole(path) as aside:
        frame.write_parquet(aside, compression="zstd", compression_level=3)


def write_batches(path: str | Path, schema: pl.Schema, frames: Iterable[pl.DataFrame]) -> None:
    """Write frames one after another as the row groups of one Parquet file."""
    write_parquets({"all": (path, schema)}, ({"all": frame} for frame in frames))


def read_batches(paths: Sequence[str | Path], columns: Sequence[str] | None = None) -> Iterator[pl.DataFrame]:
    """The row groups of the files, one frame at a time, in the order of the paths; an empty file is an empty frame."""
    for path in paths:
        with pq.ParquetFile(path) as parquet:
            for group in range(parquet.num_row_groups):
                table = parquet.read_row_group(group, columns=None if columns is None else list(columns))
                yield pl.from_arrow(table)  # type: ignore[misc]
            if not parquet.num_row_groups:
                yield pl.read_parquet(path, columns=list(columns) if columns else None)


def split_by_bytes(frame: pl.DataFrame, column: str = "content", limit: int = GROUP_BYTES) -> Iterator[pl.DataFrame]:
    """Consecutive parts of the frame, each with at most `limit` bytes of text (or one longer row)."""
    if not frame.height:
        return
    sizes = frame[column].str.len_bytes().fill_null(0).to_numpy()
    start, held = 0, 0
    for row, size in enumerate(sizes):
        if row > start and held + size > limit:
            yield frame.slice(start, row - start)
            start, held = row, 0
        held += int(size)
    yield frame.slice(start)


def read_columns(paths: Sequence[str | Path], columns: Sequence[str] | None = None) -> pl.DataFrame:
    """The named columns (all of them, if none is named) of all files, stacked in the order of the paths."""
    return pl.concat([pl.read_parquet(path, columns=list(columns) if columns else None) for path in paths])


def without(frame: pl.DataFrame, removed: Sequence[str | Path]) -> pl.DataFrame:
    """The rows whose doc_key is in none of the files of removed documents."""
    for path in removed:
        frame = frame.join(pl.read_parquet(path, columns=["doc_key"]), on="doc_key", how="anti", maintain_order="left")
    return frame


def write_parquets(
    outputs: Mapping[str, tuple[str | Path, pl.Schema]], batches: Iterable[Mapping[str, pl.DataFrame]]
) -> None:
    """Write several Parquet files side by side from batches that hold a frame for each; all appear, or none."""
    with ExitStack() as stack:
        writers = {}
        for name, (path, schema) in outputs.items():
            arrow = pl.DataFrame(schema=schema).to_arrow().schema
            aside = stack.enter_context(whole(path))
            writers[name] = stack.enter_context(_writer(aside, arrow))
        for batch in batches:
            for name, frame in batch.items():
                _append(writers[name], frame.select(outputs[name][1].names()))


def write_frames(path: str | Path, frames: Iterable[pl.DataFrame]) -> None:
    """Write frames of one shape, at least one of them, as the row groups of one Parquet file."""
    waiting = iter(frames)
    first = next(waiting)
    write_parquets({"all": (path, first.schema)}, ({"all": frame} for frame in chain([first], waiting)))


def _writer(path: Path, schema: pa.Schema) -> pq.ParquetWriter:
    return pq.ParquetWriter(path, schema, compression="zstd", compression_level=3)


def _append(writer: pq.ParquetWriter, frame: pl.DataFrame) -> None:
    if frame.height:
        writer.write_table(frame.to_arrow().cast(writer.schema), row_group_size=frame.height)
