"""Check positives.parquet: work out again how every query is related to the other texts of its author."""

from collections.abc import Iterable, Iterator, Sequence

import numpy as np
import polars as pl

from authbench.core.arrays import F64, I64, Sparse
from authbench.core.content_words import WordStatistics, fit_words
from authbench.release.checking.claims import Finding
from authbench.release.checking.rows import Rows
from authbench.release.format.columns import POSITIVES
from authbench.release.format.tables import columns_of, read_pairs

CLOSE = 1e-4  # similarities in 32 bits differ by less when summed in another order
_NEEDED = frozenset({"source", "file", "ordinal", "origin", "date", "chunk_start", "chunk_end"})
_BETWEEN = 4  # characters, at most, between consecutive chunks of a text
_TEXTS_AT_ONCE = 20_000


def count_words(release: Rows, splits: Sequence[str]) -> WordStatistics:
    """Return the statistics of the words of splits, counted again from the texts."""
    reference = release.documents.filter(pl.col("split").is_in(splits)).select("lang", "content")
    return fit_words(reference.iter_slices(1_000))


def is_timed(release: Rows) -> bool:
    """Return whether a release's relations tell years, as all do that have pools matched in time."""
    paths = (release.folder / split / POSITIVES.file for split in release.splits)
    return any("years" in columns_of(path) for path in paths if path.is_file())


def by_authors(texts: pl.DataFrame) -> Iterator[pl.DataFrame]:
    """Yield documents in one part or more, all texts of an author in the same."""
    if texts.is_empty():
        yield texts
    some = pl.col("place").min().over("author_id") // _TEXTS_AT_ONCE
    for _, part in texts.sort("author_id").with_row_index("place").group_by(some, maintain_order=True):
        yield part.drop("place")


def check_relations(release: Rows, split: str, parts: Iterable[tuple[pl.DataFrame, Sparse]]) -> Iterator[Finding]:
    """Yield pairs of a query and a text of its author that positives.parquet lacks, adds or describes wrongly.

    `parts` are the documents of the split with their content words, all texts of an author in the same part.
    """
    path = release.folder / split / POSITIVES.file
    if not path.is_file() or release.provenance is None:
        return
    stated = read_pairs(path, POSITIVES)
    ids = ("query_id", "candidate_id")
    if not stated.select(ids).equals(stated.select(ids).sort(ids)):
        yield Finding("relations", f"{split}/{POSITIVES.file}", f"{split}/{POSITIVES.file} is not sorted")
    found = pl.concat(_related(release.provenance, *part) for part in parts)
    twice = stated.filter(pl.struct(ids).is_duplicated()).select(ids).unique(maintain_order=True)
    for query, candidate in twice.iter_rows():
        yield Finding("relations", query, f"{query} and {candidate} twice")
    for code, one, other in (("is missing", found, stated), ("are of no query and its author", stated, found)):
        for query, candidate in one.join(other, on=ids, how="anti").sort(ids).select(ids).iter_rows():
            yield Finding("relations", query, f"{query} and {candidate}: {code}")
    both = found.join(stated, on=ids, suffix="_stated").sort(ids)
    for name in (name for name in found.columns[2:] if name != "years" or is_timed(release)):
        same = pl.col(name).eq_missing(pl.col(f"{name}_stated"))
        if found[name].dtype == pl.Float64:
            same |= (pl.col(name) - pl.col(f"{name}_stated")).abs() <= CLOSE * pl.max_horizontal(1, name)
        for query, candidate in both.filter(~same.fill_null(False)).select(ids).iter_rows():
            yield Finding("relations", query, f"{name} of {query} and {candidate}")


def _related(provenance: pl.DataFrame, texts: pl.DataFrame, vectors: Sparse) -> pl.DataFrame:
    """Return every query among texts with every other candidate of its author, and how both are related."""
    place = provenance.select("id", *sorted(_NEEDED - {"source"}))
    texts = (
        texts.select("id", "author_id", "source", "token_length", "candidate", "query", row=pl.int_range(pl.len()))
        .join(place, on="id", how="left", maintain_order="left")
        .with_columns(day=pl.col("date").str.to_date("%Y-%m-%d", strict=False))
    )
    pairs = texts.filter("query").join(texts.filter("candidate"), on="author_id", suffix="_2")
    pairs = pairs.filter(pl.col("id") != pl.col("id_2"))
    rows, others = pairs["row"].to_numpy(), pairs["row_2"].to_numpy()
    similarity = cosines(vectors, rows, others)

    def equal(*names: str) -> pl.Expr:
        return pl.all_horizontal((pl.col(name) == pl.col(f"{name}_2")).fill_null(False) for name in names)

    def follows(first: str, second: str) -> pl.Expr:
        gap = pl.col(f"chunk_start{second}") - pl.col(f"chunk_end{first}")
        return gap.is_between(0, _BETWEEN).fill_null(False)

    year, year_2 = (pl.col(f"date{end}").str.extract("^([0-9]{4})").cast(pl.Int32) for end in ("", "_2"))
    record, file = equal("source", "file", "ordinal"), equal("source", "file")
    next_to = ((pl.col("ordinal") - pl.col("ordinal_2")).abs() == 1).fill_null(False)
    longer, shorter = (f("token_length", "token_length_2") for f in (pl.max_horizontal, pl.min_horizontal))
    return pairs.select(
        pl.col("id").alias("query_id"),
        pl.col("id_2").alias("candidate_id"),
        record.alias("same_document"),
        (record | equal("origin")).alias("same_work"),
        ((record & (follows("", "_2") | follows("_2", ""))) | (file & next_to)).alias("adjacent"),
        (pl.col("day") - pl.col("day_2")).dt.total_days().abs().cast(pl.Int32).alias("days"),
        pl.Series("topic_similarity", similarity).fill_nan(None),
        (longer / shorter).cast(pl.Float64).alias("length_ratio"),
        pl.when(pl.col("day").is_null() | pl.col("day_2").is_null()).then((year - year_2).abs()).alias("years"),
    )


def cosines(vectors: Sparse, rows: I64, others: I64) -> F64:
    """Return the cosines of pairs of rows of length 1; NaN where a row is empty."""
    from authbench.core.product_kernels import products_of_pairs

    found = products_of_pairs(vectors, rows, others).astype(np.float64)
    sizes = np.diff(vectors.indptr)
    found[(sizes[rows] == 0) | (sizes[others] == 0)] = np.nan
    return found
