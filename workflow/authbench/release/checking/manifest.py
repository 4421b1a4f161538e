"""Check the counts, totals, splits, inputs, scorers and warnings in manifest.json against the release."""

from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import PurePath

import polars as pl

from authbench.core.errors import InputError
from authbench.release.checking.claims import Finding
from authbench.release.checking.rows import Rows
from authbench.release.checking.settings import Rules
from authbench.release.format.files import LATER_KEYS, MANIFEST, MANIFEST_KEYS
from authbench.release.format.manifest import Counts, Manifest


def check_manifest(release: Rows, rules: Rules) -> Iterator[Finding]:
    """Yield statements of manifest.json that the release contradicts.

    Raises:
        InputError: a part of the manifest is malformed.
    """
    manifest = release.manifest
    try:
        if manifest.get("counts"):
            yield from _check_counts(release, manifest["counts"])
        if manifest.get("authbench"):
            if missing := sorted(MANIFEST_KEYS.keys() - LATER_KEYS - manifest.keys()):
                yield from (Finding("manifest", key, f"{key} is missing") for key in missing)
                return
            yield from _check_totals(release, manifest)
            yield from _check_sources(release, manifest)
            yield from _check_scorers(manifest)
            yield from _check_warnings(release, manifest, rules)
    except (KeyError, TypeError, AttributeError) as problem:
        raise InputError(f"{release.folder / MANIFEST}: not in its form ({problem!r})") from None


def _check_counts(release: Rows, counts: Mapping[str, Counts]) -> Iterator[Finding]:
    """Yield splits whose counts disagree, or that are absent."""
    documents = release.documents
    buckets = release.provenance
    for split in [*counts, *(split for split in release.splits if split not in counts)]:
        part = documents.filter(pl.col("split") == split)
        found: dict[str, object] = {
            "documents": part.height,
            "authors": part["author_id"].n_unique(),
            "queries": int(part["query"].sum()),
            "languages": dict(Counter(part["lang"])),
            "genres": dict(Counter(part["genre"])),
        }
        if buckets is not None and ("lengths" in (counts.get(split) or {}) or release.manifest.get("authbench")):
            found["lengths"] = dict(Counter(buckets.filter(pl.col("split") == split)["length_bucket"]))
        for what, value in found.items():
            stated: Mapping[str, object] = counts.get(split) or {}
            if stated.get(what) != value:
                yield Finding("manifest", split, f"{split}: {what}")


def _check_totals(release: Rows, manifest: Manifest) -> Iterator[Finding]:
    documents = release.documents
    found = {
        "documents": documents.height,
        "authors": documents["author_id"].n_unique(),
        "languages": documents["lang"].n_unique(),
        "queries": int(documents["query"].sum()),
    }
    stated: Mapping[str, object] = manifest.get("totals") or {}
    for what, value in found.items():
        if stated.get(what) != value:
            yield Finding("manifest", "totals", f"totals: {what} {stated.get(what)!r:.20}, there are {value}")
    named = manifest.get("splits") or []
    if sorted(named) != sorted(release.splits) or sorted(manifest["config"]["split"]["splits"]) != sorted(named):
        yield Finding("manifest", "splits", f"splits: {named!r:.80}, there are {', '.join(release.splits)}")


def _check_sources(release: Rows, manifest: Manifest) -> Iterator[Finding]:
    """Yield sources of documents that are not in the settings, have no input or licence, or were skipped."""
    named = {
        PurePath(str(one)).stem if str(one).endswith((".yaml", ".yml")) else one
        for one in manifest["config"]["sources"]
    }
    inputs, licences = manifest.get("inputs") or {}, manifest.get("licences") or {}
    skipped = manifest.get("skipped_sources") or ()
    sources = set(release.documents["source"])
    for source in sorted(sources):
        if source not in named:
            yield Finding("manifest", source, f"{source} is not in config.sources")
        for key, known in (("raw_lock", manifest["raw_lock"]["sources"]), ("inputs", inputs), ("licences", licences)):
            if source not in known:
                yield Finding("manifest", source, f"{key}: no {source}")
        if source in skipped:
            yield Finding("manifest", source, f"skipped_sources: {source} has documents")
    yield from (
        Finding("manifest", source, f"licences: no document of {source}")
        for source in sorted(licences.keys() - sources)
    )
    if release.provenance is not None:
        for source, files in (
            release.provenance.group_by("source").agg(pl.col("file").n_unique()).sort("source").iter_rows()
        ):
            if source in inputs and files > inputs[source]["files"]:
                yield Finding("manifest", source, f"inputs: documents of {source} are from {files} files")


def _check_scorers(manifest: Manifest) -> Iterator[Finding]:
    names = [str(scorer["identity"]).split(" ")[0] for scorer in manifest.get("scorers") or []]
    wanted = list(manifest["config"]["safety"]["scorers"])
    if len(names) != len(wanted) or not all(name.startswith(want) for name, want in zip(names, wanted, strict=True)):
        yield Finding("manifest", "scorers", f"scorers: {names!r:.60}, the settings have {wanted!r:.60}")


def _check_warnings(release: Rows, manifest: Manifest, rules: Rules) -> Iterator[Finding]:
    """Yield warnings that follow from the release and that the manifest lacks."""
    lines = "\n".join(map(str, manifest.get("warnings") or []))
    documents, provenance = release.documents, release.provenance
    last = "test" if "test" in release.splits else release.splits[-1]
    asking = Counter(documents.filter(pl.col("query") & (pl.col("split") == last))["lang"])
    wanted = {f"Fewer than 100 {last} queries in": any(asking[lang] < 100 for lang in set(documents["lang"]))}
    wanted["Documents were split one by one"] = rules.unit == "document"
    lock = manifest["raw_lock"]
    unverified = set(lock["sources"].values()) - {"verified"}
    wanted["The raw files are not those of their lock"] = lock["sha256"] is not None and bool(unverified)
    wanted["No lock says that the raw files are complete"] = lock["sha256"] is None and bool(lock["sources"])
    wanted["No text was checked for toxicity"] = not manifest["config"]["safety"]["scorers"]
    if provenance is not None:
        kinds, tiers = set(provenance["author_kind"]), set(provenance["tier"])
        origins = provenance.group_by("author_id").agg(pl.col("origin").n_unique())["origin"]
        wanted |= {
            "masked name": "masked" in kinds,
            "signed by an outlet or byline": "outlet" in kinds,
            "have no known author": "work" in kinds,
            "are known by one work or document only": bool((origins == 1).any()),
            "are tier B": "B" in tiers,
            "without a toxicity score": bool(provenance["toxicity"].null_count())
            and "wordlist" in str(manifest["scorers"]),
        }
    for words, there in wanted.items():
        if there and words not in lines:
            yield Finding("warnings", words, "")
