"""Select and sort a shard's drafts, and assign their keys."""

from collections.abc import Iterator, Sequence

import numpy as np
import polars as pl

from authbench.identity import digest
from authbench.storage.parquet import GROUP_BYTES

IDENTITY = ("doc_key", "base", "file", "ordinal", "author_id")


def put_in_order(drafts: pl.DataFrame, tag: str, names: Sequence[str]) -> tuple[pl.DataFrame, pl.DataFrame]:
    """Return a shard's kept drafts (`row` and final `doc_key`, sorted by key), and REMOVED rows for the others.

    Of rows that repeat a raw id with equal text and author, the first (by file and ordinal) is kept. If they differ,
    all are removed, since none is known to be right. Indistinguishable rows without a raw id are numbered. `names` are
    the files' paths by number. Memory: the keys of the shard, and digests of texts that share a raw id.
    """
    keys = drafts.select(IDENTITY).with_row_index("row")
    alone = keys["doc_key"].is_unique()
    copies = keys.filter(~alone)
    first, gone = _settled(copies.filter(~pl.col("base")), drafts["content"], tag, names)
    kept = [keys.filter(alone).select("row", "doc_key"), _numbered(copies.filter("base")), first]
    return pl.concat(kept).sort("doc_key"), gone


def _settled(
    repeated: pl.DataFrame, contents: pl.Series, tag: str, names: Sequence[str]
) -> tuple[pl.DataFrame, pl.DataFrame]:
    """Return the rows to keep among rows that repeat a raw id, and REMOVED rows for the others."""
    digests = pl.Series("text", [digest(contents[row]) for row in repeated["row"]], dtype=pl.String)
    repeated = (
        repeated.with_columns(digests)
        .sort("doc_key", "file", "ordinal", "author_id", "text")
        .with_columns(
            first=pl.col("doc_key").is_first_distinct(),
            conflict=pl.struct("text", "author_id").n_unique().over("doc_key") > 1,
        )
    )
    stays = pl.col("first") & ~pl.col("conflict")
    paths = pl.Series(names, dtype=pl.String)
    gone = repeated.filter(~stays).select(
        source=pl.lit(tag),
        doc_key="doc_key",
        stage=pl.lit("ingest"),
        reason=pl.when("conflict").then(pl.lit("conflicting_id")).otherwise(pl.lit("repeated_id")),
        value=pl.lit(None, pl.Float64),
        threshold=pl.lit(None, pl.Float64),
        detail=pl.format("{} record {}", pl.lit(paths).gather(pl.col("file")), "ordinal"),
    )
    return repeated.filter(stays).select("row", "doc_key"), gone


def _numbered(copies: pl.DataFrame) -> pl.DataFrame:
    """Return indistinguishable rows with keys numbered from the second on: key, key-2, and so on."""
    ordered = copies.sort("doc_key", "file", "ordinal").with_columns(
        number=pl.int_range(1, pl.len() + 1).over("doc_key")
    )
    numbered = pl.when(pl.col("number") > 1).then(pl.format("{}-{}", "doc_key", "number")).otherwise("doc_key")
    return ordered.select("row", doc_key=numbered)


def in_order(drafts: pl.DataFrame, kept: pl.DataFrame) -> Iterator[pl.DataFrame]:
    """Yield the kept records in bounded parts, read from the drafts on disk."""
    rows = kept["row"].to_numpy()
    sizes = drafts["content"].str.len_bytes().to_numpy()[rows]
    starts = np.flatnonzero(np.diff(np.cumsum(sizes, dtype=np.int64) // GROUP_BYTES)) + 1
    for place, part in zip([0, *starts.tolist()], np.split(rows, starts), strict=True):
        yield drafts[part].with_columns(kept["doc_key"].slice(place, len(part)))
