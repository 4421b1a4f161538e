"""Tables for readers: one class, written as CSV, Markdown, LaTeX (booktabs) and aligned text."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path

import polars as pl

from authbench.storage.atomic import write_text

BEST, SECOND = 1, 2
DAGGER = "†"
_LATEX = {
    DAGGER: r"$^\dagger$", "\\": r"\textbackslash{}", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}",
    "±": r"$\pm$", "–": "--", **{char: f"\\{char}" for char in "&%$#_{}"},
}  # fmt: skip


@dataclass(frozen=True)
class Column:
    """A heading; a column of words is aligned to the left; `more_is_better` is None where no value is better."""

    heading: str
    words: bool = False
    more_is_better: bool | None = None


@dataclass(frozen=True)
class Cell:
    """A cell: its text, the number that its column is sorted by, its place (1, 2, else 0), and if it says nothing."""

    text: str
    value: float | None = None
    place: int = 0
    grey: bool = False


@dataclass(frozen=True)
class Row:
    """The cells of a row, one for each column, and the group of rows that it belongs to."""

    cells: Sequence[Cell]
    group: str = ""


@dataclass(frozen=True)
class Table:
    """A table: `data` holds the numbers for programs, `rows` the cells for readers; `name` is that of its files."""

    name: str
    title: str
    columns: Sequence[Column]
    rows: Sequence[Row]
    data: pl.DataFrame
    notes: Sequence[str] = ()


def plain_rows(cells: Iterable[Sequence[str]], best: frozenset[tuple[int, int]] = frozenset()) -> list[Row]:
    """Return rows of texts; cells (row, column) in `best` are marked as best."""
    return [
        Row([Cell(text, place=BEST if (number, at) in best else 0) for at, text in enumerate(row)])
        for number, row in enumerate(cells)
    ]


def write_table(folder: Path, table: Table) -> None:
    """Write `<name>.csv`, `<name>.md` and `<name>.tex` into a folder."""
    write_text(folder / f"{table.name}.csv", table.data.write_csv())
    write_text(folder / f"{table.name}.md", as_markdown(table))
    write_text(folder / f"{table.name}.tex", as_latex(table))


def as_markdown(table: Table) -> str:
    """Return a Markdown table: the best in bold, the second underlined, grey cells in italics."""
    marks = {BEST: "**{}**", SECOND: "<u>{}</u>"}
    lines = [
        f"| {' | '.join(_escaped_markdown(column.heading) for column in table.columns)} |",
        f"| {' | '.join('---' if column.words else '---:' for column in table.columns)} |",
    ]
    for group, rows in groupby(table.rows, key=lambda row: row.group):
        if group:
            lines.append(f"| *{_escaped_markdown(group)}* |" + " |" * (len(table.columns) - 1))
        for row in rows:
            cells = [marks.get(cell.place, "{}").format(_escaped_markdown(cell.text)) for cell in row.cells]
            cells = [f"*{text}*" if cell.grey else text for text, cell in zip(cells, row.cells, strict=True)]
            lines.append(f"| {' | '.join(cells)} |")
    notes = "".join(f"\n{_escaped_markdown(note)}\n" for note in table.notes)
    return f"**{_escaped_markdown(table.title)}**\n\n" + "\n".join(lines) + "\n" + notes


def as_latex(table: Table) -> str:
    """Return a LaTeX table for booktabs and xcolor: the best in bold, the second underlined, grey cells in grey."""
    marks = {BEST: r"\textbf{%s}", SECOND: r"\underline{%s}"}
    wide = len(table.columns)
    lines = [
        rf"\begin{{tabular}}{{{''.join('l' if column.words else 'r' for column in table.columns)}}}",
        r"\toprule",
        " & ".join(_escaped_latex(column.heading) + _arrow(column) for column in table.columns) + r" \\",
    ]
    for group, rows in groupby(table.rows, key=lambda row: row.group):
        lines.append(r"\midrule")
        if group:
            lines.append(rf"\multicolumn{{{wide}}}{{l}}{{\textit{{{_escaped_latex(group)}}}}} \\")
        for row in rows:
            cells = [marks.get(cell.place, "%s") % _escaped_latex(cell.text) for cell in row.cells]
            cells = [rf"\textcolor{{gray}}{{{text}}}" if cell.grey else text
                     for text, cell in zip(cells, row.cells, strict=True)]  # fmt: skip
            lines.append(" & ".join(cells) + r" \\")
    notes = [rf"\multicolumn{{{wide}}}{{l}}{{{_escaped_latex(note)}}} \\" for note in table.notes]
    return "\n".join([*lines, r"\bottomrule", *notes, r"\end{tabular}"]) + "\n"


def as_text(table: Table) -> str:
    """Return the table for a terminal, columns aligned."""
    lines = [[column.heading for column in table.columns], *([cell.text for cell in row.cells] for row in table.rows)]
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]

    def line(cells: Sequence[str]) -> str:
        aligned = (
            cell.ljust(width) if column.words else cell.rjust(width)
            for cell, width, column in zip(cells, widths, table.columns, strict=True)
        )
        return "  ".join(aligned).rstrip()

    return "\n".join(map(line, lines)) + "\n"


def _escaped_markdown(words: str) -> str:
    """Return a text with the markup characters of Markdown and HTML escaped."""
    return "".join(f"\\{char}" if char in "\\`*_{}[]<>#|" else " " if char in "\r\n" else char for char in words)


def _escaped_latex(words: str) -> str:
    """Return a text with the special characters of LaTeX escaped."""
    return "".join(_LATEX.get(char, char) for char in words)


def _arrow(column: Column) -> str:
    if column.more_is_better is None:
        return ""
    return r" $\uparrow$" if column.more_is_better else r" $\downarrow$"
