"""Check release.lock against the documents: ids, splits of authors, and what a takedown left."""

import re
from collections import Counter
from collections.abc import Iterator, Mapping

import polars as pl

from authbench.core.errors import InputError
from authbench.release.checking.claims import Finding
from authbench.release.checking.rows import Rows
from authbench.release.checking.settings import continues_a_lock, taken_down
from authbench.release.checking.withheld import stated_number
from authbench.release.format.columns import DOCUMENT_ID, SHA256
from authbench.release.format.files import LOCK
from authbench.release.format.release import read_lock


def check_lock(release: Rows) -> Iterator[Finding]:
    """Yield ids and authors on which release.lock and the documents disagree.

    Raises:
        InputError: release.lock is malformed.
    """
    path = release.folder / LOCK
    if not path.is_file():
        return
    lock = read_lock(path)
    ids, splits = lock["documents"], lock["authors"]
    if not isinstance(ids, Mapping) or not isinstance(splits, Mapping):
        raise InputError(f"{path}: authors and documents are no objects")
    for key, ident in ids.items():
        if not re.fullmatch(SHA256, key) or not isinstance(ident, str) or not re.fullmatch(DOCUMENT_ID, ident):
            yield Finding("lock", key, f"{key!r:.40} -> {ident!r:.40}")
    many = Counter(map(str, ids.values()))
    for ident in sorted(set(release.documents["id"])):
        if many[ident] != 1:
            yield Finding("lock", ident, f"{ident} stands for {many[ident]} documents")
    for author, found in _splits(release).items():
        if len(found) == 1 and splits.get(author) != found[0]:
            yield Finding("lock", author, f"{author[:8]}... is in {found[0]}, not in {splits.get(author)!r:.20}")
    if not continues_a_lock(release.manifest):
        gone, withheld = taken_down(release.manifest), stated_number(release.manifest)
        absent = sorted({str(ident) for ident in ids.values()} - set(release.documents["id"]))
        fewer = len(absent) < gone + withheld and not release.manifest.get("merged")  # both took down the same
        if len(absent) > gone + withheld or fewer:
            first = absent[0] if absent else LOCK
            words = f"{gone} documents taken down, {withheld} withheld, {len(absent)} of the lock are absent"
            yield Finding("takedown", first, words)
        unknown = sorted(splits.keys() - _splits(release).keys())
        if len(unknown) > gone + withheld:
            words = f"{len(unknown)} authors without a document, {gone} documents taken down, {withheld} withheld"
            yield Finding("lock", unknown[0], words)


def _splits(release: Rows) -> dict[str, list[str]]:
    found = release.documents.drop_nulls("author_id").group_by("author_id").agg(pl.col("split").unique().sort())
    return dict(found.sort("author_id").iter_rows())
