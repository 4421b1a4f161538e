"""Claims about parts of a split: a part scores as a release that holds only its files' rows."""

import json
import shutil
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from scored_release import write_scored_release
from split_folder import write_release

from authbench.app.cli import main
from authbench.core.errors import InputError
from authbench.models.model import VectorCache
from authbench.models.requested import load_model
from authbench.release.format.release import open_release
from authbench.scoring.evaluation.part import part, parts
from authbench.scoring.evaluation.run import evaluate
from authbench.scoring.evaluation.split import read_split

OF_THE_FILES = ("benchmark", "made_by")


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return Path(write_scored_release(tmp_path_factory.mktemp("parts") / "release", 40, ("test",)))


@pytest.fixture(scope="module")
def split(folder):
    return read_split(open_release(folder), "test")


def ids_of(taken):
    return taken.queries["id"].to_list(), taken.documents["id"][: taken.candidates].to_list()


def cut(folder, out, queries, candidates):
    """Copy a release without the other queries and candidates, and without what names them."""
    shutil.copytree(folder, out)
    for name, key in (("candidates", "candidate_id"), ("queries", "query_id"), ("ground_truth", "query_id")):
        kept = candidates if name == "candidates" else queries
        path = out / "test" / f"{name}.jsonl"
        rows = [row for row in map(json.loads, path.read_text().splitlines()) if row[key] in set(kept)]
        path.write_text("".join(f"{json.dumps(row)}\n" for row in rows))
    both = pl.col("query_id").is_in(queries) & pl.col("candidate_id").is_in(candidates)
    for name in ("pairs", "positives"):
        path = out / "test" / f"{name}.parquet"
        table = pl.read_parquet(path).filter(both)
        if name == "pairs":
            table = table.filter(pl.col("same").any().over("group") & (pl.len().over("group") > 1))
        table.write_parquet(path)
    return out


@pytest.mark.parametrize(("queries", "candidates"), [(None, 130), (60, None), (60, 140), (1, 9), (1, 3), (999, 999)])
def test_a_part_scores_as_a_release_of_its_rows(folder, split, queries, candidates, tmp_path):
    if queries is None:  # all texts answer each other: only a part of the queries leaves a choice of candidates
        split, queries = part(split, 50, None, 1), 50
    taken = part(split, queries, candidates, 3)
    assert len(taken.asks) == min(queries, 160) and taken.candidates == min(candidates or 160, 160)
    other = read_split(open_release(cut(folder, tmp_path / "cut", *ids_of(taken))), "test")
    assert ids_of(other) == ids_of(taken)
    found = [
        evaluate(load_model("tfidf"), one, 0, tmp_path / f"scores-{number}", VectorCache(tmp_path / "cache"))
        for number, one in enumerate((taken, other))
    ]
    one, two = ({key: value for key, value in scores.items() if key not in OF_THE_FILES} for scores in found)
    lacking = [scores.pop("headline_left_out") for scores in (one, two)]
    assert lacking[0].keys() == lacking[1].keys() and bool(lacking[0]) == (candidates == 3)
    assert one == two and one["overall"]["queries"] == len(taken.asks)
    for table in ("own/queries.parquet", "pairs.parquet", "released_pairs.parquet"):
        tables = [pl.read_parquet(tmp_path / f"scores-{number}/tfidf/{table}") for number in (0, 1)]
        assert tables[0].equals(tables[1])


def test_a_larger_part_holds_a_smaller_and_another_seed_another(split):
    of_queries = [set(ids_of(part(split, number, None, 0))[0]) for number in (5, 20, 80)]
    assert of_queries[0] < of_queries[1] < of_queries[2] and of_queries[0] != set(ids_of(part(split, 5, None, 1))[0])
    pools = [set(ids_of(part(split, 5, number, 0))[1]) for number in (15, 40, 120)]
    assert pools[0] < pools[1] < pools[2] and pools[0] != set(ids_of(part(split, 5, 15, 1))[1])
    whole = part(split, 160, 160, 0)
    assert ids_of(whole) == ids_of(split) and np.array_equal(whole.positives.rows, split.positives.rows)
    assert whole.checksum != split.checksum and "160 of 160 queries" in whole.unverified
    assert [name for name, _ in parts(split, [5, 9, 5], [50], 0)] == [
        "5-queries-50-candidates", "9-queries-50-candidates"
    ]  # fmt: skip
    assert [(name, one is split) for name, one in parts(split, [], [], 0)] == [("", True)]


def test_answers_are_kept_or_the_numbers_are_refused(split):
    taken = part(split, 20, 60, 0)
    assert taken.positives.lengths().tolist() == [
        split.positives.lengths()[split.queries["id"].index_of(one)] for one in taken.queries["id"]
    ]
    with pytest.raises(InputError, match=r"^10 candidates .* are fewer than the \d+ answers of 20 queries"):
        part(split, 20, 10, 0)


def test_a_sweep_gives_each_part_s_scores_by_name_in_one_table(tmp_path, capsys, printed):
    release = write_release(tmp_path / "release", authors=40)
    line = f"evaluate {release} --model tfidf --model format --max-queries 25 40 --max-candidates 100 120 --out "
    said = printed([*line.split(), str(tmp_path / "out")])
    names = [f"{queries}-queries-{pool}-candidates" for queries in (25, 40) for pool in (100, 120)]
    assert all(f"\n{name} tfidf: " in f"\n{said}" for name in names) and "parts.csv" in said
    table = pl.read_csv(tmp_path / "out/parts.csv")
    assert table["part"].unique(maintain_order=True).to_list() == names
    for name in names:
        for model in ("format", "tfidf"):
            scores = json.loads((tmp_path / "out" / name / model / "scores.json").read_text())
            row = table.filter(part=name, model=model, facet="overall", metric="mrr").to_dicts()[0]
            assert row["value"] == pytest.approx(scores["overall"]["mrr"], abs=1e-12)
            assert (row["queries"], row["candidates"]) == (
                scores["benchmark"]["queries"],
                scores["benchmark"]["candidates"],
            )
            assert not row["verified"] and "a part: " in scores["benchmark"]["reason"]
    assert main(["leaderboard", str(tmp_path / "out" / names[0]), "--out", str(tmp_path / "board")]) == 0
    assert main([*line.replace("100 120", "9").split(), str(tmp_path / "none")]) == 2
    assert not (tmp_path / "none").exists() and "9 candidates (--max-candidates)" in capsys.readouterr().err
