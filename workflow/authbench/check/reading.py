"""What do the files of a release hold, row by row, and has every row the right form?"""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import orjson
import polars as pl

from authbench.check.claims import Finding
from authbench.errors import InputError

FILES = ("candidates", "queries", "ground_truth")
TEXT_FIELDS = ("lang", "genre", "content", "source")
FIELDS: dict[str, tuple[str, ...]] = {
    "candidates": ("candidate_id", "author_id", *TEXT_FIELDS, "token_length"),
    "queries": ("query_id", *TEXT_FIELDS, "token_length"),
    "ground_truth": ("query_id", "positive_ids", "author_id"),
}
OPTIONAL = {"candidates": (), "queries": (), "ground_truth": ("ignored_ids",)}
DOCUMENT_ID = re.compile(r"doc_\d{6,}")
AUTHOR_ID = re.compile(r"[0-9a-f]{64}")
LANGUAGE = re.compile(r"[a-z]{2,3}|other")
LABELS = frozenset({"lang", "genre", "source", "author_id"})  # fields of few values
GENRE = re.compile(r"[^\sA-Z/]+(/[^\sA-Z/]+)?")

DOCUMENTS = pl.Schema(
    {
        "id": pl.String,
        "split": pl.String,
        "author_id": pl.String,
        **dict.fromkeys(TEXT_FIELDS, pl.String),
        "token_length": pl.Int64,
        "candidate": pl.Boolean,
        "query": pl.Boolean,
    }
)
IDS = {"positive_ids": pl.List(pl.String), "ignored_ids": pl.List(pl.String)}
BATCH_BYTES = 4 << 20  # of a file's lines that are held as objects
Tables = dict[str, dict[str, pl.DataFrame]]


@dataclass(frozen=True)
class Release:
    """A release whose rows have the right form: one row per document, and the tables of its files as they are.

    `documents` has the schema DOCUMENTS; `manifest` is empty and `provenance` None where there is no such file.
    """

    folder: Path
    splits: tuple[str, ...]
    documents: pl.DataFrame
    tables: Tables
    manifest: Mapping[str, Any]
    provenance: pl.DataFrame | None


def find_splits(folder: Path) -> tuple[list[str], Mapping[str, Any]]:
    """The splits of a release, and its manifest (empty where there is none).

    Splits are those that the manifest names, or the folders that hold a file of a split; one that is named but
    absent is left out here (the manifest's counts notice it).
    """
    if not folder.is_dir():
        raise InputError(
            f"{folder}: there is no such folder. Expected a release: a folder per split with candidates.jsonl"
        )
    manifest = read_json(folder / "manifest.json")
    for place in (("config",), ("config", "split"), ("config", "split", "splits"), ("takedown",), ("counts",)):
        value: Any = manifest
        for key in place:
            value = value.get(key) or {}
            if not isinstance(value, dict):
                raise InputError(f"{folder / 'manifest.json'}: {'.'.join(place)} is {value!r:.40}. Expected an object.")
    present = {path.parent.name for name in FILES for path in folder.glob(f"*/{name}.jsonl")}
    named = list(((manifest.get("config") or {}).get("split") or {}).get("splits") or {})
    splits = [name for name in named if name in present] + sorted(present - set(named))
    if not splits:
        raise InputError(
            f"{folder}: no split here. Expected folders such as test/ with " + ", ".join(f"{f}.jsonl" for f in FILES)
        )
    return splits, manifest


def read_tables(folder: Path, splits: Sequence[str]) -> tuple[Tables, list[Finding]]:
    """The rows of every file by split and file, and what of their form is wrong.

    Rows are objects only by the batch, then columns: memory is that of the texts, once. Rows of a batch with a wrong
    one are in no table: where the form is wrong nothing else is asked.
    """
    tables: Tables = {}
    findings: list[Finding] = []
    places = []
    for split in splits:
        tables[split] = {}
        for name in FILES:
            own, schema = FIELDS[name][0], _schema(name)
            parts, idents = [pl.DataFrame(schema=schema)], []
            for first, rows in _batches(folder / split / f"{name}.jsonl"):
                idents += [row.get(own) for row in rows if isinstance(row, dict)]
                if _all_formed(name, rows):
                    parts.append(pl.DataFrame({field: [row.get(field) for row in rows] for field in schema}, schema))
                else:
                    for number, row in enumerate(rows, start=first):
                        findings += _check_row(name, row, f"{split}/{name}.jsonl:{number}")
            tables[split][name] = pl.concat(parts)
            known = [ident for ident in idents if isinstance(ident, str)]
            places.append(pl.DataFrame({"id": pl.Series(known, dtype=pl.String), "split": split, "file": name}))
    return tables, findings + list(_check_ids(pl.concat(places)))


def _check_ids(places: pl.DataFrame) -> Iterator[Finding]:
    """Ids that stand for several rows of a file, or for documents of several splits."""
    rows = places.group_by("split", "file", "id", maintain_order=True).len().filter(pl.col("len") > 1)
    for split, file, ident, count in rows.iter_rows():
        yield Finding("repeated_id", ident, f"{count} rows in {split}/{file}.jsonl")
    both = places.group_by("id", maintain_order=True).agg(pl.col("split").unique().sort())
    for ident, splits in both.filter(pl.col("split").list.len() > 1).iter_rows():
        yield Finding("repeated_id", ident, "in " + " and ".join(splits))


def _schema(name: str) -> dict[str, Any]:
    fields = (*FIELDS[name], *OPTIONAL[name])
    return {field: pl.Int64 if field == "token_length" else IDS.get(field, pl.String) for field in fields}


def read_lines(path: Path) -> list[Any]:
    """The values of a JSON lines file. InputError names the line that cannot be read."""
    return [value for _, values in _batches(path) for value in values]


def _batches(path: Path) -> Iterator[tuple[int, list[Any]]]:
    """The values of a JSON lines file in batches, each with the number of its first line."""
    first, values, size = 1, [], 0
    try:
        with path.open("rb") as file:
            for number, line in enumerate(file, start=1):
                try:
                    values.append(orjson.loads(line))
                except orjson.JSONDecodeError as problem:
                    raise InputError(f"{path}, line {number}: {_why(line, problem)}") from None
                size += len(line)
                if size > BATCH_BYTES:
                    yield first, values
                    first, values, size = number + 1, [], 0
    except FileNotFoundError:
        raise InputError(
            f"{path}: there is no such file, though its split is there. Expected {', '.join(FILES)}"
        ) from None
    except OSError as problem:
        raise InputError(f"{path}: cannot be read: {problem.strerror}") from None
    if values:
        yield first, values


def _why(line: bytes, problem: Exception) -> str:
    if line.startswith(b"\xef\xbb\xbf"):
        return "begins with a byte order mark. Expected plain UTF-8; save it without."
    try:
        line.decode("utf-8")
    except UnicodeDecodeError as wrong:
        return f"not UTF-8: byte {wrong.start + 1} is 0x{line[wrong.start]:02x}. Expected JSON lines in UTF-8."
    if not line.strip():
        return "empty. Expected one JSON object a line."
    return f"not JSON: {problem}. Expected one JSON object a line."


def read_json(path: Path) -> Any:
    """The mapping in a JSON file; an empty one where there is no file."""
    if not path.exists():
        return {}
    try:
        value = orjson.loads(path.read_bytes())
    except (OSError, orjson.JSONDecodeError) as problem:
        raise InputError(f"{path}: cannot be read as JSON: {problem}") from None
    if not isinstance(value, dict):
        raise InputError(f"{path}: expected a JSON object, found {value!r:.80}")
    return value


def read_provenance(path: Path) -> pl.DataFrame | None:
    """A provenance table with at least its `id`; None where there is no such file."""
    if not path.exists():
        return None
    try:
        table = pl.read_parquet(path)
    except (pl.exceptions.PolarsError, OSError) as problem:
        raise InputError(f"{path}: cannot be read as Parquet: {problem}") from None
    if table.schema.get("id") != pl.String:
        raise InputError(f"{path}: has no column `id` of strings; it has {', '.join(table.columns)}")
    return table


def _check_row(name: str, row: Any, place: str) -> Iterator[Finding]:
    if not isinstance(row, dict):
        yield Finding("schema", place, f"{name}: a row that is no object")
        return
    own = row.get(FIELDS[name][0])
    ident = own if isinstance(own, str) and own else place
    fields = FIELDS[name]
    for field in fields:
        if field not in row:
            yield Finding("schema", ident, f"{name}: {field} is missing")
    for field, value in row.items():
        if field not in fields and field not in OPTIONAL[name]:
            yield Finding("schema", ident, f"{name}: unknown field {field}")
        elif not _FORMS[field](value):
            yield Finding("schema", ident, f"{name}: {field} is {value!r:.40}")
        elif field in _ID_FORMS and not _ID_FORMS[field].fullmatch(value):
            if field == "author_id":
                yield Finding("author_form", ident, f"{name}: {value!r:.40}")
            else:
                yield Finding("id_form", ident)


def _is_text(value: Any) -> bool:
    return isinstance(value, str) and bool(value)


def _is_ids(value: Any) -> bool:
    return isinstance(value, list) and all(map(_is_text, value))


_ID_FORMS = {"candidate_id": DOCUMENT_ID, "query_id": DOCUMENT_ID, "author_id": AUTHOR_ID}
_FORMS: dict[str, Callable[[Any], bool]] = {
    "candidate_id": _is_text,
    "query_id": _is_text,
    "author_id": _is_text,
    "content": _is_text,
    "source": _is_text,
    "lang": lambda value: isinstance(value, str) and bool(LANGUAGE.fullmatch(value)),
    "genre": lambda value: isinstance(value, str) and bool(GENRE.fullmatch(value)),
    "token_length": lambda value: isinstance(value, int) and not isinstance(value, bool) and 0 < value < 1 << 31,
    "positive_ids": _is_ids,
    "ignored_ids": _is_ids,
}


def _all_formed(name: str, rows: Sequence[Any]) -> bool:
    """Whether `_check_row` would find nothing in any of the rows: looks at columns, and at each label once."""
    fields, optional = frozenset(FIELDS[name]), frozenset(OPTIONAL[name])
    if not all(type(row) is dict and row.keys() - optional == fields for row in rows):
        return False
    for field in fields:
        values = [row[field] for row in rows]
        if field in LABELS:
            if set(map(type, values)) != {str}:
                return False
            values = list(set(values))
        if not all(map(_FORMS[field], values)):
            return False
        form = _ID_FORMS.get(field)
        if form and not all(map(form.fullmatch, values)):
            return False
    return all(_FORMS[field](row[field]) for field in optional for row in rows if field in row)


def make_release(folder: Path, tables: Tables, manifest: Mapping[str, Any]) -> Release:
    """The documents of well-formed rows: the candidates, and the queries that are none (authors from the truth)."""
    documents = [pl.DataFrame(schema=DOCUMENTS)]
    for split, files in tables.items():
        candidates, queries = files["candidates"], files["queries"]
        asked = pl.col("id").is_in(queries["query_id"].implode())
        found = candidates.rename({"candidate_id": "id"}).with_columns(split=pl.lit(split), candidate=True, query=asked)
        authors = files["ground_truth"].select("query_id", "author_id")
        others = (
            queries.join(candidates, left_on="query_id", right_on="candidate_id", how="anti", maintain_order="left")
            .join(authors, on="query_id", how="left", maintain_order="left")
            .rename({"query_id": "id"})
            .with_columns(split=pl.lit(split), candidate=False, query=True)
        )
        documents += [part.select(DOCUMENTS.names()) for part in (found, others)]
    return Release(
        folder, tuple(tables), pl.concat(documents), tables, manifest, read_provenance(folder / "provenance.parquet")
    )
