"""Check release.lock against the documents: ids, splits of authors, and what a takedown left."""

from collections.abc import Iterator

import polars as pl

from authbench.release.checking.claims import Finding
from authbench.release.checking.rows import Rows
from authbench.release.checking.settings import continues_a_lock, taken_down
from authbench.release.checking.withheld import stated_number
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
    ids, splits, there = set(lock["documents"].values()), lock["authors"], set(release.documents["id"])
    for ident in sorted(there - ids):
        yield Finding("lock", ident, f"{ident} stands for 0 documents")
    for author, found in _splits(release).items():
        if len(found) == 1 and splits.get(author) != found[0]:
            yield Finding("lock", author, f"{author[:8]}... is in {found[0]}, not in {splits.get(author)!r:.20}")
    if not continues_a_lock(release.manifest):
        gone, withheld = taken_down(release.manifest), stated_number(release.manifest)
        absent = sorted(ids - there)
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
