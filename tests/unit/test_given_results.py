"""Claims about evaluating what a model gave elsewhere: vectors, runs and scores of pairs."""

import json

import numpy as np
import polars as pl
import pytest
from cases import cases
from scored_release import write_scored_release

from authbench.app.cli import main
from authbench.core.errors import InputError
from authbench.models.open import open_model
from authbench.models.requested import load_model
from authbench.release.format.release import open_release
from authbench.scoring.evaluation.given import read_pairs
from authbench.scoring.evaluation.retrieval import cosine
from authbench.scoring.evaluation.split import read_split
from authbench.scoring.metrics.ranking import NAMES

AUTHORS = 24
WHAT_IT_IS = ("model", "made_by", "headline_left_out", "left_out")


@pytest.fixture(scope="module")
def release(tmp_path_factory):
    return write_scored_release(tmp_path_factory.mktemp("given") / "release", AUTHORS)


@pytest.fixture(scope="module")
def split(release):
    return read_split(open_release(release), "test")


@pytest.fixture(scope="module")
def model(release, tmp_path_factory):
    """Return the results of a model, and its vectors of the test split's documents."""
    out = tmp_path_factory.mktemp("model")
    assert main(["evaluate", str(release), "--model", "stylometric", "--out", str(out), "--seed", "0"]) == 0
    documents = read_split(open_release(release), "test")
    compared = open_model(load_model("stylometric")).compare(
        documents.documents, documents.candidates, documents.asks, documents.reference
    )
    return out / "stylometric", np.asarray(compared.candidates)


def evaluated(release, out, *arguments):
    assert main(["evaluate", str(release), *arguments, "--out", str(out), "--seed", "0"]) == 0
    scores = list(out.glob("*/scores.json"))
    assert len(scores) == 1
    return json.loads(scores[0].read_text())


def plain(scores):
    return {key: value for key, value in scores.items() if key not in WHAT_IT_IS}


def write_run(path, split, vectors):
    """Write all candidates of each query but itself, best first."""
    ids = split.documents["id"].to_list()
    lines = []
    compared = cosine(vectors[split.asks], vectors)(0, len(split.asks))
    for row, scores in zip(split.asks, compared, strict=True):
        order = [one for one in np.argsort(-scores, kind="stable") if one != row]
        for rank, one in enumerate(order, 1):
            lines.append(f"{ids[row]} Q0 {ids[one]} {rank} {scores[one]} mine\n")
    path.write_text("".join(lines))
    return path


def write_pairs(path, split, vectors):
    stated = split.released.lists
    ids = split.documents["id"]
    queries = split.asks[stated.owners()]
    frame = pl.DataFrame(
        {
            "query_id": ids.gather(queries),
            "candidate_id": ids.gather(stated.rows),
            "score": (vectors[queries] * vectors[stated.rows]).sum(axis=1),
        }
    )
    frame.write_csv(path) if path.suffix == ".csv" else frame.write_parquet(path)
    return path


def test_vectors_of_a_model_score_what_the_model_scores(release, split, model, tmp_path):
    folder, vectors = model
    np.savez(tmp_path / "mine.npz", ids=np.array(split.documents["id"]), vectors=vectors)
    scores = evaluated(release, tmp_path / "out", "--vectors", str(tmp_path / "mine.npz"))
    assert plain(scores) == plain(json.loads((folder / "scores.json").read_text()))
    assert scores["model"]["kind"] == "vectors"
    assert set(scores["made_by"].values()) == {None}, "where vectors were made is not known"
    assert json.loads((folder / "scores.json").read_text())["made_by"]["device"] == "cpu"
    assert scores["model"]["name"] == "mine"
    for file in ("queries.parquet", "pairs.parquet", "released_pairs.parquet"):
        assert pl.read_parquet(tmp_path / "out/mine" / file).equals(pl.read_parquet(folder / file))


@pytest.mark.parametrize("power", [-100, -60, 60, 120])
def test_vectors_score_alike_at_any_scale(release, split, tmp_path, power):
    vectors = np.random.default_rng(0).normal(size=(split.documents.height, 8)).astype(np.float32)
    vectors[3] = 0
    found = []
    for name, rows in (("one", vectors), ("other", np.ldexp(vectors, power))):
        np.savez(tmp_path / f"{name}.npz", ids=np.array(split.documents["id"]), vectors=rows)
        found.append(plain(evaluated(release, tmp_path / name, "--vectors", str(tmp_path / f"{name}.npz"))))
    assert found[0] == found[1]


def test_a_run_that_we_export_has_the_retrieval_scores_of_its_model(release, model, tmp_path):
    from authbench.publish.export.beir import write_runs

    folder, _ = model
    (run,) = write_runs(tmp_path / "trec", folder)
    given = evaluated(release, tmp_path / "out", "--run", str(run))
    own = json.loads((folder / "scores.json").read_text())
    for key in NAMES:
        if key == "mrr":
            continue
        assert given["overall"][key] == pytest.approx(own["overall"][key], abs=1e-5), key
        for facet in ("by_language", "by_length"):
            for label, cell in own[facet].items():
                assert given[facet][label].get(key) == pytest.approx(cell.get(key), abs=1e-5)
    assert "eer" in given["left_out"]
    assert given["overall"]["eer"] is None
    assert set(given["headline_left_out"]) >= {"auc_matched", "auc_topic"}


def test_a_run_of_all_candidates_has_every_score_of_its_model(release, split, model, tmp_path):
    folder, vectors = model
    run = write_run(tmp_path / "whole.run", split, vectors)
    given = evaluated(release, tmp_path / "out", "--run", str(run))
    own = json.loads((folder / "scores.json").read_text())
    assert "left_out" not in given
    assert not given["headline_left_out"]
    for part in ("overall", "headline", "matched_pairs"):
        assert flat(given[part]) == pytest.approx(flat(own[part]), abs=1e-5)


def flat(values, place=""):
    """Return the numbers of nested values by their place."""
    if isinstance(values, dict):
        return {key: number for name, inner in values.items() for key, number in flat(inner, f"{place}/{name}").items()}
    return {place: values} if isinstance(values, int | float) else {}


def test_a_run_of_three_candidates_tells_what_three_can_tell(release, model, tmp_path):
    folder, _ = model
    run = tmp_path / "short.run"
    nearest = pl.read_parquet(folder / "queries.parquet").select("id", "nearest").rows()
    run.write_text("".join(f"{query} Q0 {one} 0 {-k} x\n" for query, near in nearest for k, one in enumerate(near[:3])))
    overall = evaluated(release, tmp_path / "out", "--run", str(run))["overall"]
    own = json.loads((folder / "scores.json").read_text())["overall"]
    assert overall["success@3"] == pytest.approx(own["success@3"])
    assert overall["recall@1"] == pytest.approx(own["recall@1"])
    assert overall["recall@5"] is None
    assert overall["ndcg@10"] is None
    queries = pl.read_parquet(tmp_path / "out/short/queries.parquet")
    assert queries["recall@10"].null_count() == queries.height
    assert queries["success@3"].null_count() == 0


@pytest.mark.parametrize("file", ["mine.csv", "mine.parquet"])
def test_scores_of_the_released_pairs_have_the_headline_scores_of_their_model(release, split, model, tmp_path, file):
    folder, vectors = model
    given = evaluated(release, tmp_path / "out", "--pairs", str(write_pairs(tmp_path / file, split, vectors)))
    own = json.loads((folder / "scores.json").read_text())
    for score in ("auc_matched", "auc_topic"):
        assert given["headline"][score]["value"] == pytest.approx(own["headline"][score]["value"], abs=1e-5)
    assert given["matched_pairs"]["eer"]["value"] == pytest.approx(own["matched_pairs"]["eer"]["value"], abs=1e-5)
    assert "s@5_other_work" in given["headline_left_out"]
    assert all(given["overall"][key] is None for key in (*NAMES, "eer"))


def test_given_results_stand_on_a_leaderboard_beside_sanity_rows(release, split, model, tmp_path):
    out = str(tmp_path / "out")
    run = write_run(tmp_path / "mine.run", split, model[1])
    arguments = ["--run", str(run), "--name", "my-run", "--sanity", "--out", out]
    assert main(["evaluate", str(release), *arguments]) == 0
    pairs = write_pairs(tmp_path / "pairs.csv", split, model[1])
    assert main(["evaluate", str(release), "--pairs", str(pairs), "--out", out]) == 0
    found = {path.parent.name for path in (tmp_path / "out").glob("*/scores.json")}
    assert {"my-run", "pairs", "random", "date", "masked"} < found
    assert main(["leaderboard", out]) == 0
    page = (tmp_path / "out/leaderboard/index.html").read_text()
    assert "my-run" in page and "nan" not in page.lower().replace("finance", "")
    gains = json.loads((tmp_path / "out/pairs/scores.json").read_text())["headline"]["auc_matched"]["gain"]
    assert gains["against"]


@cases
def test_runs_that_cannot_be_used_are_told_before_anything_is_written(release, split, tmp_path, capsys, text, said):
    import re

    ids = split.documents["id"]
    run = tmp_path / "bad.run"
    run.write_text(text.format(query=ids[0], candidate=ids[1]), encoding="latin-1")
    arguments = ["--model", "random", "--run", str(run), "--out", str(tmp_path / "out")]
    assert main(["evaluate", str(release), *arguments]) == 2
    problem = capsys.readouterr().err.splitlines()[-1]
    assert re.search(f"bad.run: .*{said}|{said}", problem), problem
    assert "bad.run" in problem
    assert not (tmp_path / "out").exists()


def changed_pairs(frame, how):
    first = frame.head(1)
    return {
        "missing": frame.tail(-1),
        "two scores": pl.concat([frame, first.with_columns(pl.col("score") + 1)]),
        "unknown": pl.concat([frame, first.with_columns(candidate_id=pl.lit("nobody"))]),
        "unstated": pl.concat([frame, first.with_columns(candidate_id=pl.col("query_id"))]),
        "no number": frame.with_columns(pl.col("score").cast(pl.String).replace(str(first["score"][0]), "high")),
        "no column": frame.rename({"score": "value"}),
    }[how]


@cases
def test_pairs_that_cannot_be_used_are_told_before_anything_is_written(
    release, split, model, tmp_path, refused, how, said
):
    path = write_pairs(tmp_path / "bad.csv", split, model[1])
    changed_pairs(pl.read_csv(path), how).write_csv(path)
    problem = refused(["evaluate", str(release), "--pairs", str(path), "--out", str(tmp_path / "out")])
    assert said in problem
    assert "bad.csv" in problem
    assert not (tmp_path / "out").exists()


def test_a_pair_may_be_scored_twice_alike(release, split, model, tmp_path):
    path = write_pairs(tmp_path / "mine.csv", split, model[1])
    frame = pl.read_csv(path)
    pl.concat([frame, frame]).write_csv(path)
    assert evaluated(release, tmp_path / "out", "--pairs", str(path))["headline"]["auc_matched"]


def test_pairs_are_read_alike_from_every_container(release, split, model, tmp_path):
    import gzip

    path = write_pairs(tmp_path / "mine.csv", split, model[1])
    frame, expected = pl.read_csv(path), read_pairs(path, split)
    content = path.read_bytes()
    (tmp_path / "bom.csv").write_bytes(b"\xef\xbb\xbf" + content)
    (tmp_path / "crlf.csv").write_bytes(content.replace(b"\n", b"\r\n"))
    (tmp_path / "mine.csv.gz").write_bytes(gzip.compress(content))
    frame.write_csv(tmp_path / "mine.tsv", separator="\t")
    frame.write_parquet(tmp_path / "mine.parquet")
    frame.with_columns(pl.col("query_id", "candidate_id").cast(pl.Categorical)).write_parquet(tmp_path / "cat.parquet")
    for name in ("bom.csv", "crlf.csv", "mine.csv.gz", "mine.tsv", "mine.parquet", "cat.parquet"):
        assert np.array_equal(read_pairs(tmp_path / name, split), expected), name


@pytest.mark.parametrize("suffix", ["csv", "parquet"])
def test_pairs_by_ids_that_are_no_whole_numbers_or_in_two_columns_are_refused(split, tmp_path, suffix):
    path = tmp_path / f"pairs.{suffix}"
    if suffix == "csv":
        path.write_text("query_id,candidate_id,score,score\na,b,1,2\n")
    else:
        pl.DataFrame({"query_id": [1.0], "candidate_id": [2.0], "score": [1.0]}).write_parquet(path)
    with pytest.raises(InputError, match="score|query_id is of double"):
        read_pairs(path, split)


def test_vectors_may_be_of_the_whole_release_and_of_nothing_else(release, split, model, tmp_path, capsys):
    dev = read_split(open_release(release), "dev").documents["id"].to_list()
    ids = [*split.documents["id"], *dev]
    vectors = np.concatenate([model[1], np.ones((len(dev), model[1].shape[1]), np.float32)])
    np.savez(tmp_path / "mine.npz", ids=np.array(ids), vectors=vectors)
    evaluated(release, tmp_path / "out", "--vectors", str(tmp_path / "mine.npz"))
    np.savez(tmp_path / "mine.npz", ids=np.array([*ids[:-1], "nobody"]), vectors=vectors)
    arguments = ["--vectors", str(tmp_path / "mine.npz"), "--out", str(tmp_path / "none")]
    assert main(["evaluate", str(release), *arguments]) == 2
    assert "mine.npz: has vectors of 1 id (nobody) that the release does not have" in capsys.readouterr().err
    assert not (tmp_path / "none").exists()


def test_arguments_that_name_nothing_or_too_much_are_told(release, tmp_path, refused):
    (tmp_path / "ids.run").touch()
    for arguments, said in (
        ([], "nothing to evaluate"),
        (["--model", "random", "--model", "edges", "--name", "x"], "--name names one model, and 2 are given"),
        (["--model", "random", "--name", "../x"], "is not a name for results"),
        (["--model", "random", "--name", "edges"], "random: edges is the name of a control"),
        (["--run", str(tmp_path / "ids.run"), "--sanity"], "ids is the name of a control"),
        (["--model", "zzz"], " known, the most similar are "),
        (["--model", "tfid"], "did you mean 'tfidf'? Or give"),
    ):
        assert said in refused(["evaluate", str(release), *arguments, "--out", str(tmp_path / "out")])
    assert not (tmp_path / "out").exists()


def test_what_gives_no_vectors_is_refused_where_vectors_are_needed(release, tmp_path, capsys):
    (tmp_path / "mine.run").write_text("")
    model = ["--model", f"run={tmp_path / 'mine.run'}"]
    assert main(["style", "run", str(tmp_path), *model, "--out", str(tmp_path / "o")]) == 2
    assert "mine: a run file, which gives no text a vector" in capsys.readouterr().err
