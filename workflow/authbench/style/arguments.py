"""Define the types of the arguments of steps in entries of style datasets.

A value is a column name unless its type or docstring says otherwise.
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
    """`table` names another table of the entry."""

    table: str
    by: Sequence[str]


class JoinTexts(TypedDict):
    """Rows that agree in `by` are joined, sorted by `order`."""

    by: Sequence[str]
    text: str
    order: str


class Subset(TypedDict):
    """The number of rows kept per value of `by`."""

    by: str | Sequence[str]
    each: int


class Collapse(TypedDict):
    """`into` maps label patterns to labels."""

    label: str
    into: dict[str, str]


class Chosen(TypedDict):
    """Labels, as a list of `values` or a pattern `matching`."""

    label: str
    values: NotRequired[Sequence[str]]
    matching: NotRequired[str]


class AtLeast(TypedDict):
    """The minimum number of rows per label."""

    label: str
    rows: int


class OneOfSeveral(TypedDict):
    """`of` names columns or one list column; `into` is the new column."""

    of: str | list[str]
    into: str


class Text(TypedDict):
    """A column of texts or lists of texts."""

    text: str


class Triplets(TypedDict):
    """`codes` are the first three characters of lines."""

    text: str
    codes: Sequence[str]


class Pieces(TypedDict):
    """The length of a piece in characters, and the maximum number of pieces per text."""

    text: str
    characters: int
    most: int


class VerificationPairs(TypedDict):
    """The number of pairs of each kind."""

    author: str
    text: str
    pairs: int


class QueryAndTarget(TypedDict):
    """The maximum number of documents per author, and the number of authors."""

    author: str
    text: str
    documents: int
    authors: int


class LineLevels(TypedDict):
    """`levels` are ordered values of the column `level`."""

    by: str
    level: str
    levels: Sequence[str]
    text: str


class NeighbouringLines(TypedDict):
    """`balanced`: whether to drop most same-author pairs."""

    document: str
    text: str
    changes: str
    balanced: NotRequired[bool]


class ShuffledTrials(TypedDict):
    """The number of trials of each kind."""

    same: str
    each: int


class EqualPieces(TypedDict):
    """The number of pieces per label."""

    label: str
    text: str
    count: int


class ShuffledVerses(TypedDict):
    """`by` names the columns of a reference."""

    label: str
    text: str
    by: Sequence[str]


class InOrderOfFiles(TypedDict):
    """`names` are ordered parts of file names."""

    file: str
    names: Sequence[str]


class HeldOutLast(TypedDict):
    """Files at multiples of `every` move to the end."""

    file: str
    every: int


class Aligned(TypedDict):
    """`labels` are values of the column `label`; `each` is the number of sources kept per part."""

    by: str
    source: str
    label: str
    labels: Sequence[str]
    text: str
    each: int
