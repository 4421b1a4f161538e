"""Every record of the tabular corpora is kept or removed with a reason, as often as counted otherwise."""

import json
from pathlib import Path
from tempfile import TemporaryDirectory

import polars as pl
import pytest
from cases import cases, read_cases
from defaults import section
from open_corpora import MAX_BAD_ROWS, files_of, folder_of, ingested, load_source, sorted_out, table, tables_with
from shared_folders import needs_corpora

from authbench.build.ingest.source import ingest_source
from authbench.config.registry.source_entry import make_extraction
from authbench.core.errors import InputError
from authbench.core.identity import author_id
from authbench.core.storage.atomic import sha256_of_file

# What no cleaned text should hold: what gives author or source away.
MARKS = read_cases(Path(__file__))["MARKS"]
TAGS = tuple(MARKS)
pytestmark = needs_corpora


def independent_counts(tag):
    for path in files_of(tag)[0]:
        kind = load_source(tag)["reader"]
        if kind["format"] == "jsonl":
            yield sum(1 for line in path.read_text(encoding="utf-8").split("\n") if line.strip())
        elif kind["format"] == "csv":
            yield len(table(path, tag))
        else:
            content = json.loads(path.read_text(encoding="utf-8-sig"))
            if "expand" in kind:
                yield sum(len(record[kind["expand"]]) for record in content.values())
            elif "group" in kind:
                yield len({record[kind["group"]["by"]] for record in content.values()})
            else:
                yield len(content)


@pytest.mark.parametrize("tag", TAGS)
def test_every_real_record_is_kept_or_removed(tag):
    counts, records, removed, _ = ingested(tag)
    here = counts["sources"][tag]
    whole_files = removed.filter(pl.col("detail").str.contains("whole file: no records", literal=True)).height
    assert here["in"] == sum(independent_counts(tag)) + whole_files == records.height + removed.height
    assert here["kept"] == records.height > 0
    assert records["doc_key"].is_unique().all() and records["doc_key"].is_sorted()
    assert (records["content"].str.strip_chars() == records["content"]).all()


@pytest.mark.parametrize("tag", TAGS)
def test_hardly_any_real_row_is_unreadable(tag):
    counts, records, removed, _ = ingested(tag)
    bad = counts["facts"]["bad_rows"]
    assert bad == removed.filter(pl.col("reason") == "bad_row").height
    assert bad <= max(1, MAX_BAD_ROWS * (records.height + removed.height)), counts["facts"]["bad_row_examples"]


def test_a_real_table_that_cannot_be_read_stops_its_source_by_name():
    unreadable = [(tag, path) for tag in TAGS for path in sorted_out(tag)[1]]
    if not unreadable:
        pytest.skip("all tables of this sample can be read")
    for tag, path in unreadable:
        name = path.relative_to(folder_of(tag)).as_posix()
        with TemporaryDirectory() as out, pytest.raises(InputError) as stopped:
            shard, removed = Path(out) / "a.parquet", Path(out) / "b.parquet"
            extraction = make_extraction(load_source(tag))
            files = {name: sha256_of_file(path)}
            ingest_source(tag, extraction, folder_of(tag), files, [shard], removed, section("ingest"))
        assert name in str(stopped.value)


@pytest.mark.parametrize("tag", ["exorde_sample", "xiaohongshu_crawls", "babel_briefings_sample"])
def test_real_records_are_the_same_in_one_shard_and_four(tag):
    assert ingested(tag, 1).records.drop("shard").equals(ingested(tag, 4).records.drop("shard"))


@pytest.mark.parametrize("tag", [tag for tag, mark in MARKS.items() if mark])
def test_real_texts_are_clean_of_what_gives_them_away(tag):
    records = ingested(tag).records
    found = records.filter(pl.col("content").str.contains(MARKS[tag]))
    assert found.height <= max(1, 0.02 * records.height), found["content"].str.tail(80).to_list()


def test_a_real_exorde_author_is_one_account():
    rows = pl.DataFrame(tables_with("exorde_sample", "author_hash", "url"), infer_schema_length=None)
    on_x = r"^https?://(?:(?:www|m|mobile)\.)?(?:x|twitter)\.com/([^/?#]+)/status"
    posts = rows.with_columns(handle=pl.col("url").str.extract(on_x).str.to_lowercase())
    posts = posts.filter(pl.col("handle").is_not_null() & (pl.col("handle") != "i") & (pl.col("author_hash") != ""))
    if posts.is_empty():
        pytest.skip("no row of exorde_sample has an author_hash and the address of a post on X")
    sites = pl.col("url").str.extract(r"^https?://(?:(?:www|m|mobile)\.)?([^/]+)").str.to_lowercase()
    labels = posts.select(label=pl.format("{} {} {}", "author_hash", sites, "handle"))["label"].unique()
    accounts = {author_id("exorde", label) for label in labels}
    found = set(ingested("exorde_sample").records["author_id"])
    elsewhere = rows.height - posts.height
    assert found & accounts
    assert len(found - accounts) <= elsewhere
    nobody = {author_id("exorde", label) for label in labels if label.startswith("da39a3ee5e6b4b0d3255bfef95601890")}
    assert not found & nobody


def test_real_notes_and_comments_share_their_accounts():
    notes = tables_with("xiaohongshu_crawls", "note_id", "author_id", "content")
    comments = tables_with("xiaohongshu_crawls", "comment_id", "user_id", "comment_content")
    both = {row["author_id"] for row in notes if row["content"].strip()} & {
        row["user_id"] for row in comments if row["comment_content"].strip()
    }
    if not both:
        pytest.skip("no account of this sample of xiaohongshu has both notes and comments")
    found = set(ingested("xiaohongshu_crawls").records["author_id"])
    assert found & {author_id("xiaohongshu", name) for name in both}
    rows = [row for path in files_of("xiaohongshu_crawls")[0] for row in table(path, "xiaohongshu_crawls")]
    assert found <= {author_id("xiaohongshu", row.get("user_id") or row.get("author_id") or "") for row in rows}


def test_no_real_author_label_leaves_ingestion():
    users = {row["user"].strip() for row in tables_with("douban_short_comments", "user")}
    _, records, removed, _ = ingested("douban_short_comments")
    written = records.drop("content").write_ndjson() + removed.write_ndjson()
    assert [user for user in users if len(user) >= 4 and f'"{user}' in written] == []


@cases
def test_a_real_label_that_is_an_account_has_one(tag):
    records = ingested(tag).records.drop_nulls("account")
    assert records.height
    assert records.group_by("author_id").agg(pl.col("account").n_unique())["account"].max() == 1


@pytest.mark.parametrize("tag", ["nsmc_raw_ko", "douban_dmr", "amazon_reviews_pds_sample"])
def test_what_a_real_review_is_about_is_known_and_hidden(tag):
    records = ingested(tag).records
    assert records["item"].null_count() <= 0.01 * records.height
    assert 1 < records["item"].n_unique() <= records.height
    assert records["item"].str.contains("^[0-9a-f]{32}$").all()


@pytest.mark.parametrize("tag", ["apcd_sample_ar", "weibo_stock_posts", "hindi_discourse"])
def test_what_no_real_author_worded_is_a_work(tag):
    assert set(ingested(tag).records["author_kind"]) == {"work"}
