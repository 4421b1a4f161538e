"""Draw the chart types shared by several suites: stacked bars, bars and dots with intervals, curves."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate, chain
from typing import NamedTuple

from matplotlib.axes import Axes
from matplotlib.transforms import blended_transform_factory

from authbench.core.presentation.charts import (
    LEFT,
    LEGEND_ROW,
    SIZE,
    SMALL,
    WIDTH,
    Canvas,
    Chart,
    legend_height,
    round_ticks,
    shorten,
)
from authbench.core.presentation.numbers import signed
from authbench.core.presentation.palette import EMPTY, INK, MUTED, PAPER, RULE, Mark

ROW = 26  # units between bars
BAR = 0.62  # share of a row
AXIS = 24  # units for axis numbers
THIN = 3  # units; narrower pieces have no gap
NUMBERS = 64  # units for the numbers to the right of bars
RANKED = (LEFT + 52, WIDTH - 24)  # edges of a ranking's axes, after names and numbers and before the bracket
DOT_ROW = 9
DOT = 6.5


@dataclass(frozen=True)
class Piece:
    """A part of a stacked bar."""

    count: float
    colour: str
    tip: str


@dataclass(frozen=True)
class Stack:
    """A stacked bar: its length is a share of the chart's width, `note` is printed to its right."""

    label: str
    pieces: Sequence[Piece]
    length: float = 1.0
    note: str = ""


@dataclass(frozen=True)
class Value:
    """A number with an optional interval.

    `group` is written below a bar's label; `faint` marks an uninformative value.
    """

    label: str
    value: float
    mark: Mark
    tip: str
    low: float | None = None
    high: float | None = None
    group: str = ""
    note: str = ""
    faint: bool = False


@dataclass(frozen=True)
class Curve:
    """A named line; `points` draws its markers too."""

    label: str
    xs: Sequence[float]
    ys: Sequence[float]
    mark: Mark
    points: bool = False


def stacked_bars(name: str, title: str, description: str, legend: Mapping[str, str], bars: Sequence[Stack]) -> Chart:
    """Return a chart of horizontal bars, divided in the proportions of their pieces."""
    top = legend_height(list(legend))
    right = WIDTH - NUMBERS if any(bar.note for bar in bars) else WIDTH

    def draw(canvas: Canvas) -> None:
        canvas.legend(legend)
        if not bars:
            return
        axes = _row_axes(canvas, top, [bar.label for bar in bars], right=right)
        axes.set_xlim(0, 1)
        axes.spines[:].set_visible(False)
        axes.xaxis.set_visible(False)
        for row, bar in enumerate(bars):
            total = sum(piece.count for piece in bar.pieces)
            if not total:
                axes.barh(row, bar.length, BAR, color=EMPTY)
            starts = accumulate((piece.count for piece in bar.pieces), initial=0.0)
            for piece, start in zip(bar.pieces, starts, strict=False):
                if piece.count:
                    wide, begin = bar.length * piece.count / total, bar.length * start / total
                    gap = 0.6 if wide * (right - LEFT) > THIN else 0
                    [part] = axes.barh(row, wide, BAR, begin, color=piece.colour, edgecolor=PAPER, linewidth=gap)
                    canvas.tip(part, piece.tip)
            axes.text(bar.length + 8 / (right - LEFT), row, bar.note, fontsize=SMALL, color=MUTED, va="center_baseline")

    return Chart(name, title, description, top + ROW * len(bars), draw)


def value_bars(
    name: str, title: str, description: str, values: Sequence[Value], legend: Mapping[str, str] | None = None
) -> Chart:
    """Return a chart of horizontal bars with intervals, and the values as numbers at the right."""
    legend = legend or {}
    top = legend_height(list(legend))
    row = ROW + 6 if any(value.group for value in values) else ROW

    def draw(canvas: Canvas) -> None:
        canvas.legend(legend)
        if not values:
            return
        axes = _row_axes(canvas, top, [value.label for value in values], right=WIDTH - NUMBERS, row=row)
        low, high = limits_of(values)
        axes.set_xlim(min(0.0, low), max(0.0, high) or 1.0)
        _number_axis(axes)
        beside = blended_transform_factory(axes.transAxes, axes.transData)
        for place, value in enumerate(values):
            if value.value != value.value:
                continue
            [bar] = axes.barh(place, value.value, BAR * ROW / row, color=value.mark.colour)
            canvas.tip(bar, value.tip)
            if value.low is not None and value.high is not None:
                axes.plot([value.low, value.high], [place] * 2, color=INK, linewidth=1.3, solid_capstyle="butt")
            axes.text(1 + (NUMBERS / (WIDTH - NUMBERS - LEFT)), place, signed(value.note), transform=beside,
                      ha="right", va="center_baseline", fontsize=SMALL, color=INK)  # fmt: skip
        if any(value.group for value in values):
            _name_groups(canvas, axes, values)
        if low < 0:
            axes.axvline(0, color=MUTED, linewidth=0.8)

    return Chart(name, title, description, top + row * len(values) + AXIS, draw)


def dots(
    name: str, title: str, description: str, legend: Mapping[str, Mark], rows: Mapping[str, Sequence[Value]]
) -> Chart:
    """Return a chart of rows with a dot and an interval per value."""
    top = legend_height(list(legend))
    heights = [max(ROW, DOT_ROW * len(values) + 12) for values in rows.values()]
    bounds = list(accumulate(heights, initial=0))

    def draw(canvas: Canvas) -> None:
        canvas.legend(legend)
        every = [value for value in chain.from_iterable(rows.values()) if value.value == value.value]
        if not every:
            return
        axes = canvas.axes(top, top + bounds[-1])
        low, high = limits_of(every)
        space = 0.04 * (high - low) or 0.05
        axes.set_ylim(bounds[-1], 0)
        axes.set_xlim(low - space, high + space)
        _number_axis(axes)
        name_rows(canvas, axes, list(rows), [(one + other) / 2 for one, other in zip(bounds, bounds[1:], strict=False)])
        for bound in bounds[1:-1]:
            axes.axhline(bound, color=RULE, linewidth=0.8)
        for start, height, values in zip(bounds, heights, rows.values(), strict=False):
            first = start + (height - DOT_ROW * (len(values) - 1)) / 2
            for number, value in enumerate(values):
                if value.value == value.value:
                    _dot(canvas, axes, value, first + DOT_ROW * number)

    return Chart(name, title, description, top + bounds[-1] + AXIS, draw)


def ranking(
    name: str,
    title: str,
    description: str,
    values: Sequence[Value],
    controls: Sequence[Value],
    line: Value | None,
    joined: Collection[str],
) -> Chart:
    """Return a chart with a dot, an interval and the note of each value, and controls in a band below.

    Args:
        values: in their order; the legend names their groups.
        line: a value drawn as a dashed line across all rows.
        joined: labels of values that a bracket joins to the first.
    """
    legend = {value.group: value.mark for value in (*values, *controls)}
    top = legend_height(list(legend)) + (LEGEND_ROW if line else 0)
    rows = dict(enumerate(values)) | dict(enumerate(controls, len(values) + 1))
    bottom = top + ROW * (max(rows, default=0) + 1)

    def draw(canvas: Canvas) -> None:
        canvas.legend(legend)
        if not rows:
            return
        axes = canvas.axes(top, bottom, *RANKED)
        axes.set_ylim(max(rows) + 0.5, -0.5)
        low, high = limits_of([*rows.values(), *filter(None, [line])])
        space = 0.04 * (high - low) or 0.05
        axes.set_xlim(low - space, high + space)
        _number_axis(axes)
        name_rows(canvas, axes, [value.label for value in rows.values()], rows)
        axes.tick_params("y", pad=RANKED[0] - LEFT + 8)
        if controls:
            axes.axhspan(len(values) - 0.5, max(rows) + 0.5, xmin=_across(0), xmax=_across(WIDTH), color=EMPTY,
                         linewidth=0, zorder=0, clip_on=False)  # fmt: skip
            canvas.text(6, top + ROW * len(values) + 17, "Controls, not ranked")
        outside = blended_transform_factory(axes.transAxes, axes.transData)
        for place, value in rows.items():
            if value.value == value.value:
                _dot(canvas, axes, value, place)
                axes.text(_across(RANKED[0] - 12), place, value.note, transform=outside, ha="right",
                          va="center_baseline", fontsize=SMALL, color=INK)  # fmt: skip
        if line:
            axes.axvline(line.value, color=INK, linewidth=1.1, linestyle="--")
            side = "right" if line.value > (low + high) / 2 else "left"
            axes.text(line.value, -0.6, canvas.words(line.tip), ha=side, va="bottom", fontsize=SMALL, color=INK)
        _bracket(axes, [place for place, value in enumerate(values) if value.label in joined])

    return Chart(name, title, description, bottom + AXIS, draw)


def _bracket(axes: Axes, tied: Sequence[int]) -> None:
    """Join rows to the first, right of the axes."""
    if not tied:
        return
    lines = [((14, 14), (0, tied[-1])), *(((8, 14), (place, place)) for place in (0, *tied))]
    for ends, places in lines:
        across = [_across(RANKED[1] + end) for end in ends]
        beside = blended_transform_factory(axes.transAxes, axes.transData)
        axes.plot(across, places, transform=beside, color=INK, linewidth=1.3, clip_on=False)


def _across(place: float) -> float:
    """Return a place in a ranking as a share of its axes."""
    return (place - RANKED[0]) / (RANKED[1] - RANKED[0])


class Scale(NamedTuple):
    """An axis of curves; without limits or ticks, it fits its values."""

    label: str
    limits: tuple[float, float] | None = None
    ticks: Sequence[float] = ()


def curves(
    name: str,
    title: str,
    description: str,
    lines: Sequence[Curve],
    across: Scale,
    upward: Scale,
    tall: float = 260,
) -> Chart:
    """Return a chart of lines over two axes."""
    legend = {line.label: line.mark for line in lines}
    top = legend_height(list(legend))

    def draw(canvas: Canvas) -> None:
        canvas.legend(legend, lines=True)
        axes = plane(canvas, top + 6, top + tall, across.label, upward.label)
        for line in lines:
            marker = line.mark.marker if line.points else ""
            [drawn] = axes.plot(line.xs, line.ys, color=line.mark.colour, linestyle=line.mark.dash, linewidth=1.8,
                                marker=marker, markersize=5)  # fmt: skip
            canvas.tip(drawn, line.label)
        if across.ticks:
            axes.set_xticks(list(across.ticks))
        if across.limits:
            axes.set_xlim(*across.limits)
        if upward.limits:
            axes.set_ylim(*upward.limits)

    return Chart(name, title, description, top + tall + 44, draw)


def plane(canvas: Canvas, top: float, bottom: float, across: str, upward: str) -> Axes:
    """Return axes with grid lines, round ticks and labels on both."""
    axes = canvas.axes(top, bottom, left=64, right=WIDTH - 8)
    axes.set_xlabel(canvas.words(across), labelpad=6)
    axes.set_ylabel(canvas.words(upward), labelpad=6)
    axes.grid(visible=True)
    round_ticks(axes, "x", 6)
    round_ticks(axes, "y")
    return axes


def name_rows(canvas: Canvas, axes: Axes, labels: Sequence[str], places: Iterable[float]) -> None:
    """Write row names before the axes, truncated to fit."""
    short = [canvas.words(shorten(label, LEFT - 12)) for label in labels]
    axes.set_yticks(list(places), short, fontsize=SIZE, color=INK)
    axes.spines["left"].set_visible(False)
    for tick, label in zip(axes.get_yticklabels(), labels, strict=True):
        canvas.tip(tick, label)


def _row_axes(canvas: Canvas, top: float, labels: Sequence[str], right: float, row: float = ROW) -> Axes:
    """Return axes with rows at 0, 1, 2 from the top down, and names before them."""
    axes = canvas.axes(top, top + row * len(labels), right=right)
    axes.set_ylim(len(labels) - 0.5, -0.5)
    name_rows(canvas, axes, labels, range(len(labels)))
    return axes


def _name_groups(canvas: Canvas, axes: Axes, values: Sequence[Value]) -> None:
    """Write each bar's group below its label."""
    for tick in axes.get_yticklabels():
        tick.set_verticalalignment("bottom")
    outside = blended_transform_factory(axes.transAxes, axes.transData)
    for place, value in enumerate(values):
        axes.text(-8 / (WIDTH - NUMBERS - LEFT), place + 0.05, canvas.words(value.group), transform=outside, ha="right",
                  va="top", fontsize=SMALL, color=MUTED)  # fmt: skip


def _number_axis(axes: Axes) -> None:
    axes.grid(visible=True, axis="x")
    axes.spines["bottom"].set_visible(False)
    round_ticks(axes, "x")


def _dot(canvas: Canvas, axes: Axes, value: Value, place: float) -> None:
    colour = value.mark.colour
    if value.low is not None and value.high is not None:
        axes.plot([value.low, value.high], [place] * 2, color=colour, alpha=0.55, linewidth=1.5, solid_capstyle="butt")
    [point] = axes.plot([value.value], [place], marker=value.mark.marker, markersize=DOT, color=colour,
                        markeredgewidth=0, linestyle="none")  # fmt: skip
    canvas.tip(point, value.tip)


def limits_of(values: Sequence[Value]) -> tuple[float, float]:
    """Return the minimum and maximum of values and bounds."""
    known = [number for value in values for number in (value.value, value.low, value.high) if number is not None]
    known = [number for number in known if number == number] or [0.0, 1.0]
    return min(known), max(known)
