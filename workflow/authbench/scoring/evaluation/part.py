"""Take parts of a split, with fewer queries or candidates, by a keyed hash."""

import hashlib
from collections.abc import Iterable, Iterator
from dataclasses import replace
from itertools import product

import numpy as np
import orjson
import polars as pl

from authbench.core.arrays import I32
from authbench.core.errors import InputError
from authbench.core.identity import keyed_hash
from authbench.scoring.evaluation.lists import Lists
from authbench.scoring.evaluation.released import HEADLINES, POOLS, numbered
from authbench.scoring.evaluation.split import Split

NO_PAIR = "no such pair of the release is within the part"


def parts(split: Split, queries: Iterable[int], candidates: Iterable[int], seed: int) -> Iterator[tuple[str, Split]]:
    """Yield a part for each number of queries and of candidates, with the name of its folder; without any, the split.

    Raises:
        InputError: the answers of the queries are more than the candidates.
    """
    for asked, pool in product(dict.fromkeys(queries) or (None,), dict.fromkeys(candidates) or (None,)):
        limits = {"queries": asked, "candidates": pool}
        name = "-".join(f"{limit}-{what}" for what, limit in limits.items() if limit is not None)
        yield name, part(split, asked, pool, seed) if name else split


def part(split: Split, queries: int | None, candidates: int | None, seed: int) -> Split:
    """Return at most so many queries of a split, and its candidates: their answers, and others up to the number.

    A part with fewer queries, or with fewer candidates of equal queries, is within one with more. Released pairs with a
    missing candidate are left out.
    """
    ids = split.documents["id"]
    asked = _first(ids.gather(split.asks), np.arange(len(split.asks), dtype=np.int32), queries, seed, "part query")
    lists = split.positives.owners()
    answers = np.unique(split.positives.rows[np.isin(lists, asked)])
    if candidates is not None and candidates < len(answers):
        raise InputError(
            f"{candidates:,} candidates (--max-candidates) are fewer than the {len(answers):,} answers of "
            f"{len(asked):,} queries. Give more, or fewer queries by --max-queries."
        )
    others = np.setdiff1d(np.arange(split.candidates, dtype=np.int32), answers)
    left = None if candidates is None else candidates - len(answers)
    pool = np.union1d(answers, _first(ids.gather(others), others, left, seed, "part candidate"))
    rows = np.concatenate([pool, np.setdiff1d(split.asks[asked], pool)])
    place = np.full(split.documents.height, -1, np.int32)
    place[rows] = np.arange(len(rows))
    kept = np.where(place < len(pool), place, -1)
    query = np.full(len(split.asks), -1, np.int32)
    query[asked] = np.arange(len(asked))
    stated = split.released.pairs
    moved = stated.with_columns(
        query=pl.Series(query[stated["query"].to_numpy()]), candidate=pl.Series(kept[stated["candidate"].to_numpy()])
    ).filter(pl.col("query") >= 0, pl.col("candidate") >= 0)
    whole = moved.filter(pl.col("same").any().over("group") & (pl.len().over("group") > 1))
    present = set(whole["pool"].unique())
    lacking = {score: NO_PAIR for pool, score in POOLS.items() if score in HEADLINES and pool not in present}
    other_work = split.released.other_work[np.isin(lists, asked)]
    number = f"{len(asked):,} of {len(split.asks):,} queries among {len(pool):,} of {split.candidates:,} candidates"
    return replace(
        split,
        documents=split.documents[rows],
        candidates=len(pool),
        asks=place[split.asks[asked]],
        positives=_moved(split.positives, asked, kept),
        excluded=_moved(split.excluded, asked, kept),
        checksum=hashlib.sha256(orjson.dumps([split.checksum, rows.tolist(), asked.tolist()])).hexdigest(),
        released=numbered(other_work, whole, len(asked), len(pool), {**lacking, **split.released.left_out}),
        unverified="; ".join(
            filter(None, [split.unverified, f"a part: {number}, drawn by a keyed hash (seed {seed})"])
        ),
    )


def _first(ids: pl.Series, rows: I32, number: int | None, seed: int, key: str) -> I32:
    """Return the first `number` of rows in the order of their ids' hashes, sorted; all for None."""
    order = sorted(range(len(rows)), key=lambda place: (keyed_hash(seed, key, ids[place]), place))
    return np.sort(rows[order[:number]])


def _moved(lists: Lists, asked: I32, place: I32) -> Lists:
    found = (place[lists.rows[lists.starts[one] : lists.starts[one + 1]]] for one in asked)
    return Lists.of([row for row in rows.tolist() if row >= 0] for rows in found)
