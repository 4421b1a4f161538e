"""What a release holds: numbered documents, queries and their answers, without what is taken down."""

import re
from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass
from typing import Any

import polars as pl

from authbench.errors import InputError
from authbench.format.files import FOLDERS
from authbench.identity import digest, sha256_of_text
from authbench.release.numbering import make_lock, number_documents
from authbench.release.queries import choose_queries
from authbench.release.takedown import is_taken_down, removed_documents


@dataclass(frozen=True)
class Contents:
    """What a release holds.

    `documents` are sorted by id (with id, origin, content_sha256), `queries` as `queries.QUERIES`; `lock` is for later
    builds, `removed` the documents taken down (`records.REMOVED`), `takedown` their counts.
    """

    documents: pl.DataFrame
    queries: pl.DataFrame
    splits: tuple[str, ...]
    queries_in_candidates: bool
    lock: dict[str, Any]
    removed: pl.DataFrame
    takedown: dict[str, int]


def make_contents(
    documents: pl.DataFrame,
    settings: Mapping[str, Any],
    split: Mapping[str, Any],
    seed: int,
    lock: Mapping[str, Any] | None = None,
    takedown: Set[str] = frozenset(),
    containment: pl.DataFrame | None = None,
) -> Contents:
    """Number the documents, choose the queries, then take down what may not stay.

    The same documents give the same contents, in whatever order they come. A takedown replaces nothing: numbers keep
    their gaps, every other document, query and positive stays, and an author left with fewer texts stays. A query goes
    when its text or its last positive goes; in the disjoint form its text, if it stays, is then a candidate, and a
    positive where it may be one.

    Args:
        documents: columns records.DOCUMENT, `split` and `toxicity`.
        settings: the section `release:` of the configuration.
        split: the section `split:`.
        seed: random seed of the choice of queries.
        lock: the `release.lock` of an earlier release.
        takedown: author ids and SHA-256 of contents to take down.
        containment: pairs of doc_keys (`a`, `b`) of long texts that share much of their wording.

    Raises:
        InputError: a split's name cannot name a folder, a document has another split, or documents share a doc_key.
    """
    splits = tuple(split["splits"])
    _check_splits(documents, splits)
    origins = [digest("origin", origin) for origin in documents["origin_id"]]
    hashes = [sha256_of_text(content) for content in documents["content"]]
    numbered = number_documents(
        documents.with_columns(
            pl.Series("origin", origins, dtype=pl.String), pl.Series("content_sha256", hashes, dtype=pl.String)
        ),
        lock,
    )
    queries = choose_queries(numbered, settings, seed, containment)
    taken, kept = numbered.filter(is_taken_down(takedown)), numbered.filter(~is_taken_down(takedown))
    left = choose_queries(kept, settings, seed, containment, set(queries["query_id"])) if taken.height else queries
    met = takedown & (set(taken["author_id"]) | set(taken["content_sha256"]))
    known = {author for author in takedown if author in (lock or {}).get("authors", {})}
    return Contents(
        documents=kept,
        queries=left,
        splits=splits,
        queries_in_candidates=settings["queries_in_candidates"],
        lock=make_lock(numbered, lock, takedown),
        removed=removed_documents(taken),
        takedown={
            "entries": len(takedown),
            "entries_without_a_document": len(takedown - met - known),
            "documents": taken.height,
            "queries": queries.height - left.height,
        },
    )


def _check_splits(documents: pl.DataFrame, splits: Sequence[str]) -> None:
    for name in splits:
        if not re.fullmatch(r"[A-Za-z0-9][A-Za-z0-9_-]*", name) or name in FOLDERS:
            raise InputError(f"split.splits: {name!r} cannot name a folder. Expected letters, digits, _ and -.")
    unknown = sorted(set(documents["split"].fill_null("(none)")) - set(splits))
    if unknown:
        raise InputError(f"Documents have the splits {unknown}; split.splits names {list(splits)}.")
