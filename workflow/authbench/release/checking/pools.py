"""Check that the negatives of each positive in pairs.parquet follow the rules of their pool.

They are worked out again from lengths, labels and texts, positive by positive (`pool_kernels`), whereas the release
searches for the nearest. The release may choose among texts of the same length or similarity.
"""

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cached_property
from itertools import repeat
from typing import TYPE_CHECKING, NamedTuple, cast

import numpy as np
import polars as pl

from authbench.core.arrays import F32, I32, I64, Sparse
from authbench.core.content_words import similarities_with, words_of
from authbench.release.checking.claims import Finding
from authbench.release.checking.relations import CLOSE, cosines
from authbench.release.format.columns import POOLS

if TYPE_CHECKING:
    from authbench.release.checking import pool_kernels

_LEAST, _MOST, _TOPICAL = 5, 10, 20
_CELLS_AT_ONCE = 2_000_000  # of topics and of dates
_MATCHED, _TOPIC, _ADVERSARIAL, _TIME, _TOPIC_TIME = POOLS
TIMED = (_TIME, _TOPIC_TIME)  # pools that earlier releases lack
_CLAIMS = {_TOPIC: "topic_pairs", _TIME: "time_pairs", _TOPIC_TIME: "time_pairs"}
ORDER = ("lang", "primary", "source", "tokens", "id")  # of texts, as `pool_kernels` expects them
PAIR = ["query_id", "candidate_id"]


@dataclass(frozen=True)
class Texts:
    """The texts of a split; ids are numbers of one `pl.Enum`.

    Attributes:
        table: their id, author_id, lang, source, primary, tokens and `fits` (a candidate that may be positive or
            negative), in `ORDER`.
        vectors: the content words of its rows.
        days: shape (rows,), their dates as days, NaN if unknown.
        queries: query_id and tokens of every query.
        answers: query_id and candidate_id of the positives from another work.
        barred: author_id and candidate_id of texts by others that may not be negatives of the author.
    """

    table: pl.DataFrame
    vectors: Sparse
    days: F32
    queries: pl.DataFrame
    answers: pl.DataFrame
    barred: pl.DataFrame

    @cached_property
    def rows(self) -> pl.DataFrame:
        """Return the id, tokens, `fits` and row of each text, and numbers for its author, cell and kind."""
        numbers = {
            "row": pl.int_range(pl.len()),
            "author": pl.col("author_id").rank("dense") - 1,
            "cell": pl.struct("lang", "primary").rle_id(),
            "kind": pl.struct("lang", "primary", "source").rle_id(),
        }
        whole = {name: number.cast(pl.Int64) for name, number in numbers.items()}
        return self.table.select("id", pl.col("tokens").cast(pl.Int64), "fits", **whole)

    @cached_property
    def row_of(self) -> I32:
        """Return the row of each text by the number of its id."""
        ids = self.table["id"]
        found = np.empty(len(cast(pl.Enum, ids.dtype).categories), np.int32)
        found[ids.to_physical()] = np.arange(len(ids))
        return found

    @cached_property
    def excluded(self) -> Sparse:
        """Return the texts that may not be negatives of each author, as a CSR matrix."""
        from scipy.sparse import csr_matrix

        own = self.table.select("author_id").hstack(self.rows.select("id", "row", "author"))
        authors = own.select("author_id", "author").unique()
        barred = self.barred.join(authors, on="author_id").join(own.select("row", candidate_id="id"), on="candidate_id")
        found = pl.concat([own.select("author", "row"), barred.select("author", "row")]).unique()
        entries = np.ones(found.height, np.bool_), (found["author"].to_numpy(), found["row"].to_numpy())
        return csr_matrix(entries, (authors.height, own.height))

    def arrays(self, *names: str) -> list[np.ndarray]:
        return _arrays(self.rows, *names)

    @cached_property
    def in_arrays(self) -> "pool_kernels.Texts":
        """Return the texts as compiled loops read them."""
        from authbench.release.checking import pool_kernels

        tokens, fits, kind, author = self.arrays("tokens", "fits", "kind", "author")
        kinds = np.searchsorted(kind, kind), np.searchsorted(kind, kind, "right")
        return pool_kernels.Texts(tokens, fits, *kinds, author, self.excluded.indptr, self.excluded.indices)

    def similarities(self, queries: I64, cell: "_Cell") -> tuple[F32, F32]:
        """Return the similarity of each text of a cell to queries, and by words; NaN: may not be a negative."""
        similar, by_words = cell.similarities(self.vectors[queries])
        author, fits = self.arrays("author", "fits")
        similar[:, ~fits[cell.first : cell.end]] = np.nan
        similar[self.excluded[author[queries], cell.first : cell.end].nonzero()] = np.nan
        return similar, by_words


class _Cell(NamedTuple):
    """The texts `first:end` of a language and primary genre, and a function from `similarities_with`."""

    number: int
    first: int
    end: int
    similarities: Callable[[Sparse], tuple[F32, F32]]


def check_matched(pairs: pl.DataFrame, texts: Texts) -> Iterator[Finding]:
    """Yield positives without a group, or whose negatives do not have the lengths that `matched` requires."""
    from authbench.release.checking import pool_kernels

    groups, negatives = _groups(pairs, _MATCHED, texts)
    places = texts.rows.select("row", candidate_id="id")
    answers = texts.answers.join(texts.queries, on="query_id").join(places, on="candidate_id")
    answers = _with_groups(answers, groups, PAIR).sort("row")
    asked, positives, starts, ends = _arrays(answers, "tokens", "row", "start", "end")
    problems = np.zeros(answers.height, np.int64)
    groups_of_pairs = pool_kernels.Groups(starts, ends, negatives)
    pool_kernels.check_lengths(asked, positives, groups_of_pairs, texts.in_arrays, _LEAST, _MOST, problems)
    yield from _findings("matched_pairs", answers, problems)


class _Asked(NamedTuple):
    """The positives that a pool may match, by cell and the query's row, and the negatives of all groups of the pool.

    Attributes:
        keys: `_keys` of the pairs.
    """

    pairs: pl.DataFrame
    keys: I64
    negatives: I32
    problems: I64


def check_similar(pairs: pl.DataFrame, texts: Texts, pools: Sequence[str], lengths: bool) -> Iterator[Finding]:
    """Yield groups whose negatives do not follow from topics or dates, and positives without a group.

    Args:
        pairs: of the split.
        texts: of the split.
        pools: that the release has.
        lengths: whether negatives are balanced in length as well.
    """
    from authbench.release.checking import pool_kernels

    compared, asked = _compared(texts), {}
    for pool in (pool for pool in _CLAIMS if pool in pools):
        groups, negatives = _groups(pairs, pool, texts)
        answers = _with_groups(compared, groups, PAIR)
        for query, positive in answers.filter(~pl.col("fits"), pl.col("end") > pl.col("start"))[PAIR].iter_rows():
            yield Finding(_CLAIMS[pool], query, f"{positive}: may be in no pair")
        matched = answers.filter("fits")
        keys = _keys(texts, *_arrays(matched, "cell", "row_of_query"))
        asked[pool] = _Asked(matched, keys, negatives, np.zeros(matched.height, np.int64))
    hard_groups, hard_negatives = _groups(pairs, _ADVERSARIAL, texts)
    queries = _asking(texts, compared, hard_groups)
    rows, answered, is_least, hard_starts, hard_ends = _arrays(queries, "row", "answered", "is_least", "start", "end")
    hard_problems = np.zeros(queries.height, np.int64)

    def check_block(asking: I64, cell: _Cell) -> None:
        similar, by_words = texts.similarities(asking, cell)
        for pool, one in asked.items():
            _check_near(pool, one, asking, (similar, by_words), cell, texts, lengths)
        similar = similar[slice(*np.searchsorted(asking, [cell.first, cell.end]).tolist())]
        first = np.searchsorted(rows, max(asking[0], cell.first))
        block = slice(first, first + len(similar))  # the queries of the cell
        pool_kernels.check_most_topical(
            pool_kernels.Similarities(cell.first, similar, similar[:, :0]),
            answered[block],
            is_least[block],
            pool_kernels.Groups(hard_starts[block], hard_ends[block], hard_negatives),
            CLOSE,
            _TOPICAL,
            hard_problems[block],
        )

    with ThreadPoolExecutor(pl.thread_pool_size()) as threads:
        for cell, blocks in _cells(compared, queries, texts):
            list(threads.map(check_block, blocks, repeat(cell)))
    for pool, one in asked.items():
        yield from _findings(_CLAIMS[pool], one.pairs, one.problems)
    yield from _findings("adversarial_pairs", queries, hard_problems)


def _check_near(
    pool: str, asked: _Asked, queries: I64, topic: tuple[F32, F32], cell: _Cell, texts: Texts, lengths: bool
) -> None:
    """Write what is wrong with groups of a pool; `topic` are the similarities of queries to texts of a cell."""
    from authbench.release.checking import pool_kernels

    bounds = _keys(texts, cell.number, np.array([queries[0], queries[-1] + 1]))
    part = slice(*np.searchsorted(asked.keys, bounds).tolist())
    asking, positives, by_topic, by_words, by_date, starts, ends = _arrays(
        asked.pairs[part], "row_of_query", "row", "similarity", "by_words", "nearness", "start", "end"
    )
    topics, words = topic
    days = texts.days[cell.first : cell.end]
    dates = np.empty((len(queries), 0), np.float32)
    if pool != _TOPIC:
        dates = np.where(np.isnan(topics), np.float32(np.nan), -np.abs(texts.days[queries][:, None] - days))
    similar, own = (dates, by_date) if pool == _TIME else (topics, by_topic)
    none = dates[:, :0].copy()
    beside, own_beside, close_beside = {
        _TOPIC: (words, by_words, CLOSE), _TIME: (none, by_date, 0.0), _TOPIC_TIME: (dates, by_date, 0.0)
    }[pool]  # fmt: skip
    pairs_of_pool = pool_kernels.Pairs(
        np.searchsorted(queries, asking),
        texts.in_arrays.tokens[asking],
        positives,
        own,
        own_beside,
    )
    pool_kernels.check_near(
        pool_kernels.Similarities(cell.first, similar, beside),
        pairs_of_pool,
        pool_kernels.Groups(starts, ends, asked.negatives),
        texts.in_arrays,
        (0.0 if pool == _TIME else CLOSE, close_beside),
        lengths,
        _MOST,
        asked.problems[part],
    )


def _groups(pairs: pl.DataFrame, pool: str, texts: Texts) -> tuple[pl.DataFrame, I32]:
    """Return query and positive of each group of a pool, with `start` and `end` of its negatives among rows.

    The pairs are sorted by group, the positive first.
    """
    of_pool = pairs.filter(pl.col("pool") == pool)
    starts = of_pool["same"].arg_true()
    ends = starts.shift(-1, fill_value=of_pool.height)
    bounds = {"start": starts.cast(pl.Int64) + 1, "end": ends.cast(pl.Int64)}
    return of_pool[starts].select(PAIR).with_columns(**bounds), texts.row_of[of_pool["candidate_id"].to_physical()]


def _with_groups(asked: pl.DataFrame, groups: pl.DataFrame, key: str | list[str]) -> pl.DataFrame:
    """Return the rows with `start` and `end` of their groups, -1 for rows without a group."""
    found = asked.join(groups, on=key, how="left", maintain_order="left")
    return found.with_columns(pl.col("start", "end").fill_null(-1))


def _compared(texts: Texts) -> pl.DataFrame:
    """Return the answers of queries, by cell and the query's row, with their nearness in each measure."""
    queries = texts.rows.select(query_id="id", row_of_query="row")
    positives = texts.rows.select("row", "cell", "fits", candidate_id="id")
    answers = texts.answers.join(queries, on="query_id").join(positives, on="candidate_id").sort("cell", "row_of_query")
    asking, positive = _arrays(answers, "row_of_query", "row")
    nearness = -np.abs(texts.days[asking] - texts.days[positive]).astype(np.float64)
    similarity, by_words = (cosines(of, asking, positive) for of in (texts.vectors, words_of(texts.vectors)))
    return answers.with_columns(similarity=similarity, by_words=by_words, nearness=nearness)


def _asking(texts: Texts, answers: pl.DataFrame, groups: pl.DataFrame) -> pl.DataFrame:
    """Return the queries, by row, with `answered` and `is_least` of `check_most_topical`."""
    possible = answers.filter("fits", pl.col("similarity").is_not_nan())
    least = possible.group_by("query_id").agg(least=pl.col("similarity").min())
    chosen = groups.join(possible.select(*PAIR, "similarity"), on=PAIR, how="left")
    queries = texts.queries.join(texts.rows.select("row", "cell", query_id="id"), on="query_id")
    return (
        _with_groups(queries.join(least, on="query_id", how="left"), chosen, "query_id")
        .with_columns(
            answered=pl.col("least").is_not_null(),
            is_least=(pl.col("similarity") <= pl.col("least") + CLOSE).fill_null(False),
        )
        .sort("row")
    )


def _cells(answers: pl.DataFrame, queries: pl.DataFrame, texts: Texts) -> Iterator[tuple[_Cell, list[I64]]]:
    """Yield the cells of queries and of their answers, with the ascending rows of the queries, in blocks."""
    (cells,) = texts.arrays("cell")
    asking = pl.concat([queries.select("cell", "row"), answers.select("cell", row="row_of_query")]).unique()
    for (number,), rows in asking.sort("cell", "row").group_by("cell", maintain_order=True):
        first, end = np.searchsorted(cells, [number, number + 1]).tolist()
        step = max(1, _CELLS_AT_ONCE // (end - first))
        cell = _Cell(number, first, end, similarities_with(texts.vectors[first:end]))
        yield cell, [block["row"].to_numpy() for block in rows.iter_slices(step)]


def _keys(texts: Texts, cell: I64 | int, query: I64) -> I64:
    """Return numbers that ascend with cells, and in a cell with rows of queries."""
    keys: I64 = cell * (texts.table.height + 1) + query
    return keys


def _arrays(frame: pl.DataFrame, *names: str) -> list[np.ndarray]:
    return [frame[name].to_numpy(writable=True) for name in names]


def _findings(code: str, pairs: pl.DataFrame, problems: I64) -> Iterator[Finding]:
    """Yield a finding for each problem, by query and positive."""
    from authbench.release.checking.pool_kernels import WORDS

    wrong = pairs.with_columns(problem=problems).filter(pl.col("problem") > 0).sort(PAIR)
    for query, positive, problem in wrong.select(*PAIR, "problem").iter_rows():
        yield Finding(code, query, f"{positive}: {WORDS[problem]}" if positive else WORDS[problem])
