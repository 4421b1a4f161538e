"""Draw loss, Success@5 and EER of a training by step."""

from collections.abc import Iterable
from pathlib import Path

import polars as pl

from authbench.report.figures import LEFT, WIDTH, cycle, drawing, element, legend, text
from authbench.storage.atomic import write_text
from authbench.train.records import CURVES

MEASURED = {"success@5": "S@5 on dev", "eer": "EER on dev", "loss": "loss"}
HEIGHT = 120
GAP = 44


def write_curves(table: Path, model: str, picture: Path) -> None:
    """Draw the curves of a table (`records.CURVES`) into an SVG file."""
    write_text(picture, draw_curves(pl.read_csv(table, schema=CURVES), model))


def draw_curves(curves: pl.DataFrame, model: str) -> str:
    """Three plots over the steps, one above the other, with a line per seed (frame as `records.CURVES`)."""
    seeds = curves["seed"].unique().sort().to_list()
    colours = {f"seed {seed}": colour for seed, colour in zip(seeds, cycle(len(seeds)), strict=True)}
    parts, y = legend(colours, {}, 0)
    last = max(1, *curves["step"])
    for column, heading in MEASURED.items():
        known = curves.filter(pl.col(column).is_not_null() & pl.col(column).is_finite())
        if known.height:
            parts += plot(known, column, heading, y + 18, last, colours.values())
            y += HEIGHT + GAP
    return drawing("curves", f"Training of {model}", "Loss, and scores on the dev split, by step.", y, parts)


def plot(known: pl.DataFrame, column: str, heading: str, top: float, last: int, colours: Iterable[str]) -> list[str]:
    low, high = min(known[column]), max(known[column])
    spread = max(high - low, 1e-9)
    parts = [
        text(LEFT - 10, top + HEIGHT / 2, heading, "", "end"),
        text(LEFT - 10, top + 8, f"{high:.3f}", "m n", "end"),
        text(LEFT - 10, top + HEIGHT, f"{low:.3f}", "m n", "end"),
        element("line", x1=LEFT, x2=WIDTH, y1=top + HEIGHT, y2=top + HEIGHT, class_="r"),
        text(WIDTH, top + HEIGHT + 14, f"{last} steps", "m n", "end"),
    ]
    for seed, colour in zip(known["seed"].unique().sort(), colours, strict=False):
        line = known.filter(pl.col("seed") == seed).sort("step")
        points = [
            f"{LEFT + (WIDTH - LEFT) * step / last:.1f},{top + HEIGHT * (high - value) / spread:.1f}"
            for step, value in line.select("step", column).iter_rows()
        ]
        parts.append(element("polyline", points=" ".join(points), fill="none", stroke=colour, stroke_width=2))
    return parts
