"""How does a row become a document record, or why does it not?"""

import functools
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

import orjson

from authbench.errors import InputError
from authbench.identity import author_id, digest, fold_space
from authbench.ingest import authors
from authbench.ingest.clean import compile_cleaning, fields_of
from authbench.ingest.fields import as_text, compile_expression, compile_pattern, names, needs
from authbench.ingest.rows import Needs, Row
from authbench.records import LANGUAGES, OTHER, PRIMARY_GENRES

OF_THE_FILE = frozenset({"path", "file_name"})
OF_A_CHUNK = "#chunk_"  # a raw id that holds it could be the key of another text's chunk
GENRE = re.compile(r"[a-z_]+(/[a-z0-9_]+)?")


class Document(NamedTuple):
    """A record as the mapping makes it. `base` is the key of all copies where the corpus has no raw ids."""

    doc_key: str
    base: bool
    origin_id: str
    author_id: str
    lang: str
    genre: str
    topic: str | None
    date: str | None
    n_authors: int | None
    labels: str
    content: str
    names_author: bool
    noisy: bool


class Refused(NamedTuple):
    reason: str
    doc_key: str | None = None


@dataclass(frozen=True)
class Mapped:
    """A source's mapping, compiled."""

    document: Callable[[Row], Document | Refused]
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
    clean = compile_cleaning(source.get("clean", []), f"{where}: clean")
    named = compile_expression(rules["name"], f"{where}: author.name", author_key) if "name" in rules else None
    doubt = rules.get("noisy", False)
    noisy = (
        (lambda row: doubt or None)
        if isinstance(doubt, bool)
        else compile_expression(doubt, f"{where}: author.noisy", author_key)
    )
    placeholders = frozenset(one.casefold() for one in rules.get("placeholders", authors.PLACEHOLDERS))
    shortest = rules.get("min_characters", authors.MIN_CHARACTERS)
    space = rules.get("space", tag)
    genre_of = functools.lru_cache(maxsize=4096)(functools.partial(_checked_genre, f"{where}: fields.genre"))
    pseudonym = functools.lru_cache(maxsize=1 << 16)(lambda label: author_id(space, label, author_key))

    def document(row: Row) -> Document | Refused:
        for name, value in derived:
            row[name] = value(row)
        for when, reason in drops:
            if when(row) is not None:
                return Refused(reason)
        raw_id = fold_space(whole_characters(as_text(ours["id"](row)) or ""))
        label = authors.folded(whole_characters(as_text(ours["author"](row)) or ""))
        refusal = authors.refusal(label, placeholders, shortest)
        if refusal:
            return Refused(refusal)
        author = pseudonym(label)
        text = (as_text(ours["text"](row)) or "").replace("\r\n", "\n").replace("\r", "\n")
        text = whole_characters(clean(text, row)).strip()
        date = _plain(ours["date"](row))
        identity = raw_id or digest(author, text, date or "")
        if raw_id and (authors.hides(raw_id, label) or OF_A_CHUNK in raw_id):
            identity = authors.concealed(f"{space}/id", raw_id, author_key)
        doc_key = f"{tag}:{identity}"
        lang = as_text(ours["lang"](row))
        if lang not in LANGUAGES:
            if not keep_other_languages:
                return Refused("other_language", doc_key)
            lang = OTHER
        genre = as_text(ours["genre"](row))
        if genre is None:
            return Refused("missing_field", doc_key)
        if not text:
            return Refused("empty_text", doc_key)
        origin = as_text(ours["origin"](row)) or identity
        looked_for = label if named is None else authors.folded(as_text(named(row)) or "")
        return Document(
            doc_key=doc_key,
            base=not raw_id,
            origin_id=authors.concealed(f"{tag}/origin", whole_characters(origin), author_key),
            author_id=author,
            lang=lang or OTHER,
            genre=genre_of(genre),
            topic=_plain(ours["topic"](row)),
            date=date,
            n_authors=_number(ours["n_authors"](row)),
            labels=_labels(labels, row),
            content=text,
            names_author=bool(looked_for) and authors.occurs(looked_for, text),
            noisy=noisy(row) is not None,
        )

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
    return Mapped(document, needed, _all_names(source, known), path_fields)


def whole_characters(text: str) -> str:
    """The text with halves of surrogate pairs, which broken JSON holds, made U+FFFD or joined."""
    if text.isascii():
        return text
    try:
        text.encode()
        return text
    except UnicodeEncodeError:
        return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def _nothing(row: Row) -> Any:
    return None


def _plain(value: Any) -> str | None:
    text = as_text(value)
    return None if text is None else whole_characters(text).strip() or None


def _number(value: Any) -> int | None:
    text = as_text(value)
    return int(text) if text and text.isdigit() else None


def _labels(labels: Mapping[str, Callable[[Row], Any]], row: Row) -> str:
    values = {name: _plain(value(row)) for name, value in labels.items()}
    return orjson.dumps({k: v for k, v in values.items() if v is not None}, option=orjson.OPT_SORT_KEYS).decode()


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
