"""Check the form of a release: its files, the columns of its tables, ids and their order, fields that are unique.

Ids and the order of lines must reveal nothing about a document. In the order of ids, neighbours of the same author,
source or language must be as rare as in a random order, and lengths must not rise or fall. Models that rank by the
distance of ids or by the position in the file then score at chance.
"""

import math
import re
from collections import Counter
from collections.abc import Hashable, Iterator, Mapping, Sequence
from pathlib import Path

import numpy as np
import orjson
import polars as pl

from authbench.config.registry.citations import bibliography
from authbench.core.errors import InputError
from authbench.core.identity import value_digest
from authbench.core.json_values import JsonObject
from authbench.core.storage.atomic import sha256_of_file
from authbench.core.storage.json_files import value_at
from authbench.core.storage.sha256sums import SUMS
from authbench.release.checking.claims import Finding
from authbench.release.checking.rows import Rows
from authbench.release.checking.settings import continues_a_lock
from authbench.release.checking.tables import read_csv
from authbench.release.format import files
from authbench.release.format.columns import (
    CANDIDATES,
    LABELS,
    MERGED,
    PAIR_TABLES,
    PROVENANCE,
    QUERIES,
    SPLIT,
    SPLIT_TABLES,
    UNIQUE_VALUES,
    UNKNOWN,
)
from authbench.release.format.files import CSV_FILES
from authbench.release.format.manifest import Manifest, StatedSource
from authbench.release.format.names import walk
from authbench.release.format.release import Release
from authbench.release.format.tables import table_problems

_TEXTS = (CANDIDATES, QUERIES)
_DRAWN = frozenset({files.REPORT, *(f"figures/{name}.svg" for name in files.FIGURES)})
_BOOKKEEPING = frozenset({SUMS, files.PROVENANCE, files.LOCK, files.DEVIATION, *files.CSV_FILES})


def check_files(folder: Path, manifest: Manifest) -> Iterator[Finding]:
    """Yield changed, missing and extra files, and entries of the folder that are not plain files.

    Without SHA256SUMS no file is extra. A release that states its version of AuthBench must have all files of the
    format, except the figures and the report, which are drawn from it last.
    """
    present, strange = walk(folder)
    yield from (Finding("files", name, f"{name} is {what}") for name, what in sorted(strange.items()))
    if (folder / SUMS).is_file():
        yield from _check_sums(folder, present, strange)
    if manifest.get("authbench"):
        yield from _check_names(present, manifest)
    if manifest.get("sources") and files.CITATIONS in present:
        yield from _check_citations(folder / files.CITATIONS, manifest["sources"])


def _check_sums(folder: Path, present: frozenset[str], strange: Mapping[str, str]) -> Iterator[Finding]:
    listed: dict[str, str] = {}
    for number, line in enumerate((folder / SUMS).read_text(encoding="utf-8", errors="replace").splitlines(), start=1):
        found = re.fullmatch(r"([0-9a-f]{64}) [ *](.+)", line)
        if not found or ".." in Path(found[2]).parts or Path(found[2]).is_absolute():
            yield Finding("checksum", f"{SUMS}:{number}", "a line that names no file of the release")
        elif found[2] in listed:
            yield Finding("checksum", f"{SUMS}:{number}", f"{found[2]} is listed twice")
        else:
            listed[found[2]] = found[1]
    for name in sorted((listed.keys() | present) - {SUMS} - strange.keys()):
        if name not in present:
            yield Finding("checksum", name, f"{name} is missing")
        elif name not in listed:
            yield Finding("checksum", name, f"{name} is extra")
        elif sha256_of_file(folder / name) != listed[name]:
            yield Finding("checksum", name, f"{name} has changed")


def _check_citations(path: Path, sources: Mapping[str, StatedSource]) -> Iterator[Finding]:
    try:
        stated = bibliography({tag: one["citation"] for tag, one in sources.items()})
    except InputError as problem:
        yield Finding("manifest", files.MANIFEST, f"sources: {problem}")
        return
    if path.read_text(encoding="utf-8", errors="replace") != stated:
        yield Finding("manifest", files.CITATIONS, f"{files.CITATIONS} has other citations than {files.MANIFEST}")


def _check_names(present: frozenset[str], manifest: Manifest) -> Iterator[Finding]:
    splits = manifest.get("splits")
    named = [name for name in splits if isinstance(name, str) and re.fullmatch(SPLIT, name)] if splits else []
    tables = [*SPLIT_TABLES.values(), *PAIR_TABLES.values()]
    needed = (
        _BOOKKEEPING
        | ({files.CITATIONS} if manifest.get("sources") else set())
        | {f"{split}/{table.file}" for split in named for table in tables}
    )
    needed |= {files.MERGED} if manifest.get("merged") else set()
    known = needed | _DRAWN | {files.MANIFEST, files.CITATIONS, *files.BUNDLE_FILES, *files.PART_FILES}
    if files.WITHHELD in present:
        copied = needed | _DRAWN | {files.MANIFEST, files.CITATIONS}
        copied -= {f"{split}/{table.file}" for split in named for table in _TEXTS}
        known |= {f"{files.COMPLETE}/{name}" for name in copied}
    yield from (Finding("files", name, f"{name} is missing") for name in sorted(needed - present))
    yield from (Finding("files", name, f"{name} is no file of a release") for name in sorted(present - known))


_LABELS = ("author_id", "source", "lang", "genre", "split")
_DEVIATIONS = 6  # standard deviations: chance exceeds this once in a billion
_SPARE = 3  # further neighbours that are allowed, as small numbers are not normally distributed


def check_ids(release: Rows, granted: bool = False) -> Iterator[Finding]:
    """Yield what ids reveal about documents, and files whose lines are not in the order of ids.

    A release that keeps the ids of an earlier release, or of two merged releases, keeps their order, whatever it was.
    Ids in sorted order reveal what they may (`granted`).
    """
    if "authbench" not in release.manifest:
        return
    yield from _check_lines(release)
    if granted or release.manifest.get("merged") or continues_a_lock(release.manifest):
        return
    documents = release.documents.drop_nulls("author_id").with_columns(number=_numbers("id")).sort("number")
    for split in (None, *release.splits):
        part = documents if split is None else documents.filter(pl.col("split") == split)
        where = "" if split is None else f" in {split}"
        for label in _LABELS:
            found, most = neighbours(part[label].to_list())
            if found > most:
                yield Finding("ids", f"{label}{where}", f"{found} neighbours share their {label}{where}, chance {most}")
        if part.height > 2 and abs(rise := _rank_correlation(part["token_length"])) > _DEVIATIONS:
            yield Finding("ids", f"token_length{where}", f"lengths follow the ids{where} ({rise:+.1f} deviations)")


def neighbours(labels: Sequence[Hashable]) -> tuple[int, int]:
    """Return how many neighbours in a sequence are equal, and a number that hardly any random order exceeds.

    Mean and variance are as for the number of runs in a random order (Wallis and Moore 1941; Mood 1940).
    """
    n = len(labels)
    if n < 3:
        return 0, n
    found = sum(one == other for one, other in zip(labels, labels[1:], strict=False))
    sizes = Counter(labels).values()
    squares, cubes = sum(size**2 for size in sizes), sum(size**3 for size in sizes)
    mean = (squares - n) / n
    variance = (squares * (squares + n * (n + 1)) - 2 * n * cubes - n**3) / (n**2 * (n - 1))
    return found, math.floor(mean + _DEVIATIONS * math.sqrt(max(variance, 0.0)) + _SPARE)


def _rank_correlation(values: pl.Series) -> float:
    """Return Spearman's correlation of values with their positions, in standard deviations of a random order."""
    ranks = values.rank().to_numpy()
    if ranks.min() == ranks.max():
        return 0.0
    return float(np.corrcoef(np.arange(len(ranks)), ranks)[0, 1] * math.sqrt(len(ranks) - 1))


def _check_lines(release: Rows) -> Iterator[Finding]:
    for split, tables in release.tables.items():
        for name, rows in tables.items():
            table = SPLIT_TABLES[name]
            numbers = rows.select(_numbers(table.ident)).to_series()
            if not numbers.is_sorted():
                yield Finding("numbering", f"{split}/{table.file}", f"{split}/{table.file} is not in the order of ids")


def _numbers(column: str) -> pl.Expr:
    return pl.col(column).str.slice(4).cast(pl.UInt64, strict=False)


_RECORD = ("file", "ordinal")  # a raw record; its chunks are one document


def check_fields(provenance: pl.DataFrame | None, unique: Mapping[str, Sequence[str]]) -> Iterator[Finding]:
    """Yield documents that share a value with another, and digests that contradict the topic or label of their row.

    Args:
        provenance: the rows of documents; None: their fields are unknown.
        unique: by task type, the fields whose values no two documents share.

    Raises:
        InputError: `unique` is not a mapping of lists of names.
    """
    _expect_names(unique)
    if provenance is None or not unique:
        return
    form, holders = re.compile(UNIQUE_VALUES.pattern or ""), dict[tuple[str, str], tuple[tuple[object, ...], str]]()
    rows = provenance.filter(pl.col("task").cast(pl.String).is_in(list(unique))).sort("id")
    for row in rows.iter_rows(named=True):
        digests = row.get(UNIQUE_VALUES.name)
        values = orjson.loads(digests) if isinstance(digests, str) and form.fullmatch(digests) else {}
        beside = _stated(row)
        for field in unique[row["task"]]:
            digest = values.get(field)
            if field in beside and digest != value_digest(field, beside[field]):
                yield Finding("unique_field", row["id"], f"{field} of {row['id']} is not that of {UNIQUE_VALUES.name}")
            if digest is None:
                continue
            record = tuple(row[name] for name in _RECORD)
            holder, first = holders.setdefault((field, digest), (record, row["id"]))
            if holder != record:
                yield Finding("unique_field", f"{first} = {row['id']}", field)


def _stated(row: JsonObject) -> dict[str, object]:
    """Return the published topic and labels of a row of the provenance."""
    labels = row.get(LABELS.name)
    stated = orjson.loads(labels) if isinstance(labels, str) and re.fullmatch(LABELS.pattern or "", labels) else {}
    return {"topic": row["topic"], **stated} if row.get("topic") is not None else stated


def _expect_names(unique: object) -> None:
    fitting = isinstance(unique, Mapping) and all(
        isinstance(fields, list | tuple) and all(isinstance(field, str) for field in fields)
        for fields in unique.values()
    )
    if not fitting:
        raise InputError(
            f"dedup.unique is {unique!r:.80}. Expected the fields of each task type, as {{essay: [prompt]}}."
        )


_FORMS = {
    pl.String: re.compile(".+", re.DOTALL),
    pl.Int64: re.compile("[0-9]+"),
    pl.Float64: re.compile(r"-?[0-9]+(\.[0-9]+)?(e[+-]?[0-9]+)?"),
    pl.Boolean: re.compile("true|false"),
}


def check_form(release: Release) -> Iterator[Finding]:
    """Yield columns of the existing tables that are absent, of another type, empty or undeclared.

    Raises:
        InputError: a table cannot be read.
    """
    tables = {table.file: table for table in (PROVENANCE, MERGED)}
    tables |= {f"{split}/{table.file}": table for split in release.splits for table in PAIR_TABLES.values()}
    sound = set()
    for name, table in tables.items():
        if (release.folder / name).is_file():
            problems = list(table_problems(release.folder / name, table))
            yield from (Finding("schema", name, f"{name}: {column} {problem}") for column, problem in problems)
            sound |= set() if problems else {name}
    if PROVENANCE.file in sound:
        yield from _check_settings(release.provenance.columns, release.manifest)
        ids = release.provenance["id"]
        for ident in ids.filter(ids.is_duplicated()).unique(maintain_order=True):
            yield Finding("repeated_id", ident, f"several rows in {PROVENANCE.file}")
    for name, schema in CSV_FILES.items():
        if (release.folder / name).is_file():
            yield from _check_csv(release.folder / name, name, schema)


def _check_settings(there: Sequence[str], manifest: Manifest) -> Iterator[Finding]:
    """Yield columns of the provenance whose presence contradicts their setting."""
    if not (config := manifest.get("config")):
        return
    for column in PROVENANCE.columns:
        if column.setting and bool(value_at(config, column.setting.split("."))) != (column.name in there):
            yield Finding("schema", PROVENANCE.file, f"{column.name} is not as {column.setting} says")


def _check_csv(path: Path, name: str, schema: pl.Schema) -> Iterator[Finding]:
    header, rows = read_csv(path)
    if header != schema.names():
        yield Finding("schema", name, f"{name}: expected the columns {', '.join(schema)}")
        return
    for number, row in enumerate(rows, start=2):
        for column, dtype in schema.items():
            if not _FORMS[dtype.base_type()].fullmatch(row[column]) and not (column in UNKNOWN and row[column] == ""):
                yield Finding("schema", f"{name}:{number}", f"{column} is not in its form")
