"""Compute our fields from the fields of a corpus.

An expression of a source's YAML compiles to a function from rows to a column of values in row order. Operations run
once per distinct value. An absent, null, NaN or empty value is `None`, and operations on `None` give `None`.
"""

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import UTC, date, datetime
from typing import Any

import regex

from authbench.build.ingest.authors import concealed
from authbench.config.registry.expressions import template_parts
from authbench.core.errors import InputError
from authbench.core.json_values import JsonMapping
from authbench.release.reading.rows import ABSENT, Row, value_at

Column = list[Any]
Columns = Callable[[Sequence[Row]], Column]
Step = Callable[[object], object]
INEXACT = 1 << 53  # from here on not every integer is a floating-point number
OPERATIONS = ("split", "pick", "count", "join", "match", "replace", "lower", "translate", "map", "date", "hash")


def compile_expression(expression: str | Mapping[str, object], where: str, key: bytes | None = None) -> Columns:
    """Return the function that an expression describes.

    `where` names it (file and key) in errors; with a `key` hashes are HMACs.

    Raises:
        InputError: it has not exactly 1 kind of expression, or an unknown operation.
    """
    if isinstance(expression, str):
        return _field(expression)
    unknown = set(expression) - {"field", "const", "compose", "any", *OPERATIONS}
    starts = [key for key in ("field", "const", "compose", "any") if key in expression]
    if unknown or len(starts) != 1:
        raise InputError(
            f"{where}: an expression has one of field, const, compose, any, then operations of "
            f"{', '.join(OPERATIONS)}; found {', '.join(map(repr, expression))}."
        )
    start = _start(expression, where, key)
    steps = [_step(name, expression[name], f"{where}.{name}", key) for name in OPERATIONS if name in expression]
    if not steps:
        return start

    def computed(here: object) -> object:
        for step in steps:
            if here is None:
                return None
            here = step(here)
        return None if here == "" else here

    return lambda rows: by_distinct(computed, start(rows))


def by_distinct(function: Callable[[Any], object], column: Iterable[object]) -> Column:
    """Return the function's value for every entry of a column, computed once per distinct entry.

    Entries that compare equal must be identical in form: text, lists, or None, but not 1, 1.0 and True.
    """
    column = list(column)
    try:
        distinct = dict.fromkeys(column)  # in order, to report the first of several errors
    except TypeError:  # lists are not hashable
        return list(map(function, column))
    made = {entry: function(entry) for entry in distinct}
    return [made[entry] for entry in column]


def compile_pattern(pattern: str, where: str) -> "regex.Pattern[str]":
    """Return a compiled pattern.

    Raises:
        InputError: it is not a regular expression; `where` names it.
    """
    try:
        return regex.compile(pattern)
    except regex.error as error:
        raise InputError(f"{where}: {pattern!r} is not a regular expression ({error}).") from error


def compile_replacement(pattern: "regex.Pattern[str]", new: str, where: str) -> str:
    """Return what a pattern's matches become.

    Raises:
        InputError: it names a group that the pattern lacks; `where` names it.
    """
    try:
        regex.sub(f"{pattern.pattern}|", new, "")
    except (regex.error, IndexError) as error:
        raise InputError(f"{where}: {new!r} cannot replace {pattern.pattern!r} ({error}).") from error
    return new


def as_text(value: object) -> str | None:
    """Return a value as text: 4.0 as 4, dates in ISO form, None for an object or infinity.

    Raises:
        InputError: the value is bytes.

    >>> as_text(4.0), as_text(True), as_text("")
    ('4', 'true', None)
    """
    if isinstance(value, str):
        return value or None
    if value is None or value is ABSENT or isinstance(value, dict):
        return None
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float):
        if not math.isfinite(value):
            return None
        return str(int(value)) if value.is_integer() and abs(value) < INEXACT else str(value)
    if isinstance(value, bytes):
        raise InputError(f"the bytes {value[:20]!r} are no text; store text as text.")
    if isinstance(value, (datetime, date)):
        return value.isoformat()
    if isinstance(value, list):
        return " ".join(filter(None, map(as_text, value))) or None
    return str(value) or None


def _is_text(column: Column) -> bool:
    """Return whether every entry is a non-empty text."""
    return set(map(type, column)) == {str} and "" not in column


def texts(column: Column) -> list[str]:
    """Return the entries as text, empty where an entry is None."""
    return column if _is_text(column) else [as_text(entry) or "" for entry in column]


def needs(expression: str | JsonMapping) -> list[frozenset[str]]:
    """Return the fields an expression needs: a file must contain a field of each set."""
    if isinstance(expression, str):
        return [frozenset({expression})]
    if "field" in expression:
        return [frozenset({expression["field"]})]
    if "compose" in expression:
        return [frozenset({name}) for _, name, optional in template_parts(expression["compose"])[0] if not optional]
    if "any" in expression:
        alternatives = [needs(one) for one in expression["any"]]
        return [frozenset().union(*(name for one in alternatives for name in one))] if all(alternatives) else []
    return []


def _field(path: str) -> Columns:
    def column(rows: Sequence[Row]) -> Column:
        found = [row.get(path, ABSENT) for row in rows]
        if _is_text(found):
            return found
        return [
            _present(_exact(value_at(row, path) if here is ABSENT else here, path))
            for row, here in zip(rows, found, strict=True)
        ]

    return column


def _exact(value: object, path: str) -> object:
    """Return the value. Raises InputError for an integer that lost digits."""
    if type(value) is float and abs(value) >= INEXACT and math.isfinite(value):
        raise InputError(
            f"The field {path!r} holds {value!r}, a floating-point number so large that its last digits are lost: "
            "different ids can have become one. Store whole numbers as integers or as text."
        )
    return value


def _present(value: object) -> object:
    return value if isinstance(value, (list, dict)) and value else as_text(None if value in ([], {}) else value)


def _start(expression: JsonMapping, where: str, key: bytes | None) -> Columns:
    if "field" in expression:
        return _field(expression["field"])
    if "const" in expression:
        constant = as_text(expression["const"])
        return lambda rows: [constant] * len(rows)
    if "any" in expression:
        return _first_of([compile_expression(one, f"{where}.any.{i}", key) for i, one in enumerate(expression["any"])])
    return _composed(expression["compose"])


def _first_of(alternatives: Sequence[Columns]) -> Columns:
    def column(rows: Sequence[Row]) -> Column:
        found: Column = [None] * len(rows)
        open_places: Sequence[int] = range(len(rows))
        for one in alternatives:
            for place, value in zip(open_places, one([rows[place] for place in open_places]), strict=True):
                found[place] = value
            open_places = [place for place in open_places if found[place] is None]
            if not open_places:
                break
        return found

    return column


def _composed(template: str) -> Columns:
    parts, tail = template_parts(template)
    fields = [_field(name) for _, name, _ in parts]

    def composed(values: Sequence[object]) -> str | None:
        made = []
        for (before, _, optional), value in zip(parts, values, strict=True):
            here = as_text(value)
            if here is None and not optional:
                return None
            made.append(before + (here or ""))
        return "".join(made) + tail or None

    return lambda rows: [composed(values) for values in _side_by_side([field(rows) for field in fields], len(rows))]


def _side_by_side(columns: Sequence[Column], height: int) -> Iterable[Sequence[object]]:
    return zip(*columns, strict=True) if columns else [()] * height


def _step(name: str, argument: Any, where: str, key: bytes | None) -> Step:
    if name == "split":
        separator = compile_pattern(argument, where)
        return lambda value: [part for part in separator.split(_text(value)) if part and part.strip()]
    if name == "pick":
        return lambda value: _picked(value, argument)
    if name == "count":
        return lambda value: str(len(value)) if isinstance(value, list) else "1"
    if name == "join":
        return lambda value: argument.join(filter(None, map(as_text, value))) if isinstance(value, list) else value
    if name == "match":
        wanted = compile_pattern(argument, where)
        return lambda value: _matched(wanted.search(_text(value)))
    if name == "replace":
        patterns = [(compile_pattern(old, f"{where}.{old}"), new) for old, new in argument.items()]
        rules = [(old, compile_replacement(old, new, where)) for old, new in patterns]
        return lambda value: _replaced(_text(value), rules)
    if name == "lower":
        return lambda value: _text(value).lower()
    if name == "translate":
        table = str.maketrans(dict(argument))
        return lambda value: _text(value).translate(table)
    if name == "map":
        default = argument.get("*")
        return lambda value: argument.get(_text(value), default)
    if name == "date":
        formats = [argument] if isinstance(argument, str) else list(argument)
        for form in formats:
            _expect_date_format(form, where)
        return lambda value: _date(_text(value), formats)
    return lambda value: concealed("hash", _text(value), key)


def _text(value: object) -> str:
    return as_text(value) or ""


def _picked(value: object, place: int) -> object:
    if not isinstance(value, list):
        value = [value]
    return _present(value[place]) if -len(value) <= place < len(value) else None


def _matched(found: "regex.Match[str] | None") -> str | None:
    if found is None:
        return None
    return found[1] if found.re.groups else found[0]


def _replaced(text: str, rules: Sequence[tuple["regex.Pattern[str]", str]]) -> str:
    for old, new in rules:
        text = old.sub(new, text)
    return text


def _expect_date_format(form: str, where: str) -> None:
    day = datetime(2020, 1, 2, tzinfo=UTC)
    try:
        if form not in ("unix", "unix_ms"):
            datetime.strptime(day.strftime(form), form)
    except ValueError as error:
        raise InputError(f"{where}: {form!r} fits no date ({error}). Expected a format of strptime.") from None


def _date(text: str, formats: Sequence[str]) -> str | None:
    for form in formats:
        try:
            if form in ("unix", "unix_ms"):
                seconds = float(text) / (1000 if form == "unix_ms" else 1)
                return datetime.fromtimestamp(seconds, UTC).date().isoformat()
            return datetime.strptime(text.strip(), form).date().isoformat()
        except (ValueError, OverflowError, OSError):
            continue
    return None
