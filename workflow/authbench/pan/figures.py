"""What do answers look like?

Score densities and precision-recall curves (the overview's figures 1 and 2), c@1 against non-answers (3), and how alike
the topics of pairs are (4). Drawn like the figures of a release: the same numbers give the same bytes.
"""

from collections.abc import Mapping, Sequence

import numpy as np
import polars as pl

from authbench.arrays import F64
from authbench.pan.metrics import Truth
from authbench.report.figures import LEFT, WIDTH, cycle, drawing, element, escape_text, legend, number, text

HEIGHT = 240
TICKS = 5
BINS = 200
SMOOTHED = 0.03  # standard deviation of the kernel, in units of the score
POINTS = 400  # of a curve
Curve = tuple[F64, F64]


def densities(name: str, title: str, values: Mapping[str, F64], across: str) -> str:
    """A density over [0, 1] for each name."""
    curves = {key: density(own) for key, own in values.items() if len(own)}
    top = max((float(high.max()) for _, high in curves.values()), default=1.0)
    return plot(name, title, f"Densities over [0, 1]: {across}.", curves, across, "density", (0.0, 1.0), (0.0, top))


def density(values: F64) -> Curve:
    """A Gaussian kernel over a fine histogram; what leaks over the ends is folded back."""
    counts, edges = np.histogram(np.clip(values, 0, 1), bins=BINS, range=(0.0, 1.0))
    middles = (edges[:-1] + edges[1:]) / 2
    mirrored = np.concatenate([counts[::-1], counts, counts[::-1]]) * BINS / len(values)
    kernel = np.exp(-0.5 * (np.arange(-BINS // 4, BINS // 4 + 1) / BINS / SMOOTHED) ** 2)
    smooth = np.convolve(mirrored, kernel / kernel.sum(), mode="same")
    return middles, smooth[BINS : 2 * BINS]


def precision_recall(systems: Mapping[str, F64], truth: Truth, dotted: Sequence[str]) -> str:
    """Precision against recall, every threshold, a curve per system; `dotted` ones are drawn so."""
    curves = {name: precision_recall_curve(truth, scores) for name, scores in systems.items()}
    title, about = "Precision and recall", "Every threshold on the score, a curve for each system."
    return plot("precision_recall", title, about, curves, "recall", "precision", (0.0, 1.0), (0.0, 1.0), dotted)


def precision_recall_curve(truth: Truth, scores: F64) -> Curve:
    """Recall and precision at each distinct score, from the highest down."""
    order = np.argsort(-scores, kind="stable")
    hits, claimed = np.cumsum(truth[order]), np.arange(1, len(truth) + 1)
    last = np.append(np.flatnonzero(np.diff(scores[order])), len(truth) - 1)
    return hits[last] / max(int(truth.sum()), 1), hits[last] / claimed[last]


def non_answers(table: pl.DataFrame) -> str:
    """c@1 of each system against how many problems it leaves open."""
    most = max(1, *table["non_answers"])
    colours = dict(zip(table["system"], cycle(table.height), strict=True))
    parts, y = legend(colours, {}, 0)
    low, high = 0.0, 1.0
    parts += axes(y, "problems without an answer", "c@1", (0, float(most)), (low, high))
    for system, x, right in table.select("system", "non_answers", "c@1").iter_rows():
        told = element("title", escape_text(f"{system}: c@1 {right:.3f}, {x} without an answer"))
        parts.append(
            element(
                "circle",
                told,
                cx=LEFT + (WIDTH - LEFT) * x / most,
                cy=place(right, y, (low, high)),
                r=5,
                fill=colours[system],
            )  # fmt: skip
        )
    about = "A dot for each system."
    return drawing("non_answers", "Does it pay not to answer?", about, y + HEIGHT + 36, parts)


def plot(
    name: str,
    title: str,
    about: str,
    curves: Mapping[str, Curve],
    across: str,
    upward: str,
    x_range: tuple[float, float],
    y_range: tuple[float, float],
    dotted: Sequence[str] = (),
) -> str:
    """Curves over two axes, with a legend."""
    colours = dict(zip(curves, cycle(len(curves)), strict=True))
    parts, y = legend(colours, {}, 0)
    parts += axes(y, across, upward, x_range, y_range)
    for key, (xs, ys) in curves.items():
        kept = np.unique(np.linspace(0, len(xs) - 1, min(POINTS, len(xs))).astype(int))
        points = " ".join(
            f"{number(LEFT + (WIDTH - LEFT) * (xs[at] - x_range[0]) / (x_range[1] - x_range[0]))},"
            f"{number(place(ys[at], y, y_range))}"
            for at in kept
        )
        dashes = {"stroke_dasharray": "3 3"} if key in dotted else {}
        parts.append(element("polyline", points=points, fill="none", stroke=colours[key], stroke_width=1.6, **dashes))
    return drawing(name, title, about, y + HEIGHT + 36, parts)


def axes(top: float, across: str, upward: str, x_range: tuple[float, float], y_range: tuple[float, float]) -> list[str]:
    parts = [
        text(LEFT - 46, top + HEIGHT / 2, upward, "m", "end"),
        text((LEFT + WIDTH) / 2, top + HEIGHT + 32, across, "m", "middle"),
    ]
    for tick in range(TICKS + 1):
        share = tick / TICKS
        x, y = LEFT + (WIDTH - LEFT) * share, top + HEIGHT * (1 - share)
        values = [low + (high - low) * share for low, high in (x_range, y_range)]
        told = [
            f"{value:.0f}" if high > 10 else f"{value:.1f}"
            for value, (_, high) in zip(values, (x_range, y_range), strict=True)
        ]
        parts += [
            element("line", x1=LEFT, x2=WIDTH, y1=y, y2=y, class_="r"),
            text(x, top + HEIGHT + 16, told[0], "m n", "end" if tick == TICKS else "middle"),
            text(LEFT - 8, y + 4, told[1], "m n", "end"),
        ]
    return parts


def place(value: float, top: float, y_range: tuple[float, float]) -> float:
    low, high = y_range
    return top + HEIGHT * (1 - (float(value) - low) / max(high - low, 1e-9))
