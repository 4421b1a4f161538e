"""What is planted to mislead comes out as what it is, and the planted style beats it."""

import json

import numpy as np
import polars as pl
import pytest
from raw_rows import rows_of

from authbench.models.stylometric import format_vectors

STYLE = ("char-ngram", "masked", "stylometric")
SIGNATURE = "*genesis*"


def texts(demo, stage):
    return pl.concat(pl.read_parquet(path) for path in sorted((demo.results / stage).glob("*-of-*.parquet")))


@pytest.mark.parametrize("score", ["auc_matched", "auc_topic"])
def test_the_planted_style_beats_every_planted_shortcut(demo, score):
    found = {
        path.parent.name: json.loads(path.read_text(encoding="utf-8"))
        for path in sorted((demo.results / "evaluate").glob("*/scores.json"))
    }
    values = {model: one["headline"][score]["value"] for model, one in found.items()}
    shortcuts = [model for model, one in found.items() if one["model"].get("shortcut")]
    assert len(shortcuts) == 8
    best = max(STYLE, key=lambda model: values[model])
    assert values[best] > max(values[model] for model in shortcuts) + 0.05
    gain = found[best]["headline"][score]["gain"]
    assert gain["low"] > 0 and gain["against"] in shortcuts


def test_at_least_sixty_authors_ask_in_the_test_split(demo):
    lines = (demo.release / "test/ground_truth.jsonl").read_text(encoding="utf-8").splitlines()
    assert len({json.loads(line)["author_id"] for line in lines}) >= 60


def test_the_sign_off_of_a_blogger_is_in_no_text(demo):
    signed = [
        row for row in rows_of(demo.folder / "resources/demo/raw", "blog_authorship") if SIGNATURE in row.fields["post"]
    ]
    assert len(signed) >= 3
    before = pl.concat(pl.read_parquet(path) for path in sorted((demo.results / "normalize/uncut").glob("*.parquet")))
    assert before["content"].str.contains(SIGNATURE, literal=True).sum() == len(signed)
    for stage in ("normalize", "chunk"):
        assert not texts(demo, stage)["content"].str.contains(SIGNATURE, literal=True).any(), stage
    for path in demo.release.glob("*/*.jsonl"):
        assert SIGNATURE not in path.read_text(encoding="utf-8")


def test_an_author_of_one_work_is_released_and_never_asks(demo):
    provenance = pl.read_parquet(demo.release / "provenance.parquet")
    works = provenance.group_by("author_id", "author_kind").agg(pl.col("origin").n_unique(), texts=pl.len())
    alone = works.filter(pl.col("origin") == 1)
    assert alone["texts"].max() >= 3
    for split in ("train", "dev", "test"):
        for line in (demo.release / split / "ground_truth.jsonl").read_text(encoding="utf-8").splitlines():
            assert json.loads(line)["author_id"] not in alone["author_id"].to_list()


def test_poets_who_sign_essays_have_positives_of_another_genre_in_a_slice_of_their_own(demo):
    told = pl.read_parquet(demo.release / "provenance.parquet").select("id", "source", "genre")
    pairs = pl.read_parquet(demo.release / "test/positives.parquet").select("query_id", "candidate_id")
    pairs = pairs.join(told, left_on="query_id", right_on="id").join(told, left_on="candidate_id", right_on="id")
    other = pairs.filter(pl.col("source") != pl.col("source_right"))
    assert set(other["genre"]) == set(other["genre_right"]) == {"literature", "poetry"}
    scores = json.loads((demo.results / "evaluate/tfidf/scores.json").read_text(encoding="utf-8"))
    slices = [one for label, one in scores["by_kind"].items() if label != "same"]
    assert sum(one["queries"] for one in slices) == other["query_id"].n_unique() > 0


def test_the_layout_of_a_source_gives_its_authors_away_after_normalisation_too(demo):
    notes = texts(demo, "normalize").filter(pl.col("source") == "xiaohongshu")
    notes = notes.filter(pl.len().over("author_id").is_between(3, 7))
    vectors = format_vectors(notes, len(notes))
    likeness, of = vectors @ vectors.T, notes["author_id"].to_numpy()
    found = []
    for row in range(len(of)):
        own, others = np.flatnonzero(of == of[row]), likeness[row][of != of[row]]
        found += [float((others < likeness[row][place]).mean()) for place in own if place != row]
    assert len(set(of)) >= 12
    assert sum(found) / len(found) > 0.75  # 0.6 without the layouts
