"""What of a release is compared with another?"""

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import orjson
import polars as pl

from authbench.errors import InputError
from authbench.export.reading import TRUTH, open_release, read_batches
from authbench.lock import read_lock

REMOVALS = "dirty_docs.log"  # beside a release, where it was built


@dataclass(frozen=True)
class Told:
    """A release, its documents by the hash of their key, which a later build keeps.

    `documents` has key, id, split, source, author_id and content_sha256; `queries` id, key, and the keys that answer;
    `numbered` are the keys and `authors` the authors that its release.lock knows.
    """

    folder: Path
    manifest: Mapping[str, Any]
    documents: pl.DataFrame
    queries: pl.DataFrame
    numbered: frozenset[str]
    authors: frozenset[str]

    @cached_property
    def reasons(self) -> dict[str, str]:
        """Why documents went while it was built, by the hash of their key; empty where the log is not beside it."""
        path = self.folder.parent / REMOVALS
        if not path.is_file():
            return {}
        found: dict[str, str] = {}
        with path.open("rb") as lines:
            for row in map(orjson.loads, lines):
                if row["doc_key"] is not None:
                    found.setdefault(hashlib.sha256(row["doc_key"].encode()).hexdigest(), row["reason"])
        return found

    @property
    def logged(self) -> bool:
        return (self.folder.parent / REMOVALS).is_file()


def read_release(folder: Path) -> Told:
    """A release or a public bundle. Raises InputError where it is none or has no release.lock."""
    if not (folder / "release.lock").is_file():
        raise InputError(f"{folder}: no release.lock, so nothing says which document is which. Expected a release.")
    lock = read_lock(folder / "release.lock")
    benchmark = open_release(folder, with_tier_b=True)
    keys = pl.DataFrame(
        {"key": list(lock["documents"]), "id": list(lock["documents"].values())},
        schema={"key": pl.String, "id": pl.String},
    )
    documents = benchmark.provenance.select("id", "split", "source", "author_id", "content_sha256").join(
        keys, on="id", how="left"
    )
    unknown = documents.filter(pl.col("key").is_null())
    if unknown.height:
        raise InputError(f"{folder}: release.lock lacks {unknown.height} of its documents, {unknown['id'][0]} first.")
    key_of = dict(documents.select("id", "key").iter_rows())
    asked = [
        (row["query_id"], key_of[row["query_id"]], sorted(key_of[one] for one in row["positive_ids"]))
        for split in benchmark.splits
        for batch in read_batches(folder / split / "ground_truth.jsonl", TRUTH)
        for row in batch.iter_rows(named=True)
    ]
    queries = pl.DataFrame(
        asked, schema={"id": pl.String, "key": pl.String, "answers": pl.List(pl.String)}, orient="row"
    )
    return Told(
        folder,
        json.loads((folder / "manifest.json").read_bytes()),
        documents,
        queries,
        frozenset(lock["documents"]),
        frozenset(lock["authors"]),
    )
