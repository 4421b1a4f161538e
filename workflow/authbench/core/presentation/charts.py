"""Draw charts with matplotlib, reproducibly: SVG for HTML pages, PNG for slides, PDF for papers.

Charts are drawn with fixed matplotlib settings, without pyplot and its global state. SVG text remains text, and the
browser selects a font for each script. PNG and PDF use DejaVu Sans; characters missing in this font are written as
code points.
"""

import io
import re
import unicodedata
import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from html import escape
from typing import Any

import polars as pl
from matplotlib import rc_context, rcParamsDefault
from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.font_manager import FontProperties, findfont, get_font
from matplotlib.lines import Line2D
from matplotlib.textpath import text_to_path
from matplotlib.ticker import MaxNLocator

from authbench.core.identity import digest
from authbench.core.presentation.palette import INK, MUTED, PAPER, RULE, Mark

WIDTH = 560  # chart width in units
LEFT = 164  # left edge of bars, after the row names
MARGIN = 6
SIZE = 12.0  # font size of names and headings
SMALL = 11.0  # font size of numbers and remarks
LEGEND_ROW = 20
FONT = "DejaVu Sans"  # part of matplotlib: layout does not depend on a machine's fonts
FONTS = f"system-ui, -apple-system, 'Segoe UI', Roboto, 'Noto Sans', '{FONT}', sans-serif"

_LONGEST_KEY = 230  # units per legend entry
_POINTS = 72  # units per inch
_PER_MACHINE = ("backend", "backend_fallback", "interactive", "toolbar", "timezone", "webagg.", "savefig.directory")
_SETTINGS: Any = {  # Any: matplotlib's type lists every key
    **{key: value for key, value in rcParamsDefault.items() if not key.startswith(_PER_MACHINE)},
    "font.family": [FONT],
    "font.size": SMALL,
    "text.color": INK,
    "text.parse_math": False,
    "axes.edgecolor": RULE,
    "axes.labelcolor": MUTED,
    "axes.labelsize": SMALL,
    "axes.axisbelow": True,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "grid.color": RULE,
    "grid.linewidth": 0.8,
    "xtick.color": RULE,
    "xtick.labelcolor": MUTED,
    "xtick.labelsize": SMALL,
    "ytick.color": RULE,
    "ytick.labelcolor": MUTED,
    "ytick.labelsize": SMALL,
    "xtick.major.size": 0,
    "ytick.major.size": 0,
    "xtick.major.pad": 5,
    "ytick.major.pad": 8,
    "figure.facecolor": PAPER,
    "savefig.facecolor": PAPER,
    "axes.facecolor": "none",
    "svg.fonttype": "none",
    "pdf.fonttype": 42,
}


class Canvas:
    """The drawing area of a chart; positions are in units from its upper left corner."""

    def __init__(self, height: float, latin: bool) -> None:
        self.height = height
        self.tips: dict[str, str] = {}
        self._latin = latin
        self.figure = Figure(figsize=((WIDTH + 2 * MARGIN) / _POINTS, (height + 2 * MARGIN) / _POINTS), dpi=_POINTS)

    def axes(self, top: float, bottom: float, left: float = LEFT, right: float = WIDTH) -> Axes:
        """Return axes between these lines."""
        wide, tall = (right - left) / (WIDTH + 2 * MARGIN), (bottom - top) / (self.height + 2 * MARGIN)
        return self.figure.add_axes((*self._shares(left, bottom), wide, tall))

    def text(self, x: float, y: float, words: str, size: float = SMALL, colour: str = MUTED, **style: Any) -> None:
        """Write words with their baseline at `y`."""
        self.figure.text(*self._shares(x, y), self.words(words), fontsize=size, color=colour, **style)

    def _shares(self, x: float, y: float) -> tuple[float, float]:
        """Return a position as matplotlib takes it: shares of the figure, from its lower left corner."""
        return (x + MARGIN) / (WIDTH + 2 * MARGIN), 1 - (y + MARGIN) / (self.height + 2 * MARGIN)

    def words(self, words: str) -> str:
        """Return the words with only displayable characters."""
        return _shown(words, self._latin)

    def tip(self, artist: Artist, words: str) -> None:
        """Add a tooltip to an element."""
        name = f"tip-{len(self.tips)}"
        artist.set_gid(name)
        self.tips[name] = words

    def legend(self, marks: Mapping[str, Mark | str], lines: bool = False) -> None:
        """Draw a legend in the number of lines counted by `legend_height`.

        A plain colour is drawn as a square, a mark as its marker or, with `lines`, as a line segment.
        """
        for line, names in enumerate(_packed(list(marks))):
            x = 0.0
            for name in names:
                mark = marks[name]
                mark = Mark(mark, "s") if isinstance(mark, str) else mark
                self._key(x, LEGEND_ROW * line + 8, mark, lines)
                self.text(x + 16, LEGEND_ROW * line + 12, shorten(name, _LONGEST_KEY), SIZE, INK)
                x += _key_width(name)

    def _key(self, x: float, y: float, mark: Mark, line: bool) -> None:
        style: dict[str, Any] = {"color": mark.colour}
        if line:
            style |= {"linestyle": mark.dash, "linewidth": 1.8}
        else:
            style |= {"marker": mark.marker, "markersize": 10 if mark.marker == "s" else 8, "markeredgewidth": 0}
        places = [self._shares(at, y) for at in ((x, x + 12) if line else (x + 5,))]
        self.figure.add_artist(Line2D(*zip(*places, strict=True), **style))


@dataclass(frozen=True)
class Chart:
    """A chart before drawing: the `name` of its files, the `title` and `description` of its SVG, and its `data`."""

    name: str
    title: str
    description: str
    height: float
    draw: Callable[[Canvas], None] = field(repr=False)
    data: pl.DataFrame | None = field(default=None, repr=False, compare=False)

    def __post_init__(self) -> None:
        """Replace a name that is invalid in an id or file name by its digest."""
        if not re.fullmatch(r"\w[\w.-]{0,120}", self.name, re.ASCII):
            object.__setattr__(self, "name", f"chart-{digest(self.name)[:16]}")


@lru_cache(maxsize=64)  # a page and its folder of figures contain the same charts
def as_svg(chart: Chart) -> str:
    """Return a chart as an SVG element with title, description and tooltips."""
    written, tips = _drawn(chart)
    return _embeddable(written, chart, tips)


def _drawn(chart: Chart) -> tuple[str, dict[str, str]]:
    """Return an SVG file, and tooltips by element id."""
    with rc_context(_SETTINGS | {"svg.hashsalt": chart.name}), warnings.catch_warnings():
        warnings.filterwarnings("ignore", "Glyph .* missing")  # browsers have the glyphs
        canvas = Canvas(chart.height, latin=False)
        chart.draw(canvas)
        written = io.StringIO()
        canvas.figure.savefig(written, format="svg", metadata=dict.fromkeys(("Creator", "Date", "Format", "Type")))
    return written.getvalue(), canvas.tips


def as_file(chart: Chart, ending: str) -> bytes:
    """Return a chart as a PNG, two pixels per unit, or as a one-page PDF with embedded fonts."""
    with rc_context(_SETTINGS):
        canvas = Canvas(chart.height, latin=True)
        chart.draw(canvas)
        written = io.BytesIO()
        left_out = ("Software",) if ending == "png" else ("Creator", "Producer", "CreationDate")
        metadata = {"Title": chart.title} | dict.fromkeys(left_out)
        canvas.figure.savefig(written, format=ending, dpi=2 * _POINTS, metadata=metadata)
    return written.getvalue()


def legend_height(names: Sequence[str]) -> float:
    """Return the height of a legend with these names, including the gap below."""
    return LEGEND_ROW * len(_packed(names)) + 10 if names else 0


def round_ticks(axes: Axes, axis: str, most: int = 5) -> None:
    """Place an axis's ticks at round numbers, with at most `most` intervals."""
    (axes.xaxis if axis == "x" else axes.yaxis).set_major_locator(MaxNLocator(most, steps=[1, 2, 2.5, 5, 10]))


def shorten(words: str, most: float, size: float = SIZE) -> str:
    """Return the text, truncated with an ellipsis to fit `most` units."""
    if _width(words, size) <= most:
        return words
    kept = next(end for end in range(len(words) - 1, -1, -1) if _width(words[:end] + "…", size) <= most or not end)
    return words[:kept] + "…"


def _width(words: str, size: float) -> float:
    """Return the width of words in units; East Asian characters, missing in the font, are square."""
    wide = sum(unicodedata.east_asian_width(char) in "WF" for char in words)
    narrow = "".join(char for char in words if unicodedata.east_asian_width(char) not in "WF")
    measured = text_to_path.get_text_width_height_descent(
        _shown(narrow, True), FontProperties(family=FONT, size=size), False
    )
    return float(measured[0]) + wide * size


def _key_width(name: str) -> float:
    return 16 + min(_width(name, SIZE), _LONGEST_KEY) + 16


def _packed(names: Sequence[str]) -> list[list[str]]:
    """Return a legend's names by line."""
    lines: list[list[str]] = []
    room = 0.0
    for name in names:
        wide = _key_width(name)
        if wide > room:
            lines.append([])
            room = WIDTH + 16.0
        lines[-1].append(name)
        room -= wide
    return lines


def _shown(words: str, latin: bool) -> str:
    """Return words without characters invalid in XML and, with `latin`, without characters missing in the font."""
    kept = "".join(char if _allowed(char) else "\ufffd" for char in words.replace("\n", " "))
    if not latin:
        return kept
    font = get_font(findfont(FontProperties(family=FONT)))
    return "".join(char if font.get_char_index(ord(char)) else f"\\u{ord(char):04x}" for char in kept)


def _allowed(char: str) -> bool:
    return unicodedata.category(char) not in ("Cc", "Cs") and char not in "\ufffe\uffff"


def _embeddable(written: str, chart: Chart, tips: Mapping[str, str]) -> str:
    """Return matplotlib's file as an element that a page can contain repeatedly: unreferenced ids are removed."""

    def group(match: re.Match[str]) -> str:
        words = tips.get(match[1])
        return "<g>" if words is None else f"<g><title>{escape(_shown(words, False))}</title>"

    body = re.sub(r'<g id="([^"]*)">', group, written[written.index("<defs>") :])
    body = re.sub(r"<defs>\s*<clipPath.*?</defs>", "", body, flags=re.DOTALL)  # all elements are inside their axes
    body = re.sub(r' clip-path="[^"]*"| transform="rotate\(-0 [^"]*"', "", body).replace(f"'{FONT}'", FONTS).strip()
    title, description = escape(_shown(chart.title, False)), escape(_shown(chart.description, False))
    size = f"{WIDTH + 2 * MARGIN} {chart.height + 2 * MARGIN:g}"
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink" viewBox="0 0 {size}" '
        f'role="img" aria-labelledby="{chart.name}-title {chart.name}-desc">\n'
        f'<title id="{chart.name}-title">{title}</title><desc id="{chart.name}-desc">{description}</desc>\n'
        f"{body}\n"
    )
