"""Which files of the open corpora are there and can be read, and what does ingestion make of them?

Each corpus lies in the folder that its source names. Any sample of them will do: a corpus, file or
column that a sample lacks skips the tests of it, and a file that nobody can read counts as such.
"""

import csv
import hashlib
import io
import json
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple
from xml.etree import ElementTree

import polars as pl
import pytest
from defaults import section
from shared_folders import DATA, skip_without_corpus

from authbench.build.ingest.source import ingest_source
from authbench.config.registry.entries import read_yaml
from authbench.config.registry.source_entry import make_extraction
from authbench.core.errors import InputError
from authbench.core.storage.raw_paths import match_files

ROOT = Path(__file__).parents[2]
MAX_BAD_ROWS = section("ingest")["max_bad_rows"]
FILE_IS_TEXT = ("text", "tei", "blog_xml")  # of many such files one that cannot be read does not stop the source
MISSING = "fields are missing"  # of a file that has other columns than its corpus is known for
LFS_POINTER = b"version https://git-lfs"


class Ingested(NamedTuple):
    """What ingestion made of a corpus; `files` are the SHA-256 of what it was given, by path below the folder."""

    counts: dict[str, Any]
    records: pl.DataFrame
    removed: pl.DataFrame
    files: dict[str, str]


def load_source(tag):
    return read_yaml(ROOT / f"config/sources/{tag}.yaml")


def folder_of(tag):
    """The folder of a corpus; skips where there is none."""
    folder = DATA / str(load_source(tag).get("folder", tag))
    if not folder.is_dir():
        skip_without_corpus(folder)
    return folder


def decoded(path, encodings):
    """The text of a file in the first encoding that fits; None where none does, or the file is empty or a pointer."""
    content = path.read_bytes()
    if not content or content.startswith(LFS_POINTER):
        return None
    for encoding in [encodings] if isinstance(encodings, str) else encodings:
        try:
            return content.decode("utf-8-sig" if encoding == "utf-8" else encoding)
        except UnicodeDecodeError:
            continue
    return None


def is_readable(path, reader):
    """Whether a file can be read at all as what its source says it is."""
    if reader["format"] == "tei":
        try:
            ElementTree.parse(path)
        except ElementTree.ParseError:
            return False
        return True
    text = decoded(path, reader.get("encoding", "utf-8"))
    if text is None:
        return False
    if reader["format"] == "json":
        try:
            json.loads(text)
        except ValueError:
            return False
    return True


@cache
def sorted_out(tag):
    """The files of a corpus that can be read, and those that cannot; none where its folder is absent."""
    source = load_source(tag)
    folder = DATA / str(source.get("folder", tag))
    good = []
    bad = []
    for name in match_files(folder, source["files"]):
        path = folder / name
        (good if is_readable(path, source["reader"]) else bad).append(path)
    return good, bad


def files_of(tag):
    """The files of a corpus that can be read, and those that cannot; skips where none can."""
    folder = folder_of(tag)
    good, bad = sorted_out(tag)
    if not good:
        pytest.skip(f"no file that can be read matches {', '.join(load_source(tag)['files'])} in {folder}")
    return good, bad


def table(path, tag):
    """The rows of a CSV file of a corpus, read by Python's own module."""
    reader = load_source(tag)["reader"]
    text = decoded(path, reader.get("encoding", "utf-8"))
    assert text is not None
    quoting = csv.QUOTE_MINIMAL if reader.get("quoting", True) else csv.QUOTE_NONE
    rows = csv.reader(io.StringIO(text, newline=""), delimiter=reader.get("delimiter", ","), quoting=quoting)
    before = csv.field_size_limit(1 << 27)
    try:
        filled = [row for row in rows if row]
    finally:
        csv.field_size_limit(before)
    header = reader["header"] if "header" in reader else filled.pop(0)
    return [dict(zip(header, row, strict=False)) for row in filled]


def tables_with(tag, *columns):
    """The rows of all files of a corpus that have these columns; skips where no file has them."""
    found = [rows for path in files_of(tag)[0] if (rows := table(path, tag)) and set(columns) <= set(rows[0])]
    if not found:
        pytest.skip(f"no file of {tag} has the columns {', '.join(columns)}")
    return [row for rows in found for row in rows]


def bad_rows_allowed(tag):
    """The share of bad rows at which a source stops, with room for the files that cannot be read and, where a file is
    a text, for one more: where files are few, one is a large share."""
    good, bad = files_of(tag)
    spoilt = len(bad) + (load_source(tag)["reader"]["format"] in FILE_IS_TEXT)
    return min(1.0, MAX_BAD_ROWS + spoilt / len(good))


@cache
def ingested(tag, shards=2):
    """A corpus as ingestion reads it. Of tables, of which one that cannot be read stops the source, only those are
    given to it that can be read."""
    folder, source = folder_of(tag), load_source(tag)
    good, bad = files_of(tag)
    given = good + (bad if source["reader"]["format"] in FILE_IS_TEXT else [])
    files = {path.relative_to(folder).as_posix(): hashlib.sha256(path.read_bytes()).hexdigest() for path in given}
    settings = section("ingest", max_bad_rows=bad_rows_allowed(tag))
    with TemporaryDirectory() as out:
        paths = [Path(out) / f"{place}.parquet" for place in range(shards)]
        try:
            counts = ingest_source(tag, make_extraction(source), folder, files, paths, Path(out) / "removed", settings)
        except InputError as problem:
            if MISSING not in str(problem):
                raise
            pytest.skip(str(problem))
        records = pl.concat([pl.read_parquet(path) for path in paths]).sort("doc_key")
        return Ingested(counts, records, pl.read_parquet(Path(out) / "removed"), files)
