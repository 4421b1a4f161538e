"""Check the fields of `dedup.unique`, which no two documents may share, by the digests in the provenance."""

import re
from collections.abc import Iterator, Mapping
from typing import Any

import orjson
import polars as pl

from authbench.checking.claims import Finding
from authbench.errors import InputError
from authbench.format.columns import LABELS, UNIQUE_VALUES
from authbench.identity import value_digest

_RECORD = ("file", "ordinal")  # a raw record; its chunks are one document


def check_fields(provenance: pl.DataFrame | None, unique: Any) -> Iterator[Finding]:
    """Yield documents that share a value with another, and digests that contradict the topic or label of their row.

    Args:
        provenance: the rows of documents; None: their fields are unknown.
        unique: by task type, the fields whose values no two documents share.

    Raises:
        InputError: `unique` is not a mapping of lists of names.
    """
    _expect_names(unique)
    if provenance is None or not unique:
        return
    form, holders = re.compile(UNIQUE_VALUES.pattern or ""), dict[tuple[str, str], tuple[tuple[Any, ...], str]]()
    rows = provenance.filter(pl.col("task").cast(pl.String).is_in(list(unique))).sort("id")
    for row in rows.iter_rows(named=True):
        digests = row.get(UNIQUE_VALUES.name)
        values = orjson.loads(digests) if isinstance(digests, str) and form.fullmatch(digests) else {}
        beside = _stated(row)
        for field in unique[row["task"]]:
            digest = values.get(field)
            if field in beside and digest != value_digest(field, beside[field]):
                yield Finding("unique_field", row["id"], f"{field} of {row['id']} is not that of {UNIQUE_VALUES.name}")
            if digest is None:
                continue
            record = tuple(row[name] for name in _RECORD)
            holder, first = holders.setdefault((field, digest), (record, row["id"]))
            if holder != record:
                yield Finding("unique_field", f"{first} = {row['id']}", field)


def _stated(row: dict[str, Any]) -> dict[str, Any]:
    """Return the published topic and labels of a row of the provenance."""
    labels = row.get(LABELS.name)
    stated = orjson.loads(labels) if isinstance(labels, str) and re.fullmatch(LABELS.pattern or "", labels) else {}
    return {"topic": row["topic"], **stated} if row.get("topic") is not None else stated


def _expect_names(unique: Any) -> None:
    fitting = isinstance(unique, Mapping) and all(
        isinstance(fields, list | tuple) and all(isinstance(field, str) for field in fields)
        for fields in unique.values()
    )
    if not fitting:
        raise InputError(
            f"dedup.unique is {unique!r:.80}. Expected the fields of each task type, as {{essay: [prompt]}}."
        )
