"""How is an evaluation of verifiers read in a browser?"""

from collections.abc import Mapping, Sequence
from typing import Any

import polars as pl
from markupsafe import Markup

from authbench.leaderboard.formats import escaped_markdown
from authbench.report.template import environment

NOTHING = "–"


def render(
    facts: Mapping[str, Any],
    tables: Sequence[tuple[str, pl.DataFrame]],
    pictures: Sequence[tuple[str, str]],
    silence: Mapping[str, Any],
    topics: Mapping[str, Any] | None,
    baselines: Sequence[str],
) -> str:
    """One page that loads nothing: tables by title, drawings by caption, what `compare.silence_pays` and
    `topics.influence` found."""
    return (
        environment()
        .get_template("pan.html.j2")
        .render(
            facts=facts,
            tables=[{"title": title, "columns": table.columns, "rows": marked_rows(table)} for title, table in tables],
            pictures=[(caption, Markup(picture)) for caption, picture in pictures],
            silence={name: told(value) for name, value in silence.items()},
            topics=topic_rows(topics) if topics else [],
            baselines=baselines,
        )
    )


def marked_rows(table: pl.DataFrame) -> list[list[tuple[str, bool]]]:
    """The cells in words, each with whether it is the highest number of its column."""
    most = [table[name].max() if kind.is_float() else None for name, kind in table.schema.items()]
    return [
        [(told(cell), cell is not None and cell == best) for cell, best in zip(row, most, strict=True)]
        for row in table.iter_rows()
    ]


def topic_rows(found: Mapping[str, Any]) -> list[tuple[str, str]]:
    """What is known of topics, in lines of a name and words."""
    rows = [("Topics", str(found["topics"]))]
    for name in ("all", "same_author", "different_authors"):
        part = found[name]
        rows.append((f"Similarity, {name.replace('_', ' ')}", f"{told(part['mean'])} ± {told(part['sd'])}"))
    if found["mann_whitney"]:
        rows.append(
            ("Mann-Whitney U, one-sided", f"{found['mann_whitney']['u']:,.0f}, p {found['mann_whitney']['p']:.2g}")
        )
    for name, part in found["regression"].items():
        rows.append((f"Score on similarity, {name}", f"beta {told(part['beta'])}, R² {told(part['r2'])}"))
    return rows


def as_markdown(table: pl.DataFrame) -> str:
    """A Markdown table, numbers at four decimals."""
    lines = [
        "| " + " | ".join(map(escaped_markdown, table.columns)) + " |",
        "| " + " | ".join("---:" if kind.is_float() else "---" for kind in table.dtypes) + " |",
    ]
    lines += ["| " + " | ".join(escaped_markdown(told(cell)) for cell in row) + " |" for row in table.iter_rows()]
    return "\n".join(lines) + "\n"


def as_text(table: pl.DataFrame) -> str:
    """The table for a terminal, columns aligned."""
    rows = [list(table.columns), *([told(cell) for cell in row] for row in table.iter_rows())]
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    numbers = [kind.is_numeric() for kind in table.dtypes]
    lines = (
        "  ".join(
            cell.rjust(width) if right else cell.ljust(width)
            for cell, width, right in zip(row, widths, numbers, strict=True)
        ).rstrip()
        for row in rows
    )
    return "\n".join(lines) + "\n"


def told(value: Any) -> str:
    """A cell in words."""
    if value is None:
        return NOTHING
    return f"{value:.4f}" if isinstance(value, float) else str(value)
