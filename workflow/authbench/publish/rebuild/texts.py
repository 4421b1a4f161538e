"""Read the texts of a release again at their places in the raw corpora.

A place is a file, by its SHA-256, the number of a record in it and, if a long text was cut, a span of characters of the
normalised text. The record is read, cleaned and normalised as in the original build, and its text is accepted if its
SHA-256 equals the released text's. Texts not found at their places are sought in all files of the source: a corpus that
is crawled or packed again has other files, and records at other places, but most texts are unchanged. Each text of the
source is normalised and looked up by its SHA-256; in a long text every wanted span is tried.
"""

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import chain, starmap
from pathlib import Path
from typing import NamedTuple

import numpy as np
import polars as pl

from authbench.build.ingest.beside import is_beside
from authbench.build.ingest.blocks import Part, gathered, read_parts
from authbench.build.ingest.compiled import compile_extraction
from authbench.build.ingest.documents import add_derived, contents_of, own_names
from authbench.build.ingest.mapping import compile_source
from authbench.build.ingest.own_name import without_own_name
from authbench.build.normalize.endings import without_ending
from authbench.build.normalize.table import normalize_records
from authbench.config.registry import source_entry
from authbench.config.settings.data import DataConfig
from authbench.config.settings.normalize import NormalizeTexts
from authbench.core.arrays import BOOL, I64
from authbench.core.errors import InputError
from authbench.core.identity import sha256_of_text
from authbench.core.storage.atomic import sha256_of_file
from authbench.core.storage.raw_files import MAX_RECORD_BYTES
from authbench.core.storage.raw_paths import match_files
from authbench.release.reading.characters import whole_characters
from authbench.release.reading.rows import BadRow, Row


class Wanted(NamedTuple):
    """Describe a released text: row, language, span of characters in the normalised text (none: all), SHA-256 and end.

    All texts of a release have the same `end`: a line break, or nothing.
    """

    row: int
    lang: str
    start: int | None
    end: int | None
    sha256: str
    end_of_text: str


def as_released(content: str, wanted: Wanted) -> str | None:
    """Return the wanted part of a text if its SHA-256 equals the released text's."""
    if wanted.start is not None:
        text = single_breaks(content[wanted.start : wanted.end]) + wanted.end_of_text
        return text if sha256_of_text(text) == wanted.sha256 else None
    return next(
        (text for text in whole_forms(content, wanted.end_of_text) if sha256_of_text(text) == wanted.sha256), None
    )


def whole_forms(content: str, end: str) -> Iterator[str]:
    """Yield the forms in which an uncut text may have been released: itself, and without its signature."""
    for text in chain([content], without_ending(content)):
        yield single_breaks(text) + end


def single_breaks(text: str) -> str:
    """Return the text with each run of line breaks as a single break, as chunking leaves it.

    >>> single_breaks("a\\n\\n\\nb\\nc")
    'a\\nb\\nc'
    """
    while "\n\n" in text:
        text = text.replace("\n\n", "\n")
    return text


ALL_TRIED = 2_000_000  # spans; beyond, only spans that begin and end at a sentence, line or word are tried
_BREAKS = np.array(sorted(map(ord, ' \n.!?…。！？；;:,，、"”’」』）)]')), np.uint32)


class _Sought:
    """Hold the texts that are still sought. Memory: some 300 bytes for each."""

    def __init__(self, wanted: Iterable[Wanted]) -> None:
        self.whole: defaultdict[str, list[Wanted]] = defaultdict(list)
        self.parts: list[Wanted] = []
        self.end = ""
        for one in wanted:
            self.end = one.end_of_text
            if one.start is None:
                self.whole[one.sha256].append(one)
            else:
                self.parts.append(one)
        self._index()
        self.tried = 0

    def __bool__(self) -> bool:
        return bool(self.whole or self.parts)

    def langs(self) -> list[str]:
        return sorted({one.lang for some in self.whole.values() for one in some} | {one.lang for one in self.parts})

    def take_whole(self, content: str) -> dict[int, str]:
        """Return the rows whose whole text is this text, and stop seeking them."""
        for text in whole_forms(content, self.end):
            if found := self.whole.pop(sha256_of_text(text), None):
                return dict.fromkeys((one.row for one in found), text)
        return {}

    def take_parts(self, content: str) -> dict[int, str]:
        """Return the rows whose texts are spans of this text, and stop seeking them."""
        found = {}
        for place in self._fitting(content).tolist():
            text = as_released(content, self.parts[place])
            if text is not None:
                found[self.parts[place].row] = text
        if found:
            self.parts = [one for one in self.parts if one.row not in found]
            self._index()
        return found

    def _index(self) -> None:
        self.starts = np.array([one.start for one in self.parts], np.int64)
        self.ends = np.array([one.end for one in self.parts], np.int64)

    def _fitting(self, content: str) -> I64:
        """Return the places of the spans to try in a text."""
        places = np.flatnonzero(self.ends <= len(content))
        self.tried += len(places)
        if self.tried <= ALL_TRIED or not len(places):
            return places
        letters = np.frombuffer(content.encode("utf-32-le", "surrogatepass"), np.uint32)
        starts, ends = self.starts[places], self.ends[places]
        begin = (starts == 0) | np.isin(letters[starts - 1], _BREAKS)
        stop = (ends == len(letters)) | np.isin(letters[np.minimum(ends, len(letters) - 1)], _BREAKS[:2])
        tried: BOOL = begin & (stop | np.isin(letters[ends - 1], _BREAKS))
        return places[tried]


def find_moved(
    blocks: Iterable[Sequence[str]],
    wanted: Iterable[Wanted],
    normalise: Callable[[Sequence[str], str], dict[int, str]],
) -> Iterator[dict[int, str]]:
    """Yield the texts of wanted rows, by row, that are found in the blocks.

    Args:
        blocks: the texts of all records of a source, in the batches in which they are read.
        normalise: returns the normalised texts of a language, by their numbers, without those that become empty.
    """
    sought = _Sought(wanted)
    for contents in blocks if sought else ():
        found: dict[int, str] = {}
        for content in contents:
            found |= sought.take_whole(content)
        for lang in sought.langs():
            for normal in normalise(contents, lang).values():
                found |= sought.take_whole(normal)
                found |= sought.take_parts(normal)
        yield found
        if not sought:
            return


_CHARACTERS_AT_ONCE = 4 << 20  # of texts normalised together
_KNOWN = {"author": {"const": "known"}, "lang": {"const": "en"}, "genre": {"const": "news"}}  # instead of a record's


class _Found(NamedTuple):
    """Hold wanted rows, by their numbers in the table, with the text or the reason why it is missing."""

    texts: dict[int, str]
    missing: dict[int, str]


def texts_of_source(
    tag: str, entry: Mapping[str, object], raw_dir: Path, wanted: pl.DataFrame, settings: DataConfig
) -> Iterator[_Found]:
    """Yield every row of `wanted` once, with its text or the reason why it is missing, in batches.

    `entry` is the source's config entry, `settings` the configuration of the build; `wanted` has `row`, `lang`, `file`,
    `ordinal`, `chunk_start`, `chunk_end` and `content_sha256`. Memory: a block of rows, and the wanted places.
    """
    extraction = source_entry.make_extraction(entry)
    folder = raw_dir / source_entry.file_set(tag, extraction).folder
    masks = settings["normalize"].get("own_name") == "mask" and extraction.author.own_name == "mask"
    read = _text_only(extraction, masks)
    mapped = compile_source(tag, read, settings["ingest"])
    limit = settings["ingest"].get("max_record_bytes", MAX_RECORD_BYTES)
    end = "\n" if settings["normalize"].get("final_newline") else ""
    places = _places_of_files(wanted.with_columns(end_of_text=pl.lit(end)))
    everything = _digests(folder, extraction.files)
    files = {path: digest for path, digest in everything.items() if digest in places}
    if files:
        files |= {path: digest for path, digest in everything.items() if is_beside(path, extraction.beside)}
    numbers = {digest: number for number, digest in enumerate(places)}
    parts = _chosen(read_parts(tag, read, folder, files, numbers, mapped, limit), list(places.values()))
    rules = source_entry.make_normalize(entry)
    solved: set[int] = set()  # of two equal files the second gives only what the first lacked
    reasons: dict[int, str] = {}
    say = _compile_text(tag, read, masks)
    for block in _blocks(gathered(parts), list(places.values()), say, reasons):
        found = _released(tag, rules, block, settings["normalize"])
        reasons |= found.missing
        fresh = {row: text for row, text in found.texts.items() if row not in solved}
        solved |= fresh.keys()
        yield _Found(fresh, {})
    lost = [one for place in places.values() for rows in place.rows for one in rows if one.row not in solved]
    if lost:
        files_of_all = {digest: number for number, digest in enumerate(sorted(set(everything.values())))}
        parts = read_parts(tag, read, folder, everything, files_of_all, mapped, limit)
        contents = (say(_good_rows(some)) for some in gathered(parts))

        def normal(texts: Sequence[str], lang: str) -> dict[int, str]:
            return _normal_texts(tag, rules, [(text, lang) for text in texts], settings["normalize"])

        for texts in find_moved(contents, lost, normal):
            solved |= texts.keys()
            yield _Found(texts, {})
    where = f"no file in {folder}/ has the SHA-256 that its text was read from, and none has the text"
    here = set(files.values())
    missing = {}
    for row, digest in wanted.select("row", "file").iter_rows():
        if row not in solved:
            missing[row] = reasons.get(row, "its file gives fewer records now" if digest in here else where)
    yield _Found({}, missing)


def _text_only(extraction: source_entry.Extraction, masks: bool) -> source_entry.Extraction:
    """Return how to read a source without fields that do not affect texts: date and topic.

    The author matters if the author's name was masked (`masks`).
    """
    fields, author = source_entry.Fields(extraction.fields.text, **_KNOWN), source_entry.Author("person")
    if masks:
        fields = replace(fields, author=extraction.fields.author)
        author = replace(author, name=extraction.author.name)
    return replace(extraction, fields=fields, author=author, drop=())


def _compile_text(tag: str, extraction: source_entry.Extraction, masks: bool) -> Callable[[list[Row]], list[str]]:
    """Return the function from rows to their texts, as in ingestion."""
    compiled = compile_extraction(f"the entry of {tag}", extraction)

    def texts(rows: list[Row]) -> list[str]:
        add_derived(rows, compiled)
        contents = list(map(whole_characters, contents_of(rows, compiled)))
        return list(map(without_own_name, contents, own_names(rows, compiled))) if masks else contents

    return texts


def _digests(folder: Path, patterns: Sequence[str]) -> dict[str, str]:
    paths = match_files(folder, patterns) if folder.is_dir() else []
    return {path: sha256_of_file(folder / path) for path in paths}


class _Places(NamedTuple):
    """Hold the wanted records of a file, by their numbers, and the rows cut from each."""

    ordinals: np.ndarray
    rows: list[list[Wanted]]


def _places_of_files(wanted: pl.DataFrame) -> dict[str, _Places]:
    files = wanted.sort("file", "ordinal").partition_by("file", maintain_order=True)
    return {str(rows["file"][0]): _places_of(rows) for rows in files}


def _places_of(wanted: pl.DataFrame) -> _Places:
    ordinals, starts = np.unique(wanted["ordinal"].to_numpy(), return_index=True)
    columns = ("row", "lang", "chunk_start", "chunk_end", "content_sha256", "end_of_text")
    rows = list(starmap(Wanted, wanted.select(columns).iter_rows()))
    ends = [*starts[1:].tolist(), len(rows)]
    return _Places(ordinals, [rows[start:end] for start, end in zip(starts.tolist(), ends, strict=True)])


def _chosen(parts: Iterable[Part], places: Sequence[_Places]) -> Iterator[Part]:
    """Yield the parts with only their wanted records; `start` is the number of the first among its file's places."""
    for part in parts:
        ordinals = places[part.file].ordinals
        first, last = np.searchsorted(ordinals, (part.start, part.start + len(part.rows))).tolist()
        if first < last:
            here = (ordinals[first:last] - part.start).tolist()
            yield Part(part.file, part.path, first, [part.rows[place] for place in here])


def _good_rows(parts: Sequence[Part]) -> list[Row]:
    return [row for part in parts for row in part.rows if not isinstance(row, BadRow)]


def _blocks(
    parts: Iterable[Sequence[Part]],
    places: Sequence[_Places],
    say: Callable[[list[Row]], list[str]],
    reasons: dict[int, str],
) -> Iterator[list[tuple[str, list[Wanted]]]]:
    """Yield the texts of records with their wanted rows, in batches; `reasons` gets why a record has no text."""
    batch: list[tuple[str, list[Wanted]]] = []
    size = 0
    for some in parts:
        rows: list[Row] = []
        wanted = []
        for part in some:
            rows_wanted = places[part.file].rows[part.start : part.start + len(part.rows)]
            for record, here in zip(part.rows, rows_wanted, strict=True):
                if isinstance(record, BadRow):
                    reason = f"its record, {record.position} of {part.path}, cannot be read: {record.reason}"
                    reasons |= dict.fromkeys((row[0] for row in here), reason)
                else:
                    rows.append(record)
                    wanted.append(here)
        contents = say(rows)
        batch += zip(contents, wanted, strict=True)
        size += sum(map(len, contents))
        if size >= _CHARACTERS_AT_ONCE:
            yield batch
            batch, size = [], 0
    if batch:
        yield batch


def _released(
    tag: str, rules: source_entry.Normalize, block: Sequence[tuple[str, list[Wanted]]], settings: NormalizeTexts
) -> _Found:
    """Return the wanted rows found in some texts, which are normalised only if needed."""
    found = _Found({}, {})
    rest = []
    for text, rows in block:
        place = 0
        while place < len(rows) and (same := as_released(text, rows[place])) is not None:
            found.texts[rows[place][0]] = same
            place += 1
        if place < len(rows):
            rest.append((text, rows[place:]))
    contents = _normal_texts(tag, rules, [(text, rows[0][1]) for text, rows in rest], settings) if rest else {}
    for number, (_, rows) in enumerate(rest):
        content = contents.get(number)
        for row in rows:
            if content is None:
                found.missing[row[0]] = "its record has no text any more"
            elif (same := as_released(content, row)) is not None:
                found.texts[row[0]] = same
            else:
                found.missing[row[0]] = "its record says something else than when the text was read"
    return found


def _normal_texts(
    tag: str, rules: source_entry.Normalize, texts: Sequence[tuple[str, str]], settings: NormalizeTexts
) -> dict[int, str]:
    """Return normalised texts by their numbers, without texts that become empty."""
    records = pl.DataFrame(texts, schema={"content": pl.String, "lang": pl.String}, orient="row")
    known = (
        pl.lit(value).alias(name) for name, value in (("source", tag), ("task", "authorship"), ("author_id", "known"))
    )
    numbered = records.with_columns(*known, doc_key=pl.lit("")).with_row_index("number")
    normal, *_ = normalize_records(numbered, {tag: rules}, settings)
    return dict(zip(normal["number"].to_list(), normal["content"].to_list(), strict=True))


def expect_entries(tags: Sequence[str], entries: Mapping[str, object]) -> None:
    """Raise InputError if a source has no config entry in the bundle."""
    missing = sorted(set(tags) - set(entries))
    if missing:
        raise InputError(f"The bundle has no config entries of {', '.join(missing)}. Fetch it anew.")
