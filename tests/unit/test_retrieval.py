"""Claims about ranks and retrieval metrics."""

from unittest.mock import patch

import numpy as np
import pytest
from cases import cases
from hypothesis import given
from hypothesis import strategies as st
from shared_folders import oracle
from small_split import a_split
from threadpoolctl import threadpool_limits

from authbench.core.errors import InputError
from authbench.core.identity import keyed_hash
from authbench.models.model import unit
from authbench.models.transformer import late_scorer
from authbench.scoring.evaluation import retrieval
from authbench.scoring.metrics.ranking import CUTOFFS, cuts_in_ties, of_random_ranking, per_query


def mixed(number):
    """MurmurHash3's 64-bit finaliser."""
    for factor in (0xFF51AFD7ED558CCD, 0xC4CEB9FE1A85EC53):
        number = (number ^ (number >> 33)) * factor % (1 << 64)
    return number ^ (number >> 33)


def ranking(scores, split):
    return retrieval.rank(lambda first, last: np.array(scores)[first:last], split, {})


def scores_of(case):
    if "scores" in case:
        return np.array(case["scores"], np.float64)
    queries, candidates = (np.array(case[f"{side}_embeddings"], np.float64) for side in ("query", "candidate"))
    lengths = [np.maximum(np.linalg.norm(side, axis=1, keepdims=True), 1e-300) for side in (queries, candidates)]
    return (queries / lengths[0]) @ (candidates / lengths[1]).T


def test_the_oracle_of_retrieval_metrics_holds():
    reference = oracle("retrieval")
    for case in reference["cases"]:
        known = set(case["candidate_ids"])
        positives = {query: set(ids) & known for query, ids in case["positives"].items()}
        place = {ident: f"{number:06d}" for number, ident in enumerate(case["candidate_ids"])}
        alone = {ident: f"q{number:06d}" for number, ident in enumerate(case["query_ids"])}
        name = {**alone, **place} if case["exclude_self"] else alone
        split = a_split(
            list(place.values()),
            [name[query] for query in case["query_ids"]],
            {name[query]: [place[ident] for ident in ids] for query, ids in positives.items()},
        )
        order = np.argsort([name[query] for query in case["query_ids"]])
        found = ranking(scores_of(case)[order], split)
        values = per_query(found.ranks["whole"], split.positives.starts, case["ks"])
        if case["has_ties"]:  # by a hash, which lies between ties against and in favour of the positives
            worst, best = (case["expected"]["tie_bounds"][side] for side in ("pessimistic", "optimistic"))
            tolerance = reference["tolerance"]
            for metric in worst.keys() & values.keys():
                assert worst[metric] - tolerance <= np.nanmean(values[metric]) <= best[metric] + tolerance, case["name"]
            continue
        expected = case["expected"]["formula"]
        if case["expected"]["agrees_with_formula_within_1e-6"].get("pytrec_eval"):
            for metric, value in case["expected"]["pytrec_eval"]["macro_over_queries_with_positives"].items():
                tolerance = reference["tolerance_tools"]
                assert np.nanmean(values[metric]) == pytest.approx(value, abs=tolerance), (case["name"], metric)
        by_id = {ident: row for row, ident in enumerate(split.queries["id"])}
        for query, numbers in expected["per_query"].items():
            for metric, value in (numbers or dict.fromkeys(values)).items():
                if metric in values:
                    got, wanted = values[metric][by_id[name[query]]], np.nan if value is None else value
                    close = pytest.approx(wanted, abs=reference["tolerance"], nan_ok=True)
                    assert got == close, (case["name"], query, metric)


def test_the_oracle_of_random_ranking_holds():
    reference = oracle("random_ranking")
    for case in reference["cases"]:
        got = of_random_ranking(case["candidates"], case["positives"])
        for metric, value in case["expected"].items():
            assert got[metric] == pytest.approx(value, abs=reference["tolerance"]), case


@st.composite
def scores_without_ties(draw):
    """Scores of queries with candidates (all different within a row), and the candidates that answer each."""
    queries, candidates = draw(st.integers(1, 6)), draw(st.integers(2, 30))
    rows = [draw(st.permutations(range(candidates))) for _ in range(queries)]
    answers = [draw(st.sets(st.integers(0, candidates - 1), min_size=1, max_size=8)) for _ in range(queries)]
    return np.array(rows, np.float64) / 7, answers


@given(scores_without_ties())
def test_without_ties_metrics_are_those_of_pytrec_eval_and_scikit_learn(drawn):
    pytrec_eval = pytest.importorskip("pytrec_eval", reason="the extra `dev` is not installed")
    from sklearn.metrics import ndcg_score

    scores, answers = drawn
    ids = [f"d{c:02d}" for c in range(scores.shape[1])]
    queries = [f"q{q}" for q in range(len(scores))]
    split = a_split(ids, queries, {query: [ids[c] for c in held] for query, held in zip(queries, answers, strict=True)})
    found = per_query(ranking(scores, split).ranks["whole"], split.positives.starts)

    truth = {query: {ids[c]: 1 for c in held} for query, held in zip(queries, answers, strict=True)}
    run = {query: dict(zip(ids, row.tolist(), strict=True)) for query, row in zip(queries, scores, strict=True)}
    cuts = ",".join(map(str, CUTOFFS))
    asked = {f"success.{cuts}", f"recall.{cuts}", f"ndcg_cut.{cuts}", "recip_rank"}
    theirs = pytrec_eval.RelevanceEvaluator(truth, asked).evaluate(run)
    names = {"success": "success", "recall": "recall", "ndcg": "ndcg_cut"}
    for at, query in enumerate(queries):
        assert found["mrr"][at] == pytest.approx(theirs[query]["recip_rank"], abs=1e-9)
        right = np.isin(np.arange(len(ids)), list(answers[at])).astype(int)
        for k in CUTOFFS:
            for ours, other in names.items():
                assert found[f"{ours}@{k}"][at] == pytest.approx(theirs[query][f"{other}_{k}"], abs=1e-9)
            gain = ndcg_score(right[None], scores[at][None], k=k, ignore_ties=True)
            assert found[f"ndcg@{k}"][at] == pytest.approx(gain, abs=1e-9)


def test_a_query_is_never_its_own_answer_and_ignored_candidates_count_neither_way():
    split = a_split(["d1", "d2", "d3", "d4"], ["d1"], {"d1": ["d4"]}, ignored={"d1": ["d2"]})
    found = ranking([[9.0, 8.0, 1.0, 2.0]], split)
    assert found.ranks["whole"].tolist() == [1]
    assert found.sizes["whole"].tolist() == [2]
    assert found.nearest[0, :3].tolist() == [3, 2, -1]


def test_cuts_in_ties_are_counted():
    split = a_split(["d1", "d2", "d3"], ["q"], {"q": ["d3"]})
    assert cuts_in_ties(ranking([[0.5, 0.5, 0.5]], split).best) == {"1": 1, "3": 0, "5": 0, "10": 0}


def test_equal_scores_tell_nothing_wherever_a_positive_stands_among_the_ids():
    ids, queries = [f"d{k:02d}" for k in range(20)], [f"q{k:03d}" for k in range(300)]
    for positive in (ids[0], ids[10], ids[-1]):
        split = a_split(ids, queries, {query: [positive] for query in queries})
        ranks = ranking(np.zeros((300, 20)), split).ranks
        assert abs(ranks["whole"].mean() - 10.5) < 1.5
        assert 0.15 < (ranks["whole"] <= 5).mean() < 0.35
        assert (ranks["language"] == ranks["whole"]).all()


def test_a_pool_within_the_language_ranks_against_that_language_alone():
    split = a_split(["d1", "d2", "d3"], ["q"], {"q": ["d3"]}, lang={"d1": "fr"})
    found = ranking([[0.9, 0.8, 0.7]], split)
    assert (found.ranks["whole"].tolist(), found.ranks["language"].tolist()) == ([3], [2])
    assert (found.sizes["whole"].tolist(), found.sizes["language"].tolist()) == ([3], [2])


def test_blocks_do_not_show(monkeypatch):
    chance = np.random.default_rng(5)
    ids = [f"d{k:02d}" for k in range(30)]
    split = a_split(ids, ids, {ident: [ids[(k + 1) % 30], ids[(k + 7) % 30]] for k, ident in enumerate(ids)})
    scores = chance.normal(size=(30, 30)).round(1)
    whole = ranking(scores, split)
    monkeypatch.setattr(retrieval, "BLOCK_BYTES", 1)
    one_by_one = ranking(scores, split)
    assert all((whole.ranks[pool] == one_by_one.ranks[pool]).all() for pool in whole.ranks)
    assert (whole.nearest == one_by_one.nearest).all()


@given(st.lists(st.lists(st.integers(0, 4), min_size=12, max_size=12), min_size=1, max_size=6), st.data())
def test_ranks_are_those_of_sorting(rows, data):
    ids = [f"d{k:02d}" for k in range(12)]
    queries = [f"q{k}" for k in range(len(rows))]
    answers = {query: data.draw(st.sets(st.sampled_from(ids), max_size=4)) for query in queries}
    split = a_split(ids, queries, answers)
    found = ranking(np.array(rows, np.float32), split)
    for number, row in enumerate(rows):
        own = keyed_hash(0, "tie", queries[number])
        ties = [mixed(own ^ mixed(keyed_hash(0, "tie", ident))) for ident in ids]
        order = sorted(range(12), key=lambda c: (-row[c], ties[c]))
        wanted = [order.index(c) + 1 for c in split.positives.rows[slice(*split.positives.starts[number : number + 2])]]
        assert found.ranks["whole"][slice(*split.positives.starts[number : number + 2])].tolist() == wanted
        assert found.nearest[number].tolist() == order[:11]


@given(st.lists(st.lists(st.integers(-1, 1), min_size=3, max_size=3), min_size=2, max_size=24), st.data())
def test_blocks_in_torch_rank_as_the_compiled_ones_do(rows, data):
    pytest.importorskip("torch", reason="the extra `models` is not installed")
    from authbench.scoring.evaluation import device

    vectors = np.array(rows, np.float32)  # small integers: every sum is exact, and many are equal
    ids = [f"d{k:02d}" for k in range(len(rows))]
    some = st.sets(st.sampled_from(ids), max_size=4)
    answers, ignored = ({ident: data.draw(some) for ident in ids} for _ in range(2))
    langs = dict(
        zip(ids, data.draw(st.lists(st.sampled_from("ab"), min_size=len(ids), max_size=len(ids))), strict=True)
    )
    split = a_split(ids, ids, {ident: answers[ident] - {ident} for ident in ids}, ignored, lang=langs)
    negatives = {"whole": split.positives}
    here = retrieval.rank(retrieval.cosine(vectors, vectors), split, negatives)
    size = data.draw(st.sampled_from([1, 5_000, 1 << 20]))
    with patch.object(retrieval, "BLOCK_BYTES", size):
        there = device.rank_on("cpu", vectors, vectors, split, negatives)
    for pool in here.ranks:
        assert there.ranks[pool].tolist() == here.ranks[pool].tolist()
        assert there.sizes[pool].tolist() == here.sizes[pool].tolist()
    assert there.nearest.tolist() == here.nearest.tolist()
    assert there.best.tolist() == here.best.tolist()
    assert there.scores.tolist() == here.scores.tolist()
    assert there.negatives["whole"].tolist() == here.negatives["whole"].tolist()


@given(st.lists(st.tuples(st.integers(0, 5), st.integers(0, 5)), min_size=1, max_size=12), st.integers(0, 12))
def test_vectors_without_a_common_column_score_0_and_all_others_their_product(spans, asking):
    rows = np.zeros((len(spans), 6), np.float32)
    for row, (one, other) in zip(rows, spans, strict=True):
        row[min(one, other) : max(one, other)] = 0.5
    queries, score = rows[:asking], retrieval.cosine(rows[:asking], rows)
    for first in range(len(queries)):
        assert np.array_equal(score(first, len(queries)), queries[first:] @ rows.T)


def test_dense_vectors_give_the_same_scores_whatever_the_block_and_the_number_of_threads():
    rows = unit(np.random.default_rng(5).standard_normal((700, 384)).astype(np.float32))
    queries, candidates = rows[:200], rows[200:]
    with threadpool_limits(1):
        alone = retrieval.cosine(queries, candidates)(0, 200).copy()
    for threads, step in ((1, 1), (2, 113), (4, 200)):
        with threadpool_limits(threads):
            score = retrieval.cosine(queries, candidates)
            blocks = [score(first, min(first + step, 200)).copy() for first in range(0, 200, step)]
        assert np.array_equal(np.vstack(blocks), alone), (threads, step)


def test_late_interaction_gives_the_same_scores_whatever_the_block_and_the_number_of_threads():
    chance = np.random.default_rng(3)
    texts = [
        unit(chance.standard_normal((int(chance.integers(20, 120)), 128)).astype(np.float32)).astype(np.float16)
        for _ in range(160)
    ]
    queries, candidates = texts[:20], texts[20:]
    with threadpool_limits(1):
        alone = late_scorer(queries, candidates)(0, 20)
    for threads, step in ((1, 1), (2, 7), (4, 20)):
        with threadpool_limits(threads):
            score = late_scorer(queries, candidates)
            blocks = [score(first, min(first + step, 20)) for first in range(0, 20, step)]
        assert np.array_equal(np.vstack(blocks), alone), (threads, step)


def test_sparse_vectors_give_the_products_of_scipy_to_the_bit_whatever_the_block():
    from scipy.sparse import random_array

    queries, candidates = (
        random_array((count, 50), density=0.3, format="csr", dtype=np.float32, rng=count) for count in (7, 20)
    )
    score, expected = retrieval.cosine(queries, candidates), (queries @ candidates.T.tocsr()).toarray()
    for first, last in ((0, 7), (2, 3), (3, 7), (5, 5)):
        assert np.array_equal(score(first, last), expected[first:last])


@cases
def test_ids_that_do_not_match_are_named(positives, queries, message):
    with pytest.raises(InputError, match=message):
        a_split(["d1"], queries, positives)
