"""Count values of a corpus of which a mapping makes nothing: dates of another form, categories without a name."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

from authbench.ingest.fields import Column, Columns, compile_expression
from authbench.reading.rows import Row
from authbench.registry.expressions import FILE_FIELDS, Expression, before, read_by
from authbench.registry.source_entry import Extraction
from authbench.registry.values import shown

OPTIONAL = ("date", "topic", "n_authors", "item", "account", "author_group")  # columns of a record that may be null
_STARTS = ("field", "const", "compose", "any")
_LONGEST_EXAMPLE = 40


class Loss(NamedTuple):
    """Of so many values of a corpus, how many gave none of ours, and one of these, if it may be shown."""

    values: int = 0
    lost: int = 0
    example: str | None = None

    def __add__(self, other: object) -> "Loss":
        if not isinstance(other, Loss):
            return NotImplemented
        return Loss(self.values + other.values, self.lost + other.lost, self.example or other.example)


Count = Callable[[Sequence[Row], Mapping[str, Column]], dict[str, Loss]]


def count_losses(where: str, extraction: Extraction, names: Sequence[str] = OPTIONAL) -> Count:
    """Return a function of rows, with their derived fields, and of our columns of them, that gives the losses.

    An example is shown only of a field of which neither a text nor an author's label is made.
    """
    ours = extraction.fields
    stated = {name: one for name in names if (one := getattr(ours, name)) is not None}
    columns: dict[str, Columns] = {}
    for name, expression in stated.items():
        plain = unchanged(expression, extraction.derive)
        if plain != expression or name == "n_authors":
            columns[name] = compile_expression(plain, f"{where}: fields.{name}")
    shows = {name: may_show(stated[name], extraction) for name in columns}

    def losses(rows: Sequence[Row], made: Mapping[str, Column]) -> dict[str, Loss]:
        found = {}
        for name, given in columns.items():
            places = [place for place, value in enumerate(made[name]) if value is None]
            values = [value for value in given([rows[place] for place in places]) if value is not None]
            example = next((shown(value) for value in values if _is_short(value)), None) if shows[name] else None
            found[name] = Loss(len(rows) - len(places) + len(values), len(values), example)
        return found

    return losses


def unchanged(expression: Expression, derived: Mapping[str, Expression]) -> Expression:
    """Return the expression without its operations, and without those of the derived fields that it reads.

    >>> unchanged({"any": [{"field": "a", "date": "%Y"}, "b"]}, {"b": {"field": "c", "lower": True}})
    {'any': [{'field': 'a'}, {'field': 'c'}]}
    """
    if isinstance(expression, str):
        return unchanged(derived[expression], before(expression, derived)) if expression in derived else expression
    start = {name: expression[name] for name in _STARTS if name in expression}
    if "any" in start:
        return {"any": [unchanged(one, derived) for one in start["any"]]}
    if "field" in start and start["field"] in derived:
        return unchanged(start["field"], derived)
    return start


def may_show(expression: Expression, extraction: Extraction) -> bool:
    """Return whether messages may quote what an expression reads: no text and no author's label is made of it."""
    fields, author = extraction.fields, extraction.author
    labels = [one for one in (fields.text, fields.author, author.name) if one is not None]
    hidden = set(FILE_FIELDS).union(*(read_by(one, extraction.derive) for one in labels))
    return not read_by(expression, extraction.derive) & hidden


def _is_short(value: Any) -> bool:
    return isinstance(value, str) and len(value) <= _LONGEST_EXAMPLE
