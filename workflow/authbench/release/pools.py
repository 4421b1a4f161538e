"""Pairs that every evaluation scores: each positive with negatives that differ from it in nothing but the writer.

`matched`: the negatives have the positive's language, source and primary genre, and its length, or as many of them are
nearer to the query's length as are further from it. `topic_matched`: they are as like the query in topic as the
positive is, or as many are a little less as are a little more like it. `topic_adversarial`: a query's least topical
positive against the most topical negatives. Positives are those from another work than their query. Negatives are by
other people, by nobody who is possibly the same person, and no text that contains one of the author's or is contained
in it; they have enough letters, as positives must.
"""

from array import array
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain, groupby, islice
from operator import itemgetter
from typing import Any, NamedTuple

import numpy as np
import polars as pl
from numpy.typing import NDArray

from authbench.arrays import F32
from authbench.format.columns import PAIRS, POOLS
from authbench.release.letters import may_ask
from authbench.release.pool_texts import Places, Texts, arrange
from authbench.release.queries import is_scored

COUNTS = pl.Schema(
    dict.fromkeys(("pool", "lang", "source"), pl.String) | dict.fromkeys(("positives", "kept", "left_out"), pl.Int64)
)
LEAST, MOST = 5, 10  # negatives of a positive in `matched`
EACH_SIDE = 5  # negatives below and above a positive in `topic_matched`
LEAST_OF_TOPIC = 2
TOPICAL = 20  # negatives of a query in `topic_adversarial`
_EQUAL = 1e-9  # logarithms of lengths that differ by less are equal
_SIMILARITIES_AT_ONCE = 8_000_000
_MATCHED, _TOPIC_MATCHED, _ADVERSARIAL = POOLS

Group = tuple[int, int, Sequence[int]]  # the places of a query, its positive and the negatives


class _Groups:
    """Groups of one pool as flat arrays of places: 4 bytes each, where tuples of numbers would take 40."""

    def __init__(self, groups: Iterable[Group] = ()) -> None:
        self.queries, self.positives, self.sizes, self.negatives = (array("i") for _ in range(4))
        for group in groups:
            self.add(group)

    def add(self, group: Group) -> None:
        query, positive, negatives = group
        self.queries.append(query)
        self.positives.append(positive)
        self.sizes.append(len(negatives))
        self.negatives.extend(negatives)


def make_pools(
    documents: pl.DataFrame,
    related: pl.DataFrame,
    queries: pl.DataFrame,
    vectors: Any,
    letters: int,
    seed: int,
    shared: bool = True,
    containment: pl.DataFrame | None = None,
    possibly_one: pl.DataFrame | None = None,
) -> tuple[pl.DataFrame, pl.DataFrame]:
    """Return the pairs of a split (PAIRS), and for each pool, language and source how many positives it keeps (COUNTS).

    Memory: the pairs, 60 bytes each, as much again for those of the largest pool while they are put in order, and 8
    million similarities at a time (of the texts of a language and primary genre to some queries).

    Args:
        documents: of the split, with the columns of records.DOCUMENT and id; `asks` may stand for content.
        related: the relations of the split's queries (format.columns.POSITIVES).
        queries: the split's queries, as `queries.QUERIES`.
        vectors: the content words of each document, rows in the order of `documents`.
        letters: a positive or negative has so many (letters.has_letters).
        seed: random seed of the order of texts of equal length.
        shared: whether queries are candidates as well.
        containment: pairs of doc_keys (`a`, `b`) of texts that share much of their wording.
        possibly_one: pairs of author ids (`a`, `b`) that are possibly one person.
    """
    is_query = pl.col("id").is_in(queries["query_id"].implode())
    fits = is_scored(documents) & may_ask(documents, letters)
    has_content = np.diff(vectors.indptr) > 0
    texts = arrange(documents.with_columns(fits=fits if shared else fits & ~is_query), seed, containment, possibly_one)
    pairs = _positives(related, queries, texts)
    found = {_MATCHED: _Groups(_matched(pairs, texts)), _TOPIC_MATCHED: _Groups(), _ADVERSARIAL: _Groups()}
    known = [pair for pair in pairs if all(has_content[texts.rows[place]] for place in pair)]
    asked = dict(_least_topical(related, queries, texts))
    for pool, group in _by_topic(known, asked, texts, vectors):
        found[pool].add(group)
    wanted = {_MATCHED: pairs, _TOPIC_MATCHED: pairs, _ADVERSARIAL: list(asked.items())}
    counts = pl.concat(_count(pool, wanted[pool], found[pool], texts, documents) for pool in POOLS)
    return _table(found, texts), counts


def _positives(related: pl.DataFrame, queries: pl.DataFrame, texts: Texts) -> list[tuple[int, int]]:
    """Return the places of queries and their positives from another work, by id."""
    answers = queries.select("query_id", candidate_id="positive_ids").explode("candidate_id")
    other_work = related.filter(~pl.col("same_work")).select("query_id", "candidate_id")
    both = answers.join(other_work, on=("query_id", "candidate_id"), how="semi").sort("query_id", "candidate_id")
    return [(texts.place[query], texts.place[positive]) for query, positive in both.iter_rows()]


def _matched(pairs: Sequence[tuple[int, int]], texts: Texts) -> Iterator[Group]:
    for positive, same in groupby(sorted(pairs, key=itemgetter(1)), itemgetter(1)):
        if texts.cell[positive] >= 0:
            near = _neighbours(positive, texts)
            for query, _ in same:
                negatives = _matched_negatives(query, positive, near, texts.lengths)
                if len(negatives) >= LEAST:
                    yield query, positive, negatives


class _Neighbours(NamedTuple):
    """Places of possible negatives of a positive, the nearest in length first: up to MOST that are equal, and so many
    on each side that these and they are MOST."""

    equal: list[int]
    shorter: list[int]
    longer: list[int]


def _matched_negatives(query: int, positive: int, near: _Neighbours, lengths: Places) -> list[int]:
    """Return the texts of the positive's length, then as many shorter as longer ones.

    Those on the query's side of the positive are nearer to the query in length than the positive, or who scores by
    length would be right wherever a query and its positive are nearer to each other than to any text.
    """
    asked, length = int(lengths[query]), int(lengths[positive])
    if asked == length:
        return near.equal
    before, beyond = (near.shorter, near.longer) if asked < length else (near.longer, near.shorter)
    # nearer in proportion: between the query's length and the positive's, or less beyond the former than the latter is
    between = [
        place
        for place in before
        if (int(lengths[place]) * length > asked**2) == (asked < length) and int(lengths[place]) * length != asked**2
    ]
    most = min(len(between), len(beyond))
    return near.equal + between[:most] + beyond[:most]


def _neighbours(positive: int, texts: Texts) -> _Neighbours:
    start, end = texts.starts[int(texts.cell[positive]), int(texts.source[positive])]
    lengths, length, author = texts.lengths[start:end], int(texts.lengths[positive]), texts.author[positive]
    turn = int(texts.rank[positive])

    def others(place: int, most: int) -> tuple[int, int, list[int]]:
        """Return where texts as long as that at `place` begin and end, and up to `most` of them, in turn."""
        low, high = (start + int(np.searchsorted(lengths, texts.lengths[place], side)) for side in ("left", "right"))
        first = low + turn % (high - low)
        fitting = (one for one in chain(range(first, high), range(low, first)) if texts.is_other(one, author))
        return low, high, list(islice(fitting, most))

    low, high, equal = others(positive, MOST)
    most = (MOST - len(equal)) // 2
    shorter: list[int] = []
    place = low - 1
    while len(shorter) < most and place >= start and 3 * int(texts.lengths[place]) >= 2 * length:
        place, _, found = others(place, most - len(shorter))
        shorter += found
        place -= 1
    longer: list[int] = []
    place = high
    while len(longer) < most and place < end and 2 * int(texts.lengths[place]) <= 3 * length:
        _, place, found = others(place, most - len(longer))
        longer += found
    return _Neighbours(equal, shorter, longer)


def _least_topical(related: pl.DataFrame, queries: pl.DataFrame, texts: Texts) -> Iterator[tuple[int, int]]:
    """Yield the places of each query and of its least topical positive from another work that has letters enough."""
    answers = queries.select("query_id", candidate_id="positive_ids").explode("candidate_id")
    fitting = [ident for place, ident in enumerate(texts.ids) if texts.cell[place] >= 0]
    least = (
        related.filter(~pl.col("same_work"), pl.col("topic_similarity").is_not_null())
        .join(answers, on=("query_id", "candidate_id"), how="semi")
        .filter(pl.col("candidate_id").is_in(pl.Series(fitting, dtype=pl.String).implode()))
        .sort("query_id", "topic_similarity", "candidate_id")
        .unique("query_id", keep="first", maintain_order=True)
    )
    for query, positive in least.select("query_id", "candidate_id").iter_rows():
        yield texts.place[query], texts.place[positive]


def _by_topic(
    pairs: Sequence[tuple[int, int]], asked: Mapping[int, int], texts: Texts, vectors: Any
) -> Iterator[tuple[str, Group]]:
    """Yield groups of `topic_matched` and `topic_adversarial`, cell by cell.

    Args:
        asked: the least topical positive of each query.
    """
    wanted: defaultdict[int, defaultdict[int, list[int]]] = defaultdict(lambda: defaultdict(list))
    for query, positive in pairs:
        if texts.cell[positive] >= 0:
            wanted[int(texts.cell[positive])][query].append(positive)
    for query in asked:
        wanted[int(texts.home[query])][query] += []
    for cell, positives_of in sorted(wanted.items()):
        places = np.flatnonzero(texts.cell == cell)
        if not len(places):
            continue
        first = int(places[0])
        turned = vectors[texts.rows[places]].T.tocsr()
        asking = sorted(positives_of)
        step = max(1, _SIMILARITIES_AT_ONCE // len(places))
        for block in (asking[start : start + step] for start in range(0, len(asking), step)):
            similar = (vectors[texts.rows[block]] @ turned).toarray()
            for query, row in zip(block, similar, strict=True):
                own = {*texts.places_of[texts.author[query]], *texts.barred.get(texts.author[query], ())}
                inside = [place - first for place in own if first <= place < first + len(places)]
                similarity = row[[positive - first for positive in positives_of[query]]]
                row[inside] = np.nan
                for group in _topic_matched(query, positives_of[query], similarity, row, first, texts):
                    yield _TOPIC_MATCHED, group
                if query in asked and texts.home[query] == cell:
                    others = np.flatnonzero(row == row)
                    if negatives := _first(others, -row[others], first, TOPICAL, query, texts):
                        yield _ADVERSARIAL, (query, asked[query], negatives)


def _topic_matched(
    query: int, positives: Sequence[int], similarities: F32, row: F32, first: int, texts: Texts
) -> Iterator[Group]:
    """Yield each positive of a query with texts of its similarity, then as many of lower as of higher, nearest first.

    Args:
        similarities: shape (positives,), of the positives to the query.
        row: similarity of each text of the cell to the query; NaN: no negative.
        first: place of the cell's first text.
    """
    from authbench.release.pool_kernels import find_topic_matched

    found, sizes = np.empty((len(positives), MOST + 2 * EACH_SIDE), np.int64), np.empty(len(positives), np.int64)
    find_topic_matched(
        query, np.array(positives, np.int64), similarities, row, first, texts.first, texts.end, texts.lengths,
        texts.logarithms, texts.rank, _EQUAL, MOST, EACH_SIDE, found, sizes,
    )  # fmt: skip
    for positive, negatives, size in zip(positives, found.tolist(), sizes.tolist(), strict=True):
        if size >= LEAST_OF_TOPIC:
            yield query, positive, negatives[:size]


def _first(
    places: Places, distances: NDArray[np.floating[Any]], first: int, most: int, to: int, texts: Texts
) -> list[int]:
    """Return `most` places of the least distances; equal ones in an order of the text's own."""
    if not most:
        return []
    if len(places) > most:
        near = distances <= np.partition(distances, most - 1)[most - 1]
        places, distances = places[near], distances[near]
    turned = texts.rank[places + first] - texts.rank[to]
    return [int(place) + first for place in places[np.lexsort((turned, distances))[:most]]]


def _count(
    pool: str,
    wanted: Sequence[tuple[int, int]],
    kept: _Groups,
    texts: Texts,
    documents: pl.DataFrame,
) -> pl.DataFrame:
    asked, positives = np.array(wanted, dtype=np.int64).reshape(-1, 2).T
    there = _flat(kept.queries).astype(np.int64) * len(texts.ids) + _flat(kept.positives)
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
    """Return the pairs of groups, numbered from 0 by pool, query and positive."""
    ids = pl.Series(texts.ids, dtype=pl.String)
    by_id = ids.rank("ordinal").to_numpy().astype(np.int32)
    parts, first = [pl.DataFrame(schema=PAIRS.schema)], 0
    for pool, groups in found.items():
        queries, positives, sizes = map(_flat, (groups.queries, groups.positives, groups.sizes))
        number = np.empty(len(queries), np.int32)
        number[np.lexsort((by_id[positives], by_id[queries]))] = np.arange(first, first + len(queries))
        group = np.concatenate([number, np.repeat(number, sizes)])
        asked = np.concatenate([queries, np.repeat(queries, sizes)])
        others = np.concatenate([positives, _flat(groups.negatives)])
        negative = np.arange(len(others)) >= len(queries)
        order = np.lexsort((by_id[others], negative, group))
        parts.append(
            pl.DataFrame(
                {
                    "pool": pl.repeat(pool, len(others), dtype=pl.String, eager=True),
                    "group": pl.Series(group[order], dtype=pl.Int32),
                    "query_id": ids.gather(asked[order]),
                    "candidate_id": ids.gather(others[order]),
                    "same": pl.Series(~negative[order], dtype=pl.Boolean),
                }
            )
        )
        first += len(queries)
    return pl.concat(parts)


def _flat(places: "array[int]") -> NDArray[np.int32]:
    return np.frombuffer(places, np.int32) if places else np.empty(0, np.int32)
