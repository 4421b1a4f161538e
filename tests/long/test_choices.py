"""What a user may choose of authors and documents: a key, an earlier release to go on from, and what is left out: a
source without files, authors and texts that are taken down, texts that a person ruled out on the sheets for review."""

import html
import json
import re
from collections import Counter

import polars as pl
import pytest
from extras import needs
from project import rules_of
from tiny import RECIPE, csv_text, make_tiny, rows
from tiny_checkpoint import write_language_model

from authbench.app.config import demo_settings
from authbench.core.storage.json_files import read_json

LEFT_OUT = "arabic_poetry"


KEYED = ("blog_authorship", "douban", "exorde")  # a zip file, a table, a Parquet file


def author_ids(project, source):
    tables = sorted((project.results / "ingest" / source).glob("*-of-*.parquet"))
    return set(pl.read_parquet(tables)["author_id"])


def test_a_key_changes_every_author_id_and_nothing_else_of_them(demo, another):
    with_key = another.recipe({"ingest": {"author_key_env": "A_TEST_KEY"}})
    ingested = [f"results/demo/ingest/{source}/counts.json" for source in KEYED]
    another.build(*ingested, *with_key, env={"A_TEST_KEY": "a secret of the test"})
    for source in KEYED:
        plain, keyed = author_ids(demo, source), author_ids(another, source)
        assert len(plain) == len(keyed)
        assert not plain & keyed
    said = "".join(path.read_text("utf-8") for path in another.results.rglob("*.json"))
    assert "a secret of the test" not in said
    kept = another.plan("--until", "ingest_source", *with_key, env={"A_TEST_KEY": "a secret of the test"})
    other = another.plan("--until", "ingest_source", *with_key, env={"A_TEST_KEY": "another secret"})
    assert len(kept) == 15 - len(KEYED)
    assert len(other) == 15


def test_a_release_with_a_key_has_no_topic_that_is_its_author_s_name(tmp_path):
    project = make_tiny(tmp_path / "tiny")
    page = project.folder / "letters.yaml"
    page.write_text(page.read_text("utf-8").replace("fields: {", "fields: {topic: about, "), encoding="utf-8")
    named = csv_text([row | {"about": row["writer"]} for row in rows("en", 0)])
    (project.folder / "raw/letters/part0.csv").write_text(named, encoding="utf-8")
    recipe = project.recipe({**RECIPE, "ingest": {"author_key_env": "A_TEST_KEY"}})
    project.build("release", *recipe, env={"A_TEST_KEY": "a secret of the test"})
    topics = pl.read_parquet(project.release / "provenance.parquet")["topic"]
    assert len(topics) and topics.null_count() == len(topics)


@pytest.fixture(scope="module")
def taken_down(demo):
    """An author id and the SHA-256 of a text by someone else, both released."""
    released = pl.read_parquet(demo.release / "provenance.parquet").filter(pl.col("source") == "exorde")
    author = released["author_id"][0]
    return author, released.filter(pl.col("author_id") != author)["content_sha256"][0]


@pytest.fixture(scope="module")
def looked_at(demo, tmp_path_factory):
    project = demo.copy(tmp_path_factory.mktemp("looked_at"))
    project.build("raw_statistics", "review")
    return project


def keys_on(sheet):
    """The documents that a sheet shows."""
    return list(map(html.unescape, re.findall(r'<article [^>]*data-key="(.*?)"', sheet.read_text(encoding="utf-8"))))


@pytest.fixture(scope="module")
def ruled_out(looked_at):
    return keys_on(looked_at.results / "review/en.html")[::8]


@pytest.fixture(scope="module")
def later(looked_at, taken_down, ruled_out, tmp_path_factory):
    """The demo built once more, ids as they were: one source has no files, an author and a text are taken down, and
    some texts were ruled out on the sheets."""
    folder = tmp_path_factory.mktemp("later")
    project = looked_at.copy(folder)
    (project.folder / "resources/demo/raw" / LEFT_OUT).rename(folder / "set aside")
    takedown, lock = folder / "takedown.txt", folder / "earlier.lock"
    takedown.write_text("# asked to go\n" + "\n".join(taken_down) + "\n", encoding="utf-8")
    lock.write_bytes((looked_at.release / "release.lock").read_bytes())
    verdicts = [{"doc_key": key, "reason": "boilerplate", "note": "a menu"} for key in [*ruled_out, "blogs:nobody"]]
    (project.folder / "verdicts.jsonl").write_text("".join(json.dumps(line) + "\n" for line in verdicts))
    settings = {
        "missing_sources": "skip",
        "filter": {"exclude": "verdicts.jsonl"},
        "split": {"lock": str(lock)},
        "release": {"takedown": str(takedown)},
    }
    (folder / "said").write_text(project.build("release", *project.recipe(settings)), encoding="utf-8")
    return project


def test_a_skipped_source_is_named_in_manifest_and_report_and_has_no_documents(later):
    manifest = json.loads((later.release / "manifest.json").read_text(encoding="utf-8"))
    assert manifest["skipped_sources"] == [LEFT_OUT]
    assert LEFT_OUT in (later.release / "report.html").read_text(encoding="utf-8")
    assert LEFT_OUT not in pl.read_parquet(later.release / "provenance.parquet")["source"].to_list()


def test_what_was_released_before_keeps_its_id_and_authors_keep_their_split(demo, later):
    before, after = (pl.read_parquet(project.release / "provenance.parquet") for project in (demo, later))
    place = ["source", "file", "ordinal", "chunk_start"]
    both = before.join(after, on=place, suffix="_later", nulls_equal=True)
    assert both.height > 200
    assert both["id"].to_list() == both["id_later"].to_list()
    splits = dict(before.select("author_id", "split").iter_rows())
    old = after.filter(pl.col("author_id").is_in(list(splits)))
    assert [splits[author] for author in old["author_id"]] == old["split"].to_list()


def test_what_is_taken_down_leaves_a_gap(demo, later, taken_down):
    author, text = taken_down
    before = pl.read_parquet(demo.release / "provenance.parquet")
    gone = before.filter((pl.col("author_id") == author) | (pl.col("content_sha256") == text))["id"].to_list()
    assert len(gone) >= 3
    for path in later.release.rglob("*.jsonl"):
        said = path.read_text(encoding="utf-8")
        assert author not in said
        assert not [ident for ident in gone if f'"{ident}"' in said]
    removed = pl.read_parquet(later.results / "report/taken_down.parquet")
    assert set(removed["reason"]) == {"taken_down"}
    assert (later.results / "dirty_docs.log").read_text(encoding="utf-8").count('"taken_down"') == removed.height


def test_a_takedown_reruns_the_release_alone(bench, tmp_path):
    takedown = tmp_path / "takedown.txt"
    takedown.write_text("0" * 64 + "\n", encoding="utf-8")
    jobs = bench.plan("release", *bench.recipe({"release": {"takedown": str(takedown)}}))
    assert rules_of(jobs) == {
        "write_release",
        "check_release",
        "publish_release",
        "render_report",
        "list_removed",
        "release",
    }


def test_raw_statistics_and_sheets_are_made_once(looked_at):
    assert looked_at.plan("raw_statistics", "review") == []


def test_raw_statistics_count_what_was_ingested(looked_at):
    raw = looked_at.results / "raw"
    facts = {path.parent.name: read_json(path)["facts"] for path in looked_at.results.glob("ingest/*/counts.json")}
    assert len(facts) > 10
    told = {row["source"]: row for row in pl.read_csv(raw / "sources.csv").to_dicts()}
    assert {tag: (row["documents"], row["authors"]) for tag, row in told.items()} == {
        tag: (fact["documents"], fact["authors"]) for tag, fact in facts.items() if fact["documents"]
    }
    languages = pl.read_csv(raw / "languages.csv").select("source", "language", "documents")
    assert {(tag, lang): count for tag, lang, count in languages.iter_rows()} == {
        (tag, lang): count for tag, fact in facts.items() for lang, count in fact["languages"].items()
    }
    page = (raw / "index.html").read_text(encoding="utf-8")
    assert all(f"{row['documents']:,}" in page and tag in page for tag, row in told.items())


def test_the_sheets_show_released_texts_of_every_language_genre_and_length(looked_at):
    released = pl.read_parquet(looked_at.results / "split/documents.parquet")
    sheets = {path.stem: keys_on(path) for path in (looked_at.results / "review").glob("??.html")}
    assert set(sheets) == set(released["lang"])
    primary = pl.col("genre").str.split("/").list.first()
    cells = released.select("doc_key", pl.concat_str("lang", primary, "length_bucket", separator=" ").alias("cell"))
    shown = Counter(dict(cells.iter_rows())[key] for keys in sheets.values() for key in keys)
    assert shown == {cell: min(2, count) for cell, count in cells.group_by("cell").len().iter_rows()}


def test_texts_that_were_ruled_out_on_the_sheets_are_left_out_listed_and_counted(later, ruled_out):
    assert ruled_out
    results = later.results
    assert not set(ruled_out) & set(pl.read_parquet(results / "split/documents.parquet")["doc_key"])
    log = [json.loads(line) for line in (results / "dirty_docs.log").read_text().splitlines()]
    told = {row["doc_key"]: row for row in log if row["reason"] == "review_boilerplate"}
    assert sorted(told) == sorted(ruled_out)
    assert {(row["stage"], row["detail"]) for row in told.values()} == {("filter", "a menu")}
    funnel = pl.read_csv(results / "release/funnel.csv").filter(pl.col("reason") == "review_boilerplate")
    assert funnel["documents"].sum() == len(ruled_out)
    assert read_json(results / "check.json")["violations"] == 0
    manifest = json.loads((results / "release/manifest.json").read_text())
    assert manifest["config"]["filter"]["exclude"] == "verdicts.jsonl"
    lost = f"1 entry of {len(ruled_out) + 1} in the list filter.exclude"
    assert f"{lost} (blogs:nobody) matched no document" in (later.folder / "said").read_text(encoding="utf-8")
    assert f"{lost} matched no document that came to the filters." in manifest["warnings"]
    assert lost in (results / "release/report.html").read_text()


def test_weights_that_cannot_be_loaded_stop_a_run_before_any_text_is_read(another):
    pytest.importorskip("detoxify", reason="the extra `toxicity` is not installed")
    (another.folder / "broken.ckpt").write_bytes(b"no weights")
    detoxify = {"scorers": ["detoxify"], "detoxify": {"checkpoint": "broken.ckpt"}}
    recipe = another.recipe({**demo_settings(), "name": "toxic", "safety": detoxify})
    status, said = another.snakemake("--cores", "1", *recipe)
    assert status != 0 and "broken.ckpt: not a checkpoint of weights" in said
    begun = {path.name for path in (another.folder / "results/toxic").rglob("*.log")}
    assert begun == {"load_scorers.log"}


def test_jobs_that_use_no_gpu_request_none(tiny, tmp_path):
    project = tiny.copy(tmp_path / "copy", with_results=False)
    status, said = project.snakemake("release", "--dry-run", "--quiet", "host", *project.recipe(RECIPE))
    assert status == 0, said
    requests = re.findall(r"^    resources: .*\bin_series=1\b.*$", said, re.MULTILINE)
    assert requests
    assert [line for line in requests if re.search(r"\bgpu\b", line)] == []


@pytest.fixture(scope="module")
def drawn(tiny, tmp_path_factory):
    """Six authors of each language, drawn before normalization: by one shard, and by two whose tables are deleted."""
    projects = []
    for settings in ({"shards": 1}, {"shards": 2, "keep_tables": False}):
        project = tiny.copy(tmp_path_factory.mktemp("drawn"), with_results=False)
        recipe = project.recipe({**RECIPE, **settings, "sample": {**RECIPE["sample"], "early_authors": 6}})
        project.build(*recipe)
        assert project.plan(*recipe) == []
        projects.append(project)
    return projects[0], projects[1]


def test_texts_of_authors_that_are_not_drawn_are_counted_and_go_no_further(drawn):
    project, _ = drawn
    ids = set(pl.read_parquet(project.results / "sample/drawn.parquet")["author_id"])
    assert len(ids) == 12
    assert set(pl.read_parquet(project.results / "normalize/1-of-1.parquet")["author_id"]) == ids
    funnel = pl.read_csv(project.release / "funnel.csv").filter(pl.col("reason") == "not_drawn")
    assert dict(funnel.select("source", "documents").iter_rows()) == {"essays": 4, "letters": 4}
    assert read_json(project.results / "check.json")["violations"] == 0


def test_deleted_tables_and_shards_leave_no_trace_in_the_release(drawn):
    kept, deleted = drawn
    files = {path.relative_to(kept.release) for path in kept.release.rglob("*") if path.is_file()}
    assert files == {path.relative_to(deleted.release) for path in deleted.release.rglob("*") if path.is_file()}
    assert [path for path in files if (kept.release / path).read_bytes() != (deleted.release / path).read_bytes()] == []


def test_tables_of_texts_and_signatures_are_deleted_once_used(drawn):
    tables = ["ingest/*/*-of-*", "normalize/*-of-*", "normalize/uncut/*-of-*", "dedup/*/signatures/*", "chunk/*-of-*"]
    kept, deleted = ([len(list(one.results.glob(f"{table}.parquet"))) for table in tables] for one in drawn)
    assert all(kept) and not any(deleted)


@needs("transformers", "models")
def test_the_loss_of_a_language_model_replaces_the_fame_that_sources_state(tiny, tmp_path):
    project = tiny.copy(tmp_path / "copy")
    write_language_model(tmp_path / "model")
    recipe = project.recipe({**RECIPE, "evaluate": {"models": ["metadata"], "familiarity": str(tmp_path / "model")}})
    project.build(*recipe)
    texts = pl.read_parquet(project.results / "evaluate/familiarity.parquet")
    assert set(texts["stated"]) == {"none"} and texts["bits"].null_count() < texts.height
    assert rules_of(project.plan(*recipe)) == set()
    changed = project.recipe({**RECIPE, "evaluate": {"models": ["metadata"], "familiarity": None}})
    assert rules_of(project.plan(*changed)) == {"evaluate_sanity", "join_results", "leaderboard", "all"}
