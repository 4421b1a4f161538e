"""Unmasking, held to reference values."""

import numpy as np
import pytest
from shared_folders import oracle

from authbench.verifiers import unmasking
from authbench.verifiers.parameters import UnmaskingParameters


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
