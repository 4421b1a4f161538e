"""How is a table written for papers, for the web's plain pages and for programs?"""

from collections.abc import Iterator
from itertools import groupby

from authbench.leaderboard.tables import GAINS, Metric, Table, places

NOTHING = "–"
WITHOUT_DECIMALS = 100  # scores are below; texts per second are not
SEEN = "†"


def as_markdown(table: Table) -> str:
    """A Markdown table: within each group the best in bold, the second underlined."""
    lines = [f"| model | {' | '.join(escaped_markdown(metric.heading) for metric in table.columns)} |"]
    lines.append("| --- |" + " ---: |" * len(table.columns))
    for group, rows in grouped(table):
        lines.append(f"| *{escaped_markdown(group)}* |" + " |" * len(table.columns))
        for model, cells in rows:
            marked = [{1: "**{}**", 2: "<u>{}</u>"}.get(place or 0, "{}").format(value) for value, place in cells]
            lines.append(f"| {escaped_markdown(named(table, model))} | {' | '.join(marked)} |")
    notes = "".join(f"\n{escaped_markdown(note)}\n" for note in footnotes(table))
    return f"**{escaped_markdown(table.title)}**\n\n" + "\n".join(lines) + "\n" + notes


def as_latex(table: Table) -> str:
    """A LaTeX table for booktabs: within each group the best in bold, the second underlined."""
    lines = [
        r"\begin{tabular}{l" + "r" * len(table.columns) + "}",
        r"\toprule",
        " & ".join(["Model", *(f"{escaped_latex(metric.heading)} {arrow(metric)}" for metric in table.columns)])
        + r" \\",
    ]
    for group, rows in grouped(table):
        lines += [
            r"\midrule",
            rf"\multicolumn{{{len(table.columns) + 1}}}{{l}}{{\textit{{{escaped_latex(group)}}}}} \\",
        ]
        for model, cells in rows:
            marked = [{1: r"\textbf{%s}", 2: r"\underline{%s}"}.get(place or 0, "%s") % value for value, place in cells]
            lines.append(" & ".join([escaped_latex(named(table, model)), *marked]) + r" \\")
    notes = [rf"\multicolumn{{{len(table.columns) + 1}}}{{l}}{{{escaped_latex(note)}}} \\" for note in footnotes(table)]
    return "\n".join([*lines, r"\bottomrule", *notes, r"\end{tabular}"]) + "\n"


def named(table: Table, model: str) -> str:
    """The model's name, with a dagger where it may know texts of the benchmark."""
    return f"{model} {SEEN}" if model in table.seen else model


def footnotes(table: Table) -> list[str]:
    """What the dagger stands for, model by model; nothing where there is none."""
    return [f"{SEEN} {model} may have been trained on {', '.join(tags)}." for model, tags in table.seen.items()]


def grouped(table: Table) -> Iterator[tuple[str, list[tuple[str, list[tuple[str, int | None]]]]]]:
    """The groups in order, each with its models and, per column, the value in three decimals and its place."""
    place = [places(table, metric) for metric in table.columns]
    rows = enumerate(table.rows.iter_rows(named=True))
    for group, members in groupby(rows, key=lambda row: str(row[1]["group"])):
        yield (
            group,
            [
                (
                    str(row["model"]),
                    [(told(row[metric.key], metric), place[at][number]) for at, metric in enumerate(table.columns)],
                )
                for number, row in members
            ],
        )


def told(value: float | None, metric: Metric) -> str:
    if value is None:
        return NOTHING
    if abs(value) >= WITHOUT_DECIMALS:
        return f"{value:,.0f}"
    return f"{value:+.3f}" if metric in GAINS else f"{value:.3f}"


def arrow(metric: Metric) -> str:
    return r"$\uparrow$" if metric.more_is_better else r"$\downarrow$"


def escaped_markdown(words: str) -> str:
    return "".join(f"\\{char}" if char in "\\`*_{}[]<>#|" else " " if char in "\r\n" else char for char in words)


LATEX = {SEEN: r"$^\dagger$", "\\": r"\textbackslash{}", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}"} | {
    c: f"\\{c}" for c in "&%$#_{}"
}


def escaped_latex(words: str) -> str:
    return "".join(LATEX.get(char, char) for char in words)
