"""The table of what a release measures is read from its files, and each claim can be missed."""

import json
import sys
from pathlib import Path

import orjson
import polars as pl
import pytest
from cases import cases, read_cases

from authbench.scoring.evaluation.released import HEADLINES

ROOT = Path(__file__).parents[2]
sys.path.append(str(ROOT / "benchmarks"))

from truth import as_markdown, read_build, table, wrong_drops  # noqa: E402

AUTHORS, TEXTS = 104, 4
VERSE = "The moon has risen over the dark wood\nand nobody walks on the long road home.\n"
SPOILT = read_cases(Path(__file__))["SPOILT"]
MODELS = ("random", "masked", "char-ngram", *SPOILT)
GAIN = {"against": "format", "value": 0.08, "low": 0.02, "high": 0.1, "p": 0.001}


def write(folder, spoil=""):
    """A release and results that meet every claim, but the one that is spoiled."""
    release, results = folder / "release", folder / "evaluate"
    (release / "test").mkdir(parents=True)
    (release / "statistics").mkdir()
    keys = [(author, text) for text in range(TEXTS) for author in range(AUTHORS)]
    if spoil == "ids":
        keys.sort()
    ids = {key: f"doc_{place:06d}" for place, key in enumerate(keys)}
    name = {author: f"{author:064x}" for author in range(AUTHORS)}
    texts = {key: f"Text {key[1]} of author {key[0]}." for key in keys}
    if spoil == "doubled":
        texts[keys[3]] = VERSE * 2
    truth = {key: [ids[key[0], other] for other in range(TEXTS) if other != key[1]] for key in keys}
    lines(
        release / "test/candidates.jsonl",
        ({"candidate_id": ids[k], "author_id": name[k[0]], "content": texts[k]} for k in keys),
    )
    lines(
        release / "test/ground_truth.jsonl",
        ({"query_id": ids[k], "author_id": name[k[0]], "positive_ids": truth[k]} for k in keys),
    )
    related = [(ids[k], one, spoil == "works" and k == keys[0]) for k in keys for one in truth[k]]
    pl.DataFrame(related, schema=["query_id", "candidate_id", "same_work"], orient="row").write_parquet(
        release / "test/positives.parquet"
    )
    pl.DataFrame(
        {
            "id": [ids[k] for k in keys],
            "author_id": [name[k[0]] for k in keys],
            "lang": "en",
            "date": "1848",
            "split": ["dev" if spoil == "persons" and k == keys[0] else "test" for k in keys],
            "scored": True,
        }
    ).write_parquet(release / "provenance.parquet")
    matched = [("time_matched", True)] * (len(keys) * (1 if spoil == "unmatched" else 3))
    pl.DataFrame(matched, schema=["pool", "same"], orient="row").write_parquet(release / "test/pairs.parquet")
    low = 0.4 if spoil == "impure" else 0.0
    (release / "statistics/labels.csv").write_text(f"source,low,high,decision\neltec_tei,{low},0.5,unmeasured\n")
    (release / "manifest.json").write_text(json.dumps({"config": {"name": "x", "authors": {"max_impurity": 0.2}}}))
    for model in MODELS:
        score = 0.7 if spoil and SPOILT.get(model) == spoil else 0.5
        queries = pl.DataFrame(
            {
                "id": [ids[k] for k in keys],
                "author_id": [name[k[0]] for k in keys],
                "source": "eltec_tei",
                **dict.fromkeys(("auc_matched", "auc_topic", "auc_time"), score),
                **dict.fromkeys(("matched_groups", "topic_matched_groups", "time_matched_groups"), 3.0),
            }
        )
        gain = GAIN | ({"low": -0.01, "p": 0.2} if spoil == "gain" else {})
        headline = {score: {"value": 0.6, "gain": gain} for score in HEADLINES}
        power = {
            "tests": 18,
            "auc_matched": {"macro": 0.2 if spoil == "power" else 0.02},
            "s@5_other_work": {"difference": 0.04},
        }
        named = [] if spoil == "silent" else ["eltec_tei"]
        (results / model).mkdir(parents=True)
        queries.write_parquet(results / model / "queries.parquet")
        stated = {"split": "test", "unmeasured_sources": named}
        told = {"model": {"name": model}, "benchmark": stated, "headline": headline, "power": power}
        (results / model / "scores.json").write_text(json.dumps(told))
    return release, results


def lines(path, rows):
    path.write_bytes(b"".join(orjson.dumps(row) + b"\n" for row in rows))


def measured(folder, spoil=""):
    return table(read_build(*write(folder, spoil)), documents=96, scored=96)


def test_a_release_that_keeps_every_claim_meets_them_all(tmp_path):
    assert [row for row in measured(tmp_path) if row.met is not True] == []


@cases
def test_what_breaks_a_claim_and_nothing_else_is_missed(tmp_path, spoil, claims):
    rows = measured(tmp_path, spoil)
    assert sorted(row.claim for row in rows if row.met is False) == claims
    assert sum("**missed**" in line for line in as_markdown(rows).splitlines()) == len(claims)


def test_a_difference_that_cannot_be_shown_is_told_with_the_authors_that_it_takes(tmp_path):
    (row,) = [row for row in measured(tmp_path, "power") if row.claim.startswith("smallest") and not row.met]
    assert row.measured == ".200 (Holm over 18 tests); 44.4 times as many query authors would reach it"


def test_a_gain_that_does_not_exclude_zero_after_correction_is_missed(tmp_path):
    missed = [row.claim for row in measured(tmp_path, "gain") if row.met is False]
    assert len(missed) == 6 and all("gain" in claim or "after Holm" in claim for claim in missed)


@pytest.mark.parametrize(("wrong", "met"), [(1, True), (2, False)])
def test_one_drop_in_ten_may_be_wrong(tmp_path, wrong, met):
    verdicts = ["wrong"] * wrong + ["right"] * (10 - wrong)
    pl.DataFrame({"reason": ["a"] * 10 + ["b"], "verdict": [*verdicts, "right"]}).write_csv(tmp_path / "drops.csv")
    assert wrong_drops(tmp_path / "drops.csv").met is met


def test_what_the_files_do_not_hold_is_neither_met_nor_missed(tmp_path):
    release, results = write(tmp_path)
    (release / "test/positives.parquet").unlink()
    (release / "statistics/labels.csv").unlink()
    rows = {row.claim: row for row in table(read_build(release, results))}
    for claim in ("scored positives from the same work", "impure sources among queries", "documents released"):
        assert rows[claim].met is None
    with pytest.raises(SystemExit, match="Evaluate models"):
        read_build(release, tmp_path / "nothing")
