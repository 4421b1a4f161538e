"""Of the endings that are cut as signatures, people found at most one in ten to be none."""

import sys
from pathlib import Path

import polars as pl

ROOT = Path(__file__).parents[2]
sys.path.append(str(ROOT / "benchmarks"))

from endings import COLUMNS, VERDICTS, ending_hash, endings, rates, sample  # noqa: E402


def test_at_most_one_cut_ending_in_ten_is_no_signature() -> None:
    verdicts = pl.read_csv(VERDICTS)
    assert set(verdicts["verdict"]) == {"right", "wrong"}
    assert (verdicts["verdict"] == "wrong").sum() <= 0.1 * verdicts.height


def test_the_verdicts_hold_no_text_and_each_ending_once() -> None:
    verdicts = pl.read_csv(VERDICTS)
    assert tuple(verdicts.columns) == COLUMNS
    assert verdicts["ending"].str.contains(r"^[0-9a-f]{16}$").all()
    assert verdicts["note"].str.len_chars().max() <= 40
    assert not verdicts["ending"].is_duplicated().any()


def test_a_sample_has_the_endings_that_went_and_thirty_of_each_language_whatever_the_order() -> None:
    keys = [f"s:{number}" for number in range(80)]
    uncut = pl.DataFrame(
        {
            "doc_key": keys,
            "source": "s",
            "lang": ["en", "de"] * 40,
            "author_id": [f"author {number // 2}" for number in range(80)],
            "content": [f"Text {number}. *me*" if number < 78 else "Nothing." for number in range(80)],
        }
    )
    cut = uncut.select("doc_key", pl.col("content").str.strip_suffix(" *me*"))
    found = sample(uncut, cut)
    assert found.group_by("lang").len().sort("lang")["len"].to_list() == [30, 30]
    assert set(found["text"]) == {"*me*"}
    assert found.equals(sample(uncut.reverse(), cut.sample(fraction=1, shuffle=True, seed=1)))
    assert endings(uncut, cut).height == 78
    assert found["ending"][0] == min(ending_hash(f"author {number // 2}", "*me*") for number in range(1, 78, 2))


def test_the_rate_is_that_of_wrong_among_those_read() -> None:
    verdicts = pl.DataFrame({"lang": ["a", "a", "b"], "verdict": ["wrong", "right", "right"]})
    assert rates(verdicts).rows() == [("a", 2, 1, 0.5), ("b", 1, 0, 0.0)]
