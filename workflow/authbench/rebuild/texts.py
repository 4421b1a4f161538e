"""Which text stands at a place in a raw corpus?

A place is a file, by its SHA-256, the number of a record in it and, where a long text was cut, a span of characters of
the normalised text. The record is read, cleaned and normalised as when the release was built, and its text is the one
that was released if its SHA-256 says so.
"""

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import polars as pl

from authbench.errors import InputError
from authbench.ingest.blocks import read_parts
from authbench.ingest.files import MAX_RECORD_BYTES, match_files
from authbench.ingest.mapping import Mapped, compile_source
from authbench.ingest.rows import BadRow, Row
from authbench.normalize.table import normalize_records
from authbench.release.write import sha256_of_file

BLOCK_ROWS = 16_384
HELD_CHARACTERS = 4 << 20
NOBODY = "\u2400\u2400"  # stands for the author, who is known: no text has it
KNOWN = {"author": {"const": NOBODY}, "lang": {"const": "en"}, "genre": {"const": "news"}, "id": {"const": "1"}}


class Found(NamedTuple):
    """The text of a wanted row (its number in the table), or why there is none."""

    row: int
    text: str | None
    reason: str = ""


def texts_of_source(
    tag: str, page: Mapping[str, Any], raw_dir: Path, wanted: pl.DataFrame, settings: Mapping[str, Any]
) -> Iterator[Found]:
    """Every row of `wanted` once, with its text or the reason why there is none, in the order of the files.

    `page` is the source's page, `settings` the configuration of the build; `wanted` has `row`, `lang`, `file`,
    `ordinal`, `chunk_start`, `chunk_end` and `content_sha256`. Memory: a block of rows, and the wanted places.
    """
    folder = raw_dir / page.get("folder", tag)
    mapped = compile_source(tag, slim(page), keep_other_languages=True)
    limit = settings["ingest"].get("max_record_bytes", MAX_RECORD_BYTES)
    left = wanted.sort("file", "ordinal")
    reasons: dict[int, str] = {}
    for path, digest in digests(folder, page["files"], left):
        places = left.filter(pl.col("file") == digest)
        files = {path: digest}
        parts = read_parts(tag, slim(page), folder, files, {digest: 0}, mapped, limit)
        solved = []
        for found in texts_at(tag, page, chosen(parts, places, reasons), mapped, settings):
            if found.text is None:
                reasons[found.row] = found.reason
            else:
                solved.append(found.row)
                yield found
        left = left.filter(~pl.col("row").is_in(solved))
    where = f"no file in {folder}/ has the SHA-256 that its text was read from"
    for row in left["row"]:
        yield Found(row, None, reasons.get(row, where))


def slim(page: Mapping[str, Any]) -> dict[str, Any]:
    """The page of a source without what a text does not depend on: who wrote it, when, and about what."""
    return {**page, "fields": {**KNOWN, "text": page["fields"]["text"]}, "author": {"kind": "person"}, "drop": []}


def digests(folder: Path, patterns: Sequence[str], wanted: pl.DataFrame) -> Iterator[tuple[str, str]]:
    """The raw files that hold wanted texts, with their SHA-256, in the order of their paths."""
    files = set(wanted["file"])
    if not folder.is_dir():
        return
    for path in match_files(folder, patterns):
        digest = sha256_of_file(folder / path)
        if digest in files:
            yield path, digest


class Place(NamedTuple):
    """A record, and the wanted rows that are cut from it: number, language, start, end, SHA-256."""

    record: Row
    rows: Sequence[tuple[int, str, int | None, int | None, str]]


def chosen(parts: Iterator[Any], places: pl.DataFrame, reasons: dict[int, str]) -> Iterator[Place]:
    """The records of a file that are wanted; `reasons` gets why one cannot be had."""
    rows = places.select("row", "lang", "chunk_start", "chunk_end", "content_sha256").rows()
    ordinals, starts = np.unique(places["ordinal"].to_numpy(), return_index=True)
    ends = [*starts[1:].tolist(), len(rows)]
    done = 0
    for part in parts:
        last = int(np.searchsorted(ordinals, part.start + len(part.rows)))
        here = zip(ordinals[done:last].tolist(), starts[done:last].tolist(), ends[done:last], strict=True)
        for ordinal, start, end in here:
            record = part.rows[ordinal - part.start]
            if isinstance(record, BadRow):
                told = f"record {ordinal} of {part.path} cannot be read: {record.reason}"
                reasons |= {row[0]: told for row in rows[start:end]}
            else:
                yield Place(record, rows[start:end])
        done = last
        if done == len(ordinals):
            return
    left = rows[starts[done] :] if done < len(ordinals) else []
    reasons |= {row[0]: "its file has fewer records than when the text was read" for row in left}


def texts_at(
    tag: str, page: Mapping[str, Any], places: Iterator[Place], mapped: Mapped, settings: Mapping[str, Any]
) -> Iterator[Found]:
    """The texts of places, a block of records at a time."""
    for block in blocks(places):
        made = mapped.documents([place.record for place in block])
        records = pl.DataFrame(
            {
                "place": made.places,
                "doc_key": list(map(str, made.places)),
                "source": [tag] * len(made.places),
                "lang": [block[place].rows[0][1] for place in made.places],
                "task": ["authorship"] * len(made.places),
                "author_id": ["known"] * len(made.places),
                "content": made.records["content"].to_pylist(),
            }
        )
        normal, _, _ = normalize_records(records, {tag: page.get("normalize", {})}, settings["normalize"])
        contents = dict(normal.select("place", "content").iter_rows())
        for number, place in enumerate(block):
            for row, _, start, end, digest in place.rows:
                yield proven(row, contents.get(number), start, end, digest)


def blocks(places: Iterator[Place]) -> Iterator[list[Place]]:
    """Places together, as long as they are few and small."""
    held: list[Place] = []
    size = 0
    for place in places:
        held.append(place)
        size += sum(len(value) for value in place.record.values() if isinstance(value, str))
        if len(held) == BLOCK_ROWS or size >= HELD_CHARACTERS:
            yield held
            held, size = [], 0
    if held:
        yield held


def proven(row: int, content: str | None, start: int | None, end: int | None, digest: str) -> Found:
    """The wanted text within a normalised one, if it is what was released."""
    if content is None:
        return Found(row, None, "its record has no text any more")
    whole = content if start is None else content[start:end]
    text = single_breaks(whole)
    if hashlib.sha256(text.encode()).hexdigest() != digest:
        return Found(row, None, "its record says something else than when the text was read")
    return Found(row, text)


def single_breaks(text: str) -> str:
    """The text with runs of line breaks made one, as chunking leaves it.

    >>> single_breaks("a\\n\\n\\nb\\nc")
    'a\\nb\\nc'
    """
    while "\n\n" in text:
        text = text.replace("\n\n", "\n")
    return text


def refuse_unknown_pages(tags: Sequence[str], pages: Mapping[str, Any]) -> None:
    missing = sorted(set(tags) - set(pages))
    if missing:
        raise InputError(f"The bundle has no pages of {', '.join(missing)}. Fetch it anew.")
