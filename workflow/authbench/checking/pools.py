"""pairs.parquet: whether the negatives of each positive are those that the rules of its pool ask for.

Worked out again from lengths, labels and texts, one positive at a time, where the release goes through sorted texts.
Which of several texts of one length or similarity is taken is the release's choice.
"""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence, Set
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from authbench.arrays import F64
from authbench.checking.claims import Finding
from authbench.checking.relations import CLOSE
from authbench.format.columns import POOLS

_LEAST, _MOST, _SIDE, _TOPICAL = 5, 10, 5, 20
_CELLS_AT_ONCE = 4_000_000
_MATCHED, _TOPIC, _ADVERSARIAL = POOLS
Bools = NDArray[np.bool_]


@dataclass(frozen=True)
class Texts:
    """The candidates of a split.

    `table` has id, author_id, lang, source, primary, tokens and `fits` (may be positive or negative), `vectors` the
    content words of its rows; `length_of` are the tokens of every query, `answers` its other-work positives, `barred`
    the ids that are no negatives of an author beside the author's own.
    """

    table: pl.DataFrame
    vectors: Any
    length_of: Mapping[str, int]
    answers: Mapping[str, Sequence[str]]
    barred: Mapping[str, Set[str]]

    @cached_property
    def row(self) -> dict[str, int]:
        return {ident: row for row, ident in enumerate(self.table["id"])}

    @cached_property
    def author(self) -> list[str]:
        return self.table["author_id"].to_list()

    @cached_property
    def tokens(self) -> NDArray[np.int64]:
        """Length of each candidate in tokens, shape (candidates,)."""
        return self.table["tokens"].to_numpy().astype(np.int64)

    @cached_property
    def fits(self) -> Bools:
        return self.table["fits"].to_numpy()

    @cached_property
    def kind(self) -> NDArray[np.int64]:
        """Language, source and primary genre as a number, shape (candidates,)."""
        return _numbered(self.table, "lang", "source", "primary")

    @cached_property
    def kinds(self) -> list[int]:
        """`kind` as Python's numbers, which are read one by one in a third of the time."""
        return list(map(int, self.kind))

    @cached_property
    def sizes(self) -> list[int]:
        """`tokens` likewise."""
        return list(map(int, self.tokens))

    @cached_property
    def cell(self) -> NDArray[np.int64]:
        """Language and primary genre as a number, shape (candidates,)."""
        return _numbered(self.table, "lang", "primary")

    @cached_property
    def _rows_of(self) -> dict[str, list[int]]:
        found: defaultdict[str, list[int]] = defaultdict(list)
        for row, author in enumerate(self.author):
            found[author].append(row)
        return found

    def not_of(self, author: str) -> list[int]:
        """Return the rows that may be no negatives of an author."""
        return [*self._rows_of[author], *(self.row[one] for one in self.barred.get(author, ()) if one in self.row)]

    @cached_property
    def ready(self) -> dict[int, NDArray[np.int64]]:
        """Return the rows that fit, of each kind, by length; each of shape (rows of the kind,)."""
        order = np.lexsort((self.tokens, self.kind))
        order = order[self.fits[order]]
        return {int(part[0]): part_rows for part, part_rows in _runs(self.kind[order], order)}


def _numbered(table: pl.DataFrame, *columns: str) -> NDArray[np.int64]:
    return table.select(pl.struct(columns).rank("dense").cast(pl.Int64)).to_series().to_numpy()


def _runs(values: NDArray[np.int64], rows: NDArray[np.int64]) -> Iterator[tuple[NDArray[np.int64], NDArray[np.int64]]]:
    ends = np.flatnonzero(np.diff(values)) + 1
    for part, part_rows in zip(np.split(values, ends), np.split(rows, ends), strict=True):
        if len(part):
            yield part, part_rows


def check_matched(pairs: pl.DataFrame, texts: Texts) -> Iterator[Finding]:
    """Yield positives whose negatives are not of the lengths that `matched` asks for, and those without a group."""
    code = "matched_pairs"
    lengths: dict[tuple[str, str], list[int]] = {}
    for query, positive, negatives in _groups(pairs, _MATCHED):
        rows = [texts.row[one] for one in negatives]
        kind = texts.kinds[texts.row[positive]]
        if any(texts.kinds[row] != kind for row in rows):
            yield Finding(code, query, f"{positive}: a negative of another language, source or genre")
        lengths[query, positive] = sorted(texts.sizes[row] for row in rows)
    near: dict[str, _Near] = {}
    for query, positives in texts.answers.items():
        for positive in positives:
            if positive not in near:
                near[positive] = _nearest(texts.row[positive], texts)
            there = lengths.get((query, positive))
            wanted = _matched_lengths(texts.length_of[query], texts.sizes[texts.row[positive]], near[positive])
            if len(wanted) < _LEAST:
                if there is not None:
                    yield Finding(code, query, f"{positive}: {len(wanted)} negatives fit, a group needs {_LEAST}")
            elif there is None:
                yield Finding(code, query, f"{positive}: no group, {len(wanted)} negatives fit")
            elif there != wanted:
                yield Finding(code, query, f"{positive}: negatives of {there} tokens, not {wanted}"[:200])


_Near = tuple[list[int], list[int], list[int]]


def _nearest(positive: int, texts: Texts) -> _Near:
    """Return the lengths of possible negatives: equal to a positive's, shorter, and longer, the nearest first."""
    if not texts.fits[positive]:
        return [], [], []
    rows = texts.ready[int(texts.kind[positive])]
    own = texts.tokens[positive]
    lengths = texts.tokens[rows]
    near = slice(*np.searchsorted(lengths, [-(-2 * own // 3), 3 * own // 2 + 1]))
    rows, lengths = rows[near], lengths[near]
    lengths = lengths[~np.isin(rows, texts.not_of(texts.author[positive]))]
    equal = lengths[lengths == own][:_MOST].tolist()
    each = (_MOST - len(equal)) // 2
    return equal, lengths[lengths < own][::-1][:each].tolist(), lengths[lengths > own][:each].tolist()


def _matched_lengths(asked: int, own: int, near: _Near) -> list[int]:
    """Return the lengths of the negatives of a query of so many tokens and a positive of `own`.

    Beside those of the positive's length, as many are nearer to the query's in proportion as are further from it.
    """
    equal, shorter, longer = near
    if asked == own:
        return sorted(equal)
    before, beyond = (shorter, longer) if asked < own else (longer, shorter)
    nearer = [one for one in before if (asked**2 < one * own < own**2) or (own**2 < one * own < asked**2)]
    each = min(len(nearer), len(beyond))
    return sorted([*equal, *nearer[:each], *beyond[:each]])


def check_topical(pairs: pl.DataFrame, texts: Texts) -> Iterator[Finding]:
    """Yield groups of `topic_matched` and `topic_adversarial` whose negatives are others than their topics ask for."""
    matched = {(query, positive): negatives for query, positive, negatives in _groups(pairs, _TOPIC)}
    hardest = {query: (positive, negatives) for query, positive, negatives in _groups(pairs, _ADVERSARIAL)}
    for query, row in _similarities(texts):
        values = np.where(np.isnan(row), 0.0, row)
        free = texts.fits.copy()
        free[texts.not_of(texts.author[texts.row[query]])] = False
        fitting = [one for one in texts.answers[query] if texts.fits[texts.row[one]]]
        for positive in texts.answers[query]:
            same_cell = texts.cell[texts.row[positive]] == texts.cell[texts.row[query]]
            there = matched.get((query, positive), [])
            if positive not in fitting or not same_cell:
                if there and positive not in fitting:
                    yield Finding("topic_pairs", query, f"{positive}: may be in no pair")
            elif problem := _topic_problem(texts, values, free, texts.row[positive], [texts.row[one] for one in there]):
                yield Finding("topic_pairs", query, f"{positive}: {problem}")
        similarities = [(float(row[texts.row[one]]), one) for one in fitting if not np.isnan(row[texts.row[one]])]
        cell = free & (texts.cell == texts.cell[texts.row[query]])
        if problem := _adversarial_problem(texts, values, cell, similarities, hardest.get(query)):
            yield Finding("adversarial_pairs", query, problem)


def _topic_problem(texts: Texts, values: F64, free: Bools, positive: int, negatives: Sequence[int]) -> str:
    """Return what is wrong with the negatives of a positive that fits; empty if nothing is.

    Args:
        values: similarity of each text to the query; 0 where one of them has no content word.
    """
    kinds, sizes, kind, own = texts.kinds, texts.sizes, texts.kinds[positive], texts.sizes[positive]
    similarity = values[positive]
    if any(not free[one] or kinds[one] != kind or not own <= 2 * sizes[one] <= 4 * own for one in negatives):
        return "a negative of another language, source, genre or length"
    rows = texts.ready[kind]
    rows = rows[slice(*np.searchsorted(texts.tokens[rows], [-(-own // 2), 2 * own + 1]))]
    around = values[rows[free[rows]]]
    below, above = around[around < similarity - CLOSE], around[around > similarity + CLOSE]
    chosen = np.sort(values[list(negatives)])
    lower, higher = chosen[chosen < similarity - CLOSE], chosen[chosen > similarity + CLOSE]
    tied = len(chosen) - len(lower) - len(higher)
    least = min(_SIDE, len(below), len(above))
    if not len(chosen):
        return "no group" if least else ""
    if not 2 <= len(chosen) <= _MOST or abs(len(lower) - len(higher)) > tied:
        return f"{len(lower)} negatives of lower similarity, {len(higher)} of higher"
    if not tied and len(chosen) != 2 * least and len(around) == len(below) + len(above):
        return f"{len(chosen)} negatives, expected {2 * least}"
    for side, found in ((below, similarity - lower), (above, higher - similarity)):
        last = min(len(found), len(side)) - 1
        if len(found) and found.max() > np.partition(np.abs(side - similarity), last)[last] + CLOSE:
            return "nearer negatives are left out"
    return ""


def _adversarial_problem(
    texts: Texts,
    values: F64,
    free: Bools,
    similarities: Sequence[tuple[float, str]],
    group: tuple[str, Sequence[str]] | None,
) -> str:
    available = np.sort(values[free])[::-1][:_TOPICAL]
    if not similarities or not len(available):
        return "" if group is None else "no positive or no negative may be in a pair"
    if group is None:
        return "no group"
    positive, negatives = group
    value = {one: value for value, one in similarities}.get(positive)
    if value is None or value > min(similarities)[0] + CLOSE:
        return f"{positive} is not the least topical positive"
    if any(not free[texts.row[one]] for one in negatives):
        return "a negative of another language or genre"
    chosen = values[[texts.row[one] for one in negatives]]
    if len(chosen) != len(available) or chosen.min() < available[-1] - CLOSE:
        return "not the most topical negatives"
    return ""


def _groups(pairs: pl.DataFrame, pool: str) -> Iterator[tuple[str, str, list[str]]]:
    """Yield query, positive and negatives of the groups of a pool."""
    of_pool = pairs.filter(pl.col("pool") == pool)
    by_group = of_pool.group_by("group", maintain_order=True).agg(
        pl.col("query_id").first(),
        pl.col("candidate_id").filter("same").first().alias("positive"),
        pl.col("candidate_id").filter(~pl.col("same")).alias("negatives"),
    )
    for _, query, positive, negatives in by_group.iter_rows():
        if positive is not None:
            yield query, positive, negatives


def _similarities(texts: Texts) -> Iterator[tuple[str, F64]]:
    """Yield every query with the similarity of each text to it; NaN where one of them has no content word."""
    queries = [query for query in texts.answers if query in texts.row]
    vectors, turned = texts.vectors, texts.vectors.T.tocsc()
    empty = np.diff(vectors.indptr) == 0
    step = max(1, _CELLS_AT_ONCE // max(len(texts.author), 1))
    for part in (queries[start : start + step] for start in range(0, len(queries), step)):
        rows = [texts.row[query] for query in part]
        similar = (vectors[rows] @ turned).toarray().astype(np.float64)
        similar[:, empty] = np.nan
        similar[empty[rows]] = np.nan
        yield from zip(part, similar, strict=True)
