"""Format tables as LaTeX table environments with caption, label and notes."""

import re
import unicodedata
from itertools import groupby

from authbench.core.presentation.numbers import SIGN
from authbench.core.presentation.tables import BEST, DAGGER, SECOND, Cell, Column, Table, by_group

_ESCAPED = {
    DAGGER: r"$^\dagger$", "\\": r"\textbackslash{}", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}",
    "±": r"$\pm$", "–": "--", "−": "$-$", "²": "$^2$", "≥": r"$\geq$", "≤": r"$\leq$",
    "×": r"$\times$", "β": r"$\beta$",
    "<": r"\textless{}", ">": r"\textgreater{}", "|": r"\textbar{}", '"': r"{\char34}",
    **{char: f"\\{char}" for char in "&%$#_{}"},
}  # fmt: skip
# pdfLaTeX's default fonts (T1) lack all letters except these and ASCII.
_T1 = "À-ÖØ-öø-ÿĂăĄąĆćČčĎďĐđĘęĚěĞğİıŁłŃńŇňŐőŒœŘřŚśŞşŠšŢţŤťŮůŰűŸŹźŻżŽž"
_OTHER = re.compile(rf"[^\x00-\x7f{_T1}‘’‚“”„…–—«»‹›§¶©®°·¡¿€£]+(?: +[^\x00-\x7f{_T1}‘’‚“”„…–—«»‹›§¶©®°·¡¿€£]+)*")
OTHER_SCRIPTS = r"\providecommand{\otherscript}[2]{\ifdefined\Umathcode #1\else #2\fi}"
_MARKS = {BEST: r"\textbf{%s}", SECOND: r"\underline{%s}"}
_PREAMBLE = r"% \usepackage[T1]{fontenc} \usepackage{booktabs} \usepackage{graphicx} \usepackage{xcolor}"


def as_latex(table: Table) -> str:
    """Return a table for booktabs, graphicx and xcolor, scaled down if it is wider than the line.

    The best value of a group is bold, the second underlined, grey cells are grey; minus signs are set in math mode.
    """
    wide = len(table.columns)
    lines = [
        _PREAMBLE,
        r"\begin{table}",
        r"\centering",
        rf"\caption{{{escaped(table.title)}}}",
        rf"\label{{tab:{table.name.replace('_', '-')}}}",
        r"\resizebox{\ifdim\width>\linewidth\linewidth\else\width\fi}{!}{%",
        rf"\begin{{tabular}}{{{''.join('l' if column.words else 'r' for column in table.columns)}}}",
        r"\toprule",
        " & ".join(escaped(column.heading) + _arrow(column) for column in table.columns) + r" \\",
    ]
    for group, rows in groupby(by_group(table.rows), key=lambda row: row.group):
        lines.append(r"\midrule")
        if group:
            lines.append(rf"\multicolumn{{{wide}}}{{l}}{{\textit{{{escaped(group)}}}}} \\")
        lines += [" & ".join(map(_cell, row.cells)) + r" \\" for row in rows]
    lines += [r"\bottomrule", r"\end{tabular}}"]
    lines += [rf"\par\smallskip\parbox{{\linewidth}}{{\footnotesize {escaped(note)}}}" for note in table.notes]
    if any(r"\otherscript" in line for line in lines):
        lines.insert(1, OTHER_SCRIPTS)
    return "\n".join([*lines, r"\end{table}"]) + "\n"


def _cell(cell: Cell) -> str:
    text = _MARKS.get(cell.place, "%s") % escaped(cell.text)
    if cell.letters:
        text += rf"$^{{\mathrm{{{escaped(cell.letters)}}}}}$"
    if cell.interval:
        text += rf" {{\scriptsize {escaped(cell.interval)}}}"
    return rf"\textcolor{{gray}}{{{text}}}" if cell.grey else text


def _arrow(column: Column) -> str:
    if column.more_is_better is None:
        return ""
    return r" $\uparrow$" if column.more_is_better else r" $\downarrow$"


def escaped(words: str) -> str:
    """Return a text with LaTeX's special characters escaped, and minus signs before numbers.

    Control and format characters are dropped. Letters without a pdfLaTeX font are wrapped in a macro (OTHER_SCRIPTS),
    which prints them in XeLaTeX and LuaLaTeX, and a notice in pdfLaTeX.
    """
    line = "".join(" " if char in "\r\n\t\u2028\u2029" else char for char in SIGN.sub("−", words))
    kept = "".join(char for char in line if unicodedata.category(char)[0] != "C")
    return _OTHER.sub(lambda run: _without_font(run[0]), "".join(_ESCAPED.get(char, char) for char in kept))


def _without_font(run: str) -> str:
    shown = f"[U+{ord(run):04X}]" if len(run) == 1 else r"[\ldots]"
    return rf"\otherscript{{{run}}}{{{shown}}}"
