"""Unmasking, held to reference values, and on real text in the closed setting."""

import numpy as np
import pytest
from defaults import section
from real_blogs import blogs_by_month
from shared_folders import needs_corpora, oracle

from authbench.scoring.metrics.auc import auc
from authbench.scoring.verifiers import Bench, kind, unmasking
from authbench.scoring.verifiers.parameters import UnmaskingParameters
from authbench.suites.pan.pairs import LARGE, TEST, build


def test_the_oracle_of_unmasking_holds():
    reference = oracle("unmasking")
    asked = reference["parameters"]
    parameters = UnmaskingParameters(
        **{
            "rounds": asked["rounds"],
            "features": asked["top_n"],
            "folds": asked["cv_folds"],
            "removed": asked["n_delete"],
            "chunk_trigrams": asked["chunk_size"],
            "chunks": asked["n_chunks"],
        }
    )
    exact = reference["deterministic_parts"]
    assert unmasking.trigrams(exact["text"]) == exact["character_trigrams"]
    for case in reference["cases"]:
        chance = np.random.Generator(np.random.Philox(1))
        curve = unmasking.curve(case["text1"], case["text2"], parameters, chance)
        assert len(curve) == case["expected"]["curve_points"]
        assert curve.mean() == pytest.approx(
            case["expected"]["mean_curve_value"], abs=reference["tolerance_mean_curve_value"]
        ), case["name"]


@needs_corpora
def test_unmasking_tells_bloggers_apart_in_the_closed_setting(tmp_path):
    sets = build(blogs_by_month(4_000), section("pan", setting="closed", test=0.3), 1)
    parameters = UnmaskingParameters(rounds=10, features=150, folds=3, removed=6, chunk_trigrams=400, chunks=30)
    train, test = sets[LARGE].sample(40, seed=1), sets[TEST]
    steps = kind("unmasking")
    found = steps.predict(steps.calibrate(steps.fit(train, parameters, Bench(1, tmp_path)), train), test)
    assert auc(test["same"].to_numpy(), found) > 0.55
