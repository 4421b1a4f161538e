"""Read the rows of a release; malformed rows are reported by line."""

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from operator import itemgetter
from pathlib import Path
from typing import Any

import polars as pl

from authbench.core.storage.json_lines import value_batches
from authbench.release.checking.claims import Finding
from authbench.release.format.columns import CANDIDATES, GROUND_TRUTH, IDS, QUERIES, SPLIT_TABLES, Column, Table
from authbench.release.format.manifest import Manifest
from authbench.release.format.release import DOCUMENTS, Release, candidate_documents, query_documents
from authbench.release.format.tables import column_of, expect_file

Tables = dict[str, dict[str, pl.DataFrame]]
_FEW_VALUES = frozenset({"lang", "genre", "source", "author_id"})
_MOST_TOKENS = 1 << 31


@dataclass(frozen=True)
class Rows:
    """A release whose rows are well-formed.

    `documents` has a row per document (format.release.DOCUMENTS), `tables` the rows of each file by split and name, a
    query's content only where its candidate has another; `provenance` is None where the file is missing.
    """

    folder: Path
    splits: tuple[str, ...]
    documents: pl.DataFrame
    tables: Tables
    manifest: Manifest
    provenance: pl.DataFrame | None


def read_tables(release: Release) -> tuple[Tables, list[Finding]]:
    """Return the rows of every file by split and name, and what is wrong with their form.

    Rows are objects only within a batch, then columns, so memory holds the texts once. A batch with a malformed row is
    left out of the tables: in that case no other claim is checked.
    """
    tables: Tables = {}
    findings: list[Finding] = []
    places = []  # the ids of each file
    for split in release.splits:
        tables[split] = {}
        for name, table in SPLIT_TABLES.items():
            parts, idents = [pl.DataFrame(schema=table.schema)], [pl.Series("id", [], pl.String)]
            path = release.path(split, table)
            expect_file(path)
            for first, rows in value_batches(path):
                known = (row.get(table.ident) for row in rows if isinstance(row, dict))
                idents.append(pl.Series("id", [ident for ident in known if isinstance(ident, str)], pl.String))
                if _all_formed(table, rows):
                    values = {field: [row.get(field) for row in rows] for field in table.schema}
                    part = pl.DataFrame([column_of(field, values[field], kind) for field, kind in table.schema.items()])
                    parts.append(_without_copies(part, tables[split][CANDIDATES.name]) if table is QUERIES else part)
                else:
                    for number, row in enumerate(rows, start=first):
                        findings += _check_row(table, row, f"{split}/{table.file}:{number}")
            tables[split][name] = pl.concat(parts)
            places.append((split, table.file, pl.concat(idents)))
    return tables, findings + list(_check_ids(places))


def _without_copies(queries: pl.DataFrame, candidates: pl.DataFrame) -> pl.DataFrame:
    """Return queries with null in place of a content that is the candidate's of the same id."""
    named = candidates.filter(pl.col("candidate_id").is_in(queries["query_id"].implode()))
    same = queries.join(named.rename({"candidate_id": "query_id"}), on=["query_id", "content"], how="semi")["query_id"]
    return queries.with_columns(content=pl.when(~pl.col("query_id").is_in(same.implode())).then("content"))


def join_rows(release: Release, tables: Tables) -> Rows:
    """Return the documents of well-formed rows: the candidates, and the queries that are not candidates."""
    documents = [pl.DataFrame(schema=DOCUMENTS)]
    for split, rows in tables.items():
        candidates, queries, truth = (rows[table.name] for table in (CANDIDATES, QUERIES, GROUND_TRUTH))
        documents.append(candidate_documents(candidates, queries["query_id"], split))
        documents.append(query_documents(queries, candidates["candidate_id"], truth, split))
    provenance = release.provenance if release.has_provenance else None
    return Rows(release.folder, tuple(tables), pl.concat(documents), tables, release.manifest, provenance)


def _check_ids(places: Sequence[tuple[str, str, pl.Series]]) -> Iterator[Finding]:
    """Yield ids of several rows of a file, or of documents of several splits; `places` are split, file and ids."""
    for split, file, ids in places:
        repeated = ids.filter(ids.is_duplicated())
        for ident, count in repeated.to_frame().group_by("id", maintain_order=True).len().iter_rows():
            yield Finding("repeated_id", ident, f"{count} rows in {split}/{file}")
    of_split: dict[str, list[pl.Series]] = {}
    for split, _, ids in places:
        of_split.setdefault(split, []).append(ids)
    own = [pl.concat(some).unique().to_frame().with_columns(split=pl.lit(split)) for split, some in of_split.items()]
    both = pl.concat([pl.DataFrame(schema={"id": pl.String, "split": pl.String}), *own])
    several = both.filter(pl.col("id").is_duplicated()).sort("id", "split").group_by("id", maintain_order=True)
    for ident, splits in several.agg("split").iter_rows():
        yield Finding("repeated_id", ident, "in " + " and ".join(splits))


def _check_row(table: Table, row: object, place: str) -> Iterator[Finding]:
    name = table.name
    if not isinstance(row, dict):
        yield Finding("schema", place, f"{name}: a row that is no object")
        return
    own = row.get(table.ident)
    ident = own if isinstance(own, str) and own else place
    columns = {column.name: column for column in table.columns}
    for field in table.required:
        if field not in row:
            yield Finding("schema", ident, f"{name}: {field} is missing")
    for field, value in row.items():
        if field not in columns:
            yield Finding("schema", ident, f"{name}: unknown field {field}")
        elif not _fits(columns[field])(value):
            yield Finding("schema", ident, f"{name}: {field} is {value!r:.40}")
        elif (code := _form_code(columns[field])) and not re.fullmatch(columns[field].pattern or "", value):
            yield Finding(code, ident, f"{name}: {value!r:.40}" if code == "author_form" else "")


def _all_formed(table: Table, rows: Sequence[Any]) -> bool:
    """Return whether `_check_row` would accept all rows, by looking at columns and at each label once."""
    required, optional = frozenset(table.required), frozenset(table.optional)
    if not all(type(row) is dict and row.keys() - optional == required for row in rows):
        return False
    for column in table.columns:
        name = column.name
        values = list(map(itemgetter(name), rows if column.required else [row for row in rows if name in row]))
        if name in _FEW_VALUES:
            if set(map(type, values)) != {str}:
                return False
            values = list(set(values))
        if not all(map(_fits(column), values)):
            return False
        if _form_code(column) and not all(map(re.compile(column.pattern or "").fullmatch, values)):
            return False
    return True


def _form_code(column: Column) -> str:
    """Return the claim that a malformed value breaks, where it is not `schema`."""
    if column.name == "author_id":
        return "author_form"
    return "id_form" if column.name in ("candidate_id", "query_id") else ""


def _fits(column: Column) -> Callable[[Any], bool]:
    """Return the test of a column's values: the type, not empty, and the form of a label."""
    if column.dtype == IDS:
        return _is_ids
    if column.dtype == pl.Int32:
        return _is_length
    if column.pattern and not _form_code(column):
        form = re.compile(column.pattern)
        return lambda value: isinstance(value, str) and bool(form.fullmatch(value))
    return _is_text


def _is_text(value: object) -> bool:
    return isinstance(value, str) and bool(value)


def _is_ids(value: object) -> bool:
    return isinstance(value, list) and all(map(_is_text, value))


def _is_length(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and 0 < value < _MOST_TOKENS
