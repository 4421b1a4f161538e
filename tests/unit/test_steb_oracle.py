"""The protocol `steb` gives what STEB's own functions give on the same input, and strict differs where it says so.

Every case of the folder `steb_reference` of the reference values is run, whatever its name; a case with an option that
our commands do not offer is skipped.
"""

import contextlib
from collections import defaultdict
from itertools import combinations, permutations

import numpy as np
import polars as pl
import pytest
import sklearn
from shared_folders import ORACLES, oracle, skip_without_oracle
from threadpoolctl import threadpool_limits

from authbench.core.errors import InputError
from authbench.suites.style import clustering
from authbench.suites.style import order as strict_order
from authbench.suites.style import pairs as strict_pairs
from authbench.suites.style.redundancy import correlations, merges
from authbench.suites.style.retrieval import means
from authbench.suites.style.steb import board, order, probing, steps, tasks

FOLDER = "steb_reference"


def _reference(name):
    return oracle(f"{FOLDER}/{name}")


def _cases(name, **asked):
    """Return the cases of a file as parameters, skipped with other options than `asked` or without the file."""
    if not (ORACLES / FOLDER / f"{name}.json").is_file():
        return [pytest.param(None, id="no reference values")]
    cases = []
    for case in _reference(name)["cases"]:
        other = [f"{key}={case[key]!r}" for key, own in asked.items() if case.get(key, own) != own]
        reason = f"{case['name']}: our commands do not offer {', '.join(other)}"
        cases.append(pytest.param(case, id=case["name"], marks=[pytest.mark.skip(reason=reason)] if other else []))
    return cases


def _about(value, tolerance):
    return pytest.approx(float(value), abs=tolerance, nan_ok=True)


@pytest.fixture(autouse=True)
def _skip_without_case(request):
    if "case" in request.fixturenames and request.getfixturevalue("case") is None:
        skip_without_oracle(ORACLES / FOLDER)


@pytest.mark.parametrize("case", _cases("order_alignment"))
def test_the_oracle_of_order_alignment_in_their_protocol_holds(case):
    tolerance = _reference("order_alignment")["tolerance"]
    levels = list(np.moveaxis(np.array(case["embeddings"], float), 1, 0))
    found, expected = order.score(levels, case["labels"]), case["expected"]
    for name in ("acc_mean", "distractor_acc_mean"):
        assert found[name] == _about(expected[name], tolerance)
        low, high = case.get("bounds", {}).get(name, [expected[name]] * 2)
        assert low - tolerance <= found[name] <= high + tolerance
    assert set(found["_per_label"]) == set(expected["per_label"])
    for label, values in expected["per_label"].items():
        for name, value in values.items():
            assert found["_per_label"][label][name] == _about(value, tolerance)
    assert found["comparisons"] == expected["comparisons"]
    assert found["distractor_comparisons"] == expected["distractor_comparisons"]


def _whole_orders(items):
    """Return what strict asks: how often the own order has the least root of squares over all pairs of items."""
    unit = items / np.maximum(np.linalg.norm(items, axis=-1, keepdims=True), 1e-300)
    places, points = range(items.shape[1]), []
    for one, other in combinations(unit, 2):
        far = (1 - np.round(one @ other.T, 12)) ** 2
        costs = [sum(far[row, column] for row, column in enumerate(order)) for order in permutations(places)]
        best = [order for order, cost in zip(permutations(places), costs, strict=True) if cost <= min(costs) + 1e-12]
        points.append((tuple(places) in best) / len(best))
    return float(np.mean(points))


@pytest.mark.parametrize("case", _cases("order_alignment"))
def test_the_oracle_of_order_alignment_has_whole_orders_in_ours(case):
    vectors, labels = np.array(case["embeddings"], float), np.array(case["labels"])
    strict = strict_order.score(list(np.moveaxis(vectors, 1, 0)), case["labels"])
    if "undefined" in strict:
        assert not case["expected"]["per_label"]
        return
    assert set(strict["by_style"]) == set(case["expected"]["per_label"])
    for label, values in strict["by_style"].items():
        assert values["accuracy"] == pytest.approx(_whole_orders(vectors[labels == label]), abs=1e-9)


def test_a_random_order_of_three_levels_scores_a_third_in_theirs_and_a_sixth_in_ours():
    levels = list(np.random.default_rng(0).normal(size=(3, 90, 16)))
    assert order.score(levels, ["s"] * 90)["acc_mean"] == pytest.approx(1 / 3, abs=0.03)
    assert strict_order.score(levels, ["s"] * 90)["accuracy"] == pytest.approx(1 / 6, abs=0.03)


@pytest.mark.parametrize("case", _cases("pairs", score_mode="cosine"))
def test_the_oracle_of_pairs_in_their_protocol_holds(case):
    reference = _reference("pairs")
    if case["kind"] == "all_to_all":
        found = tasks.all_to_all(np.array(case["embeddings"], float), case["labels"])
        strict = strict_pairs.all_to_all(
            np.array(case["embeddings"], float), np.unique(case["labels"], return_inverse=True)[1]
        )
    else:
        sides = [np.array(case[side], float) for side in ("first", "second")]
        found = tasks.predefined(*sides, np.array(case["same"], bool))
        strict = strict_pairs.predefined(*sides, np.array(case["same"], bool))
    for name, value in case["expected"].items():
        assert found[name] == _about(value, reference["tolerance_eer" if name == "eer" else "tolerance"]), name
    assert strict["auroc"] == _about(case["expected"]["auc"], 1e-9)  # of the area itself the two protocols agree


@pytest.mark.parametrize("case", _cases("retrieval", expected_error=None))
def test_the_oracle_of_retrieval_in_their_protocol_holds(case):
    if "text_embeddings" in case:
        names = [f"{author}_{role}" for author, role in zip(case["author"], case["role"], strict=True)]
        labels = list(dict.fromkeys(names))
        vectors = means(np.array(case["text_embeddings"], float), names, labels)
    else:
        vectors, labels = np.array(case["embeddings"], float), case["labels"]
    sides = []
    for role in ("_query", "_target"):
        places = [place for place, label in enumerate(labels) if label.endswith(role)]
        sides += [vectors[places], [labels[place].removesuffix(role) for place in places]]
    found = tasks.score_retrieval(*sides)
    for name, value in case["expected"].items():
        assert found[name] == _about(value, _reference("retrieval")["tolerance"]), name


@pytest.mark.parametrize("case", _cases("clustering", distance_mode="euclidean"))
def test_the_oracle_of_clustering_in_their_protocol_holds(case):
    reference = _reference("clustering")
    vectors = np.array(case["embeddings"], float)
    count, expected = len(set(case["labels"])), case["expected"]
    with threadpool_limits(1):
        if f"scikit-learn {sklearn.__version__}" in reference["tool"]:
            found = clustering.score_once(vectors, case["labels"])
            assert found["v_measure"] == _about(expected["v_measure"], reference["tolerance"])
            assert clustering.k_means(vectors, count, 42, n_init="auto").tolist() == expected["clusters"]
            return
        over = case["over_seeds_0_to_19"]
        values = [clustering.score_once(vectors, case["labels"], seed)["v_measure"] for seed in range(20)]
    assert np.mean(values) == pytest.approx(over["mean"], abs=4 * over["std"] / np.sqrt(20) + 0.02)


def _generated(case):
    """Return what the recipe of a generated case of probing gives."""
    draw = np.random.default_rng(case["seed"])
    vectors = draw.normal(size=(case["n"], case["d"]))
    weights = draw.normal(size=(case["d"], 2))
    values = vectors @ weights + 0.8 * np.linalg.norm(weights, axis=0) * draw.normal(size=(case["n"], 2))
    lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
    vectors = vectors * case["scale"] if case["scale"] else vectors / lengths
    labels = {f"f{one}": probing.quantile_bins(values[:, one])[0].tolist() for one in range(2)}
    part = ["val" if row % 10 == 8 else "test" if row % 10 == 9 else "train" for row in range(case["n"])]
    for name, counts in case["label_counts"].items():
        assert np.bincount(labels[name]).tolist() == counts
    return vectors, labels, dict.fromkeys(labels, part)


@pytest.mark.parametrize("case", _cases("probing"))
def test_the_oracle_of_probing_in_their_protocol_holds(case):
    if case.get("kind") == "bins":
        bins, edges = probing.quantile_bins(np.array(case["values"], float))
        sizes, expected = probing.sizes_of_pieces(bins, len(edges) - 1, case["total_data"]), case["expected"]
        assert bins.tolist() == expected["bins"]
        assert edges.tolist() == pytest.approx(expected["edges"], abs=1e-12)
        names = {"bins": "number_of_bins", "kept": "kept_per_bin"}
        names |= {part: f"{part}_per_bin" for part in ("train", "val", "test")}
        assert sizes == {ours: expected[theirs] for ours, theirs in names.items()}
        return
    torch = pytest.importorskip("torch")
    if case.get("kind") == "generated":
        vectors, labels, splits = _generated(case)
    else:
        vectors, labels, splits = np.array(case["embeddings"], float), case["labels"], case["splits"]
    found = probing.score(vectors, labels, splits)
    if f"torch {torch.__version__}" in _reference("probing")["tool"]:
        for name, value in case["expected_seed_42"].items():
            assert found[name] == _about(value, 1e-6), name
    for name, seeds in case["over_seeds_0_to_5"].items():  # in every version, as far as six seeds tell
        assert seeds["min"] - 0.3 <= found[name] <= seeds["max"] + 0.3


@pytest.mark.parametrize("case", _cases("operational", threshold=0.5, complete_datasets=True))
def test_the_oracle_of_operational_sums_holds(case):
    tolerance, expected = _reference("operational")["tolerance"], case["expected"]
    if case.get("kind") == "overall":
        found = board.overall(case["task_scores"])
        assert found == {model: _about(value, tolerance) for model, value in expected.items()}
        return
    scores = np.array([[np.nan if one in (None, "nan") else one for one in row] for row in case["scores"]], float)
    result = board.aggregated(case["models"], case["datasets"], scores)
    if expected is None:
        assert result is None
        return
    assert result is not None
    assert (result["models"], result["datasets"]) == (expected["models"], expected["datasets"])
    assert result["task_score"] == {model: _about(one, tolerance) for model, one in expected["task_score"].items()}
    if "clusters" in expected:
        assert {frozenset(one) for one in result["clusters"]} == {
            frozenset(one) for one in expected["clusters"].values()
        }
        rows = [case["models"].index(one) for one in expected["models"]]
        columns = [case["datasets"].index(one) for one in expected["datasets"]]
        table = scores[np.ix_(rows, columns)]
        assert correlations(table) == pytest.approx(np.array(expected["spearman"], float), abs=tolerance)
        # equal distances may be merged in another order: the heights are the same
        assert np.sort(merges(table)[:, 2]) == pytest.approx(
            np.sort(np.array(expected["linkage"], float)[:, 2]), abs=tolerance
        )


def _usable(record):
    """Return the texts and the label of a record, as STEB's loader reads it; None if either is missing."""
    label, text = record.get("label"), record.get("text")
    if isinstance(label, list):
        label = label[0] if label else None
    texts = [text] if isinstance(text, str) else [one for one in text or () if isinstance(one, str)]
    return (texts, label) if texts and label is not None else None


@pytest.mark.parametrize("case", _cases("sampling", episode_size=1, n_episodes_per_class="auto"))
def test_the_oracle_of_sampling_in_their_protocol_holds(case):
    usable = [found for record in case["records"] if (found := _usable(record))]
    labels, expected = [label for _, label in usable], case["expected"]
    assert steps.episodes_per_class(labels) == expected["n_episodes_per_class"]
    with pytest.raises(InputError) if "error" in expected else contextlib.nullcontext():
        kept = defaultdict(list)
        for place in steps.take(labels):
            kept[usable[place][1]].append(usable[place][0])
        assert {label: len(texts) for label, texts in kept.items()} == expected["texts_per_label"]
        assert {label: [texts[0], texts[-1]] for label, texts in kept.items()} == expected["first_and_last"]


def _loaded(case):
    if case["loader"] == "OneStopEnglishCorpus":
        levels = ["advanced", "intermediate", "elementary"]
        frame = pl.DataFrame({"article": ["a"] * 3, "level": levels, "text": [case[level] for level in levels]})
        return [list(row[1:]) for row in steps.line_levels(frame, "article", "level", levels, "text").rows()]
    if case["loader"] == "ASSET":
        frame = pl.DataFrame({"original": [case["original"]], "several": [case["simplifications"]]})
        return [steps.chosen_by_digest(frame, "original", "several", "chosen")["chosen"][0], case["original"]]
    if case["loader"] == "pan18_style_change":
        frame = pl.DataFrame({"name": ["a"], "text": [case["text"]], "positions": [case["truth"]["positions"]]})
        [pair] = steps.cut_in_two(frame, "name", "positions", "text").to_dicts()
        return {"first": pair["first"], "second": pair["second"], "same": pair["same"] == "true"}
    frame = pl.DataFrame([{**one, "changes": str(one["changes"])} for one in case["documents"]])
    made = steps.neighbouring_lines(frame, "id", "text", "changes", case["loader"].startswith("pan26"))
    return made.select("document", "same", "first", "second").rows()


@pytest.mark.parametrize("case", _cases("loaders"))
def test_the_oracle_of_loaders_in_their_protocol_holds(case):
    expected = case["expected"]
    if "documents" in case:
        expected = [(name, same, first, second) for name, _, same, first, second in expected]
    assert _loaded(case) == expected
