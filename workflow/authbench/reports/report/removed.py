"""Write `dirty_docs.log`: every removal of every stage with its reason.

The log may exceed memory: it is sorted range by range of keys, and the tables are read again for each range.
"""

from collections.abc import Iterator, Sequence
from pathlib import Path

import polars as pl

from authbench.core.storage.atomic import atomic_file
from authbench.core.storage.parquet import scan_columns

ORDER = ("source", "doc_key", "detail")
ROWS = 1 << 20  # sorted at a time
SAMPLED = 1 << 16  # values of a key from which ranges are chosen


def write_log(path: str | Path, removed: Sequence[str | Path], rows: int = ROWS) -> None:
    """Write the rows of the tables (`records.REMOVED`) as JSON lines, in a fixed order (processing plan, 11.2).

    Memory: about `rows` rows and their sorted copy; rows with all keys equal stay together.
    """
    with atomic_file(path) as aside, aside.open("wb") as file:
        for part in _in_order(scan_columns(removed), ORDER, rows):
            part.write_ndjson(file)


def _in_order(table: pl.LazyFrame, keys: Sequence[str], rows: int) -> Iterator[pl.DataFrame]:
    """Yield the rows sorted by the keys, in parts of about `rows` rows; nulls first, equal rows in their order."""
    height = table.select(pl.len()).collect().item()
    if height <= rows or not keys:
        yield table.collect().sort(keys, maintain_order=True) if keys else table.collect()
        return
    key = pl.col(keys[0])
    yield from _in_order(table.filter(key.is_null()), keys[1:], rows)
    sampled = table.select(key).drop_nulls().gather_every(height // SAMPLED + 1).collect().to_series().sort()
    bounds = sampled.gather_every(max(1, len(sampled) * rows // height))
    once, often = bounds.unique().sort(), set(bounds.filter(bounds.is_duplicated()))
    for low, high in zip([None, *once], [*once, None], strict=True):
        above = key.is_not_null() if low is None else key >= low
        part = table.filter(above if high is None else above & (key < high))
        if low in often:
            yield from _in_order(part.filter(key == low), keys[1:], rows)
            part = part.filter(key > low)
        yield part.collect().sort(keys, maintain_order=True)
