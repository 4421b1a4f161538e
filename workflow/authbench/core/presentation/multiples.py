"""Draw small multiples: a small chart per slice with a row per model, on a shared scale."""

from collections.abc import Mapping, Sequence

from matplotlib.collections import LineCollection
from matplotlib.colors import to_rgba
from matplotlib.lines import Line2D
from matplotlib.ticker import MaxNLocator

from authbench.core.presentation.charts import SMALL, WIDTH, Canvas, Chart, shorten
from authbench.core.presentation.palette import INK, MUTED, RULE
from authbench.core.presentation.plots import Value, limits_of

ACROSS = 3  # charts per row
NAMES = 118  # units for row names
GAP = 14
ROW = 15
HEAD = 30  # units for a chart's title
AXIS = 30
FAINT = 0.45  # opacity of uninformative values
_BELOW = 5  # units between a chart and the numbers below
Piece = tuple[tuple[float, float], tuple[float, float]]


def small_multiples(
    name: str, title: str, description: str, rows: Sequence[str], panels: Mapping[str, Sequence[Value]]
) -> Chart:
    """Return a grid of dot charts with intervals, on a scale that covers all values.

    Args:
        rows: labels, from the top down.
        panels: by title the values of a chart, each in the row of its label; `faint` values are pale.
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
        scale = _Scale(low - space, high + space, wide)
        axes = canvas.axes(0, canvas.height, 0)  # shared: axes take longer to draw than their content
        axes.set_xlim(0, WIDTH)
        axes.set_ylim(canvas.height, 0)
        axes.set_axis_off()
        rules: list[Piece] = []
        intervals: list[Piece] = []
        colours: list[tuple[float, ...]] = []
        for down, line in enumerate(lines):
            top, bottom = down * (tall + AXIS) + HEAD, down * (tall + AXIS) + tall
            for at, (heading, values) in enumerate(line):
                left = NAMES + at * (wide + GAP)
                canvas.text(left, top - 9, shorten(heading, wide, SMALL), SMALL, INK, fontweight="bold")
                rules.append(((left, bottom), (left + wide, bottom)))
                for tick, label in scale.ticks:
                    across = left + scale.place(tick)
                    rules.append(((across, top), (across, bottom)))
                    canvas.text(across, bottom + _BELOW, label, SMALL, MUTED, ha="center", va="top")
                for value in (value for value in values if value.value == value.value):
                    y, opacity = top + ROW * (rows.index(value.label) + 0.5), FAINT if value.faint else 1.0
                    if value.low is not None and value.high is not None:
                        ends = left + scale.place(value.low), left + scale.place(value.high)
                        intervals.append(((ends[0], y), (ends[1], y)))
                        colours.append(to_rgba(value.mark.colour, 0.55 * opacity))
                    point = Line2D([left + scale.place(value.value)], [y], marker=value.mark.marker, markersize=6,
                                   color=value.mark.colour, alpha=opacity, markeredgewidth=0, ls="none")  # fmt: skip
                    axes.add_artist(point)
                    canvas.tip(point, value.tip)
            for place, row in enumerate(rows):
                y = top + ROW * (place + 0.5) + 4
                canvas.text(NAMES - 10, y, shorten(row, NAMES - 12, SMALL), SMALL, MUTED, ha="right")
        axes.add_collection(LineCollection(rules, colors=RULE, linewidths=0.8, zorder=0.5), autolim=False)
        axes.add_collection(LineCollection(intervals, colors=colours, linewidths=1.5, capstyle="butt"), autolim=False)

    return Chart(name, title, description, max(len(lines), 1) * (tall + AXIS), draw)


class _Scale:
    """The positions of values in a chart `wide` units wide; `ticks` are its round numbers, formatted."""

    def __init__(self, low: float, high: float, wide: float) -> None:
        self._low, self._unit = low, wide / (high - low)
        round_numbers = MaxNLocator(2, steps=[1, 2, 2.5, 5, 10]).tick_values(low, high)
        numbers = [float(number) for number in round_numbers if low <= number <= high]
        decimals = max((len(f"{number:.10g}".partition(".")[2]) for number in numbers), default=0)
        self.ticks = [(number, f"{number:.{decimals}f}".replace("-", "\N{MINUS SIGN}")) for number in numbers]

    def place(self, value: float) -> float:
        """Return a value's distance in units from the left of the chart."""
        return (value - self._low) * self._unit
