"""The queries that an audit scores: as many as their answers allow, of all authors alike."""

import json

import polars as pl
import pytest
from audited import rows, write_csv
from scored_release import write_scored_release

from authbench.app.cli import main
from authbench.audit.auditing import drawn
from authbench.audit.auditing.drawn import answers_of, draw_queries, draw_units, queries_of
from authbench.audit.auditing.read import read_dataset


def asked(folder, authors, each, most=10_000):
    dataset = read_dataset([write_csv(folder / "a.csv", rows(authors, each))])
    units, whole = draw_units(dataset, "test", most, 0)
    asking = queries_of(dataset, "test", units)
    queries = draw_queries(asking, 0)
    return queries, answers_of(dataset, "test", units, queries), whole


def test_every_query_with_an_answer_is_scored_where_they_are_few(tmp_path):
    queries, answers, _ = asked(tmp_path, 5, 3)
    assert queries.height == 15 and answers.height == 30
    assert queries["answers"].unique().to_list() == [2]
    assert not answers.filter(pl.col("query_id") == pl.col("candidate_id")).height


def test_no_author_with_many_texts_makes_more_answers_than_can_be_held(tmp_path, monkeypatch):
    monkeypatch.setattr(drawn, "MOST_ANSWERS", 500)
    queries, answers, _ = asked(tmp_path, 3, 40)
    assert queries["answers"].sum() == answers.height == 39 * (500 // 39)
    assert queries["author"].n_unique() == 3


def test_of_an_author_with_more_texts_than_are_scored_so_many_are_taken(tmp_path):
    queries, answers, whole = asked(tmp_path, 1, 40, most=10)
    assert (whole, queries.height, answers.height) == (40, 10, 90)


@pytest.mark.parametrize(("answers", "claim"), [(["doc_999999"], "unknown_answer"), ([], "query_without_answer")])
def test_a_release_whose_truth_lost_an_answer_is_audited_though_its_pools_name_it(answers, claim, tmp_path):
    truth = write_scored_release(tmp_path / "release", 12) / "test/ground_truth.jsonl"
    first, *others = truth.read_text().splitlines()
    changed = {**json.loads(first), "positive_ids": answers}
    truth.write_text("\n".join([json.dumps(changed), *others]) + "\n")
    assert main(["audit", str(tmp_path / "release"), "--strict", "--out", str(tmp_path / "out")]) == 1
    found = json.loads((tmp_path / "out/audit.json").read_text())["findings"]
    assert [one["count"] for one in found if one["claim"] == claim] == [1]
