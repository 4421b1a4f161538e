"""Of what the filters drop and of the endings that are cut, people found at most one in ten to go wrongly."""

import sys
from pathlib import Path

import polars as pl
import pytest

ROOT = Path(__file__).parents[2]
sys.path.append(str(ROOT / "benchmarks"))
import drops  # noqa: E402
import endings  # noqa: E402

MOST_WRONG = 0.1
BOTH = pytest.mark.parametrize("benchmark", [drops, endings], ids=["drops", "endings"])


def test_at_most_one_drop_in_ten_is_wrong_for_every_reason():
    found = drops.rates(pl.read_csv(drops.VERDICTS))
    assert found.filter(pl.col("share") > MOST_WRONG).is_empty(), found.filter(pl.col("share") > MOST_WRONG).rows()


def test_at_most_one_cut_ending_in_ten_is_no_signature():
    assert (pl.read_csv(endings.VERDICTS)["verdict"] == "wrong").mean() <= MOST_WRONG


@BOTH
def test_verdicts_hold_no_text_and_each_thing_once(benchmark):
    verdicts = pl.read_csv(benchmark.VERDICTS)
    assert tuple(verdicts.columns) == benchmark.COLUMNS
    assert set(verdicts["verdict"]) == {"right", "wrong"}
    assert verdicts[benchmark.COLUMNS[0]].str.contains(r"^[0-9a-f]{16}$").all()
    assert verdicts["note"].str.len_chars().max() <= 40
    judged = ["doc", "reason"] if benchmark is drops else ["ending"]
    assert not verdicts.select(judged).is_duplicated().any()


@BOTH
def test_the_rate_is_that_of_wrong_among_those_read(benchmark):
    of = "reason" if benchmark is drops else "lang"
    verdicts = pl.DataFrame({of: ["a", "a", "b"], "verdict": ["wrong", "right", "right"]})
    assert benchmark.rates(verdicts).rows() == [("a", 2, 1, 0.5), ("b", 1, 0, 0.0)]


def test_a_sample_of_drops_has_thirty_of_each_reason_and_language_whatever_the_order():
    keys = [f"s:{number}" for number in range(100)]
    documents = pl.DataFrame({"doc_key": keys, "lang": ["en", "de"] * 50, "content": "x"})
    removed = pl.DataFrame({"source": "s", "doc_key": keys, "reason": "r", "value": 0.0, "detail": None})
    one, other = drops.sample(documents, removed), drops.sample(documents.reverse(), removed.reverse())
    assert one.equals(other)
    assert one.group_by("lang").len().sort("lang").rows() == [("de", 30), ("en", 30)]
    assert one["doc"][0] in set(map(drops.document_hash, keys))
    with pytest.raises(pl.exceptions.ColumnNotFoundError):
        drops.sample(documents.drop("content"), removed)


def test_a_sample_has_the_endings_that_went_and_thirty_of_each_language_whatever_the_order():
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
    found = endings.sample(uncut, cut)
    assert found.group_by("lang").len().sort("lang")["len"].to_list() == [30, 30]
    assert set(found["text"]) == {"*me*"}
    assert found.equals(endings.sample(uncut.reverse(), cut.sample(fraction=1, shuffle=True, seed=1)))
    assert endings.endings(uncut, cut).height == 78
    assert found["ending"][0] == min(endings.ending_hash(f"author {number // 2}", "*me*") for number in range(1, 78, 2))
