"""Does a task give what it should of vectors that know nothing, of those that know all, and of bad input?"""

from itertools import product

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.sparse import csr_matrix

from authbench.config.registry.typed_schema import from_plain
from authbench.core.errors import InputError
from authbench.suites.style import clustering, order, pairs, probing, retrieval
from authbench.suites.style.entries import TASK_SETTINGS
from authbench.suites.style.features import extract
from authbench.suites.style.tasks import TASKS
from authbench.suites.style.vectors import Vectors


def chance(*shape, seed=0):
    return np.random.default_rng(seed).standard_normal(shape)


def one_hot(codes):
    return np.eye(max(codes) + 1)[codes]


LABELS = np.repeat(np.arange(6), 50)


@pytest.mark.parametrize("sizes", [[200, 155, 103, 5], [1, 60, 60], [25] * 38])
def test_labels_of_any_size_and_number_are_found_where_they_lie_apart(sizes):
    labels = np.repeat(np.arange(len(sizes)), sizes)
    assert clustering.score(one_hot(labels), labels, range(2))["v_measure"] == pytest.approx(1)


def test_what_encodes_the_level_alone_orders_and_is_not_distracted():
    levels = [np.tile(row, (20, 1)) for row in np.eye(3)]
    result = order.score(levels, ["all"] * 20)
    assert (result["accuracy"], result["distractor"]) == (1, 1)


def test_what_encodes_the_content_alone_takes_the_distractor():
    content = np.eye(20)
    result = order.score([content, content], ["all"] * 20)
    assert result["accuracy"] == 0.5
    assert result["ties"] == result["comparisons"] == 190
    assert result["distractor"] == 0


def test_a_feature_in_the_vector_is_read_off():
    values = chance(500, 2)
    vectors = np.concatenate([values, chance(500, 6, seed=2)], axis=1)
    result = probing.score(vectors, ["a", "b"], values, [str(number) for number in range(500)])
    assert result["accuracy"] > 0.6


def by_hand(matrix, levels):
    """Credit of one pair of items: `matrix[l][m]` is the cosine of level l of the order with level m of the other."""
    from itertools import permutations

    costs = {
        chosen: sum((1 - matrix[place][other]) ** 2 for place, other in enumerate(chosen)) ** 0.5
        for chosen in permutations(range(len(matrix[0])), levels)
    }
    best = min(costs.values())
    tied = [chosen for chosen, cost in costs.items() if abs(cost - best) < 1e-12]
    return 1 / len(tied) if tuple(range(levels)) in tied else 0


@given(st.integers(2, 4), st.integers(2, 6), st.integers(0, 1000))
def test_order_alignment_is_what_its_rule_says_item_by_item(levels, items, seed):
    rows = [pairs.unit(chance(items, 3, seed=seed + level)) for level in range(levels)]
    accuracy, distractor = [], []
    for one, other in product(range(items), repeat=2):
        if one == other:
            continue
        matrix = [[rows[low][one] @ rows[high][other] for high in range(levels)] for low in range(levels)]
        accuracy.append(by_hand(matrix, levels))
        for out in range(levels):
            left = [level for level in range(levels) if level != out]
            asked = [[*(matrix[low][high] for high in left), rows[low][one] @ rows[out][one]] for low in left]
            distractor.append(by_hand(asked, levels - 1))
    result = order.score(rows, ["all"] * items)
    assert result["accuracy"] == pytest.approx(np.mean(accuracy))
    assert result["distractor"] == pytest.approx(np.mean(distractor))


@given(st.integers(4, 40), st.integers(1, 4), st.integers(0, 1000))
def test_auroc_is_that_of_scikit_learn_whichever_pairs_are_rarer(texts, labels, seed):
    from sklearn.metrics import roc_auc_score

    vectors = np.random.default_rng(seed).integers(-1, 2, (texts, 3)).astype(float)
    codes = np.random.default_rng(seed + 1).integers(0, labels, texts)
    result = pairs.all_to_all(vectors, codes)
    one, other = np.triu_indices(texts, 1)
    same = codes[one] == codes[other]
    if same.all() or not same.any():
        assert "undefined" in result
    else:
        unit = pairs.unit(vectors)
        expected = roc_auc_score(same, np.round((unit[one] * unit[other]).sum(axis=1), 10))
        assert result["auroc"] == pytest.approx(expected)
        assert pairs.all_to_all(csr_matrix(vectors), codes)["auroc"] == pytest.approx(expected)


def test_pairs_are_the_same_in_small_blocks(monkeypatch):
    vectors = chance(60, 8)
    whole = pairs.all_to_all(vectors, LABELS[:60] + np.arange(60) % 2)
    monkeypatch.setattr(pairs, "BLOCK_BYTES", 8 * 60 * 7)
    assert pairs.all_to_all(vectors, LABELS[:60] + np.arange(60) % 2) == whole
    styles = ["a", "b"] * 30
    monkeypatch.setattr(order, "BLOCK_BYTES", 1)
    small = order.score([vectors, chance(60, 8, seed=3)], styles)
    monkeypatch.undo()
    assert order.score([vectors, chance(60, 8, seed=3)], styles) == small


def test_sparse_vectors_are_turned_and_not_changed():
    rows = csr_matrix(np.where(chance(30, 200) > 1, chance(30, 200, seed=1), 0))
    turned = pairs.compact(rows)
    assert turned.shape[1] <= 30
    assert turned @ turned.T == pytest.approx((rows @ rows.T).toarray())
    assert pairs.compact(csr_matrix((4, 9))).shape[0] == 4


def test_several_texts_of_an_author_are_one_query_or_many():
    queries, targets = np.array([[1.0, 0.2], [0.2, 1.0]]), np.eye(2)
    together = retrieval.score(queries, ["b", "b"], targets, ["a", "b"])
    assert (together["queries"], together["mrr"]) == (1, 0.5)  # equal cosines: a comes first
    apart = retrieval.score(queries, ["b", "b"], targets, ["a", "b"], ["1", "2"])
    assert (apart["queries"], apart["mrr"], apart["recall@1"]) == (2, 0.75, 0.5)


def test_a_query_without_its_author_among_the_targets_is_no_question():
    result = retrieval.score(np.eye(3), ["a", "b", "x"], np.eye(3)[:2], ["a", "b"])
    assert (result["queries"], result["mrr"]) == (2, 1)
    assert "undefined" in retrieval.score(np.eye(1), ["x"], np.eye(3)[:2], ["a", "b"])


def test_what_cannot_be_scored_is_undefined_and_says_why():
    one_label = np.zeros(4, int)
    for result in (
        clustering.score(chance(4, 3), one_label, [0]),
        pairs.all_to_all(chance(4, 3), one_label),
        pairs.all_to_all(chance(4, 3), np.arange(4)),
        pairs.predefined(chance(4, 3), chance(4, 3), np.ones(4, bool)),
        order.score([chance(2, 3), chance(2, 3)], ["a", "b"]),
        retrieval.score(np.eye(1), ["a"], np.eye(1), ["a"]),
        probing.score(chance(30, 4), ["constant"], np.ones((30, 1)), [str(number) for number in range(30)]),
    ):
        assert isinstance(result["undefined"], str)
        assert not {"v_measure", "auroc", "accuracy", "mrr"} & set(result)


def test_a_class_of_one_text_counts_like_any_other():
    labels = np.array([0, 0, 0, 1])
    vectors = one_hot(labels)
    assert clustering.score(vectors, labels, [0])["v_measure"] == pytest.approx(1)
    assert pairs.all_to_all(vectors, labels) == {
        "auroc": 1.0, "interval": [1.0, 1.0], "pairs": 6, "positive_pairs": 3, "texts": 4, "labels": 2,
    }  # fmt: skip


def test_equal_vectors_make_fewer_clusters_than_labels_and_no_crash():
    result = clustering.score(np.ones((6, 3)), np.arange(6) // 2, range(2))
    assert result["v_measure"] == 0
    assert result["labels"] == 3


def test_a_row_of_zeros_is_like_nothing():
    result = pairs.all_to_all(np.array([[0.0, 0], [0, 0], [1, 0], [1, 0]]), np.array([0, 0, 1, 1]))
    assert result["auroc"] == pytest.approx(0.75)


def test_bins_are_balanced_in_every_part():
    bins = probing.quantile_bins(np.arange(103.0))
    parts = probing.balanced_parts(bins, np.random.default_rng(0).permutation(103))
    for part in parts:
        assert len(set(np.bincount(bins[part], minlength=5))) == 1
    assert len(np.unique(np.concatenate(parts))) == sum(map(len, parts))
    assert probing.quantile_bins(np.array([0.0] * 50 + [1.0] * 50)) is None
    assert probing.balanced_parts(np.array([0, 1, 2, 3, 4] * 4), np.arange(20)) is None


def test_surface_features_know_any_script(tmp_path):
    names, values = extract(["Ein Satz. Noch einer!", "一句话。", "Ещё одна фраза?"], "surface", tmp_path)
    assert values.shape == (3, len(names))
    assert values[1][names.index("han")] > 0
    assert not any(name.startswith("mark ") for name in names)


def selected(task, frame, **settings):
    return TASKS[task].select(pl.DataFrame(frame), from_plain(TASK_SETTINGS[task], settings))


def test_a_budget_takes_the_same_texts_whatever_the_order():
    frame = pl.DataFrame({"text": [str(number) for number in range(40)], "label": ["a", "b"] * 20})
    chosen = selected("clustering", frame, budget=5)
    assert chosen["label"].value_counts().sort("label")["count"].to_list() == [5, 5]
    assert selected("clustering", frame.reverse(), budget=5).equals(chosen)


def test_empty_texts_are_no_question():
    frame = {"text": ["x", " ", "", None], "label": ["a", "a", "b", "b"]}
    assert selected("clustering", frame)["text"].to_list() == ["x"]
    pairs_frame = {"first": ["x", ""], "second": ["y", "z"], "same": ["true", "false"]}
    assert selected("predefined", pairs_frame)["first"].to_list() == ["x"]
    levels = {"low": ["A b", "c", ""], "high": ["a  B", "d", "e"]}
    assert selected("order_alignment", levels, levels=["low", "high"])["level 1"].to_list() == ["c"]


def test_a_column_that_is_not_there_is_named():
    with pytest.raises(InputError, match="'label'"):
        selected("clustering", {"text": ["x"]})
    with pytest.raises(InputError, match="expected true and false"):
        selected("predefined", {"first": ["x"], "second": ["y"], "same": ["perhaps"]})
    with pytest.raises(InputError, match="expected query and target"):
        selected("retrieval", {"text": ["x"], "author": ["a"], "role": ["judge"]})


def test_a_query_is_by_one_author_whatever_the_targets_are_called():
    frame = {"text": list("vwxyz"), "author": list("aabab"), "query": list("11121"),
             "role": ["query", "query", "target", "query", "target"]}  # fmt: skip
    assert selected("retrieval", frame, query="query").height == 5
    with pytest.raises(InputError, match=r"\['1'\]"):
        selected("retrieval", {**frame, "role": ["query"] * 4 + ["target"]}, query="query")


def test_every_task_answers_from_vectors(tmp_path):
    texts = [f"Text {number}, und {'noch ' * (number % 9)}etwas." for number in range(120)]
    vectors = Vectors(chance(120, 8), {text: place for place, text in enumerate(texts)})
    frame = pl.DataFrame(
        {
            "text": texts,
            "label": [str(number % 3) for number in range(120)],
            "first": texts,
            "second": texts[::-1],
            "same": ["true", "false"] * 60,
            "author": [str(number // 4) for number in range(120)],
            "role": ["query", "target"] * 60,
        }
    )
    for name, task in TASKS.items():
        plain = {"levels": ["first", "second"]} if name == "order_alignment" else {}
        settings = from_plain(TASK_SETTINGS[name], plain)
        rows = task.select(frame, settings)
        assert set(task.texts(settings)) <= set(rows.columns)
        result = task.score(rows, vectors, settings, 0, tmp_path)
        assert "undefined" not in result, name
