"""De-duplication as jobs of their own: what goes does not depend on how the work is divided."""

import json
import os
import subprocess
import sys
from pathlib import Path

import polars as pl
import pytest
from dedup_stage import ORDER, made_up, run_jobs, whole
from defaults import section

from authbench.build.dedup.jobs.compare import compare_part
from authbench.build.dedup.settings import part_count
from authbench.core.runtime import jit
from authbench.core.storage.json_files import read_json
from authbench.core.storage.parquet import read_columns, write_frames

SETTINGS = section("dedup")


@pytest.mark.parametrize("policy", ["keep_first", "drop_all"])
def test_neither_shards_nor_parts_leave_a_trace(tmp_path, policy):
    table, settings = made_up(400), section("dedup", cross_author_duplicates=policy)
    once = run_jobs(tmp_path / "once", table, settings, ORDER)
    divided = run_jobs(tmp_path / "divided", table.reverse(), settings, ORDER, shards=8, parts=7)
    assert whole(once) == whole(divided)
    assert pl.read_parquet(once / "removed.parquet").height > 50


def test_a_filtered_document_stands_for_none_and_is_not_counted(tmp_path):
    text = "It was a bright cold day in April, and the clocks were striking thirteen."
    table = pl.DataFrame(
        {"doc_key": ["a", "b", "c"], "source": "early", "author_id": "x", "lang": "en", "content": text}
    )
    folder = run_jobs(tmp_path, table, SETTINGS, ORDER, shards=2, filtered=["a"])
    assert read_columns([folder / "removed.parquet"]).select("doc_key", "detail").rows() == [("c", "stand-in b")]
    assert read_json(folder / "counts.json")["sources"]["early"]["in"] == 2


def test_no_documents_no_duplicates(tmp_path):
    folder = run_jobs(tmp_path, made_up(4).clear(), SETTINGS, ORDER, shards=2, parts=2)
    assert read_columns([folder / "removed.parquet"]).is_empty()


def test_texts_that_changed_since_they_were_signed_are_refused(tmp_path):
    table = made_up(50)
    run_jobs(tmp_path, table, SETTINGS, ORDER)
    write_frames(tmp_path / "texts/0.parquet", [table.with_columns(content=pl.col("content") + " and more")])
    with pytest.raises(ValueError, match="not those that were signed"):
        compare_part(
            [tmp_path / "signatures/0.parquet"], [tmp_path / "texts/0.parquet"], [tmp_path / "links/0.parquet"],
            tmp_path / "pairs.parquet", tmp_path / "pairs.json", (0, 1), ORDER, SETTINGS,
        )  # fmt: skip


def test_small_corpora_are_one_part_and_none_has_more_parts_than_bands():
    assert [part_count(megabytes, 25) for megabytes in (0, 0.5, 4000, 4001, 260_000)] == [1, 1, 1, 2, 25]


WITHOUT_COMPILER = r"""
import json, sys, tempfile
from pathlib import Path
if sys.argv[1] == "without":
    sys.modules["numba"] = None
import polars as pl
from defaults import section
from dedup_stage import ORDER, made_up, run_jobs, whole
from authbench.core.storage.parquet import read_columns
texts = ["", "ok", "ha" * 30, "ha" * 33, "吾輩は猫である。名前はまだ無い。", "吾輩は猫である。名前はまだない。",
         "e\u0301" * 9,
         "the clocks were striking thirteen", "the clocks  were striking\nthirteen", "the clocks were striking two"]
table = pl.DataFrame({"doc_key": [f"d{i}" for i in range(len(texts))], "content": texts})
table = table.with_columns(source=pl.lit("s"), author_id=pl.lit("x"), lang=pl.lit("en"))
with tempfile.TemporaryDirectory() as folder:
    run_jobs(Path(folder), table, section("dedup", threshold=0.5, bands=12, rows=1), ["s"])
    found = [read_columns([Path(folder) / name]).rows() for name in ("removed.parquet", "signatures/0.parquet")]
    print(json.dumps([*found, (Path(folder) / "counts.json").read_text()]))
"""


def test_without_the_compiler_the_results_are_the_same_and_the_run_says_that_it_is_slow():
    folders = os.pathsep.join([str(Path(jit.__file__).parents[3]), str(Path(__file__).parent)])
    runs = {
        how: subprocess.run(
            [sys.executable, "-c", WITHOUT_COMPILER, how],
            env={"PYTHONPATH": folders, "PYTHONIOENCODING": "utf-8"}, capture_output=True, text=True, check=True,
        )
        for how in ("with", "without")
    }  # fmt: skip
    assert json.loads(runs["with"].stdout) == json.loads(runs["without"].stdout)
    assert json.loads(runs["with"].stdout)[0]
    assert runs["without"].stderr.count("numba is missing") == 1
    assert not runs["with"].stderr
