"""Take documents down on request."""

import re
from collections.abc import Iterable, Set
from pathlib import Path

import polars as pl

from authbench.core.errors import InputError
from authbench.core.records import as_removed

_SHA256 = re.compile(r"[0-9a-f]{64}")


def read_takedown(path: str | Path) -> frozenset[str]:
    """Read a list of author ids or SHA-256 of contents, an entry per line; `#` begins a comment.

    Raises:
        InputError: the file is not UTF-8, or a line is not a SHA-256.
    """
    entries = set()
    try:
        text = Path(path).read_text(encoding="utf-8-sig")
    except UnicodeDecodeError as error:
        raise InputError(f"{path} is no list of author ids or SHA-256: not UTF-8 ({error}).") from None
    for number, line in enumerate(text.splitlines(), start=1):
        entry = line.partition("#")[0].strip().lower()
        if entry and not _SHA256.fullmatch(entry):
            raise InputError(f"{path}, line {number}: expected an author id or a SHA-256 (64 hexadecimal digits).")
        entries.add(entry)
    return frozenset(entries - {""})


def is_taken_down(takedown: Set[str]) -> pl.Expr:
    """Return the expression over `author_id` and `content_sha256`: whether the list names either."""
    listed = pl.lit(pl.Series(sorted(takedown), dtype=pl.String).implode())
    return pl.col("author_id").is_in(listed) | pl.col("content_sha256").is_in(listed)


def removed_documents(taken: pl.DataFrame) -> pl.DataFrame:
    """Return the removals (records.REMOVED) of the documents that were taken down."""
    return as_removed(taken, "release", pl.lit("taken_down"), "id")


def takedown_counts(takedown: Set[str], taken: pl.DataFrame, authors: Iterable[str], queries: int) -> dict[str, int]:
    """Return a manifest's counts of a list, of the documents and queries that it takes, and of entries without any.

    An entry that names one of the `authors` of the lock was met by an earlier build.

    >>> taken = pl.DataFrame({"author_id": ["a"], "content_sha256": ["x"]})
    >>> takedown_counts({"a", "x", "known", "strange"}, taken, ["known"], 2)
    {'entries': 4, 'entries_without_a_document': 1, 'documents': 1, 'queries': 2}
    """
    met = {*taken["author_id"], *taken["content_sha256"], *authors}
    return {
        "entries": len(takedown),
        "entries_without_a_document": len(takedown - met),
        "documents": taken.height,
        "queries": queries,
    }
