"""Verification problems out of the pairs that a release states (`pairs.parquet`): a positive with matched negatives.

The texts of a pair are of one language and genre, from different works, and in the pool `topic_matched` alike in topic;
negatives of `topic_adversarial` are those most like it in topic. To learn from: the pairs of all splits but the last
that has some, `test` where it is there; these are what is tested on, so that no author of the test is in train.
"""

from collections.abc import Mapping

import polars as pl

from authbench.errors import InputError
from authbench.format.release import Release
from authbench.identity import keyed_hashes
from authbench.pan.pairs import LARGE, SMALL, TEST, Pair, as_table, small_within, violations
from authbench.pan.settings import PER_AUTHOR
from authbench.settings.evaluate import Pairs


def build_released(release: Release, documents: pl.DataFrame, settings: Pairs, seed: int) -> dict[str, pl.DataFrame]:
    """Return the sets LARGE, SMALL and TEST, as `pairs.build`, of the pool of pairs that `settings.setting` names.

    A text stands in at most one pair by its author, as first or as second; negatives are those of the positives that
    are kept, one of each before a second of any. All chance is a hash of ids and seed.

    Args:
        documents: of the release, as `documents.DOCUMENTS`.

    Raises:
        InputError: fewer than two splits have pairs of this pool, or a set would be empty.
    """
    stated = {split: release.pairs(split).filter(pl.col("pool") == settings["setting"]) for split in release.splits}
    having = [split for split, pairs in stated.items() if pairs.height]
    if len(having) < 2:
        raise InputError(
            f"{release.folder}: of its splits ({', '.join(release.splits)}) {', '.join(having) or 'none'} has pairs of "
            f"the pool {settings['setting']}. Expected two, to learn from and to test on; use another setting."
        )
    tested = "test" if "test" in having else having[-1]
    pool = documents.sort("id").with_row_index("row")
    sides: Mapping[str, list[str]] = {LARGE: [one for one in having if one != tested], TEST: [tested]}
    sets = {}
    for name, splits in sides.items():
        rows = pl.concat([stated[split].with_columns(split=pl.lit(split)) for split in splits])
        same, others = _drawn(_with_rows(rows, pool), settings, seed)
        if not same or not others:
            raise InputError(
                f"{release.folder}: the pool {settings['setting']} gives no pair by one author, or none by two, for "
                f"the {name} set, from {rows.height} rows of {', '.join(splits)}. Use another setting."
            )
        sets[name] = as_table(pool, same, others, seed)
    sets[SMALL] = small_within(sets[LARGE], settings, seed)
    broken = violations(sets, settings)
    if broken:
        raise InputError(f"{release.folder}: its pairs break rules: {'; '.join(broken)}. Fetch the release anew.")
    return sets


def _with_rows(stated: pl.DataFrame, pool: pl.DataFrame) -> pl.DataFrame:
    """Return the stated pairs with `one` and `other`, rows of the pool, and `author` of the query; no others."""
    known = pool.select("id", "row", "author")
    return stated.join(known.rename({"id": "query_id", "row": "one"}), on="query_id").join(
        known.select(candidate_id="id", other="row"), on="candidate_id"
    )


def _drawn(rows: pl.DataFrame, settings: Pairs, seed: int) -> tuple[list[Pair], list[Pair]]:
    """Return pairs by one author, at most `per_author` of each, and the share of pairs by two that is asked for."""
    ids = rows["query_id"] + "\x1f" + rows["candidate_id"]
    rows = rows.with_columns(rank=keyed_hashes(seed, "released pair", ids)).sort("rank", "query_id", "candidate_id")
    same: list[Pair] = []
    groups: list[tuple[str, int]] = []
    used: set[int] = set()
    made: dict[str, int] = {}
    for split, group, one, other, author in (
        rows.filter("same").select("split", "group", "one", "other", "author").iter_rows()
    ):
        if one not in used and other not in used and made.get(author, 0) < PER_AUTHOR:
            made[author] = made.get(author, 0) + 1
            used |= {one, other}
            same.append((one, other))
            groups.append((split, group))
    kept = pl.DataFrame(groups, schema={"split": pl.String, "group": rows.schema["group"]}, orient="row")
    negatives = (
        rows.filter(~pl.col("same"))
        .join(kept, on=["split", "group"], how="semi", maintain_order="left")
        .with_columns(turn=pl.int_range(pl.len()).over("split", "group"))
        .sort("turn", "rank", "query_id", "candidate_id")
    )
    found: dict[Pair, None] = {}
    for one, other in negatives.select("one", "other").iter_rows():
        if (other, one) not in found:
            found[one, other] = None
    others = list(found)[: round(len(same) * (1 - settings["same"]) / settings["same"])]
    return same[: round(len(others) * settings["same"] / (1 - settings["same"]))], others
