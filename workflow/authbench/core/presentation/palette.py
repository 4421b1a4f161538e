"""Assign fixed colours to charts, safe for colour-blind readers (Okabe and Ito 2008; Tol 2021)."""

import hashlib
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import cycle, islice

BLUE, ORANGE, GREEN, PINK = "#0072b2", "#e69f00", "#009e73", "#cc79a7"
SKY, VERMILION, VIOLET, SAND, GREY = "#56b4e9", "#d55e00", "#8c6bb1", "#a08c5b", "#8a929c"
INDIGO, WINE, OLIVE = "#332288", "#882255", "#999933"

INK = "#1f2733"  # text and outlines
MUTED = "#5d6875"  # axes, numbers and remarks
RULE = "#d9dee5"  # grid lines
EMPTY = "#eef1f5"  # empty bar
PAPER = "#ffffff"

CONTROLS = ("sanity", "Sanity rows")  # groups of rows that are not ranked and stay below all others

SERIES = (BLUE, ORANGE, GREEN, PINK, SKY, VERMILION, VIOLET, SAND, GREY, INDIGO, OLIVE, WINE)
_OF_MODELS = (BLUE, ORANGE, GREEN, VERMILION, SKY, PINK, INDIGO, WINE, OLIVE, VIOLET)
_SHADES = ((0, 0.0), (0, 0.35), (255, 0.45))  # black or white, and its share
MARKERS = ("o", "s", "^", "D", "v", "P", "X")
_DASHES = ("-", "--", "-.", ":")
# Models that are often in one chart; append new ones at the end, to keep all colours.
_SETTLED = (
    "tfidf", "char-ngram", "stylometric", "metadata", "function-words", "content-words", "luar-mud",
    "ngram-mixture", "all-minilm-l6-v2", "styledistance", "ppm", "naive", "topicfit", "unmasking", "ensemble",
    "multilingual-e5-base", "bge-m3", "mstyledistance", "star", "luar-crud", "format", "edges", "punctuation", "masked",
    "lambdag", "impostors", "date", "topic-model", "content-characters",
)  # fmt: skip


@dataclass(frozen=True)
class Mark:
    """A model's look in all charts: colour, point marker and line dashes, as matplotlib names them."""

    colour: str
    marker: str = "o"
    dash: str = "-"


def mark_of(model: str) -> Mark:
    """Return the mark of a model, verifier or system; it depends only on the name."""
    if model == "random":
        return Mark(GREY)
    return _mark_at(_place(model))


def marks_of(names: Iterable[str]) -> dict[str, Mark]:
    """Return the marks of systems on a page: the default mark, or the next with an unused colour."""
    found: dict[str, Mark] = {}
    taken: set[str] = set()
    for name in sorted(set(names), key=lambda one: (one not in _SETTLED, one)):
        place = _place(name)
        others = (_mark_at(place + step) for step in range(len(_OF_MODELS) * len(_SHADES)))
        mark = mark_of(name)
        if mark.colour in taken:
            mark = next((other for other in others if other.colour not in taken), mark)
        found[name] = mark
        taken.add(mark.colour)
    return found


def _place(model: str) -> int:
    by_name = int.from_bytes(hashlib.sha256(model.encode()).digest()[:4])
    return _SETTLED.index(model) if model in _SETTLED else by_name


def _mark_at(place: int) -> Mark:
    turn = place // len(_OF_MODELS)
    colour = _shade(_OF_MODELS[place % len(_OF_MODELS)], turn % len(_SHADES))
    return Mark(colour, MARKERS[turn % len(MARKERS)], _DASHES[turn % len(_DASHES)])


def _shade(colour: str, turn: int) -> str:
    """Return a colour mixed with black or white, different in each turn."""
    towards, share = _SHADES[turn]
    parts = (int(colour[at : at + 2], 16) for at in (1, 3, 5))
    return "#" + "".join(f"{round(part + (towards - part) * share):02x}" for part in parts)


def series(names: Iterable[str]) -> dict[str, str]:
    """Return a colour for each name in order, for categories such as splits, genres or seeds."""
    names = list(names)
    return dict(zip(names, islice(cycle(SERIES), len(names)), strict=True))
