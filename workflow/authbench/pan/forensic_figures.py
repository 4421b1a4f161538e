"""Draw forensic charts: likelihood ratios (Tippett), and errors on normal deviates (DET)."""

from collections.abc import Mapping

import numpy as np
import polars as pl

from authbench.arrays import F64
from authbench.metrics.forensic import at_least, detection_errors
from authbench.metrics.pan import Truth
from authbench.presentation.charts import Canvas, Chart, legend_height
from authbench.presentation.palette import Mark, marks_of
from authbench.presentation.plots import Curve, curves, plane

POINTS = 400  # per curve
TICKS = (0.001, 0.005, 0.02, 0.05, 0.1, 0.2, 0.4, 0.6)
FURTHEST = 0.7  # maximum error rate shown


def tippett(ratios: pl.DataFrame, drawn: Mapping[str, Mark] | None = None) -> Chart:
    """Return the share of problems with at least a given likelihood ratio, by system and truth."""
    truth = ratios["same"].to_numpy()
    lines = []
    names = [name for name in ratios.columns if name not in ("id", "same") and ratios[name].is_not_null().any()]
    marks = drawn or marks_of(names)
    for name in names:
        own = ratios[name].to_numpy()
        for side, dash, of in ((truth, "-", "one author"), (~truth, "--", "two authors")):
            place, share = (_thinned(one) for one in at_least(own[side & np.isfinite(own)]))
            if len(place):
                lines.append(
                    Curve(f"{name}, {of}", [*place, place[-1]], [*share, 0.0], Mark(marks[name].colour, dash=dash))
                )
    about = "Calibrated on the other half of the problems. The wrong side of 0 misleads."
    across = "log10 of the likelihood ratio"
    return curves("tippett", "Share with at least a likelihood ratio", about, lines, across, "share", None, (0.0, 1.02))


def det(scores: Mapping[str, F64], truth: Truth, drawn: Mapping[str, Mark] | None = None) -> Chart:
    """Return misses against false alarms at every threshold, both on normal deviates (Martin et al. 1997).

    Args:
        scores: by system, shape (n,), higher means more likely one author.
        truth: shape (n,), True where both texts are by one author.
        drawn: the systems' marks.
    """
    from scipy.special import ndtri

    known_marks = drawn or marks_of(scores)
    marks = {name: known_marks[name] for name in scores}
    top, tall = legend_height(list(marks)), 300.0
    known = 0 < int(truth.sum()) < len(truth)
    low, high = ndtri(TICKS[0]), ndtri(FURTHEST)

    def draw(canvas: Canvas) -> None:
        canvas.legend(marks, lines=True)
        axes = plane(canvas, top + 6, top + tall, "false alarms", "misses")
        for name, own in scores.items() if known else ():
            alarms, misses = (np.clip(_thinned(one), TICKS[0], 1 - TICKS[0]) for one in detection_errors(truth, own))
            mark = marks[name]
            [drawn] = axes.plot(
                *_cut_at(np.stack([ndtri(alarms), ndtri(misses)]), high),
                color=mark.colour,
                linestyle=mark.dash,
                linewidth=1.8,
            )
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
    found: F64 = np.insert(np.where(shown, curve, np.nan), before + 1, inside + share * step, axis=1)
    return found


def _thinned(values: F64) -> F64:
    kept = np.unique(np.linspace(0, max(len(values) - 1, 0), min(POINTS, len(values))).astype(int))
    found: F64 = values[kept]
    return found
