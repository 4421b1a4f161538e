"""Compile the expressions and rules of a source's entry to functions of rows."""

import functools
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields

import regex

from authbench.build.ingest.fields import (
    Column,
    Columns,
    as_text,
    compile_expression,
    compile_pattern,
    compile_replacement,
    needs,
)
from authbench.config.registry.expressions import Expression, names
from authbench.config.registry.source_entry import Author, CleanRule, Extraction, Fields, Impurity
from authbench.release.reading.rows import Needs, Row, value_at

FIELD = regex.compile(r"\{\{([^{}]+)\}\}")
Cut = Callable[[str, "regex.Pattern[str]"], str]


@dataclass(frozen=True)
class Compiled:
    """What an entry computes from rows.

    Attributes:
        derived: fields to add to the rows, in this order.
        drops: functions with reasons; a row for which the function has a value is dropped for that reason.
        fields: our columns; columns missing in the entry have no value.
        labels: further columns for the record's `labels`.
        clean: maps a text and its row to the text without revealing parts; None if the entry has no rules.
        name: the author's name to search for in the text; None if it is the label.
        noisy: has a value if the author label is known to merge or split authors.
        works: has a value if the text is not worded by its author; the work then replaces the author.
        genre_of_author: whether a sub-genre describes the author.
        masks_own_name: whether the author's name may be removed from a text, which it may not if it names a character.
        voices: maps a text to its marks of other voices, per 1,000 words; None if the entry defines no marks.
    """

    derived: Mapping[str, Columns]
    drops: Sequence[tuple[Columns, str]]
    fields: Mapping[str, Columns]
    labels: Mapping[str, Columns]
    clean: Callable[[str, Row], str] | None
    name: Columns | None
    noisy: Columns
    works: Columns
    voices: Callable[[str], float | None] | None
    genre_of_author: bool
    masks_own_name: bool


def compile_extraction(where: str, extraction: Extraction, key: bytes | None = None) -> Compiled:
    """Return the compiled entry; `where` names its file in errors, and with a `key` hashes are HMACs."""

    def compiled(place: str, expression: Expression) -> Columns:
        return compile_expression(expression, f"{where}: {place}", key)

    ours, author = extraction.fields, extraction.author
    return Compiled(
        derived={name: compiled(f"derive.{name}", one) for name, one in extraction.derive.items()},
        drops=[(compiled(f"drop.{n}.when", rule.when), rule.reason) for n, rule in enumerate(extraction.drop)],
        fields=dict.fromkeys(_column_names(), no_values)
        | {name: compiled(f"fields.{name}", one) for name, one in _columns(ours)},
        labels={name: compiled(f"fields.labels.{name}", one) for name, one in ours.labels.items()},
        clean=compile_cleaning(extraction.clean, f"{where}: clean") if extraction.clean else None,
        name=None if author.name is None else compiled("author.name", author.name),
        noisy=_constant(author.noisy) if isinstance(author.noisy, bool) else compiled("author.noisy", author.noisy),
        works=no_values if author.work_when is None else compiled("author.work_when", author.work_when),
        voices=_voices(where, author.impurity),
        genre_of_author=extraction.genre_of == "author",
        masks_own_name=author.own_name == "mask",
    )


def needed_fields(where: str, extraction: Extraction, given: frozenset[str]) -> Needs:
    """Return the fields that the entry requires in addition to `given`, by file and key."""
    derived: dict[str, list[frozenset[str]]] = {}

    def resolved(expression: Expression) -> list[frozenset[str]]:
        sets = []
        for one in needs(expression):
            if one & given:
                continue
            if not one & derived.keys():
                sets.append(one)
            elif len(one) == 1:
                sets.extend(derived[next(iter(one))])
        return sets

    for name, expression in extraction.derive.items():
        derived[name] = resolved(expression)
    found = {f"{where}: {place}": resolved(expression) for place, expression in _expressions(extraction)}
    return {place: sets for place, sets in found.items() if sets}


def read_fields(extraction: Extraction, given: frozenset[str]) -> frozenset[str]:
    """Return the top-level row fields that the entry reads in addition to `given`."""
    every = [*extraction.derive.values(), *(expression for _, expression in _expressions(extraction))]
    read = set().union(*(names(one) for one in every), fields_of(extraction.clean))
    return frozenset(name.partition(".")[0] for name in read - given - set(extraction.derive))


def _column_names() -> list[str]:
    return [one.name for one in fields(Fields) if one.name != "labels"]


def _columns(ours: Fields) -> Iterator[tuple[str, Expression]]:
    for name in _column_names():
        if (expression := getattr(ours, name)) is not None:
            yield name, expression


def _expressions(extraction: Extraction) -> Iterator[tuple[str, Expression]]:
    """Yield all expressions of an entry except derived fields, with their keys."""
    ours, author = extraction.fields, extraction.author
    yield from ((f"fields.{name}", one) for name, one in _columns(ours))
    yield from ((f"fields.labels.{name}", one) for name, one in ours.labels.items())
    yield from ((f"drop.{place}.when", rule.when) for place, rule in enumerate(extraction.drop))
    yield from _of_author(author)


def _of_author(author: Author) -> Iterator[tuple[str, Expression]]:
    if author.name is not None:
        yield "author.name", author.name
    if author.work_when is not None:
        yield "author.work_when", author.work_when
    if not isinstance(author.noisy, bool):
        yield "author.noisy", author.noisy


def _voices(where: str, impurity: Impurity | None) -> Callable[[str], float | None] | None:
    if impurity is None or not impurity.patterns:
        return None
    marks = [compile_pattern(one, f"{where}: author.impurity.patterns") for one in impurity.patterns]

    def voices(text: str) -> float | None:
        words = len(text.split())
        return 1000 * sum(len(mark.findall(text)) for mark in marks) / words if words else None

    return voices


def no_values(rows: Sequence[Row]) -> Column:
    return [None] * len(rows)


def _constant(value: bool) -> Columns:
    return lambda rows: [value or None] * len(rows)


def compile_cleaning(rules: Sequence[CleanRule], where: str) -> Callable[[str, Row], str]:
    """Return a function that removes text added by a corpus that reveals the author or the source.

    All rules are applied to a row's text, in order. In their patterns, `{{field}}` stands literally for the row's value
    of that field; a rule whose field has no value is skipped. `where` names the rules in errors.
    """
    steps = []
    for place, rule in enumerate(rules):
        kind, pattern = _pattern(rule)
        tried = compile_pattern(FIELD.sub("x", pattern), f"{where}.{place}.{kind}")
        compile_replacement(tried, rule.replacement, f"{where}.{place}.with")
        fixed = None if FIELD.search(pattern) else regex.compile(pattern)
        steps.append((_cut(kind, rule), pattern, fixed))

    def clean(text: str, row: Row) -> str:
        for cut, pattern, fixed in steps:
            wanted = fixed or _filled(pattern, row)
            if wanted is not None:
                text = cut(text, wanted)
        return text

    return clean


def fields_of(rules: Sequence[CleanRule]) -> set[str]:
    """Return the fields used in the rules' patterns."""
    return {name for rule in rules for text in (_pattern(rule)[1], rule.replacement) for name in FIELD.findall(text)}


def _pattern(rule: CleanRule) -> tuple[str, str]:
    """Return the kind of a rule, and its pattern."""
    kinds = ("drop_before", "drop_after", "drop_lines", "replace")
    return next((kind, pattern) for kind in kinds if (pattern := getattr(rule, kind)) is not None)


def _filled(pattern: str, row: Row) -> "regex.Pattern[str] | None":
    values = {name: (as_text(value_at(row, name)) or "").strip() for name in FIELD.findall(pattern)}
    if not all(values.values()):
        return None
    return _compiled(FIELD.sub(lambda found: regex.escape(values[found[1]], literal_spaces=True), pattern))


@functools.lru_cache(maxsize=4096)
def _compiled(pattern: str) -> "regex.Pattern[str]":
    return regex.compile(pattern)


def _cut(kind: str, rule: CleanRule) -> Cut:
    if kind == "drop_before":
        return lambda text, wanted: text[found.end() :] if (found := wanted.search(text)) else text
    if kind == "drop_after":
        return lambda text, wanted: text[: found.start()] if (found := wanted.search(text)) else text
    if kind == "replace":
        return lambda text, wanted: wanted.sub(rule.replacement, text)
    return lambda text, wanted: _without_lines(text, wanted, rule.first_lines, rule.last_lines)


def _without_lines(text: str, wanted: "regex.Pattern[str]", first: int | None, last: int | None) -> str:
    lines = text.split("\n")
    candidates = range(len(lines))
    if first or last:
        full = [place for place, line in enumerate(lines) if line.strip()]
        candidates = full[:first] if first else full[-last:]  # type: ignore[assignment, operator]
    gone = {place for place in candidates if wanted.search(lines[place])}
    return "\n".join(line for place, line in enumerate(lines) if place not in gone) if gone else text
