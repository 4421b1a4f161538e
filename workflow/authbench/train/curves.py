"""Draw loss and scores of trainings by step."""

from pathlib import Path

import polars as pl

from authbench.presentation.charts import SMALL, WIDTH, Canvas, Chart, as_svg, legend_height, round_ticks
from authbench.presentation.palette import Mark, mark_of, series
from authbench.storage.atomic import write_text
from authbench.train.records import ON_DEV, read_curves

SHOWN = {**ON_DEV, "loss": "loss"}
HEIGHT = 120
GAP = 30


def write_curves(table: Path, picture: Path) -> None:
    """Draw the curves of a table (`records.CURVES`) into an SVG file."""
    write_text(picture, as_svg(training_chart(read_curves(table))))


def training_chart(curves: pl.DataFrame) -> Chart:
    """Return a plot over the steps for each known score, vertically stacked (frame as `records.CURVES`).

    There is a line for each model and seed, coloured by model, or by seed if there is a single model.
    """
    models = curves["model"].unique().sort().to_list()
    if len(models) == 1:
        marks = {
            name: Mark(colour) for name, colour in series(_seed(one) for one in curves["seed"].unique().sort()).items()
        }
    else:
        marks = {model: mark_of(model) for model in models}
    known = {
        column: curves.filter(pl.col(column).is_not_null() & pl.col(column).is_finite()).sort("model", "seed", "step")
        for column in SHOWN
    }
    known = {column: rows for column, rows in known.items() if rows.height}
    top = legend_height(list(marks))

    def draw(canvas: Canvas) -> None:
        canvas.legend(marks, lines=True)
        for place, (column, rows) in enumerate(known.items()):
            start = top + 6 + (HEIGHT + GAP) * place
            axes = canvas.axes(start, start + HEIGHT, left=72, right=WIDTH - 8)
            axes.set_ylabel(SHOWN[column], labelpad=6)
            axes.grid(visible=True)
            axes.set_xlim(0, max(1, *curves["step"]))
            round_ticks(axes, "x", 6)
            round_ticks(axes, "y", 4)
            for (model, seed), line in rows.group_by("model", "seed", maintain_order=True):
                mark = marks.get(str(model)) or marks[_seed(seed)]
                [drawn] = axes.plot(line["step"], line[column], color=mark.colour, linestyle=mark.dash, linewidth=1.8)
                canvas.tip(drawn, _seed(seed) if len(models) == 1 else f"{model}, {_seed(seed)}")
            if place == len(known) - 1:
                axes.set_xlabel("step", labelpad=4, fontsize=SMALL)

    height = top + (HEIGHT + GAP) * len(known) + 20
    title = f"Training of {models[0]}" if len(models) == 1 else f"Training of {len(models)} models"
    return Chart("curves", title, "Loss, and scores on the dev split, by step.", height, draw)


def _seed(seed: object) -> str:
    return f"seed {seed}"
