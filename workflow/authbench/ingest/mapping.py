"""How do rows become document records, or why do they not?

Rows are mapped a block at a time, column by column: most of the work is then done inside of Python's own functions,
and once for labels that many rows share.
"""

import functools
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import compress
from typing import Any, NamedTuple

import orjson
import pyarrow as pa

from authbench.errors import InputError
from authbench.identity import author_id, digest, fold_space
from authbench.ingest import authors
from authbench.ingest.clean import compile_cleaning, fields_of
from authbench.ingest.fields import (
    Column,
    Columns,
    as_text,
    by_distinct,
    compile_expression,
    compile_pattern,
    names,
    needs,
    texts,
)
from authbench.ingest.rows import Needs, Row
from authbench.records import LANGUAGES, OTHER, PRIMARY_GENRES

OF_THE_FILE = frozenset({"path", "file_name"})
OF_A_CHUNK = "#chunk_"  # a raw id that holds it could be the key of another text's chunk
GENRE = re.compile(r"[a-z_]+(/[a-z0-9_]+)?")


# A record as the mapping makes it. `base` says that its key is that of all its copies: the corpus has no raw ids.
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
    }
)
MOST_AUTHORS = (1 << 31) - 1


class Refused(NamedTuple):
    """A row that makes no document: its place among the rows, and why."""

    place: int
    reason: str
    doc_key: str | None = None


class Documents(NamedTuple):
    """What rows made: records (MADE), the place of each among the rows, and the rows that made none."""

    records: pa.RecordBatch
    places: list[int]
    refused: list[Refused]


class Person(NamedTuple):
    """Whom a label names: the label folded, the author's id, or why it names nobody."""

    label: str
    author_id: str
    refusal: str | None


@dataclass(frozen=True)
class Mapped:
    """A source's mapping, compiled. `documents` adds the derived fields to the rows that it is given."""

    documents: Callable[[Sequence[Row]], Documents]
    needs: Needs
    columns: frozenset[str]
    path_fields: Callable[[str], Row]


def compile_source(
    tag: str, source: Mapping[str, Any], keep_other_languages: bool = False, author_key: bytes | None = None
) -> Mapped:
    """The function from rows to records that a source's YAML describes. Raises InputError naming file and key."""
    where = f"config/sources/{tag}.yaml"
    fields, rules = source["fields"], source["author"]
    derived = [
        (name, compile_expression(one, f"{where}: derive.{name}", author_key))
        for name, one in source.get("derive", {}).items()
    ]
    drops = [
        (compile_expression(rule["when"], f"{where}: drop.{place}.when", author_key), rule["reason"])
        for place, rule in enumerate(source.get("drop", []))
    ]
    ours = {
        name: compile_expression(fields[name], f"{where}: fields.{name}", author_key) if name in fields else _nothing
        for name in ("text", "author", "id", "lang", "genre", "date", "topic", "n_authors", "origin")
    }
    labels = {
        name: compile_expression(one, f"{where}: fields.labels.{name}", author_key)
        for name, one in fields.get("labels", {}).items()
    }
    cleans = source.get("clean", [])
    clean = compile_cleaning(cleans, f"{where}: clean")
    other = OTHER if keep_other_languages else None
    named = compile_expression(rules["name"], f"{where}: author.name", author_key) if "name" in rules else None
    doubt = rules.get("noisy", False)
    noisy: Columns = (
        (lambda rows: [doubt or None] * len(rows))
        if isinstance(doubt, bool)
        else compile_expression(doubt, f"{where}: author.noisy", author_key)
    )
    placeholders = frozenset(one.casefold() for one in rules.get("placeholders", authors.PLACEHOLDERS))
    shortest = rules.get("min_characters", authors.MIN_CHARACTERS)
    space = rules.get("space", tag)
    checked_genre = functools.partial(_checked_genre, f"{where}: fields.genre")

    @functools.lru_cache(maxsize=1 << 16)
    def person(written: str) -> Person:
        label = authors.folded(whole_characters(written))
        refusal = authors.refusal(label, placeholders, shortest)
        return Person(label, "" if refusal else author_id(space, label, author_key), refusal)

    def identity(raw_id: str, someone: Person, text: str, date: str | None) -> str:
        if not raw_id:
            return digest(someone.author_id, text, date or "")
        if authors.hides(raw_id, someone.label) or OF_A_CHUNK in raw_id:
            return authors.concealed(f"{space}/id", raw_id, author_key)
        return raw_id

    def origin_id(origin: str) -> str:
        return authors.concealed(f"{tag}/origin", whole_characters(origin), author_key)

    def known_language(written: Any) -> str | None:
        lang = as_text(written)
        return lang if lang in LANGUAGES else other

    def documents(rows: Sequence[Row]) -> Documents:
        for name, value in derived:
            for row, made in zip(rows, value(rows), strict=True):
                row[name] = made
        refused: list[Refused] = []
        places: Sequence[int] = range(len(rows))
        for when, reason in drops:
            found = when(rows)
            refused += [Refused(place, reason) for place, drop in zip(places, found, strict=True) if drop is not None]
            rows, places = _where([drop is None for drop in found], rows, places)
        people = by_distinct(person, texts(ours["author"](rows)))
        refused += [Refused(place, one.refusal) for place, one in zip(places, people, strict=True) if one.refusal]
        rows, places, people = _where([not one.refusal for one in people], rows, places, people)

        contents = [text.replace("\r\n", "\n").replace("\r", "\n") for text in texts(ours["text"](rows))]
        if cleans:
            contents = list(map(clean, contents, rows))
        contents, stored = _stored([text.strip() for text in contents])
        dates = by_distinct(_plain, ours["date"](rows))
        raw_ids = [fold_space(whole_characters(raw_id)) for raw_id in texts(ours["id"](rows))]
        identities = list(map(identity, raw_ids, people, contents, dates))
        doc_keys = [f"{tag}:{one}" for one in identities]
        langs = by_distinct(known_language, ours["lang"](rows))
        genres = by_distinct(as_text, ours["genre"](rows))
        reasons = list(map(_lacking, langs, genres, contents))
        if any(reasons):
            kept = [not reason for reason in reasons]
            lacking = zip(places, reasons, doc_keys, strict=True)
            refused += [Refused(place, reason, key) for place, reason, key in lacking if reason]
            stored = stored.filter(pa.array(kept))
            rows, places, people, contents, dates, raw_ids, identities, doc_keys, langs, genres = _where(
                kept, rows, places, people, contents, dates, raw_ids, identities, doc_keys, langs, genres
            )
        origins = [named or own for named, own in zip(texts(ours["origin"](rows)), identities, strict=True)]
        looked_for = [one.label for one in people] if named is None else by_distinct(_looked_for, named(rows))
        columns = {
            "doc_key": doc_keys,
            "base": [not raw_id for raw_id in raw_ids],
            "origin_id": by_distinct(origin_id, origins) if "origin" in fields else list(map(origin_id, identities)),
            "author_id": [one.author_id for one in people],
            "lang": langs,
            "genre": by_distinct(checked_genre, genres),
            "topic": by_distinct(_plain, ours["topic"](rows)),
            "date": dates,
            "n_authors": by_distinct(_number, ours["n_authors"](rows)),
            "labels": _labels(labels, rows),
            "content": stored,
            "names_author": [
                name != "" and authors.occurs(name, text) for name, text in zip(looked_for, contents, strict=True)
            ],
            "noisy": [doubtful is not None for doubtful in noisy(rows)],
        }
        return Documents(pa.RecordBatch.from_pydict(columns, MADE), list(places), sorted(refused))

    pattern = source.get("path_fields")
    of_path = compile_pattern(pattern, f"{where}: path_fields") if pattern else None

    def path_fields(relative: str) -> Row:
        here: Row = {"path": relative, "file_name": relative.rpartition("/")[2]}
        if of_path is not None:
            found = of_path.search(relative)
            if found is None:
                raise InputError(f"{where}: path_fields {pattern!r} does not fit the file {relative}.")
            here.update(found.groupdict())
        return here

    known = OF_THE_FILE | set(of_path.groupindex if of_path else ())
    needed = {f"{where}: {key}": sets for key, sets in _all_needs(source, known).items()}
    return Mapped(documents, needed, _all_names(source, known), path_fields)


def whole_characters(text: str) -> str:
    """The text with halves of surrogate pairs, which broken JSON holds, made U+FFFD or joined."""
    if text.isascii():
        return text
    try:
        text.encode()
        return text
    except UnicodeEncodeError:
        return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def _stored(contents: list[str]) -> tuple[list[str], pa.Array]:
    """Texts made of whole characters, as they are used and as they are stored."""
    try:
        return contents, pa.array(contents, pa.large_string())
    except UnicodeEncodeError:
        contents = list(map(whole_characters, contents))
        return contents, pa.array(contents, pa.large_string())


def _nothing(rows: Sequence[Row]) -> Column:
    return [None] * len(rows)


def _where(mask: Sequence[bool], *columns: Sequence[Any]) -> list[Any]:
    """The columns' entries where the mask says so; the columns themselves where it says so everywhere."""
    return list(columns) if all(mask) else [list(compress(column, mask)) for column in columns]


def _lacking(lang: str | None, genre: str | None, text: str) -> str | None:
    """Why a text with this language and genre is no document."""
    if lang is None:
        return "other_language"
    if genre is None:
        return "missing_field"
    return None if text else "empty_text"


def _looked_for(name: Any) -> str:
    return authors.folded(as_text(name) or "")


def _plain(value: Any) -> str | None:
    text = as_text(value)
    return None if text is None else whole_characters(text).strip() or None


def _number(value: Any) -> int | None:
    text = as_text(value)
    if text is None or not text.isdecimal() or len(text) > len(str(MOST_AUTHORS)):
        return None
    return int(text) if int(text) <= MOST_AUTHORS else None


def _labels(labels: Mapping[str, Columns], rows: Sequence[Row]) -> Column:
    """The labels of each row, as a JSON object without those that it lacks."""
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


def _checked_genre(where: str, genre: str) -> str:
    if not GENRE.fullmatch(genre) or genre.partition("/")[0] not in PRIMARY_GENRES:
        raise InputError(
            f"{where}: {genre!r} is no genre; a genre is one of {', '.join(PRIMARY_GENRES)}, and may have a "
            'sub-genre in lower case after a slash. Map it under `map`, with "*" for the rest.'
        )
    return genre


def _expressions(source: Mapping[str, Any]) -> dict[str, Any]:
    fields = {f"fields.{name}": one for name, one in source["fields"].items() if name != "labels"}
    fields |= {f"fields.labels.{name}": one for name, one in source["fields"].get("labels", {}).items()}
    fields |= {f"drop.{place}.when": rule["when"] for place, rule in enumerate(source.get("drop", []))}
    fields |= {
        f"author.{name}": source["author"][name]
        for name in ("name", "noisy")
        if isinstance(source["author"].get(name), (str, dict))
    }
    return fields


def _all_needs(source: Mapping[str, Any], known: frozenset[str]) -> dict[str, list[frozenset[str]]]:
    derived: dict[str, list[frozenset[str]]] = {}

    def resolved(expression: Any) -> list[frozenset[str]]:
        sets = []
        for one in needs(expression):
            if one & known:
                continue
            if not one & derived.keys():
                sets.append(one)
            elif len(one) == 1:
                sets.extend(derived[next(iter(one))])
        return sets

    for name, expression in source.get("derive", {}).items():
        derived[name] = resolved(expression)
    found = {key: resolved(expression) for key, expression in _expressions(source).items()}
    return {key: sets for key, sets in found.items() if sets}


def _all_names(source: Mapping[str, Any], known: frozenset[str]) -> frozenset[str]:
    """The top-level fields of a row that the mapping reads."""
    every = [*source.get("derive", {}).values(), *_expressions(source).values()]
    read = set().union(*(names(one) for one in every), fields_of(source.get("clean", [])))
    return frozenset(name.partition(".")[0] for name in read - known - set(source.get("derive", {})))
