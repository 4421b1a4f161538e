"""The demo's raw files read a second way: no reader of the pipeline has a part in it."""

import csv
import json
import re
import zipfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
from cases import read_cases

TEXT_FIELDS = read_cases(Path(__file__))["TEXT_FIELDS"]


@dataclass(frozen=True)
class RawRow:
    """A row of a raw file: the file in the source's folder, its place there, the line it begins on, its fields."""

    file: str
    ordinal: int
    line: int
    fields: dict[str, Any]


def rows_of(raw, source):
    """Every row of a source, in the order of files and rows."""
    found = []
    for path in sorted((raw / source).rglob("*")):
        if path.is_file():
            read = READERS[path.suffix]
            name = path.relative_to(raw / source).as_posix()
            found += [RawRow(name, ordinal, line, fields) for ordinal, (line, fields) in enumerate(read(path, source))]
    return found


def _table(path, source):
    with path.open(encoding="utf-8", newline="") as file:
        reader = csv.reader(file, delimiter="\t" if source == "douban" else ",")
        header = next(reader)
        before = reader.line_num
        for cells in reader:
            yield before + 1, dict(zip(header, cells, strict=False))
            before = reader.line_num


def _parquet(path, source):
    yield from enumerate(pq.read_table(path).to_pylist(), start=1)


def _json(path, source):
    text = path.read_text(encoding="utf-8")
    if source in ("arxiv", "wikisource"):
        for number, line in enumerate(text.split("\n"), start=1):
            if line.strip():
                yield number, json.loads(line) if _is_json(line) else {"id": _broken_id(line)}
        return
    rows = json.loads(text)
    if source == "hindi_discourse":
        stories = {}
        for sentence in rows.values():
            stories.setdefault(sentence["Story_no"], []).append(sentence["Sentence"])
        rows = [{"Story_no": number, "Sentence": " ".join(lines)} for number, lines in stories.items()]
    yield from enumerate(rows, start=1)


def _is_json(line):
    try:
        json.loads(line)
    except ValueError:
        return False
    return True


def _broken_id(line):
    found = re.search(r'"id":\s*"([^"]*)', line)
    return found[1] if found else ""


def _blogs(path, source):
    with zipfile.ZipFile(path) as archive:
        for member in sorted(archive.namelist()):
            posts = re.findall(rb"<post>(.*?)</post>", archive.read(member), flags=re.DOTALL)
            for number, post in enumerate(posts):
                yield number, {"member": member, "number": number, "post": post.decode("cp1252", "replace")}


READERS = {
    ".csv": _table, ".txt": _table, ".parquet": _parquet, ".zip": _blogs, ".json": _json, ".jsonl": _json,
}  # fmt: skip


def finds(find, row, source):
    """Whether a row is meant: texts by their beginning, addresses that end in a slash too, of a list any value."""
    for field, wanted in find.items():
        if field == "file":
            matches = row.file.startswith(wanted)
        elif field == "text":
            text = row.fields.get(TEXT_FIELDS[source]) or ""
            matches = text.startswith(wanted) and bool(text) == bool(wanted)
        else:
            value = row.fields.get(field)
            options = [str(option) for option in (wanted if isinstance(wanted, list) else [wanted])]
            matches = str(value) in options or any(
                option.endswith("/") and str(value).startswith(option) for option in options
            )
        if not matches:
            return False
    return True
