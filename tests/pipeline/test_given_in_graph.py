"""Functions, vectors, runs and scores of pairs as models of a build."""

import json

import numpy as np
import polars as pl
import pytest

ENCODE = "import numpy as np\ndef encode(texts):\n    return np.array([[len(t), t.count('a'), 1] for t in texts])\n"
MODELS = ["random", "own_encoder:encode", "vectors=given.npz", "run=ranked.run", "pairs=paired.csv"]


def write_given(folder, release):
    """Write a function, and what it would give of the test split of a release."""
    (folder / "own_encoder.py").write_text(ENCODE)
    texts = pl.read_ndjson(release / "test/candidates.jsonl").select("candidate_id", "content", "lang")
    queries = pl.read_ndjson(release / "test/queries.jsonl")
    assert set(queries["query_id"]) <= set(texts["candidate_id"])
    vectors = np.array([[len(text), text.count("a"), 1] for text in texts["content"]], np.float32)
    np.savez(folder / "given.npz", ids=np.array(texts["candidate_id"]), vectors=vectors)
    ids = texts["candidate_id"].to_list()
    place = {ident: row for row, ident in enumerate(ids)}
    unit = (vectors / np.linalg.norm(vectors, axis=1, keepdims=True)).astype(np.float64)  # summed in 64 bits
    lines = []
    for query in queries["query_id"]:
        scores = unit @ unit[place[query]]
        lines += [f"{query} Q0 {ids[one]} 0 {scores[one]} mine\n" for one in np.argsort(-scores)[:1000]]
    (folder / "ranked.run").write_text("".join(lines))
    pairs = pl.read_parquet(release / "test/pairs.parquet").select("query_id", "candidate_id").unique()
    scored = [float(np.float32(unit[place[one]] @ unit[place[other]])) for one, other in pairs.iter_rows()]
    pairs.with_columns(score=pl.Series(scored)).write_csv(folder / "paired.csv")


def evaluated(jobs):
    return {job.wildcards for job in jobs if job.rule == "evaluate_model"}


def test_tuned_models_are_rows_of_the_leaderboard_in_the_graph_that_trains_them(demo):
    train = {"models": ["all-minilm-l6-v2", "multilingual-e5-base"], "seeds": 2, "in_leaderboard": True}
    jobs = demo.plan("--config", f"train={json.dumps(train)}", "evaluate={models: [tfidf]}")
    names = [f"{model}-seed-{seed}" for model in train["models"] for seed in (0, 1)]
    assert {job.wildcards for job in jobs if job.rule == "train_model"} == {f"tuned={name}" for name in names}
    assert evaluated(jobs) == {f"model={name}" for name in [*train["models"], *names]}
    assert "leaderboard" in {job.rule for job in jobs}


def test_what_is_given_is_scored_and_a_change_scores_it_alone_again(another):
    write_given(another.folder, another.release)
    recipe = another.recipe({"evaluate": {"models": MODELS}})
    assert evaluated(another.plan(*recipe)) == {
        f"model={name}" for name in ("own_encoder.encode", "given", "ranked", "paired")
    }
    another.build(*recipe)
    scores = {path.parent.name: json.loads(path.read_text()) for path in another.results.glob("evaluate/*/scores.json")}
    assert scores["given"]["overall"] == scores["own_encoder.encode"]["overall"]
    assert scores["paired"]["overall"]["mrr"] is None
    areas = [scores[name]["headline"]["auc_matched"]["value"] for name in ("paired", "given")]
    assert areas[0] == pytest.approx(areas[1], abs=1e-5)
    page = (another.results / "leaderboard/index.html").read_text()
    assert "own_encoder.encode" in page and "paired" in page
    assert another.plan(*recipe) == []

    with np.load(another.folder / "given.npz") as given:
        np.savez(another.folder / "given.npz", ids=given["ids"], vectors=given["vectors"] + 1)
    assert evaluated(another.plan(*recipe)) == {"model=given"}
    (another.folder / "own_encoder.py").write_text(ENCODE.replace("'a'", "'e'"))
    assert evaluated(another.plan(*recipe)) == {"model=given", "model=own_encoder.encode"}


def test_what_cannot_be_used_stops_a_build_before_anything_runs(fresh):
    said = fresh.refusal(*fresh.recipe({"evaluate": {"models": ["vectors=none.npz", "absent_module:encode"]}}))
    assert "evaluate.models: none.npz: there is no such file" in said
    assert "evaluate.models: absent_module: there is no such module" in said
    (fresh.folder / "mine.run").write_text("")
    said = fresh.refusal(*fresh.recipe({"style": {"models": ["run=mine.run"]}, "pan": {"verifiers": ["run=mine.run"]}}))
    assert "style.models: mine: a run file, which gives no text a vector" in said
    assert "pan.verifiers: mine: a run file, which gives no text a vector" in said
