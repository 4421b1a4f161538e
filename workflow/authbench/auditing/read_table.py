"""Tables (CSV, TSV, Parquet, JSON lines) with a column of authors and one of texts, and STEB's JSON lines."""

import csv
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import polars as pl

from authbench.auditing.dataset import ALL, Dataset, Source, as_documents, unique_ids
from authbench.errors import InputError
from authbench.storage.json_lines import read_objects

DIFF = "diff.jsonl"  # beside a dataset without its leaks: what went
SUFFIXES = (".csv", ".tsv", ".parquet", ".jsonl", ".ndjson")
# What columns are called elsewhere; the first that a table has is taken.
NAMES: Mapping[str, Sequence[str]] = {
    "author": ("author", "author_id", "authors", "user_id", "user", "username", "user_name", "userid", "writer", "poet",
               "blogger", "reviewer_id", "reviewerid", "speaker", "label", "name"),
    "content": ("content", "text", "body", "review", "review_body", "reviewtext", "comment", "post", "tweet",
                "abstract", "sentence", "document", "message", "poem"),
    "id": ("id", "doc_id", "document_id", "doc_key", "text_id", "post_id", "review_id", "comment_id", "_id"),
    "split": ("split", "partition", "set", "fold"),
    "lang": ("lang", "language", "language_code"),
    "genre": ("genre", "domain", "category", "fandom", "subreddit"),
    "source": ("source", "corpus", "platform", "dataset"),
    "date": ("date", "created_at", "timestamp", "published", "created_utc"),
    "origin": ("origin", "work", "work_id", "book", "title_id"),
    "item": ("item", "item_id", "product_id", "asin", "movie_id", "business_id"),
    "account": ("account", "account_id", "user_url", "profile_url"),
    "token_length": ("token_length",),
}  # fmt: skip
_SPLITS = ("train", "training", "dev", "development", "val", "valid", "validation", "test", "testing")
STEB, TABLE = "STEB JSON lines", "table"


def read_tables(path: Path, files: Sequence[Path], columns: Mapping[str, str]) -> Dataset:
    """Read files as one dataset; each is a split if it is called so (`train.csv`, `test-00000.parquet`).

    Args:
        path: what was named, for errors.
        columns: the tables' own names of columns, by ours; all others are found by NAMES.
    """
    parts: list[pl.DataFrame] = []
    notes: dict[str, None] = {}
    steb = False
    for file in files:
        frame = _read(file)
        own = _columns(file, frame.columns, columns)
        steb |= "is_query" in frame.columns and "label" in frame.columns
        chosen = frame.select(
            *(pl.col(theirs).cast(pl.String, strict=False).alias(ours) for ours, theirs in own.items())
        )
        if "is_query" in frame.columns:
            chosen = chosen.with_columns(_roles(frame["is_query"]))
        if "lang" not in own:
            notes["No column of languages: langid's guess stands for them."] = None
        named = {ours: theirs for ours, theirs in own.items() if ours != theirs}
        if named:
            notes["Read as " + ", ".join(f"{ours}: {theirs}" for ours, theirs in sorted(named.items())) + "."] = None
        label = str(file.relative_to(path)) if path.is_dir() else file.name
        chosen = chosen.with_columns(place=pl.lit(label), row=pl.int_range(pl.len(), dtype=pl.Int64))
        if "split" not in chosen.columns:
            chosen = chosen.with_columns(split=pl.lit(_split_of(file, len(files) > 1)))
        if "id" not in chosen.columns:
            prefix = f"{label}:" if len(files) > 1 else "row "
            chosen = chosen.with_columns(id=pl.format("{}{}", pl.lit(prefix), pl.col("row") + 1))
        parts.append(as_documents(chosen))
    documents = pl.concat(parts)
    if steb:
        side = pl.when("query").then(pl.lit("query")).otherwise(pl.lit("target"))
        documents = documents.with_columns(
            unit=pl.when(pl.col("author").is_not_null()).then(pl.format("{}/{}/{}", "split", "author", side))
        )
        notes["The texts of a label on one side count as one text, as STEB pools their vectors."] = None
    places = {str(file.relative_to(path)) if path.is_dir() else file.name: [file] for file in files}
    form = STEB if steb else TABLE
    return unique_ids(Dataset(form, documents, notes=tuple(notes), sources=(Source(path, form, places),)))


def _roles(is_query: pl.Series) -> list[pl.Series]:
    asks = is_query.cast(pl.String).str.to_lowercase().is_in(["true", "1"]).fill_null(False)
    return [asks.alias("query"), (~asks).alias("candidate")]


def _split_of(file: Path, several: bool) -> str:
    name = file.name.lower().split(".")[0].split("-")[0]
    if name in _SPLITS:
        return {"training": "train", "development": "dev", "testing": "test"}.get(name, name)
    return file.name.split(".")[0] if several else ALL


def _columns(file: Path, names: Sequence[str], given: Mapping[str, str]) -> dict[str, str]:
    """Return the table's own name of each of our columns that it has."""
    lowered: dict[str, str] = {}
    for name in names:
        lowered.setdefault(name.strip().lower(), name)
    found: dict[str, str] = {}
    for ours, others in NAMES.items():
        if ours in given:
            if given[ours] not in names:
                raise InputError(f"{file}: has no column {given[ours]}. It has {', '.join(names) or 'none'}.")
            found[ours] = given[ours]
        elif free := [lowered[other] for other in others if lowered.get(other, "") not in ("", *found.values())]:
            found[ours] = free[0]
    missing = [ours for ours in ("author", "content") if ours not in found]
    if missing:
        wanted = "; ".join(f"{ours}: one of {', '.join(NAMES[ours])}" for ours in missing)
        raise InputError(
            f"{file}: has no column for {' and '.join(missing)}. It has {', '.join(names)[:400] or 'none'}. Expected "
            f"{wanted}; or name it, such as --column {missing[0]}=NAME."
        )
    return found


def _read(file: Path) -> pl.DataFrame:
    """Return the rows of a file, every column text (lists of texts are joined by line breaks)."""
    try:
        if file.suffix == ".parquet":
            frame = pl.read_parquet(file)
        elif file.suffix in (".jsonl", ".ndjson"):
            return _read_json_lines(file)
        else:
            frame = pl.read_csv(file, infer_schema=False, separator=separator_of(file), null_values=None)
    except pl.exceptions.NoDataError:
        raise InputError(f"{file}: is empty. Expected a table with a column of authors and one of texts.") from None
    except (pl.exceptions.PolarsError, OSError, UnicodeDecodeError) as problem:
        expected = "Parquet" if file.suffix == ".parquet" else "CSV in UTF-8 with a line of headings"
        raise InputError(f"{file}: cannot be read: {str(problem)[:200]}. Expected {expected}.") from None
    return frame.with_columns(
        pl.col(name).list.join("\n") for name, kind in frame.schema.items() if kind == pl.List(pl.String)
    )


def _read_json_lines(file: Path) -> pl.DataFrame:
    columns: dict[str, list[str | None]] = {}
    count = 0
    for _, row in read_objects(file):
        for name, value in row.items():
            column = columns.setdefault(name, [])
            column.extend([None] * (count - len(column)))
            column.append(_as_text(value))
        count += 1
    if not count:
        raise InputError(f"{file}: is empty. Expected JSON lines with an author and a text each.")
    return pl.DataFrame(
        {name: values + [None] * (count - len(values)) for name, values in columns.items()},
        schema=dict.fromkeys(columns, pl.String),
    )


def _as_text(value: Any) -> str | None:
    if value is None or isinstance(value, str):
        return value
    if isinstance(value, list):
        return "\n".join(map(str, value))
    return str(value)


def separator_of(file: Path) -> str:
    """Return what separates the cells of a file's first line: a tab, a semicolon or a comma."""
    if file.suffix == ".tsv":
        return "\t"
    with file.open(encoding="utf-8", errors="replace") as lines:
        first = lines.readline(1_000_000)
    try:
        return csv.Sniffer().sniff(first, ",;\t|").delimiter
    except csv.Error:
        return ","
