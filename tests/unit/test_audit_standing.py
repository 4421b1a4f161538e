"""Which published differences exceed chance, by figures and by the scores of each query."""

import json

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binomtest

from authbench.audit.auditing.published import read_scores
from authbench.audit.auditing.standing import NOT_SEPARABLE, OPEN, SEPARABLE, bounds_of_p, differences


def figures(folder, name, **models):
    (folder / name).write_text(
        "model,S@5,queries,slice,split\n"
        + "".join(f"{model},{value},{queries},overall,dev\n" for model, (value, queries) in models.items())
    )
    return folder / name


def verdicts(found):
    return {(one["model"], one["other"]): one["verdict"] for one in found}


def test_of_figures_only_a_difference_is_separable_open_or_not(tmp_path):
    shares = read_scores([figures(tmp_path, "a.csv", best=(0.9, 1000), good=(0.6, 1000), near=(0.58, 1000),
                                 equal=(0.578, 1000))])  # fmt: skip
    assert verdicts(differences(shares, [], 0)) == {
        ("best", "good"): SEPARABLE, ("best", "near"): SEPARABLE, ("best", "equal"): SEPARABLE,
        ("good", "near"): OPEN, ("good", "equal"): OPEN, ("near", "equal"): NOT_SEPARABLE,
    }  # fmt: skip
    few = read_scores([figures(tmp_path, "b.csv", one=(0.6, 20), other=(0.5, 20), third=(0.4, 30))])
    assert verdicts(differences(few, [], 0)) == {("one", "other"): NOT_SEPARABLE}
    assert differences(few[:1], [], 0) == differences([], [], 0) == []


@given(st.integers(1, 30), st.data())
def test_no_answers_with_the_figures_have_a_p_beyond_its_bounds(queries, data):
    answers = [data.draw(st.lists(st.booleans(), min_size=queries, max_size=queries)) for _ in "ab"]
    first = sum(one and not other for one, other in zip(*answers, strict=True))
    second = sum(other and not one for one, other in zip(*answers, strict=True))
    p = binomtest(first, first + second).pvalue if first + second else 1.0
    least, most = bounds_of_p(sum(answers[0]) / queries, sum(answers[1]) / queries, queries)
    assert least - 1e-9 <= p <= most + 1e-9


def test_with_the_scores_of_each_query_differences_are_paired(tmp_path):
    solved = {"one": [1.0] * 60 + [0.0] * 40, "two": [1.0] * 52 + [0.0] * 48, "other": [0.0] * 48 + [1.0] * 52}
    for name, values in solved.items():
        (tmp_path / name).mkdir()
        (tmp_path / name / "scores.json").write_text(json.dumps({"model": name, "success@5": sum(values) / 100}))
        ids = [f"q{at:03}" for at in range(100)]
        table = pl.DataFrame({"id": ids, "author_id": ids, "lang": ["en"] * 100, "success@5": values})
        table.write_parquet(tmp_path / name / "queries.parquet")
    found = differences(read_scores([tmp_path]), [], 0)
    assert verdicts(found) == {
        ("one", "two"): SEPARABLE, ("one", "other"): NOT_SEPARABLE, ("other", "two"): NOT_SEPARABLE
    }  # fmt: skip
    first = next(one for one in found if (one["model"], one["other"]) == ("one", "two"))
    assert first["low"] is not None and first["high"] is not None and first["p_least"] == first["p_most"]
    assert first["difference"] == pytest.approx(0.08) and 0 < first["low"] < 0.08 < first["high"]
