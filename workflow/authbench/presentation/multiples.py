"""Small multiples: one small chart a slice, all on one scale, with a row a model."""

from collections.abc import Mapping, Sequence

from matplotlib.axes import Axes

from authbench.presentation.charts import SMALL, WIDTH, Canvas, Chart, round_ticks, shorten
from authbench.presentation.palette import INK, MUTED
from authbench.presentation.plots import Value, limits_of

ACROSS = 3  # charts beside each other
NAMES = 118  # units for the names of the rows
GAP = 14
ROW = 15
HEAD = 30  # units for the title of a chart
AXIS = 30
FAINT = 0.45  # opacity of values that say nothing


def small_multiples(
    name: str, title: str, description: str, rows: Sequence[str], panels: Mapping[str, Sequence[Value]]
) -> Chart:
    """Return a grid of charts of dots with intervals; the scale is that of all values.

    Args:
        rows: labels, from the top down.
        panels: by title the values of a chart, each in the row of its label; `faint` ones are pale.
    """
    tall = HEAD + ROW * len(rows)
    every_panel = list(panels.items())
    lines = [every_panel[at : at + ACROSS] for at in range(0, len(every_panel), ACROSS)]
    wide = (WIDTH - NAMES - GAP * (ACROSS - 1)) / ACROSS

    def draw(canvas: Canvas) -> None:
        every = [value for values in panels.values() for value in values]
        if not every:
            return
        low, high = limits_of(every)
        space = 0.05 * (high - low) or 0.05
        for down, line in enumerate(lines):
            top = down * (tall + AXIS)
            for at, (heading, values) in enumerate(line):
                left = NAMES + at * (wide + GAP)
                axes = canvas.axes(top + HEAD, top + tall, left, left + wide)
                axes.set_xlim(low - space, high + space)
                axes.set_ylim(len(rows) - 0.5, -0.5)
                axes.set_yticks([])
                axes.spines["left"].set_visible(False)
                axes.grid(visible=True, axis="x")
                round_ticks(axes, "x", 2)
                canvas.text(left, top + HEAD - 9, shorten(heading, wide, SMALL), SMALL, INK, fontweight="bold")
                for value in values:
                    _dot(canvas, axes, value, rows.index(value.label))
            for place, row in enumerate(rows):
                y = top + HEAD + ROW * (place + 0.5) + 4
                canvas.text(NAMES - 10, y, shorten(row, NAMES - 12, SMALL), SMALL, MUTED, ha="right")

    return Chart(name, title, description, max(len(lines), 1) * (tall + AXIS), draw)


def _dot(canvas: Canvas, axes: Axes, value: Value, row: int) -> None:
    if value.value != value.value:
        return
    opacity = FAINT if value.faint else 1.0
    if value.low is not None and value.high is not None:
        axes.plot([value.low, value.high], [row] * 2, color=value.mark.colour, alpha=0.55 * opacity, linewidth=1.5,
                  solid_capstyle="butt")  # fmt: skip
    [point] = axes.plot([value.value], [row], marker=value.mark.marker, markersize=6, color=value.mark.colour,
                        alpha=opacity, markeredgewidth=0, linestyle="none")  # fmt: skip
    canvas.tip(point, value.tip)
