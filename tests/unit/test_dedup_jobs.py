"""De-duplication as jobs of their own: what goes does not depend on how the work is divided."""

import json
import random
import subprocess
import sys
from pathlib import Path

import polars as pl
import pytest

from authbench.dedup.jobs.compare import compare_part
from authbench.dedup.jobs.decide import decide_all
from authbench.dedup.jobs.link import link_part
from authbench.dedup.jobs.sign import sign_shard
from authbench.dedup.settings import DedupSettings, part_count
from authbench.dedup.signatures import sign_texts
from authbench.dedup.similar_pairs import find_duplicates
from authbench.records import REMOVED
from authbench.runtime import jit
from authbench.storage.json_files import read_json
from authbench.storage.parquet import read_columns, write_frames, write_parquet

ORDER = ["late", "early"]  # of the sources in the recipe
SETTINGS = DedupSettings()


def made_up(documents: int) -> pl.DataFrame:
    """Texts of random words, a third of them edited copies of others, from two sources and five authors."""
    chance = random.Random(3)
    words = ["".join(chance.choices("abcdefghij", k=chance.randint(2, 8))) for _ in range(500)]
    texts: list[str] = []
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


def removed_by_jobs(
    folder: Path,
    table: pl.DataFrame,
    shards: int = 1,
    parts: int = 1,
    settings: DedupSettings = SETTINGS,
    filtered: list[str] | None = None,
) -> Path:
    """Run the jobs on a table divided into shards; give the folder with removed.parquet and counts.json."""
    texts = [folder / f"texts/{shard}.parquet" for shard in range(shards)]
    signatures = [folder / f"signatures/{shard}.parquet" for shard in range(shards)]
    links, pairs = ([folder / f"{name}/{part}.parquet" for part in range(parts)] for name in ("links", "pairs"))
    counts = [folder / f"pairs/{part}.json" for part in range(parts)]
    gone = [] if filtered is None else [folder / f"filter/{shard}.parquet" for shard in range(shards)]
    for shard, (path, to) in enumerate(zip(texts, signatures, strict=True)):
        part = table.gather_every(shards, shard)
        write_frames(path, [part[: part.height // 2], part[part.height // 2 :]])
        sign_shard(path, to, settings)
    for path, text in zip(gone, texts, strict=False):
        write_parquet(read_columns([text], ["doc_key"]).filter(pl.col("doc_key").is_in(filtered)), path)
    for part in range(parts):
        link_part(signatures, gone, links[part], (part, parts), ORDER, settings)
    for part in range(parts):
        compare_part(signatures, texts, links, pairs[part], counts[part], (part, parts), ORDER, settings)
    decide_all(
        signatures,
        gone,
        pairs,
        counts,
        folder / "removed.parquet",
        folder / "counts.json",
        "documents",
        ORDER,
        settings,
    )
    return folder


def whole(folder: Path) -> tuple[bytes, bytes]:
    return (folder / "removed.parquet").read_bytes(), (folder / "counts.json").read_bytes()


@pytest.mark.parametrize("policy", ["keep_first", "drop_all"])
def test_neither_shards_nor_parts_leave_a_trace(tmp_path, policy):
    table, settings = made_up(400), DedupSettings(cross_author_duplicates=policy)
    once = removed_by_jobs(tmp_path / "once", table, settings=settings)
    divided = removed_by_jobs(tmp_path / "divided", table.reverse(), shards=8, parts=7, settings=settings)
    assert whole(once) == whole(divided)
    assert pl.read_parquet(once / "removed.parquet").height > 50


def test_the_jobs_find_what_one_pass_in_memory_finds(tmp_path):
    table = made_up(400)
    places = pl.DataFrame({"source": ORDER}).with_row_index("place")
    signed = table.hstack(sign_texts(table["content"], table["content"], SETTINGS)).join(
        places, on="source", maintain_order="left"
    )
    copies, facts = find_duplicates(signed, lambda rows: table["content"].gather(rows), SETTINGS)
    folder = removed_by_jobs(tmp_path, table, shards=3, parts=2)
    removed = read_columns([folder / "removed.parquet"])
    assert removed.schema == REMOVED
    assert removed["doc_key"].to_list() == copies["doc_key"].to_list()
    assert removed["value"].to_list() == copies["similarity"].to_list()
    assert removed["detail"].to_list() == [f"stand-in {key}" for key in copies["stand_in"]]
    assert read_json(folder / "counts.json")["facts"]["dedup"] == facts


def test_a_filtered_document_stands_for_none_and_is_not_counted(tmp_path):
    text = "It was a bright cold day in April, and the clocks were striking thirteen."
    table = pl.DataFrame(
        {"doc_key": ["a", "b", "c"], "source": "early", "author_id": "x", "lang": "en", "content": text}
    )
    folder = removed_by_jobs(tmp_path, table, shards=2, filtered=["a"])
    assert read_columns([folder / "removed.parquet"]).select("doc_key", "detail").rows() == [("c", "stand-in b")]
    assert read_json(folder / "counts.json")["sources"]["early"]["in"] == 2


def test_no_documents_no_duplicates(tmp_path):
    folder = removed_by_jobs(tmp_path, made_up(4).clear(), shards=2, parts=2)
    assert read_columns([folder / "removed.parquet"]).is_empty()


def test_texts_that_changed_since_they_were_signed_are_refused(tmp_path):
    table = made_up(50)
    removed_by_jobs(tmp_path, table)
    write_frames(tmp_path / "texts/0.parquet", [table.with_columns(content=pl.col("content") + " and more")])
    with pytest.raises(ValueError, match="not those that were signed"):
        compare_part(
            [tmp_path / "signatures/0.parquet"], [tmp_path / "texts/0.parquet"], [tmp_path / "links/0.parquet"],
            tmp_path / "pairs.parquet", tmp_path / "pairs.json", (0, 1), ORDER, SETTINGS,
        )  # fmt: skip


def test_small_corpora_are_one_part_and_none_has_more_parts_than_bands():
    assert [part_count(megabytes, 25) for megabytes in (0, 0.5, 1000, 1001, 65_000)] == [1, 1, 1, 2, 25]


WITHOUT_COMPILER = r"""
import json, sys
if sys.argv[1] == "without":
    sys.modules["numba"] = None
import polars as pl
from authbench.dedup.similar_pairs import find_duplicates, similar_pairs
from authbench.dedup.settings import DedupSettings
from authbench.dedup.signatures import sign_texts
texts = ["", "ok", "ha" * 30, "ha" * 33, "吾輩は猫である。名前はまだ無い。", "吾輩は猫である。名前はまだない。",
         "e\u0301" * 9,
         "the clocks were striking thirteen", "the clocks  were striking\nthirteen", "the clocks were striking two"]
settings = DedupSettings(threshold=0.5, bands=12, rows=1)
table = pl.DataFrame({"doc_key": [f"d{i}" for i in range(len(texts))], "text": texts})
table = table.with_columns(source=pl.lit("s"), place=pl.lit(0), author_id=pl.lit("x"))
table = table.hstack(sign_texts(table["text"], table["text"], settings))
removed, counts = find_duplicates(table, lambda rows: table["text"].gather(rows), settings)
print(json.dumps([table.rows(), removed.rows(), counts]))
"""


def test_without_the_compiler_the_results_are_the_same_and_the_run_says_that_it_is_slow():
    workflow = str(Path(jit.__file__).parents[2])
    runs = {
        how: subprocess.run(
            [sys.executable, "-c", WITHOUT_COMPILER, how],
            env={"PYTHONPATH": workflow, "PYTHONIOENCODING": "utf-8"}, capture_output=True, text=True, check=True,
        )
        for how in ("with", "without")
    }  # fmt: skip
    assert json.loads(runs["with"].stdout) == json.loads(runs["without"].stdout)
    assert json.loads(runs["with"].stdout)[1]
    assert runs["without"].stderr.count("numba is missing") == 1
    assert not runs["with"].stderr
