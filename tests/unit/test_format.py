"""The format of a release is declared once: docs, files and readers agree with the declaration."""

import json
import re
import shutil
from pathlib import Path

import orjson
import polars as pl
import pytest
from cases import cases
from published import publish

from authbench.core.errors import InputError
from authbench.core.runtime.code import closure
from authbench.release.format import files
from authbench.release.format.columns import (
    CANDIDATES,
    GROUND_TRUTH,
    MERGED,
    PAIR_TABLES,
    PAIRS,
    POSITIVES,
    PROVENANCE,
    QUERIES,
    SPLIT_TABLES,
    STATISTICS,
)
from authbench.release.format.release import DOCUMENTS, Release, open_complete_release, open_release
from authbench.release.format.tables import concat, read_table
from authbench.scoring.evaluation.split import read_split

ROOT = Path(__file__).parents[2]
DOCS = (ROOT / "docs/release-format.md").read_text(encoding="utf-8")
TYPES = {
    **dict.fromkeys((pl.Int8, pl.Int32, pl.Int64), "integer"),
    **dict.fromkeys((pl.Float32, pl.Float64), "number"),
    **{pl.String: "string", pl.Boolean: "boolean"},
}


def type_of(column):
    return "list of strings" if column.dtype == pl.List(pl.String) else TYPES[column.dtype]


SHARED = [column for table in SPLIT_TABLES.values() for column in table.columns]


def table_of_docs(columns, files_of=None):
    head = ["| column | type | meaning |", "| --- | --- | --- |"]
    if files_of:
        head = ["| column | files | type | meaning |", "| --- | --- | --- | --- |"]
    return "\n".join(
        [
            *head,
            *(
                f"| `{column.name}` | {f'{files_of(column)} | ' if files_of else ''}"
                f"{type_of(column)}{'' if column.required else ', optional'} | {column.meaning} |"
                for column in columns
            ),
        ]
    )


def split_files(column):
    return ", ".join(table.name for table in SPLIT_TABLES.values() if column in table.columns)


def test_the_docs_have_the_columns_that_are_declared():
    assert table_of_docs(dict.fromkeys(SHARED), split_files) in DOCS
    for table in (*PAIR_TABLES.values(), MERGED):
        assert table_of_docs(table.columns) in DOCS
    known = [column for column in PROVENANCE.columns if column in SHARED]
    assert table_of_docs(column for column in PROVENANCE.columns if column not in known) in DOCS
    assert f"It also has {', '.join(f'`{column.name}`' for column in known)}, as in the JSON lines" in DOCS


def test_the_docs_have_the_columns_of_tables_in_csv():
    assert "\n".join(f"| `{name}` | {', '.join(schema)} |" for name, schema in files.CSV_FILES.items()) in DOCS


@pytest.mark.parametrize(
    "meanings", [files.RELEASE_FILES, files.BUNDLE_FILES, files.MERGED_FILES, files.PART_FILES, files.MANIFEST_KEYS]
)
def test_the_docs_have_the_files_and_keys_that_are_declared(meanings):
    assert "\n".join(f"| `{name}` | {meaning} |" for name, meaning in meanings.items()) in DOCS


def test_a_release_has_the_files_that_are_declared_and_no_other(published):
    _, release, public = published
    splits = open_release(release).splits
    there = {path.relative_to(release).as_posix() for path in release.rglob("*") if path.is_file()}
    named = {name.replace("<split>", split) for name in files.RELEASE_FILES for split in splits}
    named |= {f"statistics/{name}.csv" for name in STATISTICS} | {f"figures/{name}.svg" for name in files.FIGURES}
    assert there == named - {"statistics/*.csv", "figures/*.svg"}
    bundle = {path.relative_to(public).as_posix() for path in public.rglob("*") if path.is_file()}
    texts = {f"{split}/{name}.jsonl" for split in splits for name in ("candidates", "queries")}
    copied = {f"{files.COMPLETE}/{name}" for name in there - texts - {"SHA256SUMS"}}
    assert bundle == there | copied | set(files.BUNDLE_FILES) - {f"{files.COMPLETE}/"}


def test_a_release_has_the_columns_and_keys_that_are_declared(published):
    release, public = map(open_complete_release, published[1:])
    assert set(release.manifest) == set(files.MANIFEST_KEYS) - {"filters", "withheld", "merged"}
    assert set(public.manifest) == set(files.MANIFEST_KEYS) - {"filters", "merged"}
    without = {column.name for column in PROVENANCE.columns if column.setting}
    assert list(release.provenance.schema.items()) == [
        (name, dtype) for name, dtype in PROVENANCE.schema.items() if name not in without
    ]
    for split in release.splits:
        for table in SPLIT_TABLES.values():
            for line in release.path(split, table).read_bytes().splitlines():
                row = orjson.loads(line)
                assert tuple(row) in (table.names, table.required)
                for column in table.columns:
                    if column.pattern:
                        assert re.fullmatch(column.pattern, row[column.name])


def test_a_release_without_pairs_has_none(published, tmp_path):
    shutil.copytree(published[1], tmp_path / "release")
    for path in (tmp_path / "release").glob("*/p*.parquet"):
        path.unlink()
    release = open_release(tmp_path / "release")
    for table, rows in ((POSITIVES, release.positives("test")), (PAIRS, release.pairs("test"))):
        assert rows.is_empty()
        assert rows.schema == table.schema


def test_pairs_are_read_as_they_are_or_refused(published, tmp_path):
    shutil.copytree(published[1], tmp_path / "release")
    path = tmp_path / "release/test/pairs.parquet"
    rows = pl.DataFrame(
        [("matched", 1, "doc_000001", "doc_000002", True), ("matched", 1, "doc_000001", "doc_000003", False)],
        schema=PAIRS.schema,
        orient="row",
    )
    rows.with_columns(more=pl.lit(1)).write_parquet(path)
    assert open_release(tmp_path / "release").pairs("test").equals(rows)
    for wrong, words in (
        (rows.drop("group"), "column group is absent"),
        (rows.with_columns(pl.col("group").cast(pl.String)), "column group is String, expected Int32"),
        (rows.with_columns(same=pl.lit(None, pl.Boolean)), "column same may not be null"),
    ):
        wrong.write_parquet(path)
        with pytest.raises(InputError, match=words):
            open_release(tmp_path / "release").pairs("test")
    path.write_bytes(b"no parquet")
    with pytest.raises(InputError, match="cannot be read as Parquet"):
        open_release(tmp_path / "release").pairs("test")


def test_texts_are_every_document_once_with_its_labels(published):
    release = open_complete_release(published[1])
    for split in release.splits:
        texts = pl.concat(release.texts(split))
        assert texts.schema == DOCUMENTS
        rows = release.provenance.filter(pl.col("split") == split)
        assert texts["id"].to_list() == rows["id"].to_list()
        assert texts["author_id"].to_list() == rows["author_id"].to_list()
        queries = concat(release.rows(split, QUERIES), QUERIES)
        assert texts.filter("query")["id"].to_list() == queries["query_id"].to_list()


def test_texts_of_the_disjoint_form_are_candidates_and_queries(tmp_path):
    _, folder, _ = publish(tmp_path, queries_in_candidates=False)
    release = open_complete_release(folder)
    for split in release.splits:
        texts = pl.concat(release.texts(split))
        rows = release.provenance.filter(pl.col("split") == split)
        assert sorted(texts["id"]) == rows["id"].to_list()
        assert dict(texts.select("id", "author_id").iter_rows()) == dict(rows.select("id", "author_id").iter_rows())
        assert (texts["query"] != texts["candidate"]).all()


def test_a_bundle_is_a_release_of_its_own_texts(published):
    release, public = (open_complete_release(folder) for folder in published[1:])
    assert public.withheld and not release.withheld
    assert set(public.provenance["tier"]) == {"A"} and set(public.absent["tier"]) == {"B"}
    assert {*public.provenance["id"], *public.absent["id"]} == set(release.provenance["id"])
    assert not release.absent.height
    for split in release.splits:
        here = set(public.provenance.filter(pl.col("split") == split)["id"])
        assert set(pl.concat(public.candidates(split))["candidate_id"]) == here
        for query, positives, _, ignored in public.truth(split).iter_rows():
            assert {query, *positives, *ignored} <= here and positives
        assert set(public.truth(split)["query_id"]) < set(release.truth(split)["query_id"])
    scored = read_split(public, "test")
    assert scored.documents.height == scored.candidates == len(here) and len(scored.asks)


@cases
def test_a_row_of_another_form_is_named_by_its_line(tmp_path, change, problem):
    row = dict.fromkeys(CANDIDATES.names, "x") | {"token_length": 3}
    rows = [row, row, {**row, **change} if isinstance(change, dict) else change, row]
    path = tmp_path / "candidates.jsonl"
    path.write_bytes(b"".join(orjson.dumps(one) + b"\n" for one in rows))
    with pytest.raises(InputError) as error:
        list(read_table(path, CANDIDATES))
    assert str(error.value).startswith(f"{path}, line 3: {problem}")


def test_no_id_of_a_list_is_null(tmp_path):
    path = tmp_path / "ground_truth.jsonl"
    path.write_bytes(orjson.dumps({"query_id": "q", "positive_ids": ["a", None], "author_id": "x"}) + b"\n")
    with pytest.raises(InputError, match="line 1: positive_ids"):
        list(read_table(path, GROUND_TRUTH))


def test_ignored_ids_may_be_absent_and_other_fields_are_left_out(tmp_path):
    row = {"query_id": "q", "positive_ids": ["a"], "author_id": "x", "more": 1}
    path = tmp_path / "ground_truth.jsonl"
    path.write_bytes(orjson.dumps(row) + b"\n" + orjson.dumps({**row, "ignored_ids": ["b"]}) + b"\n")
    [frame] = read_table(path, GROUND_TRUTH)
    assert frame.rows() == [("q", ["a"], "x", None), ("q", ["a"], "x", ["b"])]


@cases
def test_a_manifest_of_another_form_is_named(tmp_path, manifest, problem):
    (tmp_path / "manifest.json").write_text(manifest, encoding="utf-8")
    with pytest.raises(InputError, match=problem):
        open_release(tmp_path)


def test_splits_come_in_the_order_of_the_manifest(tmp_path):
    for split in ("a", "b", "more"):
        (tmp_path / split).mkdir()
        (tmp_path / split / CANDIDATES.file).touch()
    assert open_release(tmp_path) == Release(tmp_path, ("a", "b", "more"), {})
    manifest = {"splits": ["b", "a", "absent"]}
    (tmp_path / "manifest.json").write_text(json.dumps(manifest), encoding="utf-8")
    assert open_release(tmp_path).splits == ("b", "a", "more")
    (tmp_path / "provenance.parquet").touch()
    with pytest.raises(InputError, match="the splits absent, which have no candidates.jsonl"):
        open_complete_release(tmp_path)


ADAPTERS = sorted(path.stem for path in (ROOT / "workflow/scripts").glob("*.py"))


@pytest.mark.parametrize("adapter", [name for name in ADAPTERS if name != "check_release"])
def test_the_checker_reruns_the_check_alone(adapter):
    reached = closure(ROOT / f"workflow/scripts/{adapter}.py")
    assert [module for module in reached if module.startswith("authbench.release.checking")] == []
