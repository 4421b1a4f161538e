"""A corpus in which metadata and format alone tell authors apart comes out blind, and what a corpus lacks is said."""

from dataclasses import dataclass
from functools import cache
from pathlib import Path

import polars as pl
import pytest
from blind_corpus import documents

from authbench.build.labels.decision import CELLS, LABELS
from authbench.build.labels.judge import judge_labels
from authbench.build.release.contents import Contents, make_contents
from authbench.build.release.tables import write_split
from authbench.config.registry.entries import read_yaml
from authbench.config.registry.load import load_entry
from authbench.config.registry.source_entry import Impurity
from authbench.core.shipped import shipped
from authbench.models.entries import MODELS
from authbench.models.model import VectorCache
from authbench.release.format.release import open_release
from authbench.scoring.evaluation.headline import Authors
from authbench.scoring.evaluation.run import queries_table, ranking_of
from authbench.scoring.evaluation.scores import summarise
from authbench.scoring.evaluation.split import read_split
from authbench.scoring.evaluation.verification import draw_negatives

CONFIG = read_yaml(shipped("config/config.yaml"))
SHORTCUTS = ("random", "metadata", "date", "format", "edges", "content-words", "topic-model", "content-characters")
REAL = ("punctuation", "masked", "char-ngram", "tfidf")
SEED = 11


@dataclass(frozen=True)
class Built:
    """The contents of a release, the folder of its splits, and what models scored."""

    contents: Contents
    folder: Path
    scores: dict[str, pl.DataFrame]

    def score(self, model, source, name):
        """The mean over a source's authors of a score of their queries."""
        asked = self.evaluated(model).filter(pl.col("source") == source).drop_nulls(name)
        authors = asked.group_by("author_id").agg(pl.col(name).mean())
        assert authors.height >= 20
        return float(authors[name].mean())

    def evaluated(self, model):
        if model not in self.scores:
            split = read_split(open_release(self.folder), "test")
            entry = load_entry(MODELS, model)
            _, _, ranking = ranking_of(entry, split, {}, VectorCache(self.folder / "vectors"))
            self.scores[model] = queries_table(split, ranking)
        return self.scores[model]


@cache
def built_once(folder, edition_marks):
    contents = make_contents(documents(edition_marks), CONFIG["release"], CONFIG["split"], SEED)
    for split in contents.splits:
        write_split(folder / split, contents, split)
    return Built(contents, folder, {})


@pytest.fixture(scope="module")
def blind(tmp_path_factory):
    return built_once(tmp_path_factory.mktemp("blind"), CONFIG["normalize"]["edition_marks"])


@pytest.mark.parametrize("model", [*SHORTCUTS, *REAL])
def test_an_edited_corpus_without_style_comes_out_blind(blind, model):
    assert blind.score(model, "editions", "auc_matched") == pytest.approx(0.5, abs=0.06)
    assert blind.score(model, "editions", "auc_topic") == pytest.approx(0.5, abs=0.06)


def test_with_the_marks_of_its_editions_kept_the_corpus_is_not_blind(tmp_path):
    kept = built_once(tmp_path, "keep")
    for model, least in (("punctuation", 0.75), ("format", 0.6), ("char-ngram", 0.57)):
        assert kept.score(model, "editions", "auc_matched") > least, model


def test_the_same_marks_in_texts_that_people_typed_stay_and_tell_them_apart(blind):
    for model, least in (("punctuation", 0.75), ("format", 0.6), ("char-ngram", 0.57)):
        assert blind.score(model, "letters", "auc_matched") > least, model


def test_metadata_tell_the_authors_apart_where_pools_are_not_matched(blind):
    split = read_split(open_release(blind.folder), "test")
    negatives = draw_negatives(split, SEED)
    entry = load_entry(MODELS, "metadata")
    _, _, ranking = ranking_of(entry, split, negatives, VectorCache(blind.folder / "vectors"))
    assert summarise(split, ranking, negatives, Authors.of(split.queries, SEED), {})["overall"]["eer"] < 0.25


def test_without_dates_relations_are_null(blind):
    related = blind.contents.positives
    assert related.height and related["days"].null_count() == related.height
    assert blind.contents.documents["date"].null_count() == blind.contents.documents.height


def test_an_author_of_one_work_is_a_candidate_and_never_a_query(blind):
    works = blind.contents.documents.group_by("author_id").agg(pl.col("origin").n_unique(), texts=pl.len())
    (alone,) = works.filter(pl.col("origin") == 1).to_dicts()
    assert alone["texts"] == 5
    assert not (blind.contents.queries["author_id"] == alone["author_id"]).any()
    everybody = works.filter(pl.col("origin") > 1)["author_id"]
    assert set(blind.contents.queries["author_id"]) == set(everybody)


def test_positives_without_five_negatives_are_left_out_counted_and_have_no_score(blind):
    french = blind.contents.documents.filter(pl.col("lang") == "fr")
    told = blind.contents.pools.filter(pl.col("pool") == "matched", pl.col("lang") == "fr").to_dicts()
    assert [(row["split"], row["kept"], row["left_out"]) for row in told] == [("test", 0, 5 * 5 * 4)]
    pairs = blind.contents.pairs.filter(pl.col("pool") == "matched")
    assert pairs.height and not pairs["query_id"].is_in(french["id"].implode()).any()
    assert blind.contents.queries["query_id"].is_in(french["id"].implode()).sum() == french.height
    scored = blind.evaluated("metadata").filter(pl.col("lang") == "fr")
    assert scored.height == french.height and scored["auc_matched"].null_count() == scored.height


@pytest.mark.parametrize("rule", [None, {"estimator": "same_item"}, {"estimator": "account"}, {"estimator": "voices"}])
def test_labels_without_items_accounts_or_marks_are_unmeasured(rule):
    labels = pl.DataFrame(
        {
            "source": ["editions"] * 4,
            "author_id": list("abcd"),
            "label": [1, 2, 3, 4],
            "author_kind": "account",
            "texts": 5,
            "words": 0,
            "thousandths": 0,
        },
        schema=LABELS,
    )
    judged, told = judge_labels(
        [labels], [CELLS.to_frame()], {"editions": Impurity(**rule) if rule else None}, 0.2, (3, 10)
    )
    assert set(judged["decision"]) == {"unmeasured"}
    assert told.select("impurity", "low", "high", "decision").rows() == [(None, None, None, "unmeasured")]
