"""Check that a public bundle withholds all texts that may not be passed on, and no others.

A release that was rebuilt in part withholds the texts that were not found, whatever their terms, and contains texts of
tier B. merged.parquet accounts for every document of two merged releases.
"""

from collections import Counter
from collections.abc import Iterator, Mapping

import polars as pl

from authbench.core.errors import InputError
from authbench.core.json_values import JsonObject
from authbench.release.checking.claims import Finding
from authbench.release.checking.rows import Rows
from authbench.release.checking.settings import Settings, check_settings
from authbench.release.checking.settings import merged as laid_over
from authbench.release.checking.tables import read_csv
from authbench.release.format.columns import GROUND_TRUTH, MERGED
from authbench.release.format.files import COMPLETE, FUNNEL, MANIFEST, WITHHELD
from authbench.release.format.manifest import Manifest, MergedPart
from authbench.release.format.release import Release
from authbench.release.format.tables import read_pairs, read_table

REASONS = ("tier_b", "copy_of_tier_b")
NOT_FOUND = "not_found"
_LABELS = ("id", "split", "author_id", "source", "tier", "content_sha256")


def stated_number(manifest: Manifest) -> int:
    """Return how many documents the manifest reports as withheld; 0 if it does not say.

    Raises:
        InputError: the manifest does not state a whole number from 0 on.
    """
    stated = manifest.get("withheld")
    number = stated.get("documents", 0) if stated else 0
    if isinstance(number, bool) or not isinstance(number, int) or number < 0:
        raise InputError(f"{MANIFEST}: withheld.documents is {number!r:.40}. Expected a number from 0 on.")
    return number


def authors_of_withheld(release: Rows) -> frozenset[str]:
    """Return the authors whose texts a bundle withholds."""
    return frozenset(_absent(release)["author_id"]) if _is_bundle(release) else frozenset()


def check_withheld(release: Rows) -> Iterator[Finding]:
    """Yield texts of a bundle that must be withheld, and statements about withheld texts that its files contradict."""
    stated: Mapping[str, object] = release.manifest.get("withheld") or {}
    if not _is_bundle(release):
        if stated:
            yield Finding("withheld", MANIFEST, f"{stated_number(release.manifest)} documents, and no {WITHHELD}")
        return
    if release.provenance is None:
        return
    complete, absent = _complete(release), _absent(release)
    tier_b = complete.filter(pl.col("tier") == "B")["content_sha256"].implode()
    may_not = (pl.col("tier") == "B") | pl.col("content_sha256").is_in(tier_b)
    partial = _is_partial(stated)
    for ident in [] if partial else release.provenance.filter(may_not)["id"]:
        yield Finding("withheld", ident, f"{ident} is of tier B, or says the same as a text of it")
    for ident in [] if partial else absent.filter(~may_not)["id"]:
        yield Finding("withheld", ident, f"{ident} is withheld without need")
    both = release.provenance.select(_LABELS).join(complete, on=_LABELS, how="anti")
    for ident in both["id"]:
        yield Finding("withheld", ident, f"{ident} is another document in the complete release")
    reasons = Counter({REASONS[0]: absent.filter(pl.col("tier") == "B").height})
    reasons[REASONS[1]] = absent.height - reasons[REASONS[0]]
    if partial:
        reasons = Counter({NOT_FOUND: absent.height})
    gone, new = _queries(release)
    authors = len(set(complete["author_id"]) - set(release.provenance["author_id"]))
    expected = {"documents": absent.height, "queries": gone, "authors": authors, "reasons": dict(+reasons)}
    for what, number in expected.items():
        if stated.get(what) != number:
            yield Finding("withheld", MANIFEST, f"{what}: says {stated.get(what)!r:.60}, there are {number}")
    for query in new:
        yield Finding("withheld", query, f"{query} is no query of the complete release")
    if (release.folder / FUNNEL).is_file():
        counted = Counter[str]()
        for row in read_csv(release.folder / FUNNEL)[1]:
            if row["reason"] in (*REASONS, NOT_FOUND):
                counted[row["reason"]] += int(row["documents"])
        if +counted != +reasons:
            yield Finding("withheld", FUNNEL, f"{FUNNEL}: {counted.total()} documents, {reasons.total()} are withheld")


def _is_bundle(release: Rows) -> bool:
    return (release.folder / WITHHELD).is_file()


def _is_partial(stated: Mapping[str, object]) -> bool:
    """Return whether the manifest says that the withheld texts are those that were not found."""
    reasons = stated.get("reasons")
    return isinstance(reasons, Mapping) and list(reasons) == [NOT_FOUND]


def _complete(release: Rows) -> pl.DataFrame:
    return Release(release.folder / COMPLETE, release.splits, {}).read_provenance(_LABELS)


def _absent(release: Rows) -> pl.DataFrame:
    return _complete(release).join(release.documents.select("id"), on="id", how="anti", maintain_order="left")


def _queries(release: Rows) -> tuple[int, list[str]]:
    """Return how many queries of the complete release are not queries here, and which are queries only here."""
    gone, new = 0, list[str]()
    for split in release.splits:
        own = set(release.tables[split][GROUND_TRUTH.name]["query_id"])
        path = release.folder / COMPLETE / split / GROUND_TRUTH.file
        known = {query for batch in read_table(path, GROUND_TRUTH) for query in batch["query_id"]}
        gone += len(known - own)
        new += sorted(own - known)
    return gone, new


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


def _sections(part: MergedPart) -> dict[str, object]:
    """Return the sections with thresholds of a part's settings; empty where it does not state them."""
    config = part.get("config") or {}
    return {name: config[name] for name in ("filter", "safety") if name in config}


def _counts(rows: pl.DataFrame) -> JsonObject:
    gone = rows.drop_nulls("reason")
    return {
        "documents": rows.height,
        "kept": rows.height - gone.height,
        "removed": dict(sorted(Counter(gone["reason"]).items())),
        "renumbered": rows.filter(pl.col("id") != pl.col("id_before")).height,
    }
