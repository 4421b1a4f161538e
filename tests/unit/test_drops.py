"""Of what the filters drop, people found at most one text in ten to be dropped wrongly, for every reason."""

import sys
from pathlib import Path

import polars as pl
import pytest

ROOT = Path(__file__).parents[2]
sys.path.append(str(ROOT / "benchmarks"))

from drops import COLUMNS, VERDICTS, document_hash, rates, sample  # noqa: E402

MOST_WRONG = 0.1


def test_at_most_one_drop_in_ten_is_wrong_for_every_reason() -> None:
    verdicts = pl.read_csv(VERDICTS)
    assert set(verdicts["verdict"]) == {"right", "wrong"}
    found = rates(verdicts)
    assert found.filter(pl.col("share") > MOST_WRONG).is_empty(), found.filter(pl.col("share") > MOST_WRONG).rows()


def test_the_verdicts_hold_no_text_and_each_drop_once() -> None:
    verdicts = pl.read_csv(VERDICTS)
    assert tuple(verdicts.columns) == COLUMNS
    assert verdicts["doc"].str.contains(r"^[0-9a-f]{16}$").all()
    assert verdicts["note"].str.len_chars().max() <= 40
    assert not verdicts.select("doc", "reason").is_duplicated().any()


def test_the_rate_is_that_of_wrong_among_those_read() -> None:
    verdicts = pl.DataFrame({"reason": ["a", "a", "b"], "verdict": ["wrong", "right", "right"]})
    assert rates(verdicts).rows() == [("a", 2, 1, 0.5), ("b", 1, 0, 0.0)]


def test_a_sample_has_thirty_of_each_reason_and_language_whatever_the_order() -> None:
    keys = [f"s:{number}" for number in range(100)]
    documents = pl.DataFrame({"doc_key": keys, "lang": ["en", "de"] * 50, "content": "x"})
    removed = pl.DataFrame({"source": "s", "doc_key": keys, "reason": "r", "value": 0.0, "detail": None})
    one, other = sample(documents, removed), sample(documents.reverse(), removed.reverse())
    assert one.equals(other)
    assert one.group_by("lang").len().sort("lang").rows() == [("de", 30), ("en", 30)]
    assert one["doc"][0] in set(map(document_hash, keys))
    with pytest.raises(pl.exceptions.ColumnNotFoundError):
        sample(documents.drop("content"), removed)
