"""Read documents by author and topic, from a release or from a user's table.

A table is Parquet, JSON lines (`.jsonl`, `.ndjson`) or CSV. Its columns may have several names (NAMES). If the language
column or a value in it is absent, the language is the empty string. A document without an id gets the hash of its
author, topic and text. A document without author, topic or text is left out.
"""

from collections.abc import Iterator, Mapping, Sequence
from itertools import chain
from pathlib import Path

import polars as pl

from authbench.core.author_labels import known_labels
from authbench.core.errors import InputError
from authbench.core.identity import digest
from authbench.core.storage.json_lines import value_batches
from authbench.core.storage.parquet import split_by_bytes
from authbench.release.format.release import Release
from authbench.release.reading.foreign import foreign_blocks, text_column

DOCUMENTS = pl.Schema({"id": pl.String, "author": pl.String, "topic": pl.String, "lang": pl.String, "text": pl.String})
NAMES: Mapping[str, Sequence[str]] = {
    "id": ("id", "doc_key", "document_id"),
    "author": ("author", "author_id"),
    "topic": ("topic", "fandom", "topic_id"),
    "lang": ("lang", "language"),
    "text": ("text", "content"),
}
NEEDED = ("author", "topic", "text")
_IDENTS = ("id", "author", "topic")
SUFFIXES = (".parquet", ".jsonl", ".ndjson", ".csv")
UNKNOWN_LANGUAGE = ""


def read_documents(place: Path | Release, topic: str = "topic") -> Iterator[pl.DataFrame]:
    """Yield the documents of a release or of a table (DOCUMENTS), in batches, in their order.

    Args:
        place: a release, or a file.
        topic: the column that contains topics. In a release, `topic` is the topic of the provenance, or the genre if
            there is none; `genre`, `source` and `lang` may be used instead.

    Raises:
        InputError: the place cannot be read, or lacks a column.
    """
    return map(complete_documents, read_frames(place, topic))


def read_frames(place: Path | Release, topic: str = "topic") -> Iterator[pl.DataFrame]:
    """Yield the documents as `read_documents`, with only the existing columns, and including incomplete documents."""
    return _of_release(place, topic) if isinstance(place, Release) else _of_table(place, topic)


def complete_documents(frame: pl.DataFrame) -> pl.DataFrame:
    """Return the documents (DOCUMENTS) of a frame with some of these columns: those with author, topic and text.

    Authors' labels are normalised; a label that does not name a person counts as missing.
    """
    absent = (pl.lit(None, pl.String).alias(name) for name in DOCUMENTS if name not in frame.columns)
    frame = frame.with_columns(*absent).select(pl.col(name).cast(pl.String) for name in DOCUMENTS)
    frame = frame.with_columns(known_labels(frame["author"]))
    frame = frame.filter(pl.all_horizontal(pl.col(NEEDED).str.strip_chars().str.len_bytes() > 0))
    frame = frame.with_columns(pl.col("lang").fill_null(UNKNOWN_LANGUAGE))
    if frame["id"].null_count():
        hashes = pl.Series([digest(*row) for row in frame.select(NEEDED).iter_rows()], dtype=pl.String)
        frame = frame.with_columns(pl.col("id").fill_null(hashes))
    return frame


def expect_unique_ids(ids: pl.Series, place: str | Path) -> None:
    """Raise InputError if several documents have the same id."""
    repeated = ids.filter(ids.is_duplicated())
    if len(repeated):
        raise InputError(f"{place}: the id {repeated[0]} occurs twice, with other texts. Expected each once.")


def _of_release(release: Release, topic: str) -> Iterator[pl.DataFrame]:
    topics = None
    if topic == "topic" and release.has_provenance:
        topics = release.read_provenance(("id", "topic"))
    elif topic not in ("topic", "genre", "source", "lang"):
        raise InputError(f"{release.folder}: has no column {topic}. Expected topic, genre, source or lang.")
    for split in release.splits:
        for batch in release.texts(split):
            if topics is not None:
                batch = batch.join(topics, on="id", how="left", maintain_order="left")
                batch = batch.with_columns(pl.coalesce("topic", "genre").alias("topic"))
            else:
                batch = batch.with_columns(pl.col("genre" if topic == "topic" else topic).alias("topic"))
            yield batch.select("id", "topic", "lang", author="author_id", text="content")


def _of_table(path: Path, topic: str) -> Iterator[pl.DataFrame]:
    if path.suffix not in SUFFIXES:
        raise InputError(f"{path}: expected the folder of a release, or a table ({', '.join(SUFFIXES)}).")
    if not path.is_file():
        raise InputError(f"{path}: there is no such file. Expected the folder of a release, or a table.")
    if path.suffix in (".jsonl", ".ndjson"):
        yield from _of_json_lines(path, topic)
        return
    columns: dict[str, str] = {}
    for block in foreign_blocks(path):
        columns = columns or _columns(path, list(dict.fromkeys(chain.from_iterable(block))), topic)
        yield from split_by_bytes(_frame(path, block, columns), "text")


def _frame(path: Path, rows: Sequence[Mapping[str, object]], columns: Mapping[str, str]) -> pl.DataFrame:
    """Return these columns of rows, by our names, as text."""
    return pl.DataFrame(
        [text_column(path, own, [row.get(own) for row in rows], name in _IDENTS).alias(name)
         for name, own in columns.items()]
    )  # fmt: skip


def _of_json_lines(path: Path, topic: str) -> Iterator[pl.DataFrame]:
    columns: dict[str, str] = {}
    for first, rows in value_batches(path):
        for number, row in enumerate(rows, start=first):
            if not isinstance(row, dict):
                raise InputError(f"{path}, line {number}: is not an object. Expected one JSON object a line.")
        columns = columns or _columns(path, list(dict.fromkeys(chain.from_iterable(rows))), topic)
        yield _frame(path, rows, columns)


def _columns(path: Path, names: Sequence[str], topic: str) -> dict[str, str]:
    """Return the table's name of each column that it has."""
    known = {**NAMES, "topic": NAMES["topic"] if topic == "topic" else (topic,)}
    here = {name: [own for own in others if own in names] for name, others in known.items()}
    columns = {name: own[0] for name, own in here.items() if own}
    if missing := [name for name in NEEDED if name not in columns]:
        raise InputError(
            f"{path}: has no column for {', '.join(missing)}. It has {', '.join(names) or 'none'}; expected "
            f"{', '.join('|'.join(others) for others in known.values())}."
        )
    return columns
