"""Write pairs and triplets of texts for libraries that train and score encoders.

Pairs come from the release's pools: each positive with a negative. Triplets are drawn from the texts of
`train`, with negatives matched as in the pool `matched`: with the positive's language, source, primary genre and length
bucket, by another author.
"""

from collections import defaultdict
from collections.abc import Iterator

import polars as pl

from authbench.core.identity import keyed_hash, keyed_hashes
from authbench.core.records import primary_genre
from authbench.release.format.columns import CANDIDATES, QUERIES
from authbench.release.format.release import Release

PAIRS_OF_TEXTS = pl.Schema(
    {
        "sentence1": pl.String,
        "sentence2": pl.String,
        "label": pl.Int32,  # 1: by one author
        "lang": pl.String,
        "group": pl.Int32,  # as in `pairs`
        "id1": pl.String,
        "id2": pl.String,
    }
)
TRIPLETS = pl.Schema(dict.fromkeys(("anchor", "positive", "negative"), pl.String))
MOST_GROUPS = 10_000  # of a pool and a split: texts are repeated in each pair
PER_AUTHOR = 10  # triplets
_TRAIN = "train"
_ROWS = 5_000  # written at once
_STRATUM = ("lang", "source", "primary", "length_bucket")
_OF_TRIPLETS = ("id", "split", "scored", "author_id", "origin", "lang", "source", "genre", "length_bucket")
_Ids = tuple[str, str, str]


def text_pairs(release: Release, split: str, pool: str, released: pl.DataFrame) -> Iterator[pl.DataFrame]:
    """Yield pairs of a pool of a split with their texts (PAIRS_OF_TEXTS): both answers of each group.

    If there are more than MOST_GROUPS groups, the groups with the lowest hashes are used. Memory: the texts of these
    pairs.

    Args:
        released: the split's pairs of the pool (PAIRS).
    """
    groups = released["group"].unique().sort()
    ranks = keyed_hashes(release.seed, f"pairs of {pool}", map(str, groups))
    taken = groups.to_frame().with_columns(ranks).sort("rank", "group").head(MOST_GROUPS).select("group")
    chosen = released.join(taken, on="group", how="semi", maintain_order="left")
    drawn = one_of_each(chosen, release.seed, "pair with its texts")
    texts = _texts(release, split, pl.concat([drawn["query_id"], drawn["candidate_id"]]))
    for rows in drawn.iter_slices(_ROWS):
        one = rows.join(texts, left_on="query_id", right_on="id", how="left", maintain_order="left")
        both = one.join(texts, left_on="candidate_id", right_on="id", how="left", maintain_order="left", suffix="2")
        yield both.select(
            pl.col("content").alias("sentence1"),
            pl.col("content2").alias("sentence2"),
            pl.col("same").cast(pl.Int32).alias("label"),
            "lang",
            "group",
            pl.col("query_id").alias("id1"),
            pl.col("candidate_id").alias("id2"),
        )


def one_of_each(pairs: pl.DataFrame, seed: int, purpose: str) -> pl.DataFrame:
    """Return a positive and a negative of each group, drawn by hash."""
    keys = pairs.select(pl.concat_str("query_id", "candidate_id", separator=" ")).to_series()
    return (
        pairs.with_columns(keyed_hashes(seed, purpose, keys).alias("rank"))
        .sort("group", "same", "rank", "candidate_id", descending=[False, True, False, False])
        .unique(["group", "same"], keep="first", maintain_order=True)
    )


def triplets(release: Release) -> Iterator[pl.DataFrame]:
    """Yield anchor, positive and negative (TRIPLETS), in the order of a hash; no rows without a split `train`.

    Memory: their texts, of at most PER_AUTHOR triplets an author.
    """
    if _TRAIN not in release.splits:
        return
    ids = pl.DataFrame(triplet_ids(release.read_provenance(_OF_TRIPLETS), release.seed), TRIPLETS, orient="row")
    texts = _texts(release, _TRAIN, pl.concat(ids.get_columns())).select("id", "content")
    for rows in ids.iter_slices(_ROWS):
        for side in TRIPLETS.names():
            named = texts.rename({"id": side, "content": f"{side} text"})
            rows = rows.join(named, on=side, how="left", maintain_order="left")
        yield rows.select(pl.col(f"{side} text").alias(side) for side in TRIPLETS.names())


def triplet_ids(provenance: pl.DataFrame, seed: int) -> list[_Ids]:
    """Return the ids of triplets of the scored texts of `train`, by a hash.

    Anchor and positive are by the same author and from two works or records, each text in at most one such pair; a pair
    whose positive matches no text of another author is left out.
    """
    scored = provenance.filter((pl.col("split") == _TRAIN) & pl.col("scored")).with_columns(
        primary=pl.col("genre").map_elements(primary_genre, pl.String)
    )
    alike = pl.concat_str(_STRATUM, separator="\x1f", ignore_nulls=True)
    texts = scored.select(
        "id",
        pl.col("author_id", "origin").rank("dense"),
        stratum=alike.rank("dense"),
        rank=keyed_hashes(seed, "triplet", scored["id"]),
    ).sort("rank", "id")
    matched: dict[int, list[tuple[str, int]]] = defaultdict(list)
    by_author: dict[int, list[tuple[str, int | None, int]]] = defaultdict(list)
    for ident, author, origin, stratum in texts.select("id", "author_id", "origin", "stratum").iter_rows():
        matched[stratum].append((ident, author))
        if len(by_author[author]) < 4 * PER_AUTHOR:
            by_author[author].append((ident, origin, stratum))
    found: list[_Ids] = []
    for author, waiting in by_author.items():
        drawn = 0
        while len(waiting) > 1 and drawn < PER_AUTHOR:
            anchor, origin, _ = waiting.pop(0)
            place = next((n for n, (_, other, _) in enumerate(waiting) if other is None or other != origin), None)
            if place is None:
                continue
            positive, _, stratum = waiting.pop(place)
            negative = _other_author(matched[stratum], author, keyed_hash(seed, "negative", anchor, positive))
            if negative is not None:
                found.append((anchor, positive, negative))
                drawn += 1
    return found


def _other_author(texts: list[tuple[str, int]], author: int, start: int) -> str | None:
    """Return the first text by another author, searching cyclically from a position."""
    turned = (texts[(start + step) % len(texts)] for step in range(len(texts)))
    return next((ident for ident, other in turned if other != author), None)


def _texts(release: Release, split: str, ids: pl.Series) -> pl.DataFrame:
    wanted = ids.unique().alias("id").to_frame()
    found = [pl.DataFrame(schema={"id": pl.String, "lang": pl.String, "content": pl.String})]
    for table in (CANDIDATES, QUERIES):
        for batch in release.rows(split, table):
            rows = batch.select(pl.col(table.ident).alias("id"), "lang", "content")
            found.append(rows.join(wanted, on="id", how="semi", maintain_order="left"))
        wanted = wanted.join(pl.concat(found), on="id", how="anti")
        if not wanted.height:
            break
    return pl.concat(found)
