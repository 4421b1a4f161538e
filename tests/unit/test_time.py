"""A planted release in which dates alone tell authors apart: the date row is found out in pools that match dates."""

from datetime import date, timedelta
from functools import cache

import numpy as np
import polars as pl
import pytest
from small_corpus import document, frame, release

from authbench.config.registry.load import load_entry
from authbench.models.entries import MODELS
from authbench.models.model import VectorCache
from authbench.release.format.columns import CANDIDATES, GROUND_TRUTH, QUERIES
from authbench.scoring.evaluation.headline import Authors, headline
from authbench.scoring.evaluation.run import queries_table, ranking_of
from authbench.scoring.evaluation.split import make_split

WRITERS, TEXTS, YEARS = 60, 6, 12
WORDS = ("harbour", "lantern", "anchor", "sorrow", "meadow", "thistle", "copper", "violin", "ember", "quarry")
MARKS = (", ", "; ", " - ", "! ", ": ", " / ", "? ", " ... ")


def planted_texts(dated):
    """Texts of writers with a year, that five share, and two marks between words; `dated`: by day, by year or not."""
    chance = np.random.default_rng(5)
    rows = []
    for number in range(WRITERS * TEXTS):
        writer = number % WRITERS
        day = date(1900 + 5 * (writer % YEARS), 1, 1) + timedelta(int(chance.integers(0, 360)))
        words, marks = chance.choice(WORDS, 6), (MARKS[writer % 8], MARKS[writer // 8])
        content = "".join(f"{word}{marks[place % 2]}" for place, word in enumerate(words)) + "the end"
        told = {"day": str(day), "year": str(day)[:4], "none": None}[dated]
        rows.append(document(number, writer, "test", content=content, token_length=40 + number % 7, date=told))
    return rows


@cache
def planted(dated):
    contents = release(frame(*planted_texts(dated)), positives="other_work", queries_per_author="all")
    documents, truth = contents.documents, contents.queries
    asking = documents.filter(pl.col("id").is_in(truth["query_id"].implode()))
    return make_split(
        "test",
        documents.rename({"id": "candidate_id"}).select(CANDIDATES.names),
        asking.rename({"id": "query_id"}).select(QUERIES.names),
        truth.select(GROUND_TRUTH.names),
        provenance=documents.select("id", "origin", "date", topic=pl.lit(None, pl.String)),
        stated_positives=contents.positives.drop("split"),
        stated_pairs=contents.pairs.drop("split"),
    )


@cache
def scores(model, dated):
    split = planted(dated)
    _, _, ranking = ranking_of(load_entry(MODELS, model), split, {}, VectorCache(None))
    table = queries_table(split, ranking)
    return dict(headline(table, split.pool_authors, Authors.of(table, 1)))


@pytest.mark.parametrize("dated", ["day", "year"])
def test_dates_that_tell_authors_apart_in_matched_pairs_fall_to_chance_in_pairs_matched_in_time(dated):
    found = scores("date", dated)
    assert found["auc_matched"]["value"] > 0.9
    assert found["auc_topic"]["value"] > 0.9
    assert found["auc_time"]["value"] == pytest.approx(0.5, abs=1e-9)
    assert found["auc_topic_time"]["value"] == pytest.approx(0.5, abs=1e-9)
    assert found["auc_time"]["authors"] == WRITERS


def test_a_topic_is_worth_nothing_in_pairs_matched_in_topic_and_time_and_a_habit_is():
    assert scores("content-words", "day")["auc_topic_time"]["value"] == pytest.approx(0.5, abs=1e-3)
    for score in ("auc_time", "auc_topic_time"):
        assert scores("char-ngram", "day")[score]["value"] > 0.7


def test_without_dates_there_is_no_score_in_time_and_the_reason_is_told():
    found = scores("date", "none")
    assert "auc_time" not in found and "auc_topic_time" not in found
    assert found["auc_matched"]["value"] == found["auc_topic"]["value"] == 0.5
    assert set(planted("none").released.left_out) == {"auc_time"}


def test_positives_of_the_very_date_have_negatives_of_that_date_alone():
    split = planted("year")
    pairs, dates = split.released.pairs, split.documents["date"]
    own = dates.gather(split.asks[pairs["query"].to_numpy()])
    same_date = pairs.with_columns(level=own == dates.gather(pairs["candidate"])).filter(
        pl.col("pool") == "time_matched"
    )
    groups = same_date.group_by("group").agg(
        positive=pl.col("level").filter("same").first(), negatives=pl.col("level").filter(~pl.col("same")).all()
    )
    assert groups.filter("positive")["negatives"].all()
    assert groups.filter("positive").height == groups.height > 1000
