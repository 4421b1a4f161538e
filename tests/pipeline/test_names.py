"""No author is named outside the texts, but in the log of removed documents, which stays at home."""

import hashlib
import json
import re
from pathlib import Path

import polars as pl
import polars.selectors as columns
from cases import read_cases
from raw_rows import rows_of

# The fields that name authors, by source, and what of them is distinctive.
DATA = read_cases(Path(__file__))
LABELS = DATA["LABELS"]


def names(demo):
    found = set()
    for source, fields in LABELS.items():
        before = len(found)
        for row in rows_of(demo.folder / "resources/demo/raw", source):
            for field, pattern in fields:
                value = row.fields.get(field)
                if field == "authors_parsed" and value:
                    value = " ".join(str(part) for part in value[0][:2] if part)
                if value and (match := re.search(pattern, str(value))):
                    found.add(match[1].strip())
        assert len(found) > before, source
    return found - {hashlib.sha1(b"").hexdigest()}


def without_content(value):
    return {key: part for key, part in value.items() if key != "content"} if isinstance(value, dict) else value


def told(path):
    """What a file says outside `content`."""
    if path.suffix == ".parquet":
        frame = pl.read_parquet(path)
        # Where a removed row stood is told to `dirty_docs.log` alone.
        return frame.drop("content", "detail", strict=False).select(~columns.binary()).write_ndjson()
    text = path.read_text(encoding="utf-8")
    if path.suffix == ".jsonl":
        lines = [without_content(json.loads(line)) for line in text.splitlines()]
        return "\n".join(json.dumps(line, ensure_ascii=False) for line in lines)
    return text


def named(paths, wanted):
    assert paths
    found = []
    for path in paths:
        said = told(path)
        anywhere = set(pl.Series([said]).str.extract_many(sorted(wanted), overlapping=True)[0])
        found += [(path.name, name) for name in anywhere if re.search(rf"(?<!\w){re.escape(name)}(?!\w)", said)]
    return found


def test_no_author_is_named_in_the_release_outside_the_texts(demo):
    wanted = names(demo)
    assert len(wanted) > 300
    files = [path for path in demo.release.rglob("*") if path.is_file()]
    assert named(files, wanted) == []


def test_no_author_is_named_in_the_results_but_in_the_log_of_removed_documents(demo):
    wanted = names(demo)
    files = [
        path
        for path in demo.results.rglob("*")
        if path.suffix in (".parquet", ".json", ".log", ".tsv") and path.name != "dirty_docs.log"
    ]
    assert named(files, wanted) == []


def test_names_are_looked_for_in_a_way_that_finds_them(demo):
    assert named([demo.results / "dirty_docs.log"], names(demo))
