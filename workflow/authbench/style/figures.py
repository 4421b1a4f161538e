"""What do the results look like?

A heat map of models by datasets, and the tree of datasets that rank models alike. Drawn like the figures of a release:
the same numbers give the same bytes.
"""

from collections.abc import Sequence

import numpy as np
import polars as pl

from authbench.report.figures import LEFT, WIDTH, drawing, element, escape_text, label, shorten, text
from authbench.style.redundancy import CUT, merges

CELL = 20
TREE_ROW = 18
NAME = 18  # cells of a model's name, at a slant above its column
ROOM = 84  # for the last model's, to the right
COLD, WARM = (0xEE, 0xF3, 0xF7), (0x00, 0x72, 0xB2)


def heat_map(scores: pl.DataFrame) -> str:
    """A row per dataset and task, a column per model; the darker, the nearer to the best model of the row.

    `scores` as `tables.every_score`, of one treatment of long texts.
    """
    rows = scores.filter(pl.col("value").is_not_null())
    models = rows.select("group", "model").unique().sort("group", "model")["model"].to_list()
    keys = rows.select("task", "dataset").unique().sort("task", "dataset").rows()
    values = {(row["task"], row["dataset"], row["model"]): row["value"] for row in rows.iter_rows(named=True)}
    wide = min(CELL * 3, (WIDTH - LEFT - ROOM) / max(1, len(models)))
    top = 104
    parts = [
        element(
            "text",
            escape_text(shorten(model, NAME)),
            transform=f"translate({LEFT + wide * (place + 0.6):.2f} {top - 8}) rotate(-48)",
            class_="m",
        )
        for place, model in enumerate(models)
    ]
    y, heading = float(top), ""
    for task, dataset in keys:
        if task != heading:
            heading = task
            parts.append(text(0, y + 14, task.replace("_", " ").capitalize(), "m"))
            y += CELL
        here = [values.get((task, dataset, model)) for model in models]
        known = [value for value in here if value is not None]
        low, high = min(known), max(known)
        parts.append(label(middle_cut(dataset), y))
        for place, (model, value) in enumerate(zip(models, here, strict=True)):
            if value is not None:
                share = (value - low) / (high - low) if high > low else 0.5
                told = element("title", escape_text(f"{model}, {dataset}, {task.replace('_', ' ')}: {value:.3f}"))
                x = LEFT + wide * place
                parts.append(element("rect", told, x=x, y=y, width=wide - 1, height=CELL - 1, fill=shade(share)))
                if wide >= 26:
                    ink = "#fff" if share > 0.5 else "#1f2733"
                    figure = f"{value:.2f}".removeprefix("0")
                    style = f"fill:{ink};font-size:11px"
                    parts.append(element("text", figure, x=x + wide / 2, y=y + 14, text_anchor="middle", style=style))
        y += CELL
    return drawing("heat_map", "Models by datasets", "Within each row the best model is darkest.", y, parts)


def middle_cut(name: str, most: int = 20) -> str:
    """The name, or its beginning and its end: names of datasets of one corpus differ at the end."""
    return name if len(name) <= most else f"{name[: most // 2 - 1]}…{name[-most // 2 :]}"


def shade(share: float) -> str:
    mixed = [round(cold + (warm - cold) * share) for cold, warm in zip(COLD, WARM, strict=True)]
    return "#" + "".join(f"{part:02x}" for part in mixed)


def dendrogram(name: str, values: np.ndarray, datasets: Sequence[str]) -> str:
    """The tree of datasets that rank models alike (models x datasets), with the line at which clusters are cut."""
    links = merges(values)
    order = leaves(links, len(datasets))
    places = {leaf: 14 + TREE_ROW * (at + 0.5) for at, leaf in enumerate(order)}
    highest = max(float(links[:, 2].max()), CUT) * 1.05

    def across(height: float) -> float:
        return LEFT + (WIDTH - LEFT - 8) * height / highest

    bottom = 14 + TREE_ROW * len(datasets)
    parts = [label(middle_cut(datasets[leaf]), places[leaf] - 9) for leaf in order]
    heights = dict.fromkeys(range(len(datasets)), 0.0)
    for number, (one, other, height, _) in enumerate(links):
        ends = [places[int(one)], places[int(other)]]
        for child, y in zip((int(one), int(other)), ends, strict=True):
            parts.append(element("line", x1=across(heights[child]), x2=across(height), y1=y, y2=y, stroke="#0072b2"))
        parts.append(element("line", x1=across(height), x2=across(height), y1=ends[0], y2=ends[1], stroke="#0072b2"))
        places[len(datasets) + number], heights[len(datasets) + number] = sum(ends) / 2, float(height)
    parts.append(
        element("line", x1=across(CUT), x2=across(CUT), y1=10, y2=bottom, stroke="#d55e00", stroke_dasharray="3 3")
    )
    parts.append(text(across(CUT), 8, "cut", "m", "middle"))
    about = "Ward linkage on one minus Spearman's correlation over models; what joins left of the line is one cluster."
    return drawing(f"redundancy_{name}", "Datasets that rank models alike", about, bottom, parts)


def leaves(links: np.ndarray, count: int) -> list[int]:
    """The leaves of a linkage, so that no two branches cross."""
    members = {leaf: [leaf] for leaf in range(count)}
    for number, (one, other, _, _) in enumerate(links):
        members[count + number] = members.pop(int(one)) + members.pop(int(other))
    return next(iter(members.values()))
