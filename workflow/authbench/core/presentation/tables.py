"""Define tables for readers, written as CSV, Markdown and aligned text; `latex` writes LaTeX."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import groupby, pairwise

import polars as pl

from authbench.core.presentation.numbers import NOTHING
from authbench.core.presentation.palette import CONTROLS

BEST, SECOND = 1, 2
DAGGER = "†"
ROUNDING = 1e-9  # tolerance between equal numbers


@dataclass(frozen=True)
class Column:
    """A column: text columns are left-aligned; `more_is_better` is None if no value is better.

    `filtered` is the text whose rows a page shows first; empty: all; None: a reader cannot filter by the column.
    """

    heading: str
    words: bool = False
    more_is_better: bool | None = None
    filtered: str | None = None


@dataclass(frozen=True)
class Cell:
    """A cell of a table.

    Attributes:
        text: the displayed text.
        value: the number by which its column is sorted.
        place: 1 for the best, 2 for the second, else 0.
        grey: whether it is uninformative.
        interval: of the value, e.g. `[.71, .84]`.
        letters: values of a column that share a letter do not differ significantly.
        link: where a page's reader finds more.
    """

    text: str
    value: float | None = None
    place: int = 0
    grey: bool = False
    interval: str = ""
    letters: str = ""
    link: str = ""

    @property
    def line(self) -> str:
        """Return text, letters and interval in a line."""
        return " ".join(filter(None, (self.text, self.letters, self.interval)))


@dataclass(frozen=True)
class Row:
    """The cells of a row, a cell per column, and the row's group."""

    cells: Sequence[Cell]
    group: str = ""


@dataclass(frozen=True)
class Table:
    """A table: `data` contains the numbers for programs, `rows` the cells for readers; `name` names its files.

    `relations` are columns of `data` whose values must not decrease in any row.
    """

    name: str
    title: str
    columns: Sequence[Column]
    rows: Sequence[Row]
    data: pl.DataFrame
    notes: Sequence[str] = ()
    relations: Sequence[Sequence[str]] = ()


def broken_relations(table: Table) -> list[str]:
    """Return each pair of columns whose relation is violated by more than rounding, with the first such row.

    Missing columns and cells without a number are ignored.
    """
    found = []
    for columns in table.relations:
        for lesser, greater in pairwise(name for name in columns if name in table.data.columns):
            low, high = (pl.col(name).cast(pl.Float64).fill_nan(None) for name in (lesser, greater))
            rows = table.data.select((low > high + ROUNDING).fill_null(False).arg_true()).to_series()
            if len(rows):
                found.append(f"{table.name}: {lesser} is above {greater} in row {rows[0] + 1}")
    return found


def plain_rows(cells: Iterable[Sequence[str]], best: frozenset[tuple[int, int]] = frozenset()) -> list[Row]:
    """Return rows of texts; cells (row, column) in `best` are marked as best."""
    return [
        Row([Cell(text, place=BEST if (number, at) in best else 0) for at, text in enumerate(row)])
        for number, row in enumerate(cells)
    ]


def places(
    groups: Sequence[str | None], values: Sequence[float | None], more_is_better: bool = True, digits: int = 3
) -> list[int]:
    """Return 1 for the best value, as shown, of each group of two or more, 2 for the second, else 0.

    Args:
        groups: of the rows; None: a row that is not ranked.
    """
    shown = [
        None if value is None or group is None else round(value, digits)
        for group, value in zip(groups, values, strict=True)
    ]
    found = []
    for group, value in zip(groups, shown, strict=True):
        rivals = [other for place, other in zip(groups, shown, strict=True) if place == group and other is not None]
        best = sorted(set(rivals), reverse=more_is_better)[:SECOND]
        found.append(best.index(value) + 1 if value in best and len(rivals) > 1 else 0)
    return found


def controls_last(rows: Iterable[Row]) -> list[Row]:
    """Return rows with the groups CONTROLS after all others."""
    return sorted(rows, key=lambda row: row.group in CONTROLS)


def by_group(rows: Iterable[Row]) -> list[Row]:
    """Return rows sorted by group, with groups and rows in order of first occurrence."""
    rows = list(rows)
    first = {group: at for at, group in reversed(list(enumerate(row.group for row in rows)))}
    return sorted(rows, key=lambda row: first[row.group])


def without_empty_columns(table: Table, reasons: Mapping[str, str]) -> Table:
    """Return the table without empty columns, and a note with the reasons.

    Args:
        reasons: by heading, or "" for all others, why a column may be empty.
    """
    empty = [
        at
        for at, column in enumerate(table.columns)
        if not column.words and table.rows and all(row.cells[at].text == NOTHING for row in table.rows)
    ]
    if not empty:
        return table
    missing: dict[str, list[str]] = {}
    for at in empty:
        heading = table.columns[at].heading
        missing.setdefault(reasons.get(heading, reasons.get("", "no model has a value")), []).append(heading)
    kept = [at for at in range(len(table.columns)) if at not in empty]
    return replace(
        table,
        columns=[table.columns[at] for at in kept],
        rows=[replace(row, cells=[row.cells[at] for at in kept]) for row in table.rows],
        notes=[*table.notes, *(f"Not shown: {', '.join(names)}, as {why}." for why, names in missing.items())],
    )


def as_markdown(table: Table) -> str:
    """Return a Markdown table: the best in bold, the second underlined, grey cells in italics."""
    lines = [
        f"| {' | '.join(escaped_markdown(column.heading) for column in table.columns)} |",
        f"| {' | '.join('---' if column.words else '---:' for column in table.columns)} |",
    ]
    for group, rows in groupby(by_group(table.rows), key=lambda row: row.group):
        if group:
            lines.append(f"| *{escaped_markdown(group)}* |" + " |" * (len(table.columns) - 1))
        for row in rows:
            cells = [_in_markdown(cell) for cell in row.cells]
            cells = [f"*{text}*" if cell.grey else text for text, cell in zip(cells, row.cells, strict=True)]
            lines.append(f"| {' | '.join(cells)} |")
    notes = "".join(f"\n{escaped_markdown(note)}\n" for note in table.notes)
    return f"**{escaped_markdown(table.title)}**\n\n" + "\n".join(lines) + "\n" + notes


def as_text(table: Table, intervals: bool = True) -> str:
    """Return the table for a terminal, columns aligned, controls below a line."""
    rows = controls_last(table.rows)
    models = sum(row.group not in CONTROLS for row in rows)
    lines = [[column.heading for column in table.columns]]
    lines += [[cell.line if intervals else cell.text for cell in row.cells] for row in rows]
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]

    def line(cells: Sequence[str]) -> str:
        aligned = (
            cell.ljust(width) if column.words else cell.rjust(width)
            for cell, width, column in zip(cells, widths, table.columns, strict=True)
        )
        return "  ".join(aligned).rstrip()

    shown = [line(cells) for cells in lines]
    if 0 < models < len(rows):
        shown.insert(1 + models, "controls, not ranked ".ljust(len(shown[0]), "-"))
    return "\n".join(shown) + "\n"


def _in_markdown(cell: Cell) -> str:
    text = {BEST: "**{}**", SECOND: "<u>{}</u>"}.get(cell.place, "{}").format(escaped_markdown(cell.text))
    return " ".join(filter(None, (text, cell.letters, escaped_markdown(cell.interval))))


def escaped_markdown(words: str) -> str:
    """Return a text with the markup characters of Markdown and HTML escaped."""
    return "".join(f"\\{char}" if char in "\\`*_{}[]<>#|" else " " if char in "\r\n" else char for char in words)
