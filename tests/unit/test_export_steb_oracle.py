"""The form for STEB against the files that STEB's own script makes of the same releases, byte for byte."""

import json
import logging
import shutil
from collections import Counter
from pathlib import Path

import polars as pl
import pytest
from published import ABOUT, contents, exported, lines, opened
from shared_folders import ORACLES, oracle

from authbench.core.errors import InputError
from authbench.core.records import length_bucket_expr, primary_genre
from authbench.publish.export.steb import evaluated_split, steb_record, write_datasets, write_steb
from authbench.release.format.release import open_release

FOLDER = ORACLES / "steb_reference/authbench_export"


@pytest.mark.parametrize("form", ["queries_in_candidates", "disjoint"])
def test_the_files_are_those_of_steb_s_script_oracle(form, tmp_path):
    oracle("steb_reference/authbench_export/edges")  # skips where there are no reference values
    release = open_release(FOLDER / form / "release")
    counts = write_datasets(tmp_path, release, evaluated_split(release))
    expected = contents(FOLDER / form / "expected")
    episodes = {path: data for path, data in expected.items() if Path(path).name.startswith("episodes_")}
    assert contents(tmp_path) == {path: data for path, data in expected.items() if path not in episodes}
    assert len(episodes) == len(counts) == 2
    for path, data in episodes.items():
        lang, told = Path(path).stem.removeprefix("episodes_"), json.loads(data)
        name = f"authbench_attribution_{lang}"
        records = lines(tmp_path / "raw_datasets" / name / f"{name}.jsonl")
        sides = Counter(f"{row['label']}_{'query' if row['is_query'] else 'target'}" for row in records)
        assert sides == told["texts_per_label"]
        assert counts[lang]["within"] == len(told["queries_whose_text_is_among_their_target's"])


def test_lengths_and_genres_are_cut_as_by_steb_s_script_oracle():
    row = {"candidate_id": "doc_1", "content": "x", "author_id": "a", "genre": "news"}
    seen = 0
    for case in oracle("steb_reference/authbench_export/edges")["cases"]:
        if "token_length" in case:
            tokens = pl.Series([case["token_length"] or None], dtype=pl.Int32)
            bucket = pl.select(length_bucket_expr(pl.lit(tokens))).item()
            one = {**row, "token_length": case["token_length"], "length_bucket": bucket}
            if "expected_error" in case:
                with pytest.raises(InputError, match="doc_1: token_length is 0"):
                    steb_record(one, is_query=False)
            else:
                assert steb_record(one, is_query=False)["length_bucket"] == case["expected"]
        elif "genre" in case:
            assert primary_genre(case["genre"]) == case["expected"]
        else:
            continue
        seen += 1
    assert seen == 14


def test_a_query_without_an_author_in_the_ground_truth_is_left_out(tmp_path):
    split = tmp_path / "release/test"
    split.mkdir(parents=True)
    text = {"lang": "en", "genre": "news", "content": "x", "source": "s", "token_length": 1}
    for name, row in (("queries", {"query_id": "doc_000001", **text}), ("candidates", None), ("ground_truth", None)):
        (split / f"{name}.jsonl").write_text(json.dumps(row) + "\n" if row else "")
    assert write_datasets(tmp_path / "out", open_release(tmp_path / "release"), "test") == {}


def test_the_card_and_a_warning_say_of_how_many_authors_a_query_is_part_of_the_answer(published, tmp_path, caplog):
    with caplog.at_level(logging.WARNING, "authbench"):
        folder = exported(published[1], "steb", tmp_path / "steb", with_tier_b=True)
    queries = len(lines(published[1] / "test/queries.jsonl"))
    records = lines(folder / "raw_datasets/authbench_attribution_en/authbench_attribution_en.jsonl")
    assert sum(row["is_query"] for row in records) == queries
    authors = len({row["label"] for row in records if row["is_query"]})
    card = " ".join((folder / "README.md").read_text(encoding="utf-8").split())
    assert f"{authors} authors are asked for" in caplog.text and f"**{authors} authors are asked for" in card
    assert f"| English | {queries} | {len(records) - queries} | {authors} | {authors} |" in card


def test_an_author_of_several_queries_is_counted_once(tmp_path):
    split = tmp_path / "release/test"
    split.mkdir(parents=True)
    text = {"lang": "en", "genre": "news", "source": "s", "token_length": 1}
    rows = [("a", "q0", "x"), ("a", "q1", "y"), ("a", "q2", "z"), ("b", "q3", "x")]
    for name, made in {
        "queries": [{"query_id": ident, "content": words, **text} for _, ident, words in rows],
        "candidates": [
            {"candidate_id": f"c{place}", "author_id": author, "content": words, **text}
            for place, (author, words) in enumerate([("a", "x"), ("a", "y"), ("a", "x"), ("b", "z")])
        ],
        "ground_truth": [
            {"query_id": ident, "author_id": author, "positive_ids": [], "ignored_ids": []} for author, ident, _ in rows
        ],
    }.items():
        (split / f"{name}.jsonl").write_text("".join(json.dumps(row) + "\n" for row in made))
    counts = write_datasets(tmp_path / "out", open_release(tmp_path / "release"), "test")
    assert counts["en"] == {"queries": 4, "candidates": 4, "authors": 2, "within": 1}


def test_a_release_whose_queries_are_no_candidates_is_exported_without_a_warning(published, tmp_path, caplog):
    release = Path(shutil.copytree(published[1], tmp_path / "release"))
    asked = {row["query_id"] for row in lines(release / "test/queries.jsonl")}
    path = release / "test/candidates.jsonl"
    left = [row for row in lines(path) if row["candidate_id"] not in asked]
    path.write_text("".join(json.dumps(row) + "\n" for row in left))
    truth = release / "test/ground_truth.jsonl"
    rows = [{**row, "positive_ids": sorted({*row["positive_ids"]} - asked)} for row in lines(truth)]
    truth.write_text("".join(json.dumps(row) + "\n" for row in rows))
    with caplog.at_level(logging.WARNING, "authbench"):
        write_steb(tmp_path / "steb", opened(release, unverified=True), ABOUT)
    assert "part of the answer" not in caplog.text
    assert "part of the answer" not in (tmp_path / "steb/README.md").read_text(encoding="utf-8")
