"""Checksums, provenance, sampling report and manifest against what is there; each is checked where it exists."""

import re
from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import polars as pl

from authbench.check.claims import Finding
from authbench.check.rows import Rows
from authbench.check.rules import Rules
from authbench.errors import InputError
from authbench.format.columns import PROVENANCE, TEXT_MEASURES
from authbench.format.files import DEVIATION
from authbench.format.release import read_json_object
from authbench.identity import sha256_of_text
from authbench.records import length_bucket_expr
from authbench.sample.targets import matching_pattern
from authbench.storage.atomic import sha256_of_file
from authbench.storage.sha256sums import SUMS


def check_checksums(folder: Path) -> Iterator[Finding]:
    """Yield files that are changed, missing or extra; hidden ones (of a version control) do not count."""
    path = folder / SUMS
    if not path.exists():
        return
    listed: dict[str, str] = {}
    for number, line in enumerate(path.read_text(encoding="utf-8", errors="replace").splitlines(), start=1):
        found = re.fullmatch(r"([0-9a-f]{64}) [ *](.+)", line)
        if not found or ".." in Path(found[2]).parts or Path(found[2]).is_absolute():
            yield Finding("checksum", f"{SUMS}:{number}", "a line that names no file of the release")
        else:
            listed[found[2]] = found[1]
    names = {file.relative_to(folder) for file in folder.rglob("*") if file.is_file()}
    present = {name.as_posix() for name in names if not any(part.startswith(".") for part in name.parts)} - {SUMS}
    for name in sorted(listed.keys() | present):
        if not (folder / name).is_file():
            yield Finding("checksum", name, f"{name} is missing")
        elif name not in listed:
            yield Finding("checksum", name, f"{name} is extra")
        elif sha256_of_file(folder / name) != listed[name]:
            yield Finding("checksum", name, f"{name} has changed")


def check_provenance(release: Rows, rules: Rules) -> Iterator[Finding]:
    """Yield documents without one row, and rows that disagree: split, labels, lengths, digest of the text."""
    provenance = release.provenance
    if provenance is None:
        return
    for name, dtype in provenance.schema.items():
        if not (dtype.is_numeric() or dtype == pl.Boolean or name in PROVENANCE.names or name in TEXT_MEASURES):
            yield Finding("provenance_column", name, str(dtype))
    ids = Counter(provenance["id"])
    documents = set(release.documents["id"])
    for ident in sorted(documents ^ ids.keys()):
        yield Finding(
            "provenance", ident, "a document without a row" if ident in documents else "a row without a document"
        )
    for ident, count in ids.items():
        if count > 1:
            yield Finding("provenance", ident, "several rows")
    content = release.documents["content"]
    found = release.documents.drop("content").with_columns(
        char_length=content.str.len_chars().cast(pl.Int64),
        content_sha256=pl.Series([sha256_of_text(text) for text in content], dtype=pl.String),
    )
    columns = ["split", "author_id", "lang", "genre", "source", "token_length", "char_length", "content_sha256"]
    if rules.fixed_buckets:
        found = found.with_columns(length_bucket=length_bucket_expr("token_length"))
        columns.append("length_bucket")
    both = found.join(provenance, on="id", suffix="_said").sort("id")
    for column in columns:
        if f"{column}_said" in both.columns:
            for ident in both.filter(pl.col(column).ne_missing(pl.col(f"{column}_said")))["id"]:
                yield Finding("provenance", ident, f"{column} of {ident}")


def check_quotas(release: Rows, rules: Rules) -> Iterator[Finding]:
    """Yield cells of sampling_deviation.json that disagree; only documents taken down may be missing."""
    deviation = read_json_object(release.folder / DEVIATION)
    if not deviation:
        return
    try:
        yield from _check_quotas(deviation, release, rules)
    except (KeyError, TypeError, AttributeError) as problem:
        raise InputError(f"{release.folder / DEVIATION}: not in its form ({problem!r})") from None


def _check_quotas(deviation: Mapping[str, Any], release: Rows, rules: Rules) -> Iterator[Finding]:
    documents = _with_cells(release, rules)
    said: dict[tuple[str, ...], int] = {("documents",): deviation["documents"]["taken"]}
    said |= {("language", row["language"]): row["taken"] for row in deviation["languages"]}
    said |= {(row["dimension"], row["language"], row["key"]): row["taken"] for row in deviation["cells"]}
    there: Counter[tuple[str, ...]] = Counter()
    for lang, bucket, pattern in documents.select("lang", "length_bucket", "pattern").iter_rows():
        there.update([("documents",), ("language", lang), ("length", lang, bucket), ("genre", lang, pattern)])
    dimensions = {key[0] for key in said}
    for key in sorted(said.keys() | {key for key in there if key[0] in dimensions}):
        spare = said.get(key, 0) - there[key]
        if spare < 0 or spare > rules.taken_down or (key == ("documents",) and spare != rules.taken_down):
            yield Finding("quota", " ".join(key), f"{' '.join(key)}: says {said.get(key, 0)}, there are {there[key]}")
    if not rules.taken_down:
        sizes = release.documents.group_by("lang", "source", "author_id").len()["len"]
        fewer = int((sizes < rules.usual_documents).sum())
        if fewer != deviation["fallback_authors"]:
            yield Finding("quota", "fallback_authors", f"says {deviation['fallback_authors']}, there are {fewer}")


def _with_cells(release: Rows, rules: Rules) -> pl.DataFrame:
    """Return the documents with the length bucket and the genre pattern they count for."""
    documents = release.documents
    provenance = release.provenance
    if provenance is not None and "length_bucket" in provenance.columns:
        documents = documents.join(provenance.select("id", "length_bucket").unique("id"), on="id", how="left")
    else:
        documents = documents.with_columns(length_bucket=length_bucket_expr("token_length"))
    known = [
        (lang, genre, matching_pattern(genre, list(rules.genres.get(lang, {}))) or "(no target)")
        for lang, genre in documents.select("lang", "genre").unique().iter_rows()
    ]
    patterns = pl.DataFrame(known, schema=dict.fromkeys(("lang", "genre", "pattern"), pl.String), orient="row")
    return documents.join(patterns, on=["lang", "genre"], how="left").with_columns(
        pl.col("length_bucket").fill_null("?")
    )


def check_manifest(release: Rows) -> Iterator[Finding]:
    """Yield splits whose counts in manifest.json, where it has them, disagree, or that are absent."""
    counts = release.manifest.get("counts")
    if not counts:
        return
    documents = release.documents
    for split in [*counts, *(split for split in release.splits if split not in counts)]:
        part = documents.filter(pl.col("split") == split)
        found = {
            "documents": part.height,
            "authors": part["author_id"].n_unique(),
            "queries": int(part["query"].sum()),
            "languages": dict(part.group_by("lang").len().iter_rows()),
            "genres": dict(part.group_by("genre").len().iter_rows()),
        }
        for what, value in found.items():
            if (counts.get(split) or {}).get(what) != value:
                yield Finding("manifest", split, f"{split}: {what}")
