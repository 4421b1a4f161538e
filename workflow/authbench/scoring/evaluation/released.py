"""Read what a release states about its pairs: positives from other works, and the pools that every model scores.

A release from elsewhere may have neither file; then the headline scores that need them are left out, with the reason.
Memory: about 100 bytes per released pair.
"""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import polars as pl

from authbench.core.arrays import BOOL, F64, I32
from authbench.core.errors import InputError
from authbench.release.format.columns import PAIRS, POSITIVES
from authbench.scoring.evaluation.lists import Lists
from authbench.scoring.metrics.auc import areas_of_groups
from authbench.scoring.metrics.ranking import of_random_ranking

S_AT_5 = "s@5_other_work"
BY_CHANCE = "s@5_other_work_by_chance"  # the score of a random order
# The pools of pairs that a release states, and the score of each.
POOLS: Mapping[str, str] = {
    "matched": "auc_matched",
    "topic_matched": "auc_topic",
    "topic_adversarial": "auc_adversarial",
    "time_matched": "auc_time",
    "topic_time": "auc_topic_time",
}
# For each score, the column with the number of groups that a query's value averages; None: a value counts once.
COUNTS: Mapping[str, str | None] = {score: f"{pool}_groups" for pool, score in POOLS.items()} | {S_AT_5: None}
HEADLINES = ("auc_matched", "auc_topic", "auc_time", S_AT_5)
SCORES = (*HEADLINES, "auc_topic_time", "auc_adversarial")

NO_PAIRS = "the release has no pairs.parquet"
NO_DATES = "no pair of the release is matched in time"
NO_POSITIVES = "the release has no positives.parquet"
CUTOFF = 5


@dataclass(frozen=True)
class Released:
    """Relations and pools of a split, as rows of it.

    Attributes:
        other_work: for each of the split's positives, whether it is from another work than its query.
        pairs: `pool`, `group` (a number from 0 within the file), `query` (an index of `Split.asks`), `candidate` (a
            row), `same`.
        lists: the pairs without repetition, candidates by query.
        place: for each of `pairs`, its place in `lists.rows`.
        left_out: by headline score, why it is missing.
    """

    other_work: BOOL
    pairs: pl.DataFrame
    lists: Lists
    place: I32
    left_out: Mapping[str, str]


def released(
    split: str,
    queries: list[str],
    candidates: Mapping[str, int],
    positives: Lists,
    stated_positives: pl.DataFrame | None = None,
    stated_pairs: pl.DataFrame | None = None,
) -> Released:
    """Return what a release states about pairs, as rows.

    Args:
        split: its name, for errors.
        queries: their ids.
        candidates: the row of each candidate's id.
        positives: rows of candidates by query.
        stated_positives: `query_id`, `candidate_id`, `same_work`; None, or empty, where the release has none.
        stated_pairs: `pool`, `group`, `query_id`, `candidate_id`, `same`; likewise.

    Raises:
        InputError: an id is not in the split, a positive has no relations, or a group does not have exactly 1 positive
            or has a candidate twice.
    """
    stated_positives = pl.DataFrame(schema=POSITIVES.schema) if stated_positives is None else stated_positives
    stated_pairs = pl.DataFrame(schema=PAIRS.schema) if stated_pairs is None else stated_pairs
    left_out = {}
    if stated_pairs.is_empty():
        left_out = dict.fromkeys((score for score in HEADLINES if score != S_AT_5), NO_PAIRS)
    elif not (stated_pairs["pool"] == "time_matched").any():
        left_out["auc_time"] = NO_DATES
    if stated_positives.is_empty():
        left_out[S_AT_5] = NO_POSITIVES
    query_of = {ident: number for number, ident in enumerate(queries)}
    other = _other_work(split, query_of, candidates, positives, stated_positives)
    pairs = _numbered(f"{split}/pairs.parquet", query_of, candidates, stated_pairs)
    _expect_one_positive(split, pairs)
    return numbered(other, pairs, len(queries), len(candidates), left_out)


def numbered(
    other_work: BOOL, pairs: pl.DataFrame, queries: int, candidates: int, left_out: Mapping[str, str]
) -> Released:
    """Return relations and pairs with `lists` and `place`, for so many queries and candidates."""
    size = max(1, candidates)
    keys = pairs["query"].to_numpy().astype(np.int64) * size + pairs["candidate"].to_numpy()
    order = pl.Series(keys).arg_sort().to_numpy()
    keys = keys[order]
    first = np.diff(keys, prepend=-1) > 0  # of equal pairs
    unique, place = keys[first], np.empty(len(keys), np.int32)
    place[order] = np.cumsum(first, dtype=np.int32) - 1
    counts = np.bincount(unique // size, minlength=queries)
    lists = Lists(np.concatenate([[0], np.cumsum(counts)]).astype(np.int64), (unique % size).astype(np.int32))
    return Released(other_work, pairs, lists, place, left_out)


def _numbered(
    file: str, query_of: Mapping[str, int], candidates: Mapping[str, int], stated: pl.DataFrame
) -> pl.DataFrame:
    """Return the stated rows with `query` and `candidate` as numbers. Raises InputError for an unknown id."""
    numbers = {}
    for column, known in (("query", query_of), ("candidate", candidates)):
        numbers[column] = _numbers(stated[f"{column}_id"], known)
        unknown = numbers[column].is_null()
        if unknown.any():
            raise InputError(
                f"{file}, row {(unknown.arg_max() or 0) + 1}: its {column}_id is not a {column} of this split "
                f"({unknown.sum()} rows). Expected pairs of its queries and candidates; fetch the release again."
            )
    return stated.drop("query_id", "candidate_id").with_columns(**numbers)


def _numbers(ids: pl.Series, known: Mapping[str, int]) -> pl.Series:
    """Return the number of each id, texts or an Enum; null for an unknown id."""
    if not isinstance(ids.dtype, pl.Enum):
        return ids.replace_strict(known, default=None, return_dtype=pl.Int32)
    by_code = [known.get(ident) for ident in ids.dtype.categories]
    return pl.Series(by_code, dtype=pl.Int32).gather(ids.to_physical())


def _other_work(
    split: str, query_of: Mapping[str, int], candidates: Mapping[str, int], positives: Lists, stated: pl.DataFrame
) -> BOOL:
    if stated.is_empty():
        return np.zeros(len(positives.rows), bool)
    known = pl.DataFrame(
        {
            "query": _numbers(stated["query_id"], query_of),
            "candidate": _numbers(stated["candidate_id"], candidates),
            "same_work": stated["same_work"],
        }
    ).drop_nulls(["query", "candidate"])
    rows = positives.frame().join(known, on=["query", "candidate"], how="left", maintain_order="left")
    lacking = rows["same_work"].null_count()
    if rows.height != len(positives.rows) or lacking:
        raise InputError(
            f"{split}/positives.parquet: {lacking or 'some'} positives of ground_truth.jsonl are not there once. "
            "Expected a row for every query and positive; fetch the release again."
        )
    return ~rows["same_work"].to_numpy()


def _expect_one_positive(split: str, pairs: pl.DataFrame) -> None:
    wrong = (
        pairs.group_by("group")
        .agg(pl.col("same").sum(), pl.col("pool", "query", "candidate").n_unique(), size=pl.len())
        .sort("group")
        .filter(
            pl.any_horizontal(pl.col("same", "pool", "query") != 1, pl.col("candidate") < pl.max_horizontal("size", 2))
        )
    )
    if wrong.height:
        raise InputError(
            f"{split}/pairs.parquet: {wrong.height} groups, such as {wrong.item(0, 'group')}, are not one query with "
            "one positive and its negatives, each once, in one pool. Fetch the release anew."
        )


def expect_answers(split: str, stated: Released, positives: Lists) -> None:
    """Raise InputError unless the pairs of one author are those of a query and its answer."""
    answers = stated.pairs.join(positives.frame(), on=["query", "candidate"], how="semi")
    if answers.height != stated.pairs["same"].sum() or not answers["same"].all():
        raise InputError(
            f"{split}/pairs.parquet: `same` is not what {split}/ground_truth.jsonl has as answers. Fetch the release "
            "anew."
        )


def group_scores(stated: Released, scores: F64, queries: int) -> dict[str, F64]:
    """Return by score of POOLS the mean area over each query's groups (NaN: none), and the number of groups."""
    found: dict[str, F64] = {}
    for pool, score in POOLS.items():
        here = (stated.pairs["pool"] == pool).to_numpy()
        rows = stated.pairs.filter(pl.Series(here, dtype=pl.Boolean))
        group = (rows["group"].rank("dense") - 1).cast(pl.Int64).to_numpy()
        area = areas_of_groups(group, rows["same"].to_numpy(), scores[stated.place[here]])
        query = rows.filter("same").sort("group")["query"].to_numpy()
        count = np.bincount(query, minlength=queries)
        with np.errstate(invalid="ignore"):
            found[score] = np.bincount(query, area, queries) / count
        found[f"{pool}_groups"] = count.astype(np.float64)
    return found


def success_of_other_work(stated: Released, positives: Lists, ranks: np.ndarray, sizes: np.ndarray) -> dict[str, F64]:
    """Return for each query Success@5 of other-work positives, and the score of a random order; NaN: no such positive.

    Positives from the query's work count neither way: they are removed from the ranking.

    Args:
        ranks: shape (positives,), from 1, in the pool of the query's language; 0 for a positive outside it.
        sizes: shape (queries,), candidates in these pools.

    Returns:
        By name, each of shape (queries,).
    """
    owners, inside = positives.owners(), ranks > 0
    queries = len(positives.starts) - 1
    best = np.full(queries, np.iinfo(np.int64).max)
    np.minimum.at(best, owners[inside & stated.other_work], ranks[inside & stated.other_work])
    same_work = inside & ~stated.other_work
    before = np.bincount(owners[same_work], ranks[same_work] < best[owners[same_work]], queries)
    count = np.bincount(owners[inside & stated.other_work], minlength=queries)
    pool = sizes - np.bincount(owners[same_work], minlength=queries)
    answered = count > 0
    pairs, which = np.unique(np.stack([pool[answered], count[answered]]), axis=1, return_inverse=True)
    by_pair = [of_random_ranking(int(n), int(p), (CUTOFF,))[f"success@{CUTOFF}"] for n, p in pairs.T]
    chance = np.full(queries, np.nan)
    chance[answered] = np.array(by_pair)[which.ravel()] if by_pair else np.empty(0)
    hit = np.where(answered, (best - before <= CUTOFF).astype(np.float64), np.nan)
    return {S_AT_5: hit, BY_CHANCE: chance}
