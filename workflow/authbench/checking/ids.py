"""Check that ids and the order of lines reveal nothing about a document.

In the order of ids, neighbours of the same author, source or language must be as rare as in a random order, and lengths
must not rise or fall. Models that rank by the distance of ids or by the position in the file then score at chance.
"""

import math
from collections import Counter
from collections.abc import Hashable, Iterator, Sequence

import numpy as np
import polars as pl

from authbench.checking.claims import Finding
from authbench.checking.rows import Rows
from authbench.checking.rules import continues_a_lock
from authbench.format.columns import SPLIT_TABLES

_LABELS = ("author_id", "source", "lang", "genre", "split")
_DEVIATIONS = 6  # standard deviations: chance exceeds this once in a billion
_SPARE = 3  # further neighbours that are allowed, as small numbers are not normally distributed


def check_ids(release: Rows) -> Iterator[Finding]:
    """Yield what ids reveal about documents, and files whose lines are not in the order of ids.

    A release that keeps the ids of an earlier one, or of two merged releases, keeps their order, whatever it was.
    """
    if "authbench" not in release.manifest:
        return
    yield from _check_lines(release)
    if release.manifest.get("merged") or continues_a_lock(release.manifest):
        return
    documents = release.documents.drop_nulls("author_id").with_columns(number=_numbers("id")).sort("number")
    for split in (None, *release.splits):
        part = documents if split is None else documents.filter(pl.col("split") == split)
        where = "" if split is None else f" in {split}"
        for label in _LABELS:
            found, most = neighbours(part[label].to_list())
            if found > most:
                yield Finding("ids", f"{label}{where}", f"{found} neighbours share their {label}{where}, chance {most}")
        if part.height > 2 and abs(rise := _rank_correlation(part["token_length"])) > _DEVIATIONS:
            yield Finding("ids", f"token_length{where}", f"lengths follow the ids{where} ({rise:+.1f} deviations)")


def neighbours(labels: Sequence[Hashable]) -> tuple[int, int]:
    """Return how many neighbours in a sequence are equal, and a number that hardly any random order exceeds.

    Mean and variance are as for the number of runs in a random order (Wallis and Moore 1941; Mood 1940).
    """
    n = len(labels)
    if n < 3:
        return 0, n
    found = sum(one == other for one, other in zip(labels, labels[1:], strict=False))
    sizes = Counter(labels).values()
    squares, cubes = sum(size**2 for size in sizes), sum(size**3 for size in sizes)
    mean = (squares - n) / n
    variance = (squares * (squares + n * (n + 1)) - 2 * n * cubes - n**3) / (n**2 * (n - 1))
    return found, math.floor(mean + _DEVIATIONS * math.sqrt(max(variance, 0.0)) + _SPARE)


def _rank_correlation(values: pl.Series) -> float:
    """Return Spearman's correlation of values with their positions, in standard deviations of a random order."""
    ranks = values.rank().to_numpy()
    if ranks.min() == ranks.max():
        return 0.0
    return float(np.corrcoef(np.arange(len(ranks)), ranks)[0, 1] * math.sqrt(len(ranks) - 1))


def _check_lines(release: Rows) -> Iterator[Finding]:
    for split, tables in release.tables.items():
        for name, rows in tables.items():
            table = SPLIT_TABLES[name]
            numbers = rows.select(_numbers(table.ident)).to_series()
            if not numbers.is_sorted():
                yield Finding("numbering", f"{split}/{table.file}", f"{split}/{table.file} is not in the order of ids")


def _numbers(column: str) -> pl.Expr:
    return pl.col(column).str.slice(4).cast(pl.UInt64, strict=False)
