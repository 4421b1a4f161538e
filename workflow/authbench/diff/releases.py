"""Read a release for comparison: documents by the hash of their key, which later builds keep."""

import re
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import polars as pl

from authbench.errors import InputError
from authbench.format.columns import GROUND_TRUTH
from authbench.format.files import LOCK
from authbench.format.hub import release_of
from authbench.format.lock import read_lock
from authbench.format.manifest import Manifest, Verification
from authbench.format.release import Release
from authbench.format.verify import open_verified
from authbench.identity import sha256_of_text
from authbench.registry.entries import read_yaml
from authbench.storage.json_lines import read_objects

_CFF = "CITATION.cff"
_REMOVALS = "dirty_docs.log"  # in the folder of a release, if it was built there


@dataclass(frozen=True)
class KeyedRelease:
    """A release by keys of documents.

    `documents` has key, id, split, source, lang, author_id and content_sha256; `queries` id, key, and `answers`, the
    keys of the positives; `numbered` are the keys and `authors` the authors in its release.lock; `verification` is the
    release's.
    """

    folder: Path
    manifest: Manifest
    documents: pl.DataFrame
    queries: pl.DataFrame
    numbered: frozenset[str]
    authors: frozenset[str]
    verification: Verification
    release: Release

    @cached_property
    def version(self) -> str | None:
        """Return the version that a published folder states in its CITATION.cff; None without one."""
        path = self.folder / _CFF
        stated = read_yaml(path).get("version") if path.is_file() else None
        return str(stated) if re.fullmatch(r"\d{1,9}\.\d{1,9}\.\d{1,9}", str(stated)) else None

    @cached_property
    def reasons(self) -> dict[str, str]:
        """Return why documents were removed in the build, by the hash of their key; empty without the log."""
        if not self.logged:
            return {}
        reasons: dict[str, str] = {}
        for _, row in read_objects(self.folder.parent / _REMOVALS):
            if row["doc_key"] is not None:
                reasons.setdefault(sha256_of_text(row["doc_key"]), row["reason"])
        return reasons

    @property
    def logged(self) -> bool:
        return (self.folder.parent / _REMOVALS).is_file()


def read_release(folder: Path, unverified: bool = False) -> KeyedRelease:
    """Read a release or a public bundle.

    Args:
        folder: the release.
        unverified: whether a release that contradicts itself is read all the same.

    Raises:
        InputError: it is not a release, contradicts itself, or has no release.lock.
    """
    folder = release_of(folder)
    if not (folder / LOCK).is_file():
        raise InputError(f"{folder}: no {LOCK}, so nothing says which document is which. Expected a release.")
    release = open_verified(folder, complete=True, unverified=unverified)
    lock = read_lock(folder / LOCK)
    keys = pl.DataFrame(
        {"key": list(lock["documents"]), "id": list(lock["documents"].values())},
        schema={"key": pl.String, "id": pl.String},
    )
    documents = release.provenance.select("id", "split", "source", "lang", "author_id", "content_sha256").join(
        keys, on="id", how="left"
    )
    unknown = documents.filter(pl.col("key").is_null())
    if unknown.height:
        raise InputError(f"{folder}: {LOCK} lacks {unknown.height} of its documents, {unknown['id'][0]} first.")
    key_of = dict(documents.select("id", "key").iter_rows())
    truths = [
        (split, row["query_id"], row["positive_ids"])
        for split in release.splits
        for batch in release.rows(split, GROUND_TRUTH)
        for row in batch.iter_rows(named=True)
    ]
    for split, query, answers in truths:
        for ident in (query, *answers):
            if ident not in key_of:
                raise InputError(
                    f"{release.path(split, GROUND_TRUTH)} names {ident!a:.80}, which is no document of it."
                )
    queries = [(query, key_of[query], sorted(map(key_of.__getitem__, answers))) for _, query, answers in truths]
    return KeyedRelease(
        folder,
        release.manifest,
        documents,
        pl.DataFrame(queries, schema={"id": pl.String, "key": pl.String, "answers": pl.List(pl.String)}, orient="row"),
        frozenset(lock["documents"]),
        frozenset(lock["authors"]),
        release.verification,
        release,
    )
