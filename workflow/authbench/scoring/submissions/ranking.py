"""Reconstruct a ranking from the files of a submission, and check whether it is possible.

The files hold the score of every positive and drawn negative, of every released pair and of each query's ten best
candidates, and the rank of every positive in every pool. Not all scores are submitted, hence a rank can only be
bounded: at least as many candidates precede a positive as there are higher submitted scores, and at least as many
follow it as there are lower. If a score or a rank is absent, e.g. in a run with few candidates, the ranking has
`depths`, as if all candidates were ranked.

Memory: about 200 bytes per pair of the submission.
"""

from collections.abc import Iterator, Mapping

import numpy as np
import polars as pl

from authbench.core.arrays import F64, I32
from authbench.core.errors import InputError
from authbench.core.storage.parquet_headers import bounded_parquet
from authbench.scoring.evaluation.joined import expect_types
from authbench.scoring.evaluation.listed import BEHIND
from authbench.scoring.evaluation.lists import Lists
from authbench.scoring.evaluation.retrieval import NEAREST, Ranking, pool_sizes, pools
from authbench.scoring.evaluation.run import RELEASED as RELEASED_PAIRS
from authbench.scoring.evaluation.run import rank_column
from authbench.scoring.evaluation.split import Split
from authbench.scoring.submissions.archive import PAIRS, QUERIES, RELEASED, Submission

POSITIVE = "positive"
TOLERANCE = 1e-6  # of scores that should be equal
_QUERIES_AT_ONCE = 2_000
_SHOWN = 3


def read_ranking(submission: Submission, split: Split, negatives: Mapping[str, Lists]) -> tuple[Ranking, pl.DataFrame]:
    """Return the ranking that a submission states, and its table of queries.

    Raises:
        InputError: its tables are not of the queries, candidates and pairs of the split.
    """
    queries = _read(submission, QUERIES, len(split.asks)).sort("id")
    if not queries["id"].equals(split.queries["id"]):
        unknown = queries.join(split.queries, on="id", how="anti")["id"]
        named = f" ({unknown[0]!a:.40} is none of them)" if len(unknown) else ""
        raise InputError(f"{QUERIES}: its queries are not those of the split {split.name}{named}.")
    scores, ranks, against = _of_pairs(submission, split, negatives)
    against[RELEASED_PAIRS] = _of_released(submission, split)
    rows, best = _of_nearest(queries, split)
    sizes = pool_sizes(split, pools(split))
    partial = any((of_pool == BEHIND).any() for of_pool in ranks.values()) or not all(
        np.isfinite(values).all() for values in (scores, *against.values())
    )
    return Ranking(ranks, sizes, scores, rows, best, against, sizes if partial else None), queries


def _read(submission: Submission, name: str, rows: int) -> pl.DataFrame:
    """Read a table that must have `rows` rows. Raises InputError if it has not, or cannot be read."""
    table = bounded_parquet(submission.folder / name)
    if table.height != rows:
        raise InputError(f"{name}: {table.height:,} rows. The split has {rows:,}.")
    return table


def _of_pairs(
    submission: Submission, split: Split, negatives: Mapping[str, Lists]
) -> tuple[F64, dict[str, I32], dict[str, F64]]:
    """Return the scores of the positives, their ranks by pool, and the scores of the negatives by kind."""
    ids, kinds = split.documents["id"], {POSITIVE: split.positives, **negatives}
    wanted = pl.concat(
        pl.DataFrame(
            {"query": ids.gather(split.asks[pairs.owners()]), "candidate": ids.gather(pairs.rows)}
        ).with_columns(kind=pl.lit(kind))
        for kind, pairs in kinds.items()
    )
    stated = _read(submission, PAIRS, wanted.height)
    stated = stated.with_columns(there=pl.lit(True))
    joined = wanted.join(stated, on=["query", "candidate", "kind"], how="left", maintain_order="left")
    lacking = joined.filter(pl.col("there").is_null())
    if joined.height != wanted.height or lacking.height:
        examples = lacking.select("query", "candidate", "kind").head(_SHOWN).iter_rows()
        shown = ", ".join("/".join(row) for row in examples)
        raise InputError(
            f"{PAIRS}: {lacking.height or 'some'} pairs of the split are not there once ({shown}). Expected every "
            "positive and the negatives that the seed draws."
        )
    _expect_finite(PAIRS, joined)
    parts = {kind: joined.filter(kind=kind) for kind in kinds}
    ranks = {}
    for pool, (of_query, of_candidate) in pools(split).items():
        stated_ranks = parts[POSITIVE][rank_column(pool)]
        inside = of_query[split.positives.owners()] == of_candidate[split.positives.rows]
        given = stated_ranks.is_not_null().to_numpy()
        if (given & ~inside).any() or ((stated_ranks.fill_null(1) < 1).any()):
            raise InputError(f"{PAIRS}: {rank_column(pool)} is below 1, or of a positive outside that pool.")
        ranks[pool] = np.where(inside, stated_ranks.fill_null(BEHIND).to_numpy(), 0).astype(np.int32)
    values = {kind: _scores(part) for kind, part in parts.items()}
    return values.pop(POSITIVE), ranks, values


def _of_released(submission: Submission, split: Split) -> F64:
    """Return the scores of `split.released.lists`."""
    ids, pairs = split.documents["id"], split.released.pairs
    wanted = pairs.select(
        pl.col("pool").cast(pl.String),
        "group",
        "same",
        query=ids.gather(split.asks[pairs["query"].to_numpy()]),
        candidate=ids.gather(pairs["candidate"]),
    )
    stated = _read(submission, RELEASED, wanted.height)
    keys = ["pool", "group", "query", "candidate", "same"]
    stated = stated.with_columns(pl.col("group").cast(wanted.schema["group"], strict=False), there=pl.lit(True))
    joined = wanted.join(stated, on=keys, how="left", maintain_order="left")
    if joined.height != wanted.height or joined["there"].null_count():
        raise InputError(f"{RELEASED}: its pairs are not those of the release's pairs.parquet, each once.")
    _expect_finite(RELEASED, joined)
    scores, found = _scores(joined), np.zeros(len(split.released.lists.rows))
    found[split.released.place] = scores
    if not np.array_equal(found[split.released.place], scores, equal_nan=True):
        raise InputError(f"{RELEASED}: a pair that is in several groups has several scores.")
    return found


def _scores(table: pl.DataFrame) -> F64:
    return table["score"].cast(pl.Float64).fill_null(float("nan")).to_numpy()


def _expect_finite(name: str, table: pl.DataFrame) -> None:
    if not table["score"].is_finite().all():
        raise InputError(f"{name}: some scores are not numbers.")


def _of_nearest(queries: pl.DataFrame, split: Split) -> tuple[I32, F64]:
    """Return rows and scores of the best candidates of each query, as in `Ranking` except for the last."""
    rows = np.full((len(split.asks), NEAREST + 1), -1, np.int32)
    best = np.full(rows.shape, -np.inf)
    expect_types(QUERIES, queries, {"nearest": pl.List(pl.String), "scores": pl.List(pl.Float64)})
    row_of = {ident: row for row, ident in enumerate(split.documents["id"][: split.candidates])}
    excluded = split.excluded
    for query, (ident, names, scores) in enumerate(queries.select("id", "nearest", "scores").iter_rows()):
        found = [row_of.get(name, -1) for name in names or ()]
        values = np.array(scores or [], np.float64)
        gone = set(excluded.rows[excluded.starts[query] : excluded.starts[query + 1]].tolist())
        if len(found) > NEAREST or len(found) != len(values) or -1 in found or len(set(found)) < len(found):
            raise InputError(f"{QUERIES}: the nearest candidates of {ident} are not {NEAREST} candidates of the split.")
        if not gone.isdisjoint(found) or not np.isfinite(values).all() or (np.diff(values) > 0).any():
            raise InputError(f"{QUERIES}: the nearest candidates of {ident} are not in the order of their scores.")
        rows[query, : len(found)], best[query, : len(found)] = found, values
    return rows, best


def contradictions(ranking: Ranking, split: Split, negatives: Mapping[str, Lists]) -> Iterator[str]:
    """Yield contradictions: two scores of the same pair, and ranks refuted by scores or by the ten best candidates."""
    ids = split.documents["id"]
    for first in range(0, len(split.asks), _QUERIES_AT_ONCE):
        last = min(first + _QUERIES_AT_ONCE, len(split.asks))
        known = _known(ranking, split, negatives, first, last)
        spread = known.group_by("query", "candidate").agg(pl.col("score").max() - pl.col("score").min())
        for query, row, apart in spread.filter(pl.col("score") > TOLERANCE).sort("query", "candidate").iter_rows():
            yield f"the pair {ids[int(split.asks[query])]}, {ids[row]} has scores that differ by {apart:.3g}"
        once = known.unique(["query", "candidate"])
        for pool, codes in pools(split).items():
            yield from _refuted(ranking, split, once, pool, codes, first, last)


def _refuted(
    ranking: Ranking, split: Split, known: pl.DataFrame, pool: str, codes: tuple[I32, I32], first: int, last: int
) -> Iterator[str]:
    """Yield the ranks of queries [first, last) in a pool that the `known` scores refute."""
    ids, positives, (of_query, of_candidate) = split.documents["id"], split.positives, codes
    inside = of_query[known["query"].to_numpy()] == of_candidate[known["candidate"].to_numpy()]
    known = known.filter(pl.Series(inside, dtype=pl.Boolean)).sort("query", "score")
    starts, values = np.searchsorted(known["query"].to_numpy(), np.arange(first, last + 1)), known["score"].to_numpy()
    for query in range(first, last):
        here, size = values[starts[query - first] : starts[query - first + 1]], int(ranking.sizes[pool][query])
        near = [int(row) for row in ranking.nearest[query] if row >= 0]
        complete = len(near) == int(ranking.sizes["whole"][query])
        near = [row for row in near if of_candidate[row] == of_query[query]]
        place = {row: number for number, row in enumerate(near, 1)}
        for at in range(int(positives.starts[query]), int(positives.starts[query + 1])):
            row, rank, score = int(positives.rows[at]), int(ranking.ranks[pool][at]), ranking.scores[at]
            if rank in (0, BEHIND):
                continue
            stated = f"{ids[int(split.asks[query])]}: {rank_column(pool)} of its positive {ids[row]} is {rank}"
            higher, lower = len(here) - np.searchsorted(here, score, "right"), np.searchsorted(here, score, "left")
            if not higher < rank <= size - lower:
                yield f"{stated}, but {higher} of the scores given are higher, {lower} lower, of {size}"
            elif place.get(row, rank) != rank or (row not in place and (rank <= len(near) or complete)):
                among = f"number {place[row]}" if row in place else "not"
                yield f"{stated}, but it is {among} among the nearest candidates"


def _known(ranking: Ranking, split: Split, negatives: Mapping[str, Lists], first: int, last: int) -> pl.DataFrame:
    """Return the pairs of queries [first, last) with submitted scores: `query`, `candidate`, `score`."""
    lists = {**negatives, RELEASED_PAIRS: split.released.lists}
    parts = [(split.positives, ranking.scores), *((pairs, ranking.negatives[kind]) for kind, pairs in lists.items())]
    frames = []
    for pairs, scores in parts:
        span, owners = pairs.between(first, last)
        frames.append((owners, pairs.rows[span].astype(np.int64), scores[span]))
    rows = ranking.nearest[first:last]
    query, place = np.nonzero(rows >= 0)
    frames.append((query + first, rows[query, place].astype(np.int64), ranking.best[first:last][query, place]))
    table = pl.concat(
        pl.DataFrame({"query": query, "candidate": candidate, "score": score}) for query, candidate, score in frames
    ).filter(pl.col("score").is_finite())
    span, owners = split.excluded.between(first, last)
    gone = pl.DataFrame({"query": owners, "candidate": split.excluded.rows[span].astype(np.int64)})
    return table.join(gone, on=["query", "candidate"], how="anti")
