"""What do the files of a release hold, row by row, and has every row the right form?"""

import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
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
Row = dict[str, Any]
Rows = dict[str, dict[str, list[Row]]]


@dataclass(frozen=True)
class Release:
    """A release whose rows have the right form: one row per document, and the rows of its files as they are.

    `documents` has the schema DOCUMENTS; `manifest` is empty and `provenance` None where there is no such file.
    """

    folder: Path
    splits: tuple[str, ...]
    documents: pl.DataFrame
    rows: Rows
    manifest: Mapping[str, Any]
    provenance: pl.DataFrame | None


def read_rows(folder: Path) -> tuple[Rows, Mapping[str, Any]]:
    """The rows of every file by split and file, and the manifest (empty where there is none).

    Splits are those that the manifest names, or the folders that hold a file of a split; one that is named but
    absent is left out here (`check_rows` does not see it, the manifest's counts do).
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
    return {split: {name: read_lines(folder / split / f"{name}.jsonl") for name in FILES} for split in splits}, manifest


def read_lines(path: Path) -> list[Any]:
    """The values of a JSON lines file. InputError names the line that cannot be read."""
    values = []
    try:
        with path.open("rb") as file:
            for number, line in enumerate(file, start=1):
                try:
                    values.append(orjson.loads(line))
                except orjson.JSONDecodeError as problem:
                    raise InputError(f"{path}, line {number}: {_why(line, problem)}") from None
    except FileNotFoundError:
        raise InputError(
            f"{path}: there is no such file, though its split is there. Expected {', '.join(FILES)}"
        ) from None
    except OSError as problem:
        raise InputError(f"{path}: cannot be read: {problem.strerror}") from None
    return values


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


def check_rows(rows: Rows) -> Iterator[Finding]:
    """Fields, types and the form of ids; ids that stand for several documents."""
    splits_of: dict[str, set[str]] = {}
    for split, files in rows.items():
        for name in FILES:
            own = FIELDS[name][0]
            seen: Counter[str] = Counter()
            for number, row in enumerate(files[name], start=1):
                yield from _check_row(name, row, f"{split}/{name}.jsonl:{number}")
                ident = row.get(own) if isinstance(row, dict) else None
                if isinstance(ident, str):
                    seen[ident] += 1
                    splits_of.setdefault(ident, set()).add(split)
            for ident, count in seen.items():
                if count > 1:
                    yield Finding("repeated_id", ident, f"{count} rows in {split}/{name}.jsonl")
    for ident, splits in splits_of.items():
        if len(splits) > 1:
            yield Finding("repeated_id", ident, "in " + " and ".join(sorted(splits)))


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
        elif field in ("candidate_id", "query_id") and not DOCUMENT_ID.fullmatch(value):
            yield Finding("id_form", ident)
        elif field == "author_id" and not AUTHOR_ID.fullmatch(value):
            yield Finding("author_form", ident, f"{name}: {value!r:.40}")


def _is_text(value: Any) -> bool:
    return isinstance(value, str) and bool(value)


def _is_ids(value: Any) -> bool:
    return isinstance(value, list) and all(map(_is_text, value))


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


def make_release(folder: Path, rows: Rows, manifest: Mapping[str, Any]) -> Release:
    """The documents of well-formed rows: the candidates, and the queries that are none (authors from the truth)."""
    documents: list[Row] = []
    for split, files in rows.items():
        author = {row["query_id"]: row["author_id"] for row in files["ground_truth"]}
        queries = {row["query_id"]: row for row in files["queries"]}
        for row in files["candidates"]:
            ident = row["candidate_id"]
            documents.append({**row, "id": ident, "split": split, "candidate": True, "query": ident in queries})
        known = {row["candidate_id"] for row in files["candidates"]}
        for ident, row in queries.items():
            if ident not in known:
                own = {"id": ident, "split": split, "author_id": author.get(ident), "candidate": False, "query": True}
                documents.append({**row, **own})
    table = pl.DataFrame(documents, schema=DOCUMENTS) if documents else pl.DataFrame(schema=DOCUMENTS)
    return Release(folder, tuple(rows), table, rows, manifest, read_provenance(folder / "provenance.parquet"))
