"""What do robustness and stability look like?

Drawn like the figures of a release: the same numbers give the same bytes.
"""

from collections.abc import Sequence

import polars as pl

from authbench.raven.tables import Table
from authbench.report.figures import (
    LEFT,
    ROW,
    WIDTH,
    cycle,
    drawing,
    element,
    escape_text,
    label,
    legend,
    text,
)

SAMPLINGS = ("HITS", "Random")
TICKS = 4
DOT = 4.5


def pictures(tables: Sequence[Table]) -> dict[str, tuple[str, str]]:
    """Captions and drawings by name, from those tables that a run has."""
    found = {table.name: table.rows for table in tables}
    return {
        "scores": ("Overall on HITS and on Random topics", scores(found["table_2_scores"])),
        "shortcut": ("What a verifier loses where topics are unlike", shortcut(found["table_11_shortcut"])),
        "stability": ("Stability of rankings", stability(found["table_4_stability"])),
        "similarity": ("Similarity of train and test topics", similarity(found["table_7_similarity"])),
    }


def scores(rows: pl.DataFrame) -> str:
    """Two dots per verifier with one standard deviation to either side."""
    colours = dict(zip(SAMPLINGS, cycle(2), strict=True))
    parts, y = legend(colours, {}, 0)
    known = [value for value in rows["overall"] if value == value]
    low, high = scale_of([*known, *(rows["overall"] - rows["overall_sd"]), *(rows["overall"] + rows["overall_sd"])])
    parts += axis(low, high, y)
    y += 18
    for verifier in rows["verifier"].unique(maintain_order=True):
        parts.append(label(verifier, y))
        for number, how in enumerate(SAMPLINGS):
            row = rows.row(by_predicate=(pl.col("verifier") == verifier) & (pl.col("sampling") == how), named=True)
            mean, spread, at = row["overall"], row["overall_sd"], y + 5 + 9 * number
            words = f"{verifier}, {how}: {mean:.3f} ± {spread:.3f}"
            parts.append(dot(mean, spread, at, low, high, colours[how], words) if mean == mean else "")
        y += ROW
    return drawing("scores", "Overall by sampling", "Means over folds with one standard deviation.", y, parts)


def shortcut(rows: pl.DataFrame) -> str:
    """A bar per verifier: Random less HITS; coloured where it is significant."""
    colours = dict(zip(("leans on topics", "no difference shown"), ("#d55e00", "#8a929c"), strict=True))
    parts, y = legend(colours, {}, 0)
    losses = [random - hits for random, hits in zip(rows["random"], rows["hits"], strict=True)]
    low, high = min([0.0, *losses]), max([0.01, *losses])
    for (verifier, leans), loss in zip(rows.select("verifier", "leans_on_topics").iter_rows(), losses, strict=True):
        one, other = sorted((place(0.0, low, high), place(loss, low, high)))
        colour = colours["leans on topics" if leans else "no difference shown"]
        words = element("title", escape_text(f"{verifier}: {loss:+.3f}"))
        parts.append(label(verifier, y))
        parts.append(element("rect", words, x=one, y=y, width=max(other - one, 0.8), height=16, fill=colour))
        parts.append(text(WIDTH, y + 13, f"{loss:+.3f}", "m n", "end"))
        y += ROW
    what = "Overall on Random topics less Overall on HITS topics; a verifier that needs no topics has nothing to lose."
    return drawing("shortcut", "Topic shortcut test", what, y, parts)


def stability(rows: pl.DataFrame) -> str:
    """A bar per dataset: the mean of the correlations over measures."""
    parts: list[str] = []
    y = 0
    values = [max(0.0, value) for value in rows["average"].fill_nan(0.0)]
    for name, value in zip(rows["dataset"], values, strict=True):
        end = place(value, 0.0, 1.0)
        colour = cycle(2)[0 if name == "HITS" else 1]
        parts.append(label(name, y))
        parts.append(element("rect", x=LEFT, y=y, width=max(end - LEFT, 0.8), height=16, fill=colour))
        parts.append(text(WIDTH, y + 13, f"{value:.3f}", "m n", "end"))
        y += ROW
    what = (
        "Spearman's correlation of rankings, mean over pairs of folds and over measures; 1 is the same on every fold."
    )
    return drawing("stability", "Stability of rankings", what, y, parts)


def similarity(rows: pl.DataFrame) -> str:
    """Lines over the number of topics: the mean and the maximum, for HITS and Random."""
    colours = dict(zip(SAMPLINGS, cycle(2), strict=True))
    parts, y = legend(colours, {}, 0)
    columns = {"mean": "", "max": "5 4"}
    known = [v for how in SAMPLINGS for key in columns for v in rows[f"{key}_{how.lower()}"] if v is not None]
    low, high = min([0.0, *known]), max([0.01, *known])
    tall, left, right = 160.0, 44.0, WIDTH - 20.0
    sizes = rows["topics"].to_list()
    wide = max(1, len(sizes) - 1)

    def at(number: int, value: float) -> str:
        return f"{left + (right - left) * number / wide:.2f},{y + 8 + tall * (1 - (value - low) / (high - low)):.2f}"

    for tick in range(TICKS + 1):
        value = low + (high - low) * tick / TICKS
        height = y + 8 + tall * (1 - tick / TICKS)
        parts.append(element("line", x1=left, x2=right, y1=height, y2=height, class_="r"))
        parts.append(text(left - 8, height + 4, f"{value:.2f}", "m n", "end"))
    for number, size in enumerate(sizes):
        parts.append(text(left + (right - left) * number / wide, y + tall + 28, f"{size:,}", "m n", "middle"))
    for how in SAMPLINGS:
        for key, dashes in columns.items():
            points = [
                at(number, value) for number, value in enumerate(rows[f"{key}_{how.lower()}"]) if value is not None
            ]
            style = {"stroke": colours[how], "stroke_width": "2", "stroke_dasharray": dashes or "none"}
            parts.append(element("polyline", points=" ".join(points), fill="none", **style))
            parts += [
                element("circle", cx=x, cy=height, r=3, fill=colours[how])
                for x, height in (point.split(",") for point in points)
            ]
    parts.append(text((left + right) / 2, y + tall + 46, "topics (solid: mean, dashed: maximum)", "m", "middle"))
    what = "Cosine of the vectors of train and test topics: mean and maximum of each fold, means over folds."
    return drawing("similarity", "Similarity of topics", what, y + tall + 52, parts)


def dot(mean: float, spread: float, y: float, low: float, high: float, colour: str, words: str) -> str:
    spread = 0.0 if spread != spread else spread
    x1, x2 = (place(mean + side * spread, low, high) for side in (-1, 1))
    return element("line", x1=x1, x2=x2, y1=y, y2=y, stroke_width=1.5, stroke=colour, stroke_opacity="0.5") + element(
        "circle", element("title", escape_text(words)), cx=place(mean, low, high), cy=y, r=DOT, fill=colour
    )


def axis(low: float, high: float, y: float) -> list[str]:
    values = [low + (high - low) * tick / TICKS for tick in range(TICKS + 1)]
    return [text(place(value, low, high), y + 8, f"{value:.2f}", "m n", "middle") for value in values]


def scale_of(values: Sequence[float | None]) -> tuple[float, float]:
    known = [value for value in values if value is not None and value == value] or [0.0, 1.0]
    low, high = max(0.0, min(known)), min(1.0, max(known))
    return (low, high) if high > low else (max(0.0, low - 0.05), min(1.0, high + 0.05))


def place(value: float, low: float, high: float) -> float:
    return LEFT + (WIDTH - LEFT - 52) * (min(max(value, low), high) - low) / (high - low)
