"""Draw the style suite's charts: a heat map of models by datasets, and trees of datasets with similar rankings."""

from collections.abc import Sequence

import numpy as np
import polars as pl
from matplotlib.colors import LinearSegmentedColormap
from matplotlib.patches import Rectangle
from scipy.cluster.hierarchy import dendrogram as tree_of

from authbench.core.presentation.charts import LEFT, SIZE, SMALL, WIDTH, Canvas, Chart, round_ticks, shorten
from authbench.core.presentation.palette import BLUE, INK, MUTED, VERMILION
from authbench.core.presentation.plots import AXIS, name_rows
from authbench.core.words import spaced
from authbench.suites.style.redundancy import CUT, merges

CELL = 20  # row height in units
WIDEST = 60  # maximum column width in units
NAME = 130.0  # length of the slanted model names, in units
SLANT = 48  # degrees
ROOM = 84  # units to the right, for the last model's name
TOP = 112
TREE_ROW = 19
SHADES = LinearSegmentedColormap.from_list("shades", ["#eef3f7", BLUE])


def heat_map(scores: pl.DataFrame) -> Chart:
    """Return a heat map with a row per dataset and task and a column per model.

    Darker cells are nearer to the row's best model. `scores` has the columns of `tables.every_score`, for a treatment
    of long texts.
    """
    rows = scores.filter(pl.col("value").is_not_null())
    models = rows.select("group", "model").unique().sort("group", "model")["model"].to_list()
    values = {(row["task"], row["dataset"], row["model"]): row["value"] for row in rows.iter_rows(named=True)}
    tasks: dict[str, list[str]] = {}
    for task, dataset in rows.select("task", "dataset").unique().sort("task", "dataset").iter_rows():
        tasks.setdefault(task, []).append(dataset)
    lines = sum(1 + len(datasets) for datasets in tasks.values())
    wide = min(WIDEST, (WIDTH - LEFT - ROOM) / max(1, len(models)))

    def draw(canvas: Canvas) -> None:
        for place, model in enumerate(models):
            canvas.text(LEFT + wide * (place + 0.5), TOP - 6, shorten(model, NAME, SMALL), rotation=SLANT,
                        rotation_mode="anchor")  # fmt: skip
        if not lines:
            return
        axes = canvas.axes(TOP, TOP + CELL * lines, right=LEFT + wide * len(models))
        axes.set_xlim(0, len(models))
        axes.set_ylim(lines, 0)
        axes.spines[:].set_visible(False)
        axes.xaxis.set_visible(False)
        names, places, line = [], [], 0
        for task, datasets in tasks.items():
            canvas.text(0, TOP + CELL * line + 15, spaced(task).capitalize(), SIZE, MUTED)
            for number, dataset in enumerate(datasets, start=line + 1):
                names.append(_middle_cut(dataset))
                places.append(number + 0.5)
                here = {model: values[task, dataset, model] for model in models if (task, dataset, model) in values}
                low, high = min(here.values()), max(here.values())
                for place, model in enumerate(models):
                    if model in here:
                        share = (here[model] - low) / (high - low) if high > low else 0.5
                        cell = Rectangle((place, number), 1, 1, facecolor=SHADES(share), edgecolor="white", linewidth=1)
                        canvas.tip(cell, f"{model}, {dataset}, {spaced(task)}: {here[model]:.3f}")
                        axes.add_patch(cell)
                        if wide >= 26:
                            ink = "white" if share > 0.5 else INK
                            axes.text(place + 0.5, number + 0.5, f"{here[model]:.2f}".removeprefix("0"), color=ink,
                                      ha="center", va="center_baseline", fontsize=SMALL)  # fmt: skip
            line += 1 + len(datasets)
        name_rows(canvas, axes, names, places)

    about = "Within each row the best model is darkest."
    return Chart("heat_map", "Models by datasets", about, TOP + CELL * lines, draw)


def dendrogram(task: str, values: np.ndarray, datasets: Sequence[str]) -> Chart:
    """Return the tree of datasets that rank models alike (models x datasets), with the cut-off line of the clusters."""
    links = merges(values)
    tree = tree_of(links, no_plot=True)
    bottom = 18.0 + TREE_ROW * len(datasets)

    def draw(canvas: Canvas) -> None:
        axes = canvas.axes(18, bottom, right=WIDTH - 8)
        axes.set_xlim(0, max(float(links[:, 2].max()), CUT) * 1.05)
        axes.set_ylim(10 * len(datasets), 0)
        for across, up in zip(tree["dcoord"], tree["icoord"], strict=True):
            axes.plot(across, up, color=BLUE, linewidth=1.3)
        axes.axvline(CUT, color=VERMILION, linewidth=1.2, linestyle=":")
        axes.annotate("cut", (CUT, 0), (0, 4), textcoords="offset points", ha="center", fontsize=SMALL, color=MUTED)
        round_ticks(axes, "x")
        names = [_middle_cut(datasets[leaf]) for leaf in tree["leaves"]]
        name_rows(canvas, axes, names, [10 * at + 5 for at in range(len(datasets))])

    about = "Ward linkage on one minus Spearman's correlation over models; what joins left of the line is one cluster."
    title = f"Datasets that rank models alike: {spaced(task)}"
    return Chart(f"redundancy_{task}", title, about, bottom + AXIS, draw)


def _middle_cut(name: str, most: int = 20) -> str:
    """Return a name, shortened in the middle: names of datasets of the same corpus differ at the end."""
    return name if len(name) <= most else f"{name[: most // 2 - 1]}…{name[-most // 2 :]}"
