"""The types of the arguments of steps, as entries of style datasets give them; a value is the name of a column unless
its type or its comment says otherwise.
"""

from collections.abc import Sequence
from typing import NotRequired, TypedDict


class Align(TypedDict):
    """`levels` are values of the column `level`."""

    by: Sequence[str]
    level: str
    levels: Sequence[str]
    text: str


class Join(TypedDict):
    """`table` is the name of another table of the entry."""

    table: str
    by: Sequence[str]


class JoinTexts(TypedDict):
    """What agrees in `by` is one text, in the order of `order`."""

    by: Sequence[str]
    text: str
    order: str


class Subset(TypedDict):
    """How many rows each value of `by` keeps."""

    by: str | Sequence[str]
    each: int


class Collapse(TypedDict):
    """`into` maps patterns of labels to labels."""

    label: str
    into: dict[str, str]


class Chosen(TypedDict):
    """Labels: a list of `values`, or a pattern, `matching`."""

    label: str
    values: NotRequired[Sequence[str]]
    matching: NotRequired[str]


class AtLeast(TypedDict):
    """How many rows a label needs."""

    label: str
    rows: int


class OneOfSeveral(TypedDict):
    """`of` are columns, or a column of lists; `into` is the new column."""

    of: str | list[str]
    into: str


class Text(TypedDict):
    """A column of texts, or of lists of them."""

    text: str


class Triplets(TypedDict):
    """`codes` are the first three characters of lines."""

    text: str
    codes: Sequence[str]


class Pieces(TypedDict):
    """The characters of a piece, and how many pieces of a text, at most."""

    text: str
    characters: int
    most: int


class VerificationPairs(TypedDict):
    """How many pairs of each kind."""

    author: str
    text: str
    pairs: int


class QueryAndTarget(TypedDict):
    """How many documents of an author at most, and how many authors."""

    author: str
    text: str
    documents: int
    authors: int


class LineLevels(TypedDict):
    """`levels` are values of the column `level`, in their order."""

    by: str
    level: str
    levels: Sequence[str]
    text: str


class NeighbouringLines(TypedDict):
    """`balanced`: whether few pairs of one author stay."""

    document: str
    text: str
    changes: str
    balanced: NotRequired[bool]


class ShuffledTrials(TypedDict):
    """How many trials of each kind."""

    same: str
    each: int


class EqualPieces(TypedDict):
    """How many pieces of a label."""

    label: str
    text: str
    count: int


class ShuffledVerses(TypedDict):
    """`by` are the columns of a reference."""

    label: str
    text: str
    by: Sequence[str]


class InOrderOfFiles(TypedDict):
    """`names` are parts of names of files, in their order."""

    file: str
    names: Sequence[str]


class HeldOutLast(TypedDict):
    """The rows of every file at a multiple of `every` go last."""

    file: str
    every: int


class Aligned(TypedDict):
    """`labels` are values of the column `label`; `each` is how many sources a part keeps."""

    by: str
    source: str
    label: str
    labels: Sequence[str]
    text: str
    each: int
