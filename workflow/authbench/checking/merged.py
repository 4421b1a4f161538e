"""Check merged.parquet, which accounts for every document of the two merged releases."""

from collections import Counter
from collections.abc import Iterator
from typing import Any

import polars as pl

from authbench.checking.claims import Finding
from authbench.checking.rows import Rows
from authbench.checking.settings import Settings, check_settings
from authbench.checking.settings import merged as laid_over
from authbench.checking.withheld import stated_number
from authbench.format.columns import MERGED
from authbench.format.manifest import MergedPart
from authbench.format.tables import read_pairs


def check_merged(release: Rows) -> Iterator[Finding]:
    """Yield documents that the table does not account for, and counts of the manifest that it contradicts.

    Raises:
        InputError: the file is malformed.
    """
    parts = release.manifest.get("merged")
    path = release.folder / MERGED.file
    if not parts or not path.is_file():
        return
    table = read_pairs(path, MERGED)
    wrong = table.filter(pl.col("id").is_null() == pl.col("reason").is_null())
    for ident in wrong["id_before"]:
        yield Finding("merge", ident, f"{ident} has neither a number nor a reason, or both")
    kept = Counter(table["id"].drop_nulls())
    for ident in release.documents["id"]:
        if kept[ident] != 1:
            yield Finding("merge", ident, f"{ident} is {kept[ident]} documents of the two releases")
    absent = sorted(set(kept) - set(release.documents["id"]))
    if len(absent) != stated_number(release.manifest):
        yield Finding("merge", absent[0] if absent else MERGED.file, f"{len(absent)} kept documents are not here")
    if sorted(table["release"].unique()) not in ([1, 2], [1], [2]):
        yield Finding("merge", MERGED.file, "releases other than 1 and 2")
    for place, stated in enumerate(parts, start=1):
        config: Settings = release.manifest.get("config") or {}
        for loose in check_settings(laid_over(config, _sections(stated)), config):
            yield Finding("merge", MERGED.file, f"release {place}: {loose.note}")
        for key, found in _counts(table.filter(pl.col("release") == place)).items():
            if key in stated and stated.get(key) != found:
                words = f"release {place}: {key} {stated.get(key)!r:.60}, there are {found!r:.60}"
                yield Finding("merge", MERGED.file, words)


def parts_with_settings(
    release: Rows, provenance: pl.DataFrame, settings: Settings
) -> Iterator[tuple[pl.DataFrame, Settings]]:
    """Yield the rows of each merged release with its settings; for any other release, all rows."""
    parts, path = release.manifest.get("merged"), release.folder / MERGED.file
    if not parts or not path.is_file() or not all(_sections(part) for part in parts):
        yield provenance, settings
        return
    table = read_pairs(path, MERGED).drop_nulls("id")
    for place, part in enumerate(parts, start=1):
        own = table.filter(pl.col("release") == place)["id"].implode()
        yield provenance.filter(pl.col("id").is_in(own)), laid_over(settings, _sections(part))


def _sections(part: MergedPart) -> dict[str, Any]:
    """Return the sections with thresholds of a part's settings; empty where it does not state them."""
    config = part.get("config") or {}
    return {name: config[name] for name in ("filter", "safety") if name in config}


def _counts(rows: pl.DataFrame) -> dict[str, Any]:
    gone = rows.drop_nulls("reason")
    return {
        "documents": rows.height,
        "kept": rows.height - gone.height,
        "removed": dict(sorted(Counter(gone["reason"]).items())),
        "renumbered": rows.filter(pl.col("id") != pl.col("id_before")).height,
    }
