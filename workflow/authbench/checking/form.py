"""Check that tables in Parquet and CSV have the declared columns, each of its type, and no others."""

import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import polars as pl

from authbench.checking.claims import Finding
from authbench.checking.tables import read_csv
from authbench.format.columns import MERGED, PAIR_TABLES, PROVENANCE, UNKNOWN
from authbench.format.files import CSV_FILES
from authbench.format.manifest import Manifest
from authbench.format.release import Release
from authbench.format.tables import table_problems

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
        if column.setting:
            section, key = column.setting.split(".")
            part: object = config.get(section)
            if bool(isinstance(part, Mapping) and part.get(key)) != (column.name in there):
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
