"""Claims about the calibrated baselines: pairs they learn from, what they measure, and how they score."""

import json
import math
from collections import Counter

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from split_folder import write_release

from authbench.app.cli import main
from authbench.models.calibrated import (
    SMOOTHING,
    CalibratedModel,
    CrossEntropies,
    NgramSimilarities,
    calibration_pairs,
)  # fmt: skip
from authbench.models.requested import load_model

NAMES = ("ngram-calibrated", "ppm-calibrated")
TEXTS = st.lists(st.text("abcé A.1 \n字", max_size=40), min_size=2, max_size=6)


def train_of(authors, each):
    rows = [(f"d{a:02d}-{k}", f"a{a:02d}", f"word{a} says word{a} {k}") for a in range(authors) for k in range(each)]
    return pl.DataFrame(rows, schema=["id", "author_id", "content"], orient="row")


def test_calibration_has_for_each_text_a_pair_of_either_kind_whatever_the_order():
    train = pl.concat([train_of(8, 3), train_of(9, 1)[-1:].with_columns(author_id=pl.lit("alone"))])
    one, other, same = calibration_pairs(train, 13, 1_000)
    authors = train["author_id"].to_list()
    assert len(one) == 2 * 24 and same.sum() == 24 and (one != other).all()
    assert all((authors[a] == authors[b]) == bool(kind) for a, b, kind in zip(one, other, same, strict=True))
    assert "alone" not in {authors[row] for row in one}
    turned = train.reverse()
    again = calibration_pairs(turned, 13, 1_000)
    last = train.height - 1
    assert [(last - a, last - b) for a, b in zip(*again[:2], strict=True)] == list(zip(one, other, strict=True))
    assert len(calibration_pairs(train, 13, 10)[0]) == 10
    assert not len(calibration_pairs(train_of(5, 1), 13, 10)[0]) and not len(
        calibration_pairs(train_of(1, 5), 13, 10)[0]
    )


@given(TEXTS, st.sampled_from([NgramSimilarities, CrossEntropies]))
def test_a_block_has_the_similarities_of_its_pairs(texts, measured):
    found = measured(texts)
    rows = np.arange(len(texts))
    one, other = (place.ravel() for place in np.meshgrid(rows, rows, indexing="ij"))
    blocks = [block.ravel() for block in found.of_blocks(rows, rows)]
    np.testing.assert_allclose(np.stack(blocks, axis=1), found.of_pairs(one, other), atol=1e-6)


def test_a_cross_entropy_is_that_of_smoothed_counts_of_5_grams():
    texts = ["the cat sat", "a cat sat down", "dog"]

    def grams(text):
        return Counter(text[place : place + 5] for place in range(len(text) - 4))

    def entropy(asked, known):
        seen, total = grams(known), sum(grams(known).values())
        share = {gram: math.log((seen[gram] + SMOOTHING) / (total + SMOOTHING * 8192)) for gram in grams(asked)}
        return -sum(count * share[gram] for gram, count in grams(asked).items()) / sum(grams(asked).values())

    first, second = entropy(texts[0], texts[1]), entropy(texts[1], texts[0])
    [[mean, apart], [with_short, _]] = CrossEntropies(texts).of_pairs(np.array([0, 0]), np.array([1, 2]))
    assert mean == pytest.approx((first + second) / 2) and apart == pytest.approx(abs(first - second))
    assert with_short == pytest.approx(math.log(8192) / 2)  # a text without a 5-gram knows nothing, and asks nothing


def test_plain_likenesses_are_those_of_the_measurements():
    found = NgramSimilarities(["Ab, 1!", "ab"]).of_pairs(np.array([0]), np.array([1]))[0]
    shares = [1 - 2 / 6, 1 - 1 / 6, 1 - 1 / 6, 1 - 1 / 6]  # of , and !, of 1, of A, of the space
    assert found[2:].tolist() == pytest.approx([2 / 6, 1 / 2, *shares, 1 - 0.5])


@pytest.mark.parametrize("name", NAMES)
def test_a_block_of_queries_scores_as_they_do_one_by_one(name):
    train, documents = train_of(12, 3), train_of(6, 3)
    asks = np.arange(0, 18, 3, dtype=np.int32)
    score = CalibratedModel(load_model(name)).compare(documents, 18, asks, [train])
    whole = score(0, len(asks)).copy()
    assert np.array_equal(whole, np.concatenate([score(row, row + 1).copy() for row in range(len(asks))]))
    turned = CalibratedModel(load_model(name)).compare(documents, 18, asks, [train.reverse()])
    np.testing.assert_allclose(turned(0, len(asks)), whole, rtol=1e-6)


def test_both_rows_are_scored_above_chance_and_refused_without_a_split_to_learn_from(tmp_path, refused):
    release = write_release(tmp_path / "release", authors=24)
    models = [part for name in NAMES for part in ("--model", name)]
    command = ["evaluate", str(release), *models, "--out", str(tmp_path / "scores")]
    assert "ngram-calibrated: is calibrated on the texts of another split" in refused(command)
    (release / "train").symlink_to(release / "test")
    assert main(command) == 0
    for name in NAMES:
        overall = json.loads((tmp_path / f"scores/{name}/scores.json").read_text())["overall"]
        assert overall["success@5"] > 0.9 and overall["eer"] < 0.1


def test_a_model_of_pairs_has_no_vector_for_other_suites(tmp_path, capsys):
    assert main(["style", "run", str(tmp_path), "--model", "ppm-calibrated", "--out", str(tmp_path / "out")]) == 2
    assert "ppm-calibrated: a model of kind cross_entropy scores pairs of texts" in capsys.readouterr().err
