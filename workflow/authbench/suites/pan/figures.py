"""Draw PAN's overview charts: score densities (1), precision and recall (2), non-answers (3), pair topics (4)."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np
import polars as pl

from authbench.core.arrays import F64
from authbench.core.presentation.charts import Canvas, Chart, legend_height
from authbench.core.presentation.palette import INK, Mark, marks_of, series
from authbench.core.presentation.plots import Curve, Scale, curves, plane
from authbench.scoring.metrics.forensic import at_least, detection_errors
from authbench.scoring.metrics.pan import Truth

TICKS = (0.001, 0.005, 0.02, 0.05, 0.1, 0.2, 0.4, 0.6)
FURTHEST = 0.7  # maximum error rate shown


def tippett(ratios: pl.DataFrame, marks: Mapping[str, Mark]) -> Chart:
    """Return the share of problems with at least a given likelihood ratio, by system and truth."""
    truth = ratios["same"].to_numpy()
    lines = []
    names = [name for name in ratios.columns if name not in ("id", "same") and ratios[name].is_not_null().any()]
    for name in names:
        own = ratios[name].to_numpy()
        for side, dash, of in ((truth, "-", "one author"), (~truth, "--", "two authors")):
            place, share = (_thinned(one) for one in at_least(own[side & np.isfinite(own)]))
            if len(place):
                mark = Mark(marks[name].colour, dash=dash)
                lines.append(Curve(f"{name}, {of}", [*place, place[-1]], [*share, 0.0], mark))
    about = "Calibrated on the other half of the problems. The wrong side of 0 misleads."
    axes = Scale("log10 of the likelihood ratio"), Scale("share", (0.0, 1.02))
    return curves("tippett", "Share with at least a likelihood ratio", about, lines, *axes)


def det(scores: Mapping[str, F64], truth: Truth, drawn: Mapping[str, Mark]) -> Chart:
    """Return misses against false alarms at every threshold, both on normal deviates (Martin et al. 1997).

    Args:
        scores: by system, shape (n,), higher means more likely the same author.
    """
    from scipy.special import ndtri

    marks = {name: drawn[name] for name in scores}
    top, tall = legend_height(list(marks)), 300.0
    known = 0 < int(truth.sum()) < len(truth)
    low, high = ndtri(TICKS[0]), ndtri(FURTHEST)

    def draw(canvas: Canvas) -> None:
        canvas.legend(marks, lines=True)
        axes = plane(canvas, top + 6, top + tall, "false alarms", "misses")
        for name, own in scores.items() if known else ():
            alarms, misses = (np.clip(_thinned(one), TICKS[0], 1 - TICKS[0]) for one in detection_errors(truth, own))
            mark = marks[name]
            curve = _cut_at(np.stack([ndtri(alarms), ndtri(misses)]), high)
            [drawn] = axes.plot(*curve, color=mark.colour, linestyle=mark.dash, linewidth=1.8)
            canvas.tip(drawn, name)
        for axis, limit in ((axes.xaxis, axes.set_xlim), (axes.yaxis, axes.set_ylim)):
            axis.set_ticks([float(ndtri(tick)) for tick in TICKS], [f"{100 * tick:g} %" for tick in TICKS])
            limit(low, high)

    about = "Detection error trade-off: the nearer to the lower left corner, the better."
    return Chart("det", "Misses and false alarms", about, top + tall + 44, draw)


def _cut_at(curve: F64, high: float) -> F64:
    """Return a curve, shape (2, points), with NaN where a coordinate exceeds `high`."""
    shown = np.asarray(np.all(curve <= high, axis=0))
    before = np.flatnonzero(shown[1:] != shown[:-1])
    inside = curve[:, np.where(shown[before], before, before + 1)]
    step = curve[:, np.where(shown[before], before + 1, before)] - inside
    share = np.where(inside + step > high, (high - inside) / np.where(step > 0, step, 1.0), 1.0).min(axis=0)
    return np.asarray(np.insert(np.where(shown, curve, np.nan), before + 1, inside + share * step, axis=1))


def _thinned(values: F64) -> F64:
    kept = np.unique(np.linspace(0, max(len(values) - 1, 0), min(POINTS, len(values))).astype(int))
    return np.asarray(values[kept])


BINS = 200
SMOOTHED = 0.03  # standard deviation of the kernel, in score units
POINTS = 400  # per curve
UNIT = (0.0, 1.0)
XY = tuple[F64, F64]


def score_densities(name: str, title: str, scores: Mapping[str, F64], drawn: Mapping[str, Mark] | None = None) -> Chart:
    """Return the density of each system's scores, shape (problems,); `drawn` are the systems' marks."""
    marks = (drawn or marks_of(scores)) if len(scores) > 1 else {next(iter(scores)): Mark(INK)}
    return _densities(name, title, scores, marks, "score")


def topic_densities(name: str, title: str, similarities: Mapping[str, F64]) -> Chart:
    """Return the density of topic similarities for each kind of pair, shape (pairs of the kind,)."""
    dashes = ("-", "--", "-", "--")
    marks = {
        kind: Mark(colour, dash=dash)
        for (kind, colour), dash in zip(series(similarities).items(), dashes, strict=False)
    }
    return _densities(name, title, similarities, marks, "similarity of topics")


def _densities(name: str, title: str, values: Mapping[str, F64], marks: Mapping[str, Mark], what: str) -> Chart:
    drawn = {key: density(own) for key, own in values.items() if len(own)}
    lines = [Curve(key, across.tolist(), up.tolist(), marks[key]) for key, (across, up) in drawn.items()]
    top = max((max(line.ys) for line in lines), default=1.0)
    about = f"Densities over [0, 1]: {what}."
    return curves(name, title, about, lines, Scale(what, UNIT), Scale("density", (0.0, 1.05 * top)))


def density(values: F64) -> XY:
    """Return a Gaussian kernel density of values in [0, 1] over a fine histogram, reflected at the boundaries."""
    counts, edges = np.histogram(np.clip(values, 0, 1), bins=BINS, range=UNIT)
    middles = (edges[:-1] + edges[1:]) / 2
    mirrored = np.concatenate([counts[::-1], counts, counts[::-1]]) * BINS / len(values)
    kernel = np.exp(-0.5 * (np.arange(-BINS // 4, BINS // 4 + 1) / BINS / SMOOTHED) ** 2)
    smooth = np.convolve(mirrored, kernel / kernel.sum(), mode="same")
    return middles, smooth[BINS : 2 * BINS]


def precision_recall(
    systems: Mapping[str, F64], truth: Truth, dotted: Sequence[str], marks: Mapping[str, Mark]
) -> Chart:
    """Return precision against recall at every threshold, a curve per system.

    Args:
        systems: the scores of each, shape (problems,).
        dotted: systems with dotted curves.
    """
    lines = []
    for name, scores in systems.items():
        recall, precision = map(_thinned, precision_recall_curve(truth, scores))
        mark = Mark(INK, dash=":") if name in dotted else marks[name]
        lines.append(Curve(name, recall.tolist(), precision.tolist(), mark))
    about = "Every threshold on the score, a curve for each system."
    axes = Scale("recall", UNIT), Scale("precision", (0.0, 1.02))
    return curves("precision_recall", "Precision and recall", about, lines, *axes)


def precision_recall_curve(truth: Truth, scores: F64) -> XY:
    """Return recall and precision at each distinct score, from the highest down."""
    order = np.argsort(-scores, kind="stable")
    hits, claimed = np.cumsum(truth[order]), np.arange(1, len(truth) + 1)
    last = np.append(np.flatnonzero(np.diff(scores[order])), len(truth) - 1)
    return hits[last] / max(int(truth.sum()), 1), hits[last] / claimed[last]


def non_answers(table: pl.DataFrame, drawn: Mapping[str, Mark]) -> Chart:
    """Return c@1 of each system against its number of non-answers."""
    marks = {system: replace(drawn[system], dash="") for system in table["system"]}
    top, tall = legend_height(list(marks)), 240.0

    def draw(canvas: Canvas) -> None:
        canvas.legend(marks)
        axes = plane(canvas, top + 6, top + tall, "problems without an answer", "c@1")
        most = max(1, *table["non_answers"])
        axes.set_xlim(-0.03 * most, 1.03 * most)
        axes.set_ylim(0, 1.03)
        for system, silent, right in table.select("system", "non_answers", "c@1").iter_rows():
            mark = marks[system]
            [point] = axes.plot(
                [silent], [right], marker=mark.marker, markersize=8, color=mark.colour, linestyle="none"
            )
            canvas.tip(point, f"{system}: c@1 {right:.3f}, {silent} without an answer")

    return Chart("non_answers", "c@1 and problems left open", "A dot for each system.", top + tall + 44, draw)
