"""What a person looks at on demand, the raw corpora in numbers and the texts; and does a build leave out what a person
ruled out, and account for it?"""

import html
import json
import re
from collections import Counter
from pathlib import Path

import polars as pl
import pytest
from project import Project

from authbench.storage.json_files import read_json


@pytest.fixture(scope="module")
def looked_at(demo: Project, tmp_path_factory: pytest.TempPathFactory) -> Project:
    project = demo.copy(tmp_path_factory.mktemp("looked_at"))
    project.build("raw_statistics", "review")
    return project


def keys_on(sheet: Path) -> list[str]:
    """The documents that a sheet shows."""
    return list(map(html.unescape, re.findall(r'<article [^>]*data-key="(.*?)"', sheet.read_text(encoding="utf-8"))))


def test_raw_statistics_and_sheets_are_made_once(looked_at: Project) -> None:
    assert looked_at.plan("raw_statistics", "review") == []


def test_raw_statistics_count_what_was_ingested(looked_at: Project) -> None:
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


def test_the_sheets_show_released_texts_of_every_language_genre_and_length(looked_at: Project) -> None:
    released = pl.read_parquet(looked_at.results / "split/documents.parquet")
    sheets = {path.stem: keys_on(path) for path in (looked_at.results / "review").glob("??.html")}
    assert set(sheets) == set(released["lang"])
    primary = pl.col("genre").str.split("/").list.first()
    cells = released.select("doc_key", pl.concat_str("lang", primary, "length_bucket", separator=" ").alias("cell"))
    shown = Counter(dict(cells.iter_rows())[key] for keys in sheets.values() for key in keys)
    assert shown == {cell: min(2, count) for cell, count in cells.group_by("cell").len().iter_rows()}


def test_texts_that_were_ruled_out_on_the_sheets_are_left_out_listed_and_counted(
    looked_at: Project, tmp_path: Path
) -> None:
    project = looked_at.copy(tmp_path / "copy")
    results = project.results
    ruled_out = keys_on(results / "review/en.html")[::8]
    assert ruled_out
    lines = [{"doc_key": key, "reason": "boilerplate", "note": "a menu"} for key in [*ruled_out, "blogs:nobody"]]
    (project.folder / "verdicts.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    settings = project.recipe({"filter": {"exclude": "verdicts.jsonl"}})
    status, said = project.snakemake("--cores", "2", "release", *settings)
    assert status == 0, said
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
    lost = f"1 entry of {len(lines)} in the list filter.exclude"
    assert f"{lost} (blogs:nobody) matched no document" in said
    assert f"{lost} matched no document that came to the filters." in manifest["warnings"]
    assert lost in (results / "release/report.html").read_text()
