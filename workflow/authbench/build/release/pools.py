"""Make the pairs that every evaluation scores: each positive with negatives that differ from it only in the writer.

`matched`: the negatives have the positive's language, source and primary genre, and its length; otherwise as many are
nearer to the query's length as are further from it. `topic_matched`, `time_matched`, `topic_time`: they equal the
positive in topic similarity to the query (whole, and by words), in days from it, or in topic similarity and days, and
in nearness to its length; or they come in pairs that differ from the positive in opposite directions in each of these.
A positive of the query's date so has only negatives of that date in `time_matched`. `topic_adversarial`: a query's
least topical positive against the most topical negatives.

Positives come from another work than their query. Negatives are not by the query's author or a possibly identical
person, and neither contain nor are contained in a text of the author. Positives and negatives have enough letters.
"""

from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import NamedTuple

import numpy as np
import polars as pl
from numpy.typing import NDArray

from authbench.build.release.pool_texts import Texts, arrange
from authbench.build.release.queries import is_scored
from authbench.core.arrays import BOOL, F32, I32, I64, Sparse
from authbench.core.content_words import similarities_with
from authbench.core.dates import middle_day
from authbench.core.letters import Least, may_ask
from authbench.release.format.columns import PAIRS, POOLS

COUNTS = pl.Schema(
    dict.fromkeys(("pool", "lang", "source"), pl.String) | dict.fromkeys(("positives", "kept", "left_out"), pl.Int64)
)
LEAST, MOST = 5, 10  # negatives of a positive in `matched`
LEAST_OF_SIDES = 2
TOPICAL = 20  # negatives of a query in `topic_adversarial`
_EQUAL = 1e-9  # logarithms of lengths that differ by less are equal
_SIMILARITIES_AT_ONCE = 2_500_000  # of three or four kinds
_MATCHED, _TOPIC_MATCHED, _ADVERSARIAL, _TIME_MATCHED, _TOPIC_TIME = POOLS


class _Groups(NamedTuple):
    """Hold the groups of a pool as flat arrays of places; `sizes` are the numbers of negatives."""

    queries: I32
    positives: I32
    sizes: I32
    negatives: I32


_NO_GROUPS = _Groups(*np.empty((4, 0), np.int32))


def _groups(queries: I64, positives: I64, found: NDArray[np.integer], sizes: I64, least: int) -> _Groups:
    """Return the groups with at least `least` negatives, which are the first `sizes` of each row of `found`."""
    kept = sizes >= least
    negatives = found[kept][np.arange(found.shape[1]) < sizes[kept, None]]
    return _Groups(*(part.astype(np.int32) for part in (queries[kept], positives[kept], sizes[kept], negatives)))


def make_pools(
    documents: pl.DataFrame,
    related: pl.DataFrame,
    queries: pl.DataFrame,
    vectors: Sparse,
    letters: Least,
    seed: int,
    shared: bool = True,
    kept_apart: tuple[pl.DataFrame | None, pl.DataFrame | None] = (None, None),
) -> tuple[pl.DataFrame, pl.DataFrame]:
    """Return a split's pairs (PAIRS), and the number of positives kept by pool, language and source (COUNTS).

    Memory: 14 bytes per pair, 34 more for the largest pool while it is sorted, and 10 million similarities at a
    time and core (of topics and dates, of texts of a language and primary genre to some queries).

    Args:
        documents: of the split, with the columns of records.DOCUMENT and id; `asks` may replace content.
        related: the relations of the split's queries (format.columns.POSITIVES).
        queries: the split's queries, as `queries.QUERIES`.
        vectors: the content words of each document, rows in the order of `documents`.
        letters: the least letters of positives and negatives (letters.has_letters).
        seed: random seed of the order of texts of equal length.
        shared: whether queries are candidates as well.
        kept_apart: pairs of doc_keys (`a`, `b`) of texts that share much of their wording, and pairs of author ids
            (`a`, `b`) that are possibly the same person.
    """
    is_query = pl.col("id").is_in(queries["query_id"].implode())
    fits = is_scored(documents) & may_ask(documents, letters)
    has_content = np.diff(vectors.indptr) > 0
    texts = arrange(documents.with_columns(fits=fits if shared else fits & ~is_query), seed, *kept_apart)
    answers = queries.select("query_id", candidate_id="positive_ids").explode("candidate_id")
    other_work = related.filter(~pl.col("same_work")).select("query_id", "candidate_id", "topic_similarity")
    answering = other_work.join(answers, on=("query_id", "candidate_id"), how="semi")
    pairs, asked = _places(answering, texts), _least_topical(answering, texts)
    days = documents.select(middle_day("date")).to_series().to_numpy().astype(np.float32)[texts.rows]
    by_pool = {_TOPIC_MATCHED: has_content[texts.rows], _TIME_MATCHED: ~np.isnan(days)}
    by_pool[_TOPIC_TIME] = by_pool[_TOPIC_MATCHED] & by_pool[_TIME_MATCHED]
    known = {pool: pairs[has[pairs].all(axis=1)] for pool, has in by_pool.items()}
    found = {pool: [_NO_GROUPS] for pool in (_TOPIC_MATCHED, _ADVERSARIAL, _TIME_MATCHED, _TOPIC_TIME)}
    for pool, groups in _by_similarity(known, asked, texts, vectors, days):
        found[pool].append(groups)
    joined = {pool: _Groups(*map(np.concatenate, zip(*parts, strict=True))) for pool, parts in found.items()}
    joined = {_MATCHED: _matched(pairs, texts), **joined}
    wanted = dict.fromkeys(POOLS, pairs) | {_ADVERSARIAL: asked}
    counts = pl.concat(_count(pool, wanted[pool], joined[pool], texts, documents) for pool in POOLS)
    return _table(joined, texts), counts


def _places(pairs: pl.DataFrame, texts: Texts) -> I64:
    """Return the places of query_id and candidate_id, by id; shape (pairs, 2)."""
    places = texts.ids.to_frame("id").with_row_index("place")
    known = [places.select("place", pl.col("id").alias(name)) for name in ("query_id", "candidate_id")]
    joined = pairs.join(known[0], on="query_id").join(known[1], on="candidate_id", suffix="_of_positive")
    ordered = joined.sort("query_id", "candidate_id").select("place", "place_of_positive")
    return ordered.to_numpy().astype(np.int64)


def _matched(pairs: I64, texts: Texts) -> _Groups:
    """Return the groups of `matched`."""
    from authbench.build.release.pool_kernels import Negatives, find_matched

    pairs = pairs[texts.cell[pairs[:, 1]] >= 0]
    queries, positives = pairs[np.argsort(pairs[:, 1], kind="stable")].T.copy()
    found, sizes = np.empty((len(queries), MOST), np.int32), np.empty(len(queries), np.int64)
    find_matched(queries, positives, texts.places, MOST, Negatives(found, sizes))
    return _groups(queries, positives, found, sizes, LEAST)


def _least_topical(answering: pl.DataFrame, texts: Texts) -> I64:
    """Return the places of each query and its least topical positive with enough letters."""
    fitting = texts.ids.filter(texts.cell >= 0)
    least = (
        answering.filter(pl.col("topic_similarity").is_not_null(), pl.col("candidate_id").is_in(fitting.implode()))
        .sort("query_id", "topic_similarity", "candidate_id")
        .unique("query_id", keep="first", maintain_order=True)
    )
    return _places(least, texts)


class _Cell(NamedTuple):
    """The texts of a language and primary genre, and what is asked of them.

    Attributes:
        first: place of the first text.
        days: shape (texts of the cell,), the date of each text, NaN if unknown.
        known: by pool, places of queries and of positives in the cell, shape (pairs, 2), sorted by query.
        least: by place, the least topical positive of each query of the cell; -1: not asked.
        similarities: of vectors to the texts, in topic and by words (`similarities_with`).
    """

    first: int
    days: F32
    known: Mapping[str, I64]
    least: I64
    similarities: Callable[[Sparse], tuple[F32, F32]]


def _by_similarity(
    known: Mapping[str, I64], asked: I64, texts: Texts, vectors: Sparse, days: F32
) -> Iterator[tuple[str, _Groups]]:
    """Yield groups of the pools that match by similarity to the query, with their pool, in blocks of queries of a cell.

    Args:
        known: by pool, shape (pairs, 2), places of queries and positives that have a content word, a date or both.
        asked: shape (queries, 2), places of queries and of the least topical positive of each.
        texts: of the split.
        vectors: the content words of each document.
        days: shape (texts,), the date of each text, NaN if unknown.
    """
    cells, homes = texts.cell, texts.home[asked[:, 0]]
    with ThreadPoolExecutor(pl.thread_pool_size()) as pool:
        for number in np.unique(cells[cells >= 0]):
            places = np.flatnonzero(cells == number)
            at_home = asked[homes == number]
            own = {name: _by_query(pairs[cells[pairs[:, 1]] == number]) for name, pairs in known.items()}
            least = np.full(len(texts.ids), -1, np.int64)
            least[at_home[:, 0]] = at_home[:, 1]
            asking = np.unique(np.concatenate([at_home[:, 0], *(pairs[:, 0] for pairs in own.values())]))
            cell = _Cell(int(places[0]), days[places], own, least, similarities_with(vectors[texts.rows[places]]))
            step = max(1, _SIMILARITIES_AT_ONCE // len(places))
            blocks = (asking[start : start + step] for start in range(0, len(asking), step))
            for found in pool.map(partial(_of_block, cell, texts, vectors, days), blocks):
                yield from found


def _of_block(cell: _Cell, texts: Texts, vectors: Sparse, days: F32, queries: I64) -> list[tuple[str, _Groups]]:
    """Return the groups of some adjacent queries of a cell, with their pool."""
    topics, by_words = cell.similarities(vectors[texts.rows[queries]])
    times = -np.abs(days[queries, None] - cell.days)
    own = {pool: _of_queries(pairs, queries) for pool, pairs in cell.known.items()}
    least = cell.least[queries]
    none, unasked = np.empty((len(queries), 0), np.float32), np.zeros(len(queries), np.bool_)
    both, _ = _near(own[_TOPIC_TIME], queries, unasked, cell.first, texts, topics.copy(), times)
    in_time, _ = _near(own[_TIME_MATCHED], queries, unasked, cell.first, texts, times, none)
    in_topic, hardest = _near(own[_TOPIC_MATCHED], queries, least >= 0, cell.first, texts, topics, by_words)
    adversarial = _groups(queries, least, hardest, (hardest >= 0).sum(axis=1), 1)
    return [(_TOPIC_TIME, both), (_TIME_MATCHED, in_time), (_TOPIC_MATCHED, in_topic), (_ADVERSARIAL, adversarial)]


def _by_query(pairs: I64) -> I64:
    return pairs[np.argsort(pairs[:, 0], kind="stable")]


def _of_queries(pairs: I64, queries: I64) -> I64:
    """Return the pairs of some adjacent queries, all sorted by query."""
    return pairs[slice(*np.searchsorted(pairs[:, 0], [queries[0], queries[-1] + 1]))]


def _near(
    pairs: I64, queries: I64, asks: BOOL, first: int, texts: Texts, similar: F32, beside: F32
) -> tuple[_Groups, I64]:
    """Return the groups of pairs by similarity to the query, and the most similar negatives of the queries that ask.

    Args:
        pairs: shape (pairs, 2), sorted by query.
        queries: shape (queries,), sorted places.
        asks: shape (queries,).
        first: place of the cell's first text.
        texts: of the split.
        similar: shape (queries, texts of the cell); modified.
        beside: likewise a second similarity, or of no columns.

    Returns:
        The groups, and places of shape (queries, TOPICAL), -1 behind the last.
    """
    from authbench.build.release.pool_kernels import Asked, Limits, Negatives, Similarities, find_by_similarity

    asking, positives = pairs.T.copy()
    ends = np.searchsorted(asking, np.append(queries, queries[-1] + 1))
    found = np.empty((len(positives), MOST), np.int64)
    sizes, hardest_sizes = np.empty(len(positives), np.int64), np.empty(len(queries), np.int64)
    hardest = np.empty((len(queries), TOPICAL), np.int64)
    find_by_similarity(
        Similarities(first, similar, beside),
        Asked(queries, ends, positives, asks),
        texts.places,
        Limits(_EQUAL, MOST),
        Negatives(found, sizes),
        Negatives(hardest, hardest_sizes),
    )
    hardest[np.arange(TOPICAL) >= hardest_sizes[:, None]] = -1
    return _groups(asking, positives, found, sizes, LEAST_OF_SIDES), hardest


def _count(pool: str, wanted: I64, kept: _Groups, texts: Texts, documents: pl.DataFrame) -> pl.DataFrame:
    asked, positives = wanted[:, 0], wanted[:, 1]
    there = kept.queries.astype(np.int64) * len(texts.ids) + kept.positives
    known = documents.select("lang", "source")[texts.rows[positives]].with_columns(
        pool=pl.lit(pool), kept=pl.Series(np.isin(asked * len(texts.ids) + positives, there), dtype=pl.Boolean)
    )
    counted = known.group_by("pool", "lang", "source").agg(
        positives=pl.len().cast(pl.Int64), kept=pl.col("kept").sum().cast(pl.Int64)
    )
    return (
        counted.with_columns(left_out=pl.col("positives") - pl.col("kept")).select(COUNTS.names()).sort(COUNTS.names())
    )


def _table(found: Mapping[str, _Groups], texts: Texts) -> pl.DataFrame:
    """Return the pairs of groups, numbered from 0 by pool, query and positive, their texts as categories (13 bytes)."""
    by_id, named = texts.ids.rank("ordinal").to_numpy().astype(np.int32), texts.ids.cast(pl.Categorical)
    parts, first = [as_categories(pl.DataFrame(schema=PAIRS.schema))], 0
    for pool, groups in found.items():
        queries, positives, sizes, negatives = groups
        number = np.empty(len(queries), np.int32)
        number[np.lexsort((by_id[positives], by_id[queries]))] = np.arange(first, first + len(queries))
        group = np.concatenate([number, np.repeat(number, sizes)])
        asked = np.concatenate([queries, np.repeat(queries, sizes)])
        others = np.concatenate([positives, negatives])
        negative = np.arange(len(others)) >= len(queries)
        order = np.lexsort((by_id[others], negative, group))
        parts.append(
            pl.DataFrame(
                {
                    "pool": pl.repeat(pool, len(others), dtype=pl.String, eager=True).cast(pl.Categorical),
                    "group": pl.Series(group[order], dtype=pl.Int32),
                    "query_id": named.gather(asked[order]),
                    "candidate_id": named.gather(others[order]),
                    "same": pl.Series(~negative[order], dtype=pl.Boolean),
                }
            )
        )
        first += len(queries)
    return pl.concat(parts)


def as_categories(pairs: pl.DataFrame) -> pl.DataFrame:
    """Return pairs with their texts as categories; a table with texts takes four times the memory."""
    return pairs.cast({pl.String: pl.Categorical})
