"""Write the benchmark as PAN's verification task.

Every split gets `<split>/pairs.jsonl` and `<split>/truth.jsonl`: same-author pairs, each text in at most one pair, and
as many pairs of the same texts by two authors who write in the same language. `<split>/<pool>/` contains the release's
scored
pairs: every positive, and a negative. `authbench pan pairs` makes sets that also separate topics, as PAN's
do.
"""

from pathlib import Path

import polars as pl

from authbench.config.settings.publish import Publish
from authbench.publish.export.card import write_card
from authbench.publish.export.examples import one_of_each
from authbench.release.format.columns import POOLS
from authbench.release.format.pan import write_pairs, write_truth
from authbench.release.format.release import Release
from authbench.suites.pan.pairs import PER_AUTHOR, as_table, different_authors, same_author

_PAIRS_AT_ONCE = 5_000


def write_pan(folder: Path, release: Release, about: Publish) -> None:
    """Write the pairs of all splits. Memory: the texts of a split, and the ids of its pairs."""
    for split in release.splits:
        _write_split(folder / split, release, split)
    write_card(folder, release, about, "pan")


def _write_split(folder: Path, release: Release, split: str) -> None:
    seed = release.seed
    labels = release.read_provenance(("id", "topic", "genre"))
    topics = labels.select("id", topic=pl.coalesce("topic", "genre"))
    texts = _texts(release, split)
    known = texts.with_columns(text="id")  # pairs get their texts when they are written
    pool = known.filter("candidate").drop("row").with_row_index("row")
    same = same_author(pool, PER_AUTHOR, seed)
    drawn = as_table(pool, same, different_authors(pool, same, len(same), seed), seed)
    _write(drawn, topics, texts, folder)
    released = release.pairs(split)
    for name in POOLS:
        of_pool = released.filter(pl.col("pool") == name)
        if of_pool.height:
            _write(_balanced(of_pool, known, seed), topics, texts, folder / name)


def _write(pairs: pl.DataFrame, topics: pl.DataFrame, texts: pl.DataFrame, folder: Path) -> None:
    pairs = _with(pairs, "topic", topics)
    parts = (_with(part, "text", texts) for part in pairs.iter_slices(_PAIRS_AT_ONCE))
    write_pairs(parts, folder / "pairs.jsonl")
    write_truth(pairs, folder / "truth.jsonl")


def _with(pairs: pl.DataFrame, column: str, known: pl.DataFrame) -> pl.DataFrame:
    for side in (1, 2):
        own = known.select(pl.col("id").alias(f"doc{side}"), pl.col(column).alias(f"{column}{side}"))
        pairs = pairs.drop(f"{column}{side}").join(own, on=f"doc{side}", how="left", maintain_order="left")
    return pairs


def _balanced(released: pl.DataFrame, texts: pl.DataFrame, seed: int) -> pl.DataFrame:
    """Return the pairs of a pool in the form of `pan.pairs.as_table`, with a negative of each group by hash.

    Two texts that are each other's query are a single pair.
    """
    row = dict(texts.select("id", "row").iter_rows())
    drawn = one_of_each(released, seed, "pan")
    sides: dict[bool, dict[tuple[int, int], None]] = {True: {}, False: {}}
    for query, candidate, same in drawn.select("query_id", "candidate_id", "same").iter_rows():
        one, other = sorted((row[query], row[candidate]))
        sides[same][one, other] = None
    return as_table(texts, list(sides[True]), list(sides[False]), seed)


def _texts(release: Release, split: str) -> pl.DataFrame:
    """Return the texts of a split; each is a separate topic, which allows any two to be a pair."""
    batches = [
        batch.select("id", "lang", "candidate", author="author_id", topic="id", text="content")
        for batch in release.texts(split)
    ]
    return pl.concat(batches).with_row_index("row")
