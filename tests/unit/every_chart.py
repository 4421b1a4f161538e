"""One chart of each kind."""

import hashlib

from authbench.core.presentation.charts import as_file, as_svg
from authbench.core.presentation.palette import SERIES, mark_of
from authbench.core.presentation.plots import (
    Curve,
    Piece,
    Scale,
    Stack,
    Value,
    curves,
    dots,
    ranking,
    stacked_bars,
    value_bars,
)


def every_kind(name="tfidf"):
    """One chart of each kind, with `name` wherever a text may stand."""
    value = Value(name, 0.5, mark_of(name), name, 0.4, 0.6, group=name, note="0.500")
    line = Curve(name, [0, 1], [0, 0.5], mark_of(name), points=True)
    return [
        stacked_bars("stack", name, name, {name: SERIES[0]}, [Stack(name, [Piece(3, SERIES[0], name)], 0.7, "3")]),
        value_bars("bars", name, name, [value]),
        ranking("ranking", name, name, [value, value], [value], value, {name}),
        dots("dots", name, name, {name: mark_of(name)}, {name: [value, value]}),
        curves("curves", name, name, [line], Scale(name), Scale(name)),
    ]


def digests():
    """Return the digests of each kind, drawn for pages, slides and papers."""
    return [
        hashlib.sha256(drawn).hexdigest()
        for chart in every_kind()
        for drawn in (as_svg(chart).encode(), as_file(chart, "pdf"), as_file(chart, "png"))
    ]
