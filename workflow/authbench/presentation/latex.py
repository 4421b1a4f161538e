"""Tables as LaTeX, ready to paste: a table environment with caption, label and notes."""

from itertools import groupby

from authbench.presentation.numbers import SIGN
from authbench.presentation.tables import BEST, DAGGER, SECOND, Cell, Column, Table, by_group

_ESCAPED = {
    DAGGER: r"$^\dagger$", "\\": r"\textbackslash{}", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}",
    "±": r"$\pm$", "–": "--", "−": "$-$", "²": "$^2$", "≥": r"$\geq$", "≤": r"$\leq$",
    "×": r"$\times$", "β": r"$\beta$",
    "<": r"\textless{}", ">": r"\textgreater{}", "|": r"\textbar{}", '"': r"\textquotedbl{}",
    **{char: f"\\{char}" for char in "&%$#_{}"},
}  # fmt: skip
_MARKS = {BEST: r"\textbf{%s}", SECOND: r"\underline{%s}"}
_PREAMBLE = r"% \usepackage[T1]{fontenc} \usepackage{booktabs} \usepackage{graphicx} \usepackage{xcolor}"


def as_latex(table: Table) -> str:
    """Return a table for booktabs, graphicx and xcolor, made narrower where it is wider than the line.

    The best of a group is bold, the second underlined, grey cells are grey; minus signs are those of mathematics.
    """
    wide = len(table.columns)
    lines = [
        _PREAMBLE,
        r"\begin{table}",
        r"\centering",
        rf"\caption{{{_escaped(table.title)}}}",
        rf"\label{{tab:{table.name.replace('_', '-')}}}",
        r"\resizebox{\ifdim\width>\linewidth\linewidth\else\width\fi}{!}{%",
        rf"\begin{{tabular}}{{{''.join('l' if column.words else 'r' for column in table.columns)}}}",
        r"\toprule",
        " & ".join(_escaped(column.heading) + _arrow(column) for column in table.columns) + r" \\",
    ]
    for group, rows in groupby(by_group(table.rows), key=lambda row: row.group):
        lines.append(r"\midrule")
        if group:
            lines.append(rf"\multicolumn{{{wide}}}{{l}}{{\textit{{{_escaped(group)}}}}} \\")
        lines += [" & ".join(map(_cell, row.cells)) + r" \\" for row in rows]
    lines += [r"\bottomrule", r"\end{tabular}}"]
    lines += [rf"\par\smallskip\parbox{{\linewidth}}{{\footnotesize {_escaped(note)}}}" for note in table.notes]
    return "\n".join([*lines, r"\end{table}"]) + "\n"


def _cell(cell: Cell) -> str:
    text = _MARKS.get(cell.place, "%s") % _escaped(cell.text)
    if cell.letters:
        text += rf"$^{{\mathrm{{{_escaped(cell.letters)}}}}}$"
    if cell.interval:
        text += rf" {{\scriptsize {_escaped(cell.interval)}}}"
    return rf"\textcolor{{gray}}{{{text}}}" if cell.grey else text


def _arrow(column: Column) -> str:
    if column.more_is_better is None:
        return ""
    return r" $\uparrow$" if column.more_is_better else r" $\downarrow$"


def _escaped(words: str) -> str:
    """Return a text with the special characters of LaTeX escaped, and with minus signs before numbers."""
    signed = SIGN.sub("−", words)
    return "".join(_ESCAPED.get(char, " " if char in "\r\n" else char) for char in signed)
