"""Draw loss, Success@5 and EER of a training by step."""

from pathlib import Path

import polars as pl

from authbench.presentation.charts import SMALL, WIDTH, Canvas, Chart, as_svg, legend_height, round_ticks
from authbench.presentation.palette import Mark, series
from authbench.storage.atomic import write_text
from authbench.train.records import CURVES

MEASURED = {"success@5": "S@5 on dev", "eer": "EER on dev", "loss": "loss"}
HEIGHT = 120
GAP = 30


def write_curves(table: Path, model: str, picture: Path) -> None:
    """Draw the curves of a table (`records.CURVES`) into an SVG file."""
    write_text(picture, as_svg(training_chart(pl.read_csv(table, schema=CURVES), model)))


def training_chart(curves: pl.DataFrame, model: str) -> Chart:
    """Return three plots over the steps, one above the other, with a line per seed (frame as `records.CURVES`)."""
    colours = series(f"seed {seed}" for seed in curves["seed"].unique().sort())
    known = {
        column: curves.filter(pl.col(column).is_not_null() & pl.col(column).is_finite()).sort("step")
        for column in MEASURED
    }
    known = {column: rows for column, rows in known.items() if rows.height}
    top = legend_height(list(colours))

    def draw(canvas: Canvas) -> None:
        canvas.legend({name: Mark(colour) for name, colour in colours.items()}, lines=True)
        for place, (column, rows) in enumerate(known.items()):
            start = top + 6 + (HEIGHT + GAP) * place
            axes = canvas.axes(start, start + HEIGHT, left=72, right=WIDTH - 8)
            axes.set_ylabel(MEASURED[column], labelpad=6)
            axes.grid(visible=True)
            axes.set_xlim(0, max(1, *curves["step"]))
            round_ticks(axes, "x", 6)
            round_ticks(axes, "y", 4)
            for seed in rows["seed"].unique().sort():
                line = rows.filter(pl.col("seed") == seed)
                [drawn] = axes.plot(line["step"], line[column], color=colours[f"seed {seed}"], linewidth=1.8)
                canvas.tip(drawn, f"seed {seed}")
            if place == len(known) - 1:
                axes.set_xlabel("step", labelpad=4, fontsize=SMALL)

    height = top + (HEIGHT + GAP) * len(known) + 20
    return Chart("curves", f"Training of {model}", "Loss, and scores on the dev split, by step.", height, draw)
