"""Every record of the tabular corpora of the data pack is kept or removed with a reason, as often as counted otherwise.

Needs the data pack: AUTHBENCH_DATA.
"""

import csv
import hashlib
import io
import json
import os
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import polars as pl
import pytest
import yaml

from authbench.identity import author_id
from authbench.ingest import IngestSettings, ingest_source, match_files

ROOT = Path(__file__).parents[2]
DATA = Path(os.environ.get("AUTHBENCH_DATA", ROOT.parent / "shared" / "data"))
TAGS = (
    "exorde_sample",
    "babel_briefings_sample",
    "marc_sample",
    "amazon_reviews_pds_sample",
    "arxiv_metadata_sample",
    "paperlists_abstracts",
    "xiaohongshu_crawls",
    "weibo_users_gbk",
    "weibo_stock_posts",
    "weibo_single_user_gbk",
    "douban_dmr",
    "douban_short_comments",
    "hindi_discourse",
    "nsmc_raw_ko",
    "chinese_poetry",
    "apcd_sample_ar",
)
# What no cleaned text may hold: what gives author or source away.
LEFT_OVER = {
    "babel_briefings_sample": r"\[\+\d+ chars\]|기자\]|nikkansports|\| CNN$",
    "weibo_single_user_gbk": r"转发理由[:：]|原始用户[:：]|转发内容[:：]|//@[^\s:：]{1,40}[:：]|的秒拍视频\s*$",
    "weibo_stock_posts": r"的秒拍视频\s*$",
    "chinese_poetry": r"（一作|[\[\]{}]",
    "hindi_discourse": r"अनुवाद: ",
}
pytestmark = pytest.mark.skipif(not DATA.is_dir(), reason=f"no data pack at {DATA} (set AUTHBENCH_DATA)")


def load(tag: str) -> dict[str, Any]:
    source: dict[str, Any] = yaml.safe_load((ROOT / f"config/sources/{tag}.yaml").read_text(encoding="utf-8"))
    return source


def raw_files(tag: str) -> list[Path]:
    folder = DATA / load(tag).get("folder", tag)
    return [folder / name for name in match_files(folder, load(tag)["files"])]


@cache
def ingested(tag: str, shards: int = 2) -> tuple[pl.DataFrame, pl.DataFrame, dict[str, Any]]:
    source = load(tag)
    folder = DATA / source.get("folder", tag)
    if not folder.is_dir():
        pytest.skip(f"no {folder}")
    files = {
        path.relative_to(folder).as_posix(): hashlib.sha256(path.read_bytes()).hexdigest() for path in raw_files(tag)
    }
    with TemporaryDirectory() as out:
        paths = [Path(out) / f"{place}.parquet" for place in range(shards)]
        counts = ingest_source(tag, source, folder, files, paths, Path(out) / "removed", IngestSettings())
        records = pl.concat([pl.read_parquet(path) for path in paths]).sort("doc_key")
        return records, pl.read_parquet(Path(out) / "removed"), counts


def csv_rows(path: Path, **how: Any) -> int:
    content = path.read_bytes()
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError:
        text = content.decode("gb18030")
    return sum(1 for row in csv.reader(io.StringIO(text, newline=""), **how) if row) - 1


def independent_counts(tag: str) -> Iterator[int]:
    for path in raw_files(tag):
        kind = load(tag)["reader"]
        if kind["format"] == "jsonl":
            yield sum(1 for line in path.read_text(encoding="utf-8").split("\n") if line.strip())
        elif kind["format"] == "csv":
            how = {"delimiter": kind.get("delimiter", ",")}
            if not kind.get("quoting", True):
                how["quoting"] = csv.QUOTE_NONE
            yield csv_rows(path, **how) + ("header" in kind)
        else:
            content = json.loads(path.read_text(encoding="utf-8"))
            if "expand" in kind:
                yield sum(len(record[kind["expand"]]) for record in content.values())
            elif "group" in kind:
                yield len({record[kind["group"]["by"]] for record in content.values()})
            else:
                yield len(content)


@pytest.mark.parametrize("tag", TAGS)
def test_every_real_record_is_kept_or_removed(tag: str) -> None:
    records, removed, result = ingested(tag)
    counts = result["sources"][tag]
    assert counts["in"] == sum(independent_counts(tag)) == records.height + removed.height
    assert counts["kept"] == records.height > 0
    assert records["doc_key"].is_unique().all() and records["doc_key"].is_sorted()
    assert (records["content"].str.strip_chars() == records["content"]).all()


@pytest.mark.parametrize("tag", TAGS)
def test_no_real_row_is_unreadable(tag: str) -> None:
    assert ingested(tag)[2]["facts"]["bad_rows"] == 0


@pytest.mark.parametrize("tag", ["exorde_sample", "xiaohongshu_crawls", "babel_briefings_sample"])
def test_real_records_are_the_same_in_one_shard_and_four(tag: str) -> None:
    assert ingested(tag, 1)[0].equals(ingested(tag, 4)[0])


@pytest.mark.parametrize("tag", LEFT_OVER)
def test_real_texts_are_clean_of_what_gives_them_away(tag: str) -> None:
    found = ingested(tag)[0].filter(pl.col("content").str.contains(LEFT_OVER[tag]))
    assert found["content"].str.tail(80).to_list() == []


def test_a_real_exorde_author_is_one_account() -> None:
    records, removed, _ = ingested("exorde_sample")
    rows = pl.read_csv(DATA / "exorde_sample/x_en_dataset.csv", infer_schema=False)
    named = rows.filter(pl.col("author_hash").is_not_null() & ~pl.col("author_hash").str.starts_with("da39a3ee"))
    labels = named.select(
        label=pl.format("{} x.com {}", "author_hash", pl.col("url").str.extract(r"x\.com/([^/]+)").str.to_lowercase())
    )["label"]
    assert set(records["author_id"]) == {author_id("exorde", label) for label in labels}
    assert removed["reason"].unique().to_list() == ["no_author"]


def test_real_notes_and_comments_share_their_accounts() -> None:
    records = ingested("xiaohongshu_crawls")[0]
    notes = pl.read_csv(DATA / "xiaohongshu/notes.csv", infer_schema=False)["author_id"]
    comments = pl.read_csv(DATA / "xiaohongshu/comments.csv", infer_schema=False)["user_id"]
    both = {author_id("xiaohongshu", name) for name in set(notes) & set(comments)}
    assert both & set(records["author_id"])
    several = records.filter(pl.col("author_id").is_in(sorted(both)) & pl.col("topic").is_not_null())
    assert several.height > 0


def test_no_real_author_label_leaves_ingestion() -> None:
    records, removed, _ = ingested("douban_short_comments")
    users = pl.read_csv(DATA / "douban_short_comments/douban_comments.csv", infer_schema=False)["user"]
    written = records.drop("content").write_ndjson() + removed.write_ndjson()
    assert [user for user in users if len(user) >= 4 and f'"{user}' in written] == []
