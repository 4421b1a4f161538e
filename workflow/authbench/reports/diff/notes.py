"""Write release notes for users: what changed from a release to the next."""

from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path

import polars as pl

from authbench.config.languages import language_name
from authbench.core.printable import inert_markdown
from authbench.core.storage.atomic import sha256_of_file
from authbench.core.storage.sha256sums import SUMS
from authbench.reports.diff.releases import KeyedRelease, VersionChange
from authbench.reports.diff.summary import WORDS, Difference, by_reason


def release_notes(a: KeyedRelease, b: KeyedRelease, found: Difference) -> str:
    """Return the notes on the later release `b` as Markdown, for users of `a`."""
    version = found["version"]
    name = str(b.release.manifest.get("name") or b.release.folder.name)
    number = version["stated"] if version["stated"] != version["before"] else version["proposed"]
    lines = [
        f"# {name}{f' {number}' if number else ''}",
        "",
        *_version(version),
        "",
        "## Can scores be compared?",
        "",
        *_comparison(version),
        "",
        "## Numbers",
        "",
        *_numbers(a, b),
        "",
        "## Texts and queries",
        "",
        *_texts(found),
        "",
        "## What to change",
        "",
        *_migration(a, b, found),
        "",
        "## Files",
        "",
        *_digests(a, b),
    ]
    return "\n".join(lines) + "\n"


def _version(version: VersionChange) -> Iterator[str]:
    if version["bump"] == "none":
        yield "No change of the version is due: nothing that it counts differs, or one is a public bundle of the other."
        return
    numbers = f", from {version['before']} to {version['proposed']}" if version["proposed"] else ""
    yield f"A {version['bump']} version{numbers}:"
    yield ""
    for one in version["reasons"]:
        yield f"- {one['level']}: " + (f"`{one['split']}`: " if one["split"] else "") + one["why"]
    if version["stated"] and version["proposed"] and version["stated"] not in (version["before"], version["proposed"]):
        yield f"- The release calls itself {version['stated']}."


def _comparison(version: VersionChange) -> Iterator[str]:
    for split in version["comparable"]:
        yield f"- `{split}`: yes, its texts, queries, answers and pairs are the same."
    for split in sorted({one["split"] for one in version["reasons"] if one["split"] and one["level"] == "major"}):
        yield f"- `{split}`: no. Evaluate every model anew on the later release, and name its version with each score."
    if any(one["level"] == "minor" and one["split"] for one in version["reasons"]):
        yield (
            "- Models that learn or are fitted on texts that are not scored saw others: train them anew before "
            "comparing them on the splits above."
        )
    if not version["comparable"]:
        yield "- Scores of the two releases do not belong into one table."


def _numbers(a: KeyedRelease, b: KeyedRelease) -> Iterator[str]:
    yield from ("| | before | now | difference |", "| --- | ---: | ---: | ---: |")
    for name in ("documents", "authors", "languages", "queries"):
        yield _row(name, a.release.manifest["totals"][name], b.release.manifest["totals"][name])
    for column, label in (("split", "split {}"), ("lang", "{}"), ("source", "source {}")):
        before, after = (Counter(one.documents[column].to_list()) for one in (a, b))
        for value in sorted({*before, *after}):
            shown = language_name(value) if column == "lang" else value
            yield _row(label.format(shown), before[value], after[value])


def _row(name: str, before: int, after: int) -> str:
    return f"| {inert_markdown(name)} | {before:,} | {after:,} | {after - before:+,} |"


def _texts(found: Difference) -> Iterator[str]:
    lines = [
        f"- {len(ids):,} texts of {source} {WORDS[change]}{f': {reason}' if reason else ''}"
        for change, source, reason, ids in by_reason(found)
    ]
    for change, ids in found["queries"].items():
        if ids:
            lines.append(f"- {len(ids):,} queries {'with other answers' if change == 'answers' else change}")
    yield from lines or ["The same."]


def _migration(a: KeyedRelease, b: KeyedRelease, found: Difference) -> Iterator[str]:
    """Yield what users of the earlier release have to change: names, ids, defaults."""
    notes = [
        *_renamed(a, b),
        *_columns(a, b),
        *(f"- `{one['what']}`: {_value(one['a'])} → {_value(one['b'])}" for one in found["causes"]),
    ]
    yield from notes or ["Nothing."]


def _renamed(a: KeyedRelease, b: KeyedRelease) -> Iterator[str]:
    both = a.documents.join(b.documents, on="key", suffix="_b")
    if renumbered := both.filter(pl.col("id") != pl.col("id_b")).height:
        yield (
            f"- {renumbered:,} documents have other ids: `authbench release diff OLD NEW --json` lists each with "
            "the id before and after. A build with `split.lock` set to the earlier release.lock keeps them."
        )
    if renamed := both.filter(pl.col("author_id") != pl.col("author_id_b")).height:
        yield f"- {renamed:,} documents have other author ids: the key of pseudonyms or the names of authors changed."
    before, after = a.release.splits, b.release.splits
    if before != after:
        yield f"- The splits are {_listed(after)}; they were {_listed(before)}."
    one, other = a.release.manifest["authbench"], b.release.manifest["authbench"]
    if one != other:
        yield f"- Made by AuthBench {other}, before by {one}: take that version to rebuild it from raw files."


def _columns(a: KeyedRelease, b: KeyedRelease) -> Iterator[str]:
    before, after = (set(one.release.provenance.columns) for one in (a, b))
    for what, names in (("has no more", before - after), ("also has", after - before)):
        if names:
            yield f"- `provenance.parquet` {what} {_listed(sorted(names))}."


def _digests(a: KeyedRelease, b: KeyedRelease) -> Iterator[str]:
    for when, one in (("before", a), ("now", b)):
        path: Path = one.release.folder / SUMS
        digest = sha256_of_file(path) if path.is_file() else "no checksums"
        yield f"- SHA-256 of `{SUMS}`, {when}: `{digest}`"


def _listed(names: Sequence[str]) -> str:
    return ", ".join(f"`{name}`" for name in names)


def _value(value: object) -> str:
    return "not set" if value is None else f"`{str(value)[:120]}`"
