"""Draw loss and scores of trainings by step, by split and by slice (paper, figures 3 and 4)."""

from collections.abc import Iterable
from pathlib import Path

import polars as pl
from polars import selectors as cs

from authbench.core.presentation.charts import SMALL, WIDTH, Canvas, Chart, as_svg, legend_height, round_ticks
from authbench.core.presentation.pages import write_charts
from authbench.core.presentation.palette import Mark, mark_of, series
from authbench.core.storage.atomic import atomic_folder, write_text
from authbench.core.words import spaced
from authbench.scoring.evaluation.slices import OVERALL
from authbench.scoring.train.records import FACETS, MEASURED, TRAINING, read_curves

HEIGHT = 120
GAP = 30
_MEAN = "A line a {}: the mean over seeds."


def write_curves(table: Path, picture: Path) -> None:
    """Draw the curves of a table (`records.CURVES`) into an SVG file, and by slice into the folder of its name."""
    curves = read_curves(table)
    write_text(picture, as_svg(training_chart(curves)))
    with atomic_folder(picture.with_suffix("")) as folder:
        write_charts(folder, slice_charts(curves), ())


def training_chart(curves: pl.DataFrame) -> Chart:
    """Return a plot over the steps for each known score and split, vertically stacked (frame as `records.CURVES`).

    There is a line for each model and seed, coloured by model, or by seed if there is a single model.
    """
    models, seed = curves["model"].unique().sort().to_list(), pl.format("seed {}", "seed")
    single = len(models) == 1
    rows = _values(_overall(curves), MEASURED).with_columns(
        line=seed if single else "model", tip=seed if single else pl.format("{}, {}", "model", seed)
    )
    title = f"Training of {models[0]}" if single else f"Training of {len(models)} models"
    return _stacked("curves", title, "Loss and scores, by step.", rows, models=not single)


def by_score(curves: pl.DataFrame) -> list[Chart]:
    """Return a chart of each known score, with a plot for each split: a line a model, the mean over its seeds."""
    drawn = []
    for score, heading in MEASURED.items():
        rows = _means(_values(_overall(curves), [score]).with_columns(line="model"))
        if rows.height:
            name, title = f"training_{score.replace('@', '_at_')}", f"{heading[0].upper()}{heading[1:]} in training"
            drawn.append(_stacked(name, title, _MEAN.format("model"), rows, models=True))
    return drawn


def slice_charts(curves: pl.DataFrame) -> list[Chart]:
    """Return a chart for each model and facet, with a plot for each score and split: a line a slice."""
    drawn = []
    sliced = curves.filter(pl.col("facet").is_in(FACETS))
    for (model, facet), found in sliced.group_by("model", "facet", maintain_order=True):
        rows = _means(_values(found, MEASURED).with_columns(line="slice"))
        title = f"Training of {model} {spaced(str(facet))}"
        drawn.append(_stacked(f"{model}_{facet}", title, _MEAN.format("slice"), rows))
    return drawn


def _overall(curves: pl.DataFrame) -> pl.DataFrame:
    return curves.filter(pl.col("facet").is_in([OVERALL[0], TRAINING[0]]))


def _values(curves: pl.DataFrame, scores: Iterable[str]) -> pl.DataFrame:
    """Return the known scores of CURVES, a row for each, with the name of its plot."""
    split = pl.when(facet=TRAINING[0]).then(pl.lit("batches")).otherwise("split")
    heading = pl.col("score").replace_strict(MEASURED, return_dtype=pl.String)
    rows = curves.unpivot(list(scores), index=cs.exclude(*MEASURED), variable_name="score")
    return rows.filter(pl.col("value").is_finite()).with_columns(plot=pl.format("{}, {}", heading, split))


def _means(rows: pl.DataFrame) -> pl.DataFrame:
    means = rows.group_by("plot", "line", "step", maintain_order=True).agg(pl.col("value").mean())
    return means.sort("step", maintain_order=True).with_columns(tip="line")


def _stacked(name: str, title: str, about: str, rows: pl.DataFrame, models: bool = False) -> Chart:
    """Return plots one below the other: `plot`, `line` (a model's name?), `tip`, `step`, `value` of each point."""
    plots, lines = (rows[column].unique(maintain_order=True).to_list() for column in ("plot", "line"))
    marks = {line: mark_of(line) if models else Mark(colour) for line, colour in series(lines).items()}
    top = legend_height(lines)

    def draw(canvas: Canvas) -> None:
        canvas.legend(marks, lines=True)
        for place, plot in enumerate(plots):
            start = top + 6 + (HEIGHT + GAP) * place
            axes = canvas.axes(start, start + HEIGHT, left=72, right=WIDTH - 8)
            axes.set_ylabel(canvas.words(plot), labelpad=6, fontsize=SMALL)
            axes.grid(visible=True)
            axes.set_xlim(0, max(1, *rows["step"]))
            round_ticks(axes, "x", 6)
            round_ticks(axes, "y", 4)
            for (line, tip), points in rows.filter(plot=plot).group_by("line", "tip", maintain_order=True):
                mark = marks[str(line)]
                [drawn] = axes.plot(points["step"], points["value"], color=mark.colour, ls=mark.dash, linewidth=1.8)
                canvas.tip(drawn, str(tip))
            if place == len(plots) - 1:
                axes.set_xlabel("step", labelpad=4, fontsize=SMALL)

    return Chart(name, title, about, top + (HEIGHT + GAP) * len(plots) + 20, draw)
