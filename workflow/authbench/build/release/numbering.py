"""Assign ids to documents, and keep them in later builds by a lock."""

import re
from collections.abc import Mapping, Set

import polars as pl

from authbench.core.errors import InputError
from authbench.core.identity import keyed_hashes, sha256_of_text
from authbench.release.format.columns import DOCUMENT_ID
from authbench.release.format.release import VERSION, Lock

LOCKED = ("doc_key", "id", "author_id", "split")


def number_documents(
    documents: pl.DataFrame, seed: int, lock: Lock | None = None, order: str = "hashed"
) -> pl.DataFrame:
    """Add `id`, `doc_000000` onwards in the order of a keyed hash of doc_key, and sort by it.

    Neither a number nor the position of a line reveals language, source or author; in the order `sorted` both do. With
    the lock of an earlier release, its documents keep their numbers and new documents follow its highest.

    Raises:
        InputError: documents share a doc_key, or the lock holds an invalid id.
    """
    repeated = documents.filter(pl.col("doc_key").is_duplicated())
    if repeated.height:
        raise InputError(f"{repeated.height} documents share a doc_key, the first {repeated['doc_key'].min()!r}.")
    known: Mapping[str, str] = lock["documents"] if lock else {}
    following = max((_number_of(ident) for ident in known.values()), default=-1) + 1
    if order == "sorted":
        ordered = documents.sort("lang", "source", "author_id", "doc_key")
    else:
        place = keyed_hashes(seed, "id", documents["doc_key"])
        ordered = documents.with_columns(place).sort(place.name, "doc_key").drop(place.name)
    ids = []
    for key in ordered["doc_key"]:
        ident = known.get(sha256_of_text(key))
        if ident is None:
            ident, following = f"doc_{following:06d}", following + 1
        ids.append(ident)
    return ordered.with_columns(pl.Series("id", ids, dtype=pl.String)).sort("id")


def make_lock(documents: pl.DataFrame, lock: Lock | None = None, takedown: Set[str] = frozenset()) -> Lock:
    """Return the content of release.lock of documents (LOCKED): author -> split, SHA-256 of doc_key -> id.

    Entries of an earlier lock are kept, to never assign a number twice. Authors with texts in several splits get no
    split. For an author taken down, only the numbers of the texts are kept.
    """
    authors = dict(lock["authors"]) if lock else {}
    spread = documents.group_by("author_id").agg(pl.col("split").unique())
    authors |= {author: found[0] for author, found in spread.iter_rows() if len(found) == 1}
    ids = dict(lock["documents"]) if lock else {}
    ids |= {sha256_of_text(key): ident for key, ident in documents.select("doc_key", "id").iter_rows()}
    return {
        "version": VERSION,
        "authors": {author: authors[author] for author in sorted(authors) if author not in takedown},
        "documents": {key: ids[key] for key in sorted(ids)},
    }


def _number_of(ident: str) -> int:
    if not re.fullmatch(DOCUMENT_ID, ident):
        raise InputError(f"release.lock holds the id {ident!r}. Expected `doc_` and a number of six digits or more.")
    return int(ident[4:])
