"""What became of every case that is planted in the demo's raw files."""

import json
import re
from collections import defaultdict
from dataclasses import dataclass
from typing import Any

import polars as pl
import pytest
import yaml
from project import ROOT
from raw_rows import RawRow, finds, rows_of

from authbench.core.storage.atomic import sha256_of_file
from authbench.core.storage.yaml_loader import FAST_LOADER

CASES = yaml.load((ROOT / "resources/demo/planted.yaml").read_text(encoding="utf-8"), FAST_LOADER)
STAGES = {"dedup": ("dedup_documents", "dedup_chunks"), "safety": ("sample",)}


@dataclass(frozen=True)
class Fates:
    """Where raw rows went: keys by (source, file digest, ordinal), removals by place and by key."""

    rows: dict[str, list[RawRow]]
    keys: dict[tuple[str, str, int], str]
    by_place: dict[str, list[dict[str, Any]]]
    by_key: dict[str, list[dict[str, Any]]]
    texts: dict[str, str]
    released: pl.DataFrame

    def key(self, source, row):
        return self.keys.get((source, row.file, row.ordinal))

    def removals(self, source, row):
        """Why a row went; chunks of a document count as the document."""
        part = row.fields.get("member", "")
        place = f"{row.file}/{part}" if part else row.file
        found = [
            *self.by_place[f"{source} {place} record {row.ordinal}"],
            *self.by_place[f"{source} {place} line {row.line}"],
        ]
        key = self.key(source, row)
        return found + (self.by_key[key] if key else [])


@pytest.fixture(scope="session")
def fates(demo):
    raw = demo.folder / "resources/demo/raw"
    sources = sorted({case["source"] for case in CASES})
    names = {
        (source, sha256_of_file(path)): path.relative_to(raw / source).as_posix()
        for source in sources
        for path in (raw / source).rglob("*")
        if path.is_file()
    }
    records = pl.concat(pl.read_parquet(path) for path in sorted((demo.results / "ingest").glob("*/*-of-*.parquet")))
    keys = {
        (source, names[source, file], ordinal): key
        for source, file, ordinal, key in records.select("source", "file", "ordinal", "doc_key").iter_rows()
    }
    by_place = defaultdict(list)
    by_key = defaultdict(list)
    for line in (demo.results / "dirty_docs.log").read_text(encoding="utf-8").splitlines():
        entry = json.loads(line)
        if entry["stage"] == "ingest":
            by_place[f"{entry['source']} {entry['detail'].split(':')[0]}"].append(entry)
        else:
            by_key[entry["doc_key"].split("#")[0]].append(entry)
    normal = pl.concat(pl.read_parquet(path) for path in sorted((demo.results / "normalize").glob("*-of-*.parquet")))
    return Fates(
        {source: rows_of(raw, source) for source in sources},
        keys,
        by_place,
        by_key,
        dict(normal.select("doc_key", "content").iter_rows()),
        pl.read_parquet(demo.results / "split/documents.parquet"),
    )


def rows_of_case(fates, case):
    found = [row for row in fates.rows[case["source"]] if finds(case["find"], row, case["source"])]
    expected = 1 if case["source"] == "hindi_discourse" else case["rows"]
    assert len(found) == expected, [row.fields for row in found]
    return found


def kept_cases(note):
    found = [case for case in CASES if case["becomes"] == "kept" and re.search(note, case.get("note", ""))]
    assert found, note
    yield from found


def row_key_not_removed(key, entries):
    return all(entry["doc_key"] != key or entry["stage"] in ("sample", "split") for entry in entries)


def described(case):
    return f"{case['source']}-{case['case']}".replace(" ", "_")


@pytest.mark.parametrize("case", CASES, ids=described)
def test_a_planted_row_meets_its_fate(fates, case):
    source, rows = case["source"], rows_of_case(fates, case)
    removals = [fates.removals(source, row) for row in rows]
    if case["becomes"] == "kept":
        for row, entries in zip(rows, removals, strict=True):
            assert fates.key(source, row) in fates.texts
            # A chunk may repeat another text, and selection may have no use for it.
            assert not [entry for entry in entries if entry["stage"] not in ("dedup_chunks", "sample", "split")]
            assert row_key_not_removed(fates.key(source, row), entries)
            assert not [entry for entry in entries if entry["reason"] == "toxic"]
        return
    stages = STAGES.get(case["stage"], (case["stage"],))
    gone = [
        entries
        for entries in removals
        if any(entry["stage"] in stages and entry["reason"] == case["reason"] for entry in entries)
    ]
    if case["stage"] == "safety" and not gone:
        # Not scored, as the selection had no need of the author: then it is not released either.
        assert not fates.released["doc_key"].is_in([fates.key(source, row) for row in rows]).any()
    else:
        assert len(gone) == case.get("goes", len(rows)), removals


def test_masked_and_mended_texts_read_as_planted(fates):
    for case in kept_cases("^reads: |^with .* in its place$|^without its `|^without urlLink$"):
        (row,) = rows_of_case(fates, case)
        text = fates.texts[fates.key(case["source"], row) or ""]
        if reads := re.match("reads: (.*?)(…?)$", case["note"]):
            assert text.startswith(reads[1]) if reads[2] else text == reads[1]
        if placeholder := re.match(r"with (\[\w+\]) in its place", case["note"]):
            assert placeholder[1] in text
        if cut := re.match("without (?:its `(.*)`|(urlLink))", case["note"]):
            assert (cut[1] or cut[2]) not in text


def test_a_text_that_its_file_holds_twice_is_read_once(fates):
    for case in kept_cases("first half alone"):
        (row,) = rows_of_case(fates, case)
        raw, text = str(row.fields["poem_text"]), fates.texts[fates.key(case["source"], row) or ""]
        assert len(text) < 0.55 * len(raw)
        assert text.count("\n") == raw.count("\n") // 2


def test_a_text_that_several_people_sign_is_a_work_and_not_released(demo, fates):
    cases = [case for case in kept_cases("^author_kind is work") if case["source"] == "arxiv"]
    planted = {fates.key("arxiv", row) for case in cases for row in rows_of_case(fates, case)}
    made = pl.concat(pl.read_parquet(path) for path in (demo.results / "ingest/arxiv").glob("*-of-*.parquet"))
    signed = made.filter(pl.col("n_authors") > 1)
    assert planted < set(signed["doc_key"]) and set(signed["author_kind"]) == {"work"}
    funnel = pl.read_csv(demo.release / "funnel.csv").filter(source="arxiv", reason="author_kind_left_out")
    assert funnel["documents"].to_list() == [signed.height]
    assert fates.released.filter(source="arxiv")["n_authors"].max() == 1


def test_one_display_name_of_two_accounts_is_two_authors(demo, fates):
    authors = authors_of(demo)
    accounts = [
        {authors[fates.key(case["source"], row) or ""] for row in rows_of_case(fates, case)}
        for case in kept_cases("two authors")
    ]
    assert len(accounts) == 2
    assert [len(account) for account in accounts] == [1, 1]
    assert not accounts[0] & accounts[1]


def test_one_person_under_two_spellings_is_one_author(demo, fates):
    authors = authors_of(demo)
    (case,) = kept_cases("^one author, though")
    assert len({authors[fates.key(case["source"], row) or ""] for row in rows_of_case(fates, case)}) == 1


def test_one_number_at_two_sites_is_two_authors(demo, fates):
    authors = authors_of(demo)
    labels = [
        {authors[fates.key(case["source"], row) or ""] for row in rows_of_case(fates, case)}
        for case in kept_cases("another author than")
    ]
    assert len(set.union(*labels)) == len(labels) == 2


def test_a_poet_who_signs_essays_is_one_author(demo, fates):
    authors = authors_of(demo)
    for case in kept_cases("^one author with the poet"):
        poems = [row for row in fates.rows["arabic_poetry"] if row.fields["poet_name"] == case["find"]["author"]]
        signed = [("wikisource", row) for row in rows_of_case(fates, case)]
        signed += [("arabic_poetry", row) for row in poems]
        assert poems and len({authors[fates.key(source, row) or ""] for source, row in signed}) == 1


def test_a_book_is_cut_into_at_most_fifty_chunks(demo, fates):
    (case,) = kept_cases("50 chunks")
    (row,) = rows_of_case(fates, case)
    chunks = pl.concat(pl.read_parquet(path) for path in sorted((demo.results / "chunk").glob("*-of-*.parquet")))
    key = fates.key(case["source"], row) or ""
    assert chunks.filter(pl.col("doc_key").str.split("#").list.first() == key).height == 50


def test_the_labels_of_masks_are_measured_as_impure_and_only_train(demo, fates):
    masked = fates.released.filter(pl.col("source") == "nsmc_raw_ko")
    assert set(masked["split"]) <= {"train"}
    told = pl.read_csv(demo.release / "statistics/labels.csv").filter(pl.col("source") == "nsmc_raw_ko")
    assert told["decision"].to_list() == ["impure"]
    assert told["low"].item() > 0.2


def authors_of(demo):
    records = pl.concat(pl.read_parquet(path) for path in sorted((demo.results / "ingest").glob("*/*-of-*.parquet")))
    return dict(records.select("doc_key", "author_id").iter_rows())
