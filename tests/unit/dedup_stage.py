"""The stage of de-duplication on a table in memory: its jobs one after another, as a build runs them."""

import random
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

import polars as pl

from authbench.build.dedup.jobs.compare import compare_part
from authbench.build.dedup.jobs.decide import Compared, Decisions, decide_all
from authbench.build.dedup.jobs.link import link_part
from authbench.build.dedup.jobs.sign import sign_shard
from authbench.core.storage.json_files import read_json
from authbench.core.storage.parquet import read_columns, write_frames, write_parquet

ORDER = ["late", "early"]  # of the sources in the recipe
COLUMNS = ["doc_key", "source", "author_id", "lang", "content"]


class Outcome(NamedTuple):
    """The REMOVED rows, with the doc_key of the kept representative as `kept`, and the counts of the stage."""

    removed: pl.DataFrame
    counts: dict[str, int]


def run_jobs(
    folder, table, settings, order, shards=1, parts=1, filtered=None, change_signatures=None, backend="kernels"
):
    """Run the jobs on a table divided into shards; return the folder, which holds removed.parquet and counts.json.

    `table` has COLUMNS, `order` the sources in corpus order, `filtered` the keys that a filter removed before.
    """
    texts = [folder / f"texts/{shard}.parquet" for shard in range(shards)]
    signatures = [folder / f"signatures/{shard}.parquet" for shard in range(shards)]
    links, pairs = ([folder / f"{name}/{part}.parquet" for part in range(parts)] for name in ("links", "pairs"))
    counts = [folder / f"pairs/{part}.json" for part in range(parts)]
    gone = [] if filtered is None else [folder / f"filter/{shard}.parquet" for shard in range(shards)]
    for shard, (path, to) in enumerate(zip(texts, signatures, strict=True)):
        part = table.select(COLUMNS).gather_every(shards, shard)
        write_frames(path, [part[: part.height // 2], part[part.height // 2 :]])
        sign_shard(path, to, settings, backend)
        if change_signatures:
            write_parquet(change_signatures(read_columns([to])), to)
    for path, text in zip(gone, texts, strict=False):
        write_parquet(read_columns([text], ["doc_key"]).filter(pl.col("doc_key").is_in(filtered)), path)
    for place in range(parts):
        link_part(signatures, gone, links[place], (place, parts), order, settings, backend)
    for place in range(parts):
        compare_part(signatures, texts, links, pairs[place], counts[place], (place, parts), order, settings)
    removed, told = folder / "removed.parquet", folder / "counts.json"
    decide_all(signatures, gone, Compared(pairs, counts), Decisions(removed, told), "documents", order, settings)
    return folder


def deduplicate(table, settings, order, **jobs):
    """Return what `run_jobs` removes from the table and counts."""
    with TemporaryDirectory() as folder:
        finished = run_jobs(Path(folder), table, settings, order, **jobs)
        removed = read_columns([finished / "removed.parquet"])
        facts = read_json(finished / "counts.json")["facts"]["dedup"]
    return Outcome(removed.with_columns(kept=pl.col("detail").str.strip_prefix("stand-in ")), facts)


def made_up(documents):
    """Texts of random words, a third of them edited copies of others, from two sources and five authors."""
    chance = random.Random(3)
    words = ["".join(chance.choices("abcdefghij", k=chance.randint(2, 8))) for _ in range(500)]
    texts = []
    for _ in range(documents):
        if texts and chance.random() < 0.35:
            copy = chance.choice(texts).split(" ")
            for _ in range(chance.randint(0, 4)):
                copy[chance.randrange(len(copy))] = chance.choice(words)
            texts.append(" ".join(copy))
        else:
            texts.append(" ".join(chance.choices(words, k=chance.randint(1, 60))))
    keys = chance.sample(range(10 * documents), documents)
    return pl.DataFrame(
        {
            "doc_key": [f"k{key:06d}" for key in keys],
            "source": [chance.choice(ORDER) for _ in texts],
            "author_id": [chance.choice("vwxyz") for _ in texts],
            "lang": ["en"] * len(texts),
            "content": texts,
        }
    )


def whole(folder):
    return (folder / "removed.parquet").read_bytes(), (folder / "counts.json").read_bytes()
