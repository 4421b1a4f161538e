"""List the documents and queries that changed between two releases, each with the reason."""

from collections.abc import Mapping
from typing import Any

import polars as pl

from authbench.diff.releases import KeyedRelease

CHANGES = pl.Schema(
    {
        "change": pl.String,
        "source": pl.String,
        "reason": pl.String,
        "id": pl.String,
        "before": pl.String,
        "after": pl.String,
    }
)
_TAKEN_DOWN = "taken down"
_NOT_LOGGED = "not known: the log of its removals (dirty_docs.log) is not beside the release"


def changed_documents(a: KeyedRelease, b: KeyedRelease) -> pl.DataFrame:
    """Return a row for every change (CHANGES): `gone`, `new`, `split`, `id`, `text`.

    Sorted by change, source, reason and id. `before` and `after` are the differing values: splits, ids, SHA-256 of
    texts.
    """
    both = a.documents.join(b.documents, on="key", suffix="_b")
    rows = [
        ("gone", row["source"], _why_gone(row, b), row["id"], row["split"], None)
        for row in a.documents.join(b.documents, on="key", how="anti").iter_rows(named=True)
    ]
    rows += [
        ("new", row["source"], _why_new(row["key"], row["source"], a), row["id"], None, row["split"])
        for row in b.documents.join(a.documents, on="key", how="anti").iter_rows(named=True)
    ]
    for change, column in (("split", "split"), ("id", "id"), ("text", "content_sha256")):
        differing = both.filter(pl.col(column) != pl.col(f"{column}_b"))
        rows += [
            (change, source, "", ident, before, after)
            for source, ident, before, after in differing.select(
                "source", "id_b", pl.col(column).alias("before"), pl.col(f"{column}_b").alias("after")
            ).iter_rows()
        ]
    return pl.DataFrame(rows, schema=CHANGES, orient="row").sort("change", "source", "reason", "id")


def _why_gone(document: Mapping[str, Any], b: KeyedRelease) -> str:
    """Return why a document of the earlier release is not in `b`."""
    key, author, source = (document[name] for name in ("key", "author_id", "source"))
    if key in b.reasons:
        return b.reasons[key].replace("_", " ")
    if source not in b.manifest["inputs"]:
        return "its source is left out"
    if b.manifest["takedown"]["documents"] and key in b.numbered and _takes_down(author, b):
        return _TAKEN_DOWN
    return "no longer selected, or no longer in the raw files" if b.logged else _NOT_LOGGED


def _takes_down(author: str, b: KeyedRelease) -> bool:
    """Return whether a document that `b` has numbered but not released was certainly taken down.

    This is certain if `b` was built without a lock, or if its lock no longer has the author.
    """
    return not b.manifest["config"]["split"]["lock"] or author not in b.authors


def _why_new(key: str, source: str, a: KeyedRelease) -> str:
    """Return why a document of the later release was not in `a`."""
    if key in a.reasons:
        return f"was {a.reasons[key].replace('_', ' ')}"
    if source not in a.manifest["inputs"]:
        return "its source is new"
    return "newly selected, or new in the raw files"


def changed_queries(a: KeyedRelease, b: KeyedRelease) -> dict[str, list[str]]:
    """Return the ids of queries that are `gone`, `new`, or have other `answers`."""
    both = a.queries.join(b.queries, on="key", suffix="_b")
    return {
        "gone": sorted(a.queries.join(b.queries, on="key", how="anti")["id"]),
        "new": sorted(b.queries.join(a.queries, on="key", how="anti")["id"]),
        "answers": sorted(both.filter(pl.col("answers") != pl.col("answers_b"))["id_b"]),
    }
