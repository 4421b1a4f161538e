"""Store records on disk until their shard is sorted.

All records are in a single Arrow file, in batches of a shard each: the file is read without being loaded, and a single
file is open for any number of shards.
"""

from collections.abc import Iterator
from pathlib import Path
from types import TracebackType

import numpy as np
import polars as pl
import pyarrow as pa

from authbench.build.ingest.documents import MADE
from authbench.core.identity import keyed_hashes

BUFFERED_BYTES = 32 << 20
DRAFT = MADE.append(pa.field("file", pa.int32())).append(pa.field("ordinal", pa.int64()))


class Drafts:
    """Records waiting for their shards: added in any order, then read shard by shard.

    `file` is the number of the raw file, `ordinal` the record's index in it. Memory: BUFFERED_BYTES of records, and the
    numbers of a shard's batches.
    """

    def __init__(self, path: Path, shards: int) -> None:
        self.path, self.places = path, [list[int]() for _ in range(shards)]
        self.waiting: list[pa.RecordBatch] = []
        self.buffered, self.written = 0, 0
        self.sink = pa.OSFile(str(path), "wb")
        self.writer = pa.ipc.new_file(self.sink, DRAFT)

    def __enter__(self) -> "Drafts":
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if kind is None:
            self._flush()
        self.writer.close()
        self.sink.close()

    def add(self, made: pa.RecordBatch, files: np.ndarray, ordinals: np.ndarray) -> None:
        """Write drafts with their file number and ordinal, both of shape (rows of `made`,)."""
        if not made.num_rows:
            return
        batch = pa.RecordBatch.from_arrays([*made.columns, pa.array(files), pa.array(ordinals)], schema=DRAFT)
        self.waiting.append(batch)
        self.buffered += batch.nbytes
        if self.buffered > BUFFERED_BYTES:
            self._flush()

    def _flush(self) -> None:
        """Write the buffer, a batch per affected shard."""
        if not self.waiting:
            return
        (batch,) = pa.Table.from_batches(self.waiting).combine_chunks().to_batches()
        self.waiting, self.buffered = [], 0
        shards = _shards_of(batch["doc_key"], len(self.places))
        batch = batch.take(np.argsort(shards, kind="stable"))
        starts = np.cumsum(counts := np.bincount(shards, minlength=len(self.places))) - counts
        for shard in np.flatnonzero(counts).tolist():
            self.writer.write_batch(batch.slice(starts[shard], counts[shard]))
            self.places[shard].append(self.written)
            self.written += 1

    def by_shard(self) -> Iterator[pl.DataFrame]:
        """Yield the records of each shard in order of insertion. They remain on disk."""
        for places in self.places:
            with pa.memory_map(str(self.path)) as stored:  # reopened, since pages already read count as memory
                file = pa.ipc.open_file(stored)
                batches = [file.get_batch(place) for place in places]
                yield pl.from_arrow(pa.Table.from_batches(batches, DRAFT), rechunk=False)  # type: ignore[misc]
                del file, batches


def _shards_of(doc_keys: pa.Array, shards: int) -> np.ndarray:
    """Return the shard of each document, a hash of its identity and thus independent of file order."""
    return (keyed_hashes(0, "shard", doc_keys.to_pylist()).to_numpy() % shards).astype(np.int64)
