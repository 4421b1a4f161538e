"""Make document records from rows, or report why a row makes none.

Rows are mapped in blocks, column by column, so most work runs in built-in functions and once per distinct label.
"""

import re
from collections.abc import Mapping, Sequence
from functools import partial
from itertools import compress
from typing import NamedTuple

import orjson
import pyarrow as pa

from authbench.build.ingest import authors
from authbench.build.ingest.compiled import Compiled, no_values
from authbench.build.ingest.fields import Column, Columns, as_text, by_distinct, texts
from authbench.build.ingest.identities import HALF_CHARACTER, Identities
from authbench.build.ingest.own_name import without_own_name
from authbench.build.ingest.persons import OF_A_NAME
from authbench.config.settings.ingest import Ingest
from authbench.core.author_labels import folded, names_several
from authbench.core.errors import InputError
from authbench.core.identity import fold_space
from authbench.core.json_values import JsonObject
from authbench.core.records import GENRE, LANGUAGES, OTHER, PRIMARY_GENRES, is_language_code, primary_genre
from authbench.release.reading.characters import has_half, whole_characters
from authbench.release.reading.rows import Row

# A record made by the mapping. `base`: its key is shared by all its copies, as the corpus has no raw ids.
MADE = pa.schema(
    {
        "doc_key": pa.large_string(),
        "base": pa.bool_(),
        "origin_id": pa.large_string(),
        "author_id": pa.large_string(),
        "lang": pa.large_string(),
        "genre": pa.large_string(),
        "topic": pa.large_string(),
        "date": pa.large_string(),
        "n_authors": pa.int32(),
        "labels": pa.large_string(),
        "content": pa.large_string(),
        "names_author": pa.bool_(),
        "noisy": pa.bool_(),
        "work": pa.bool_(),
        "person_key": pa.large_string(),
        "near_key": pa.large_string(),
        "given_keys": pa.large_list(pa.large_string()),
        "life_key": pa.large_string(),
        "item": pa.large_string(),
        "account": pa.large_string(),
        "author_group": pa.large_string(),
        "voice_marks": pa.float64(),
    }
)
MOST_AUTHORS = (1 << 31) - 1


class Refused(NamedTuple):
    """A row that makes no document: its index among the rows, and the reason."""

    place: int
    reason: str
    doc_key: str | None = None


class Documents(NamedTuple):
    """The result of mapping rows: records (MADE), the row index of each, and the refused rows.

    `mended` counts texts with half of a surrogate pair, replaced by U+FFFD; `unnamed` counts texts from which their
    author's name was removed.
    """

    records: pa.RecordBatch
    places: list[int]
    refused: list[Refused]
    mended: int
    unnamed: int


class _Block:
    """Rows that are not refused, their indices among all rows, and the columns computed from them."""

    def __init__(self, rows: Sequence[Row]) -> None:
        self.rows = rows
        self.places: Sequence[int] = range(len(rows))
        self.columns: JsonObject = {}
        self.refused: list[Refused] = []
        self.mended = 0
        self.unnamed = 0

    def refuse(self, reasons: Sequence[str | None]) -> None:
        """Remove the rows that have a reason."""
        if not any(reasons):
            return
        keys = self.columns.get("doc_key", [None] * len(reasons))
        self.refused += [
            Refused(place, reason, key)
            for place, reason, key in zip(self.places, reasons, keys, strict=True)
            if reason is not None
        ]
        kept = [reason is None for reason in reasons]
        self.rows, self.places = list(compress(self.rows, kept)), list(compress(self.places, kept))
        for name, column in self.columns.items():
            self.columns[name] = (
                column.filter(pa.array(kept)) if isinstance(column, pa.Array) else list(compress(column, kept))
            )


def make_documents(
    rows: Sequence[Row],
    compiled: Compiled,
    identities: Identities,
    where: str,
    settings: Ingest,
    task: str,
    mask_own_name: bool,
) -> Documents:
    """Return the documents of rows; derived fields are added to the rows. Raises InputError for an invalid genre."""
    block = _Block(rows)
    add_derived(rows, compiled)
    for when, reason in compiled.drops:
        block.refuse([None if drop is None else reason for drop in when(block.rows)])
    people = by_distinct(identities.person, texts(compiled.fields["author"](block.rows)))
    block.columns["person"] = people
    block.refuse([one.refusal for one in people])
    _name_works(block, compiled, identities, settings.get("co_authored") == "work")
    block.columns["raw_id"] = texts(compiled.fields["id"](block.rows))
    block.refuse([HALF_CHARACTER if has_half(raw) else None for raw in block.columns["raw_id"]])
    _compute_texts(block, compiled)
    _compute_identities(block, compiled, identities)
    if mask_own_name and compiled.masks_own_name:
        _mask_own_names(block, compiled)
    known = partial(_known_language, others=settings["other_languages"] == "keep")
    langs = by_distinct(known, compiled.fields["lang"](block.rows))
    genres = by_distinct(as_text, compiled.fields["genre"](block.rows))
    if settings["fine_genres"]:
        fine = by_distinct(as_text, compiled.fields["fine_genre"](block.rows))
        genres = [one or joined for one, joined in zip(fine, genres, strict=True)]
    if settings.get("unstated_genre") == "general":
        genres = [one and re.sub("/unknown$", "/general", one) for one in genres]
    block.columns |= {"lang": langs, "genre": genres}
    block.refuse(list(map(_lacking, langs, genres, block.columns["text"])))
    for name in settings["required"].get(task, ()):
        values = (compiled.labels.get(name) or compiled.fields.get(name, no_values))(block.rows)
        block.refuse([None if _plain(value) else "missing_field" for value in values])
    of_author = compiled.genre_of_author and not settings["author_genres"]
    checked = partial(_checked_genre, f"{where}: fields.genre", (*PRIMARY_GENRES, *settings["genres"]))
    block.columns["genre"] = by_distinct(checked, block.columns["genre"])
    records = _records(block, compiled, identities, of_author)
    return Documents(records, list(block.places), sorted(block.refused), block.mended, block.unnamed)


def add_derived(rows: Sequence[Row], compiled: Compiled) -> None:
    """Add the derived fields to the rows, in place."""
    for name, values in compiled.derived.items():
        for row, value in zip(rows, values(rows), strict=True):
            row[name] = value


def contents_of(rows: Sequence[Row], compiled: Compiled) -> list[str]:
    """Return the text of each row, cleaned and stripped, with `\\n` line ends."""
    contents = [text.replace("\r\n", "\n").replace("\r", "\n") for text in texts(compiled.fields["text"](rows))]
    if compiled.clean is not None:
        contents = list(map(compiled.clean, contents, rows))
    return [text.strip() for text in contents]


def _name_works(block: _Block, compiled: Compiled, identities: Identities, counted: bool) -> None:
    """Add the columns `n_authors`, and `work`: whether the text is not worded by one author.

    The work then replaces `person`. `counted`: a text with several authors is such a text, whatever its label.
    """
    columns, rows = block.columns, block.rows
    columns["n_authors"] = by_distinct(_number, compiled.fields["n_authors"](rows))
    columns["work"] = [
        value is not None or (counted and (number or 1) > 1) or (identities.of_people and names_several(person.label))
        for value, number, person in zip(compiled.works(rows), columns["n_authors"], columns["person"], strict=True)
    ]
    if any(columns["work"]):
        origins = texts(compiled.fields["origin"](rows))
        columns["person"] = [
            identities.work(person, origin) if work else person
            for person, origin, work in zip(columns["person"], origins, columns["work"], strict=True)
        ]


def _compute_texts(block: _Block, compiled: Compiled) -> None:
    """Add the columns `text` and `content`, without half characters: texts as used and as stored."""
    contents = contents_of(block.rows, compiled)
    try:
        stored = pa.array(contents, pa.large_string())
    except UnicodeEncodeError:
        block.mended += sum(map(has_half, contents))
        contents = list(map(whole_characters, contents))
        stored = pa.array(contents, pa.large_string())
    block.columns |= {"text": contents, "content": stored}


def own_names(rows: Sequence[Row], compiled: Compiled) -> list[str]:
    """Return the folded author's name of each row: the label, or a separate name given by the entry."""
    if compiled.name is not None:
        return by_distinct(_folded, compiled.name(rows))
    return by_distinct(_folded, texts(compiled.fields["author"](rows)))


def _mask_own_names(block: _Block, compiled: Compiled) -> None:
    """Mask the authors' names in the columns `text` and `content`."""
    before = block.columns["text"]
    masked = list(map(without_own_name, before, own_names(block.rows, compiled)))
    block.unnamed += sum(one is not other for one, other in zip(before, masked, strict=True))
    block.columns |= {"text": masked, "content": pa.array(masked, pa.large_string())}


def _compute_identities(block: _Block, compiled: Compiled, identities: Identities) -> None:
    """Fold the column `raw_id`, and add `date`, `identity` and `doc_key`."""
    columns = block.columns
    columns["date"] = by_distinct(_plain, compiled.fields["date"](block.rows))
    columns["raw_id"] = [fold_space(whole_characters(raw)) for raw in columns["raw_id"]]
    columns["identity"] = list(
        map(identities.record, columns["raw_id"], columns["person"], columns["text"], columns["date"])
    )
    columns["doc_key"] = [f"{identities.tag}:{one}" for one in columns["identity"]]


def _records(block: _Block, compiled: Compiled, identities: Identities, of_author: bool) -> pa.RecordBatch:
    """Return the records (MADE) of the remaining rows; `of_author`: their sub-genres are groups of authors."""
    columns, rows, ours = block.columns, block.rows, compiled.fields
    named = texts(ours["origin"](rows))
    origins = [one or own for one, own in zip(named, columns["identity"], strict=True)]
    names = own_names(rows, compiled)
    genres = columns["genre"]
    groups = by_distinct(_group, ours["author_group"](rows))
    if of_author:
        groups = [group or (genre.partition("/")[2] or None) for group, genre in zip(groups, genres, strict=True)]
        genres = by_distinct(primary_genre, genres)
    known = list(map(identities.known, columns["person"], names, columns["lang"], columns["work"]))
    made = {
        "doc_key": columns["doc_key"],
        "base": [not raw_id for raw_id in columns["raw_id"]],
        "origin_id": list((by_distinct if any(named) else map)(identities.origin, origins)),
        "author_id": [author for author, _ in known],
        "lang": columns["lang"],
        "genre": genres,
        "topic": by_distinct(_plain, ours["topic"](rows)),
        "date": columns["date"],
        "n_authors": columns["n_authors"],
        "labels": _labels(compiled.labels, rows),
        "content": columns["content"],
        "names_author": [
            name != "" and authors.occurs(name, text) for name, text in zip(names, columns["text"], strict=True)
        ],
        "noisy": [doubtful is not None for doubtful in compiled.noisy(rows)],
        "work": columns["work"],
        **{name: [keys and getattr(keys, name) for _, keys in known] for name in OF_A_NAME},
        "item": by_distinct(identities.item, by_distinct(_plain, ours["item"](rows))),
        "account": by_distinct(identities.account, by_distinct(_plain, ours["account"](rows))),
        "author_group": groups,
        "voice_marks": _voice_marks(rows, compiled),
    }
    return pa.RecordBatch.from_pydict(made, MADE)


def _known_language(written: object, others: bool) -> str | None:
    """Return the code of a language to keep; OTHER for a label that is not a code, None for a language to drop."""
    lang = as_text(written)
    if lang in LANGUAGES or not others:
        return lang if lang in LANGUAGES else None
    return lang if is_language_code(lang) else OTHER


def _lacking(lang: str | None, genre: str | None, text: str) -> str | None:
    """Return why a text with this language and genre makes no document."""
    if lang is None:
        return "other_language"
    if genre is None:
        return "missing_field"
    return None if text else "empty_text"


def _folded(name: object) -> str:
    return folded(as_text(name) or "")


def _plain(value: object) -> str | None:
    text = as_text(value)
    return None if text is None else whole_characters(text).strip() or None


def _group(value: object) -> str | None:
    """Return the name of a group of authors, folded."""
    return _folded(value).casefold() or None


def _voice_marks(rows: Sequence[Row], compiled: Compiled) -> Column:
    """Return the marks of other voices per 1,000 words in each raw text."""
    if compiled.voices is None:
        return [None] * len(rows)
    return list(map(compiled.voices, texts(compiled.fields["text"](rows))))


def _number(value: object) -> int | None:
    text = as_text(value)
    if text is None or not text.isdecimal() or len(text) > len(str(MOST_AUTHORS)):
        return None
    return int(text) if int(text) <= MOST_AUTHORS else None


def _labels(labels: Mapping[str, Columns], rows: Sequence[Row]) -> Column:
    """Return the labels of each row as a JSON object, without missing labels."""
    if not labels:
        return ["{}"] * len(rows)
    columns = [by_distinct(_plain, values(rows)) for values in labels.values()]
    return [
        orjson.dumps(
            {name: value for name, value in zip(labels, values, strict=True) if value is not None},
            option=orjson.OPT_SORT_KEYS,
        ).decode()
        for values in zip(*columns, strict=True)
    ]


def _checked_genre(where: str, known: Sequence[str], genre: str) -> str:
    if not GENRE.fullmatch(genre) or genre.partition("/")[0] not in known:
        raise InputError(
            f"{where}: {genre!r} is no genre; a genre is one of {', '.join(known)}, and may have a "
            'sub-genre in lower case after a slash. Map it under `map`, with "*" for the rest, or name a genre of your '
            "own in `ingest.genres`."
        )
    return genre
