"""Count corpus values that a mapping loses, such as dates in another format or unnamed categories."""

from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

import numpy as np
import pyarrow as pa

from authbench.build.ingest.fields import Columns, compile_expression
from authbench.config.registry.expressions import FILE_FIELDS, Expression, before, read_by
from authbench.config.registry.source_entry import Extraction
from authbench.config.registry.values import shown
from authbench.release.reading.rows import Row

OPTIONAL = ("date", "topic", "n_authors", "item", "account", "author_group")  # nullable record columns
_STARTS = ("field", "const", "compose", "any")
_LONGEST_EXAMPLE = 40
FEWEST = 10  # minimum number of values to expect some result


class Loss(NamedTuple):
    """The number of values, how many of them were lost, and a lost example if it may be shown."""

    values: int = 0
    lost: int = 0
    example: str | None = None

    def __add__(self, other: object) -> "Loss":
        if not isinstance(other, Loss):
            return NotImplemented
        return Loss(self.values + other.values, self.lost + other.lost, self.example or other.example)

    def __str__(self) -> str:
        example = f", e.g. of {self.example}" if self.example else ""
        return f"nothing is made of {self.lost} of {self.values} values{example}"

    @property
    def is_all(self) -> bool:
        """Return whether all of enough values are lost."""
        return FEWEST <= self.lost == self.values

    @property
    def is_large(self) -> bool:
        """Return whether more than half are lost."""
        return 2 * self.lost > self.values


Count = Callable[[Sequence[Row], Sequence[int], pa.RecordBatch], dict[str, Loss]]


def count_losses(where: str, extraction: Extraction) -> Count:
    """Return a function that counts lost values by field, from rows, the indices of their records, and the records.

    Examples are shown only for fields that are used for neither a text nor an author label.
    """
    columns: dict[str, Columns] = {}
    for name in OPTIONAL:
        expression = getattr(extraction.fields, name)
        if expression is not None:
            columns[name] = compile_expression(unchanged(expression, extraction.derive), f"{where}: fields.{name}")
    shows = {name for name in columns if may_show(getattr(extraction.fields, name), extraction)}

    def losses(rows: Sequence[Row], places: Sequence[int], records: pa.RecordBatch) -> dict[str, Loss]:
        found = {}
        for name, given in columns.items():
            empty = np.flatnonzero(records[name].is_null()).tolist()
            values = [value for value in given([rows[places[one]] for one in empty]) if value is not None]
            example = next((shown(value) for value in values if _is_short(value)), None) if name in shows else None
            found[name] = Loss(len(places) - len(empty) + len(values), len(values), example)
        return found

    return losses


def unchanged(expression: Expression, derived: Mapping[str, Expression]) -> Expression:
    """Return the expression without its operations, and without the operations of derived fields that it reads.

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
    """Return whether messages may quote an expression's input: neither a text nor an author label uses it."""
    fields, author = extraction.fields, extraction.author
    labels = [one for one in (fields.text, fields.author, author.name) if one is not None]
    hidden = set(FILE_FIELDS).union(*(read_by(one, extraction.derive) for one in labels))
    return not read_by(expression, extraction.derive) & hidden


def _is_short(value: object) -> bool:
    return isinstance(value, str) and len(value) <= _LONGEST_EXAMPLE
