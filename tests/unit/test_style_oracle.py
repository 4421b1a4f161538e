"""Do the tasks of style give what other tools give on the same input?"""

import numpy as np
import pytest
from shared_folders import oracle

from authbench.models.transformer import pack
from authbench.scoring.metrics.auc import auc
from authbench.suites.style import clustering, order, pairs, redundancy


def test_the_oracle_of_v_measure_holds():
    reference = oracle("clustering")
    for case in reference["cases"]:
        found = clustering.v_measure(np.array(case["labels_true"]), np.array(case["labels_pred"]))
        assert found == pytest.approx(case["expected"]["v_measure"], abs=reference["tolerance"]), case["name"]


def test_the_oracle_of_separated_groups_is_reached_from_every_seed():
    for case in oracle("clustering")["minibatch_kmeans"]:
        result = clustering.score(np.array(case["X"]), np.array(case["labels_true"]), range(5))
        assert result["labels"] == case["k"]
        assert result["v_measure"] == pytest.approx(case["expected_v_measure"], abs=case["tolerance"])


def test_the_oracle_of_pairs_holds():
    reference = oracle("pair_auroc")
    for case in reference["cases"]:
        vectors = np.array(case["embeddings"])
        if case["variant"] == "all_to_all":
            result = pairs.all_to_all(vectors, np.array(case["labels"]))
        else:
            first, second = np.array(case["pairs"]).T
            result = pairs.predefined(vectors[first], vectors[second], np.array(case["labels"], bool))
        for name, expected in case["expected"].items():
            assert result[name] == pytest.approx(expected, abs=reference["tolerance"]), case["name"]


def test_the_oracle_of_equal_scores_counts_them_one_half():
    reference = oracle("pair_auroc")
    for case in reference["score_level"]:
        labels, scores = np.array(case["labels"], bool), np.array(case["scores"], float)
        known = isinstance(case["auroc"], int | float)
        expected = case["auroc"] if known else float("nan")
        assert auc(labels, scores) == pytest.approx(expected, abs=reference["tolerance"], nan_ok=True)


def test_the_oracle_of_order_alignment_holds():
    reference = oracle("order_alignment")
    for case in reference["cases"]:
        a1, a2, s1, s2 = map(pairs.unit, np.moveaxis(np.array(case["embeddings_a1_a2_s1_s2"]), 1, 0))
        cosines = np.stack([[pairs.cosines(a, s) for s in (s1, s2)] for a in (a1, a2)])
        found = order.aligned(np.moveaxis(cosines, 2, 0))
        right = np.array(case["predicted_quadruple"]) == 1
        assert (found == 1).tolist() == right.tolist()
        credit = np.where(np.array(case["correct"]) == 1, found, 1 - found)
        assert credit.mean() == pytest.approx(case["accuracy_quadruple"], abs=reference["tolerance"])
        triple = order.aligned(np.moveaxis(cosines, 2, 0)[:, :1])
        assert (triple == 1).tolist() == (np.array(case["predicted_triple"]) == 1).tolist()


def test_the_oracle_of_ties_tosses_a_coin():
    reference = oracle("order_alignment")
    for case in reference["ties"]:
        [credit] = order.aligned(np.array(case["similarities"]).reshape(1, 2, 2))
        assert credit == (0.5 if case.get("random") else float(case["predicted"] == 1))
    for case in reference["random_adapted_accuracy"]:
        if case["random"] >= len(case["ground_truth"]):
            continue  # the tool then gives one half whatever the others are
        sure = [truth == told for truth, told in zip(case["ground_truth"], case["predictions"], strict=True)]
        assert np.mean([*sure, *[0.5] * case["random"]]) == pytest.approx(case["accuracy"], abs=reference["tolerance"])


def test_the_oracle_of_the_distractor_holds():
    reference = oracle("order_alignment")
    for case in reference["distractor"]:
        anchors, matches, distractors = (pairs.unit(np.array(rows)) for rows in zip(
            *case["embeddings_anchor_match_distractor"], strict=True))  # fmt: skip
        cosines = np.stack([pairs.cosines(anchors, matches), pairs.cosines(anchors, distractors)], axis=-1)
        found = order.aligned(cosines[:, None, :])
        assert (found == 1).tolist() == case["correct"]
        assert found.mean() == pytest.approx(case["accuracy"], abs=reference["tolerance"])


def test_the_oracle_of_chunk_and_pool_packs_alike():
    reference = oracle("chunk_and_pool")
    for case in reference["cases"]:
        parts = pack(case["sentence_tokens"], case["limit"])
        assert [[list(piece) for piece in part] for part in parts] == case["chunks"]
        if case["chunks"]:
            found = np.mean(case["chunk_embeddings"], axis=0)
            assert found == pytest.approx(np.array(case["mean_pool"]), abs=reference["tolerance"])


def test_the_oracle_of_operational_clusters_holds():
    reference = oracle("operational_clusters")
    for case in reference["cases"]:
        scores = np.array(case["scores_models_by_datasets"], float)
        expected = case["expected"]["one_minus_rho"]
        assert redundancy.correlations(scores) == pytest.approx(
            np.array(case["expected"]["spearman"], float), abs=reference["tolerance"]
        ), case["name"]
        found = redundancy.cluster_datasets(scores)
        assert found == expected["clusters"], case["name"]
        assert redundancy.merges(scores)[:, 2] == pytest.approx(np.array(expected["merge_heights"]), abs=1e-7)
        assert redundancy.macro(scores, found) == pytest.approx(
            np.array(expected["operational_score_per_model"]), abs=reference["tolerance"]
        )
