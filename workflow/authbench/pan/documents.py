"""Whose texts, on which topics, can pairs be made of?

A release (all its splits, topics from its provenance) or a table of records: Parquet, JSON lines or CSV with an author,
a topic and a text.
"""

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

import polars as pl

from authbench.errors import InputError

DOCUMENTS = pl.Schema({"id": pl.String, "author": pl.String, "topic": pl.String, "lang": pl.String, "text": pl.String})
# What a column of a table may be called; `lang` may be absent, and `id` is then the row's number.
NAMES: Mapping[str, Sequence[str]] = {
    "id": ("id", "doc_key"),
    "author": ("author", "author_id"),
    "text": ("text", "content"),
    "lang": ("lang", "language"),
}
READERS: Mapping[str, Callable[[Path], pl.DataFrame]] = {
    ".parquet": pl.read_parquet,
    ".jsonl": pl.read_ndjson,
    ".ndjson": pl.read_ndjson,
    ".csv": pl.read_csv,
}


def read_documents(place: Path, topic: str = "topic") -> pl.DataFrame:
    """DOCUMENTS of a release's folder or of a table; `topic` is the column that tells topics (topic, genre, source).

    In a release the genre stands in where no topic is told. Documents without author, topic or text are left out.
    Raises InputError where nothing is left.
    """
    table = of_release(place, topic) if place.is_dir() else of_table(place, topic)
    known = table.filter(pl.all_horizontal(pl.col("author", "topic", "text").str.len_bytes() > 0))
    if not known.height:
        raise InputError(f"{place}: none of the {table.height} documents has an author, a topic ({topic}) and a text.")
    return known


def of_release(folder: Path, topic: str) -> pl.DataFrame:
    from authbench.check.reading import find_splits, make_release, read_tables

    splits, manifest = find_splits(folder)
    tables, findings = read_tables(folder, splits)
    if findings:
        raise InputError(
            f"{folder}: {len(findings)} rows have not the right form; authbench check {folder} names them."
        )
    release = make_release(folder, tables, manifest)
    documents = release.documents
    told = release.provenance
    if topic == "topic" and told is not None and "topic" in told.columns:
        documents = documents.join(told.select("id", "topic"), on="id", how="left", maintain_order="left")
        documents = documents.with_columns(topic=pl.coalesce("topic", "genre"))
    else:
        documents = documents.with_columns(topic=pl.col("genre" if topic == "topic" else topic))
    return documents.select(id="id", author="author_id", topic="topic", lang="lang", text="content")


def of_table(path: Path, topic: str) -> pl.DataFrame:
    if path.suffix not in READERS:
        raise InputError(f"{path}: expected a release's folder, or a table in {', '.join(READERS)}.")
    try:
        table = READERS[path.suffix](path)
    except (OSError, pl.exceptions.PolarsError) as problem:
        raise InputError(f"{path}: cannot be read: {problem}") from None
    found = {name: next((own for own in names if own in table.columns), None) for name, names in NAMES.items()}
    found["topic"] = topic if topic in table.columns else None
    missing = [name for name in ("author", "topic", "text") if found[name] is None]
    if missing:
        raise InputError(
            f"{path}: has no column for {', '.join(missing)}. It has {', '.join(table.columns)}; expected "
            f"{', '.join('|'.join(names) for names in NAMES.values())} and {topic}."
        )
    numbers = pl.int_range(pl.len()).cast(pl.String).str.zfill(9)
    columns = {name: pl.col(own).cast(pl.String) for name, own in found.items() if own is not None}
    return table.select(**({"id": numbers, "lang": pl.lit("")} | columns)).select(DOCUMENTS.names())
