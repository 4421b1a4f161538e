"""Whole authors are selected, targets are met as far as the data allow, and lazy safety is exact safety."""

import tempfile
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from cases import cases
from defaults import section
from examples import costly
from hypothesis import example, given
from hypothesis import strategies as st

from authbench.build.safety import ScoreStore
from authbench.build.sample import reservoir
from authbench.build.sample.authors import NO_DAY, SAFE, TOXIC, Pool, select_authors
from authbench.build.sample.deviation import limit_of, recount, sampling_deviation, with_filtered
from authbench.build.sample.documents import languages_of, refuse_authors, select_safely, set_length_bins
from authbench.build.sample.documents import select_documents as select_from
from authbench.build.sample.reservoir import (
    LENGTHS,
    count_lengths,
    fill_reservoir,
    keep_per_bucket,
    merge_tallies,
    trim_authors,
)
from authbench.build.sample.stage import SCORED, Settings, admit, ask_scores, sample, score_documents, stored_documents
from authbench.build.sample.stage import pool_of as admitted
from authbench.build.sample.targets import borrow_adjacent, language_targets, largest_remainder, matching_pattern
from authbench.core.errors import InputError
from authbench.core.identity import keyed_hash
from authbench.core.records import DOCUMENT
from authbench.core.storage.parquet import write_batches

SAMPLE = section(
    "sample",
    documents=60,
    languages={"en": 60, "fr": 40},
    lengths={"short": 15, "medium": 50, "long": 20, "extra_long": 15},
    genres={"en": {"blog/*": 70, "news": 30}, "fr": {"news": 100}},
    shortfall="fill",
    max_documents_per_author=5,
    fallback_documents_per_author=None,
    window=8,
)
KINDS = ("person", "account", "masked")
AUTHORS = {"kinds": [*KINDS], "masked_max_documents": 10}
SAFETY = {"threshold": 0.8, "scope": "consulted", "exempt_genres": []}
SPLITS = {"train": 20, "dev": 20, "test": 60}


def corpus(authors, seed, largest=14):
    """A random corpus of metadata: authors with 1 to `largest` documents in two languages."""
    rng = np.random.default_rng(seed)
    rows = []
    for author in range(authors):
        lang = "en" if rng.random() < 0.6 else "fr"
        for document in range(rng.integers(1, largest + 1)):
            bucket = str(rng.choice(["short", "medium", "long", "extra_long"], p=[0.2, 0.6, 0.15, 0.05]))
            rows.append(
                {
                    "doc_key": f"s:{author}-{document}",
                    "origin_id": f"o{author}-{document % 3}",
                    "author_id": f"a{author}",
                    "author_kind": "person",
                    "lang": lang,
                    "source": "s",
                    "genre": str(rng.choice(["blog/arts", "news"])) if lang == "en" else "news",
                    "task": "authorship",
                    "topic": ["arts", "sports", None][int(rng.integers(3))],
                    "date": [f"2020-{1 + document % 12:02}-01", "2020", None][int(rng.integers(3))],
                    "token_length": {"short": 5, "medium": 50, "long": 300, "extra_long": 900}[bucket],
                    "length_bucket": bucket,
                }
            )
    return pl.DataFrame(rows)


def pool_of(documents, sample, parts=1, seed=7, kinds=KINDS):
    """The pool of a corpus in so many shards, its documents in any of them."""
    shards = np.random.default_rng(seed).integers(0, parts, documents.height)
    filled = [
        fill_reservoir(
            documents.filter(pl.Series(shards == shard)).with_row_index("row"),
            7,
            sample["reservoir"],
            sample["min_origins"],
            sample["spread"] == "prefer",
        )
        for shard in range(parts)
    ]
    merged, numbers = merge_tallies([tallies for _, tallies in filled], sample["min_origins"])
    authors = refuse_authors(merged, AUTHORS | {"kinds": [*kinds]}, sample)
    pool = admit([reservoir for reservoir, _ in filled], numbers, authors)
    return keep_per_bucket(trim_authors(pool, sample["reservoir"], sample["spread"] == "prefer"), sample["documents"])


def select_documents(pool, verdicts, sample):
    return select_from(languages_of(pool, sample), verdicts, sample)


class Scorer:
    """A scorer of a toxicity for each text, which keeps the texts that it was asked for."""

    identity, languages = "test", frozenset({"en", "fr"})

    def __init__(self, toxicity):
        self.toxicity, self.texts = toxicity, []

    def score(self, texts, langs):
        self.texts += texts
        return [self.toxicity(text) for text in texts]


def safe(pool):
    return np.ones(pool.height, np.int8)


@given(st.integers(0, 500), st.dictionaries(st.text(min_size=1, max_size=3), st.floats(0.1, 100), min_size=1))
def test_targets_add_up_exactly(total, shares):
    targets = largest_remainder(total, shares)
    assert sum(targets.values()) == total
    assert all(abs(targets[key] - total * shares[key] / sum(shares.values())) < 1 for key in shares)


def test_what_one_language_cannot_give_the_others_take():
    targets = language_targets(100, {"en": 50, "fr": 30, "hi": 20}, {"en": 90, "fr": 90, "hi": 4}, "fill")
    assert targets == {"en": 60, "fr": 36, "hi": 4}


@given(
    st.integers(0, 500),
    st.dictionaries(st.sampled_from("abcdef"), st.tuples(st.integers(1, 50), st.integers(0, 300)), min_size=1),
    st.sampled_from([1.0, 1.5, 3.0]),
)
def test_no_language_takes_more_than_its_share_so_many_times(documents, languages, times):
    shares = {language: share for language, (share, _) in languages.items()}
    available = {language: most for language, (_, most) in languages.items()}
    targets = language_targets(documents, shares, available, {"fill_up_to": times})
    own = largest_remainder(documents, shares)
    assert sum(targets.values()) <= documents
    for language, target in targets.items():
        assert target <= min(
            available[language], max(own[language], times * documents * shares[language] / sum(shares.values()))
        )
        assert target >= min(available[language], own[language]) - 1


def test_what_no_language_may_take_stays_open():
    pool = pool_of(corpus(300, 1).filter(pl.col("lang") == "en"), SAMPLE)
    for shortfall, taken in (("fill", 60), ({"fill_up_to": 1.5}, 54)):
        sample = SAMPLE | {"shortfall": shortfall}
        deviation = sampling_deviation(pool, select_documents(pool, safe(pool), sample), sample)
        assert deviation["documents"] == {"target": 60, "taken": taken}


def test_proportional_shortfall_keeps_every_share():
    targets = language_targets(100, {"en": 50, "fr": 50}, {"en": 90, "fr": 20}, "proportional")
    assert targets["fr"] <= 20
    assert abs(targets["en"] - targets["fr"]) <= 1


def test_a_language_that_gives_nothing_does_not_shrink_the_others_to_nothing():
    targets = language_targets(100, {"en": 50, "fr": 25, "hi": 25}, {"en": 90, "fr": 20}, "proportional")
    assert targets == {"en": 41, "fr": 20, "hi": 0}
    assert language_targets(100, {"en": 50, "hi": 50}, {}, "proportional") == {"en": 0, "hi": 0}


def test_the_most_specific_genre_pattern_wins():
    patterns = ["social_media/*", "social_media/xiaohongshu"]
    assert matching_pattern("social_media/xiaohongshu", patterns) == "social_media/xiaohongshu"
    assert matching_pattern("social_media/weibo", patterns) == "social_media/*"
    assert matching_pattern("news", patterns) is None


@costly(20)
@given(st.integers(0, 1000), st.integers(5, 60))
def test_no_selected_author_gives_fewer_or_more_documents_than_the_rule_says(seed, authors):
    pool = pool_of(corpus(authors, seed), SAMPLE)
    chosen = pool.filter(pl.Series(select_documents(pool, safe(pool), SAMPLE).chosen))
    sizes = chosen.group_by("author").len()["len"]
    assert sizes.is_between(3, 5).all()
    assert chosen.height <= SAMPLE["documents"]


@costly(20)
@given(st.integers(0, 1000), st.integers(1, 3))
def test_every_selected_author_gives_as_many_works_as_asked_for(seed, works):
    sample = SAMPLE | {"min_origins": works}
    pool = pool_of(corpus(60, seed), sample)
    chosen = pool.filter(pl.Series(select_documents(pool, safe(pool), sample).chosen))
    assert chosen.height
    assert chosen.group_by("author").agg(pl.col("origin").n_unique())["origin"].min() >= works


def works_of(pool, chosen):
    """The number of works of every author chosen."""
    return pool.filter(pl.Series(chosen)).group_by("author").agg(pl.col("origin").n_unique())["origin"]


def test_authors_and_documents_of_two_works_are_preferred():
    documents = corpus(200, 1).with_columns(
        origin_id=pl.when(pl.col("author_id").str.slice(1).cast(pl.Int64) % 2 == 0)
        .then(pl.col("author_id"))
        .otherwise(pl.col("origin_id"))
    )
    alone = {}
    for spread in ("prefer", "ignore"):
        sample = SAMPLE | {"spread": spread}
        pool = pool_of(documents, sample)
        alone[spread] = int((works_of(pool, select_documents(pool, safe(pool), sample).chosen) == 1).sum())
    assert alone["prefer"] <= 1
    assert alone["ignore"] >= 4


@cases
def test_uniformly_authors_come_in_order_among_those_that_fill_an_open_length(lengths, targets, total, needed, uniform):
    each, count = 3, 3 * len(lengths)
    pool = Pool(
        np.arange(0, count + 1, each, dtype=np.int64),
        np.arange(count, dtype=np.uint64),
        np.repeat(lengths, each).astype(np.uint8),
        np.zeros(count, np.int16),
        np.zeros(count, np.bool_),
        np.full(count, NO_DAY, np.int32),
        np.zeros(count, np.uint32),
        np.zeros(len(lengths), np.bool_),
    )
    for draw, expected in (("need", needed), ("uniform", uniform)):
        asked = SAMPLE | {"draw": draw, "spread": "ignore", "min_documents_per_author": 3}
        safe_all = np.full(count, SAFE, np.int8)
        chosen, _ = select_authors(pool, safe_all, np.array(targets), np.array([99]), total, asked, total)
        assert sorted(set(np.flatnonzero(chosen) // each)) == expected


def test_authors_of_one_work_are_taken_where_there_are_no_others():
    pool = pool_of(corpus(60, 1).with_columns(origin_id="author_id"), SAMPLE)
    works = works_of(pool, select_documents(pool, safe(pool), SAMPLE).chosen)
    assert works.max() == 1
    assert len(works) > 10


def test_a_reservoir_holds_a_document_of_every_work_before_a_second_of_any():
    one = corpus(1, 0, 1).head(1).drop("origin_id", "doc_key")
    documents = pl.concat([one] * 1000).with_columns(
        doc_key=pl.format("s:{}", pl.int_range(pl.len())),
        origin_id=pl.when(pl.int_range(pl.len()) < 8)
        .then(pl.format("o{}", pl.int_range(pl.len())))
        .otherwise(pl.lit("long")),
    )
    assert pool_of(documents, SAMPLE)["origin"].n_unique() == 9
    assert pool_of(documents, SAMPLE | {"spread": "ignore"})["origin"].n_unique() <= 2


@pytest.mark.parametrize(("column", "values"), [("date", ["2020-01-01", "2020-06-01"]), ("topic", ["arts", "sports"])])
def test_of_an_author_s_documents_those_apart_in_time_or_topic_are_preferred(column, values):
    documents = corpus(60, 1, 10).with_columns(
        origin_id="doc_key", date=pl.lit(None, pl.String), topic=pl.lit(None, pl.String), length_bucket=pl.lit("medium")
    )
    rare = documents.with_columns(
        pl.when(pl.col("doc_key").str.ends_with("-0"))
        .then(pl.lit(values[1]))
        .otherwise(pl.lit(values[0]))
        .alias(column)
    )
    pool = pool_of(rare, SAMPLE)
    chosen = pool.filter(pl.Series(select_documents(pool, safe(pool), SAMPLE).chosen))
    unlike = {"date": "day"}.get(column, column)
    assert (chosen.group_by("author").agg(pl.col(unlike).n_unique())[unlike] == 2).all()


@costly(20)
@given(st.integers(0, 1000), st.sampled_from([0.0, 0.2, 0.5, 1.0]), st.sampled_from(["fill", "proportional"]))
def test_authors_who_only_train_fill_no_more_than_the_share_that_trains(seed, share, shortfall):
    sample = SAMPLE | {"shortfall": shortfall}
    documents = corpus(60, seed).with_columns(
        author_kind=pl.when(pl.col("author_id").str.ends_with("5")).then(pl.lit("person")).otherwise(pl.lit("work"))
    )
    pool = pool_of(documents, sample, kinds=("person", "work"))
    chosen = pool.filter(pl.Series(select_from(languages_of(pool, sample), safe(pool), sample, share).chosen))
    for (lang,), of_language in chosen.group_by("lang"):
        target = max(of_language.height + 2, largest_remainder(60, SAMPLE["languages"])[str(lang)])
        assert of_language["train_only"].sum() <= share * target  # which whole authors miss by 2


@pytest.mark.parametrize(
    ("share", "shortfall", "taken"), [(0.2, "fill", 12), (0.5, {"fill_up_to": 1.5}, 12), (0.0, "fill", 0)]
)
def test_a_language_with_authors_who_only_train_has_the_share_of_its_target_that_trains(share, shortfall, taken):
    sample = SAMPLE | {"shortfall": shortfall, "documents": 150 if share == 0.2 else 60}
    documents = corpus(90, 5).with_columns(
        author_kind=pl.when(pl.col("lang") == "fr").then(pl.lit("work")).otherwise(pl.lit("person"))
    )
    pool = pool_of(documents, sample, kinds=("person", "work"))
    chosen = pool.filter(pl.Series(select_from(languages_of(pool, sample), safe(pool), sample, share).chosen))
    assert chosen.filter(pl.col("lang") == "fr").height == taken


def test_authors_with_noisy_labels_only_train():
    documents = corpus(10, 1).with_row_index("row")
    impure = pl.DataFrame({"source": ["s", "other"], "author_id": ["a3", "a4"]})
    _, tallies = fill_reservoir(documents, 7, 10, 1, impure=impure)
    authors = documents.group_by("lang", "source", "author_id").agg().sort("lang", "source", "author_id")
    assert authors.filter(tallies["train_only"])["author_id"].to_list() == ["a3"]


@cases
def test_dates_become_days(date, day):
    documents = corpus(1, 1, 1).with_columns(date=pl.lit(date, pl.String)).with_row_index("row")
    assert fill_reservoir(documents, 7, 10, 1)[0]["day"].to_list() == [day]


def test_targets_are_met_where_the_data_allow():
    pool = pool_of(corpus(300, 1), SAMPLE)
    selection = select_documents(pool, safe(pool), SAMPLE)
    deviation = sampling_deviation(pool, selection, SAMPLE)
    assert deviation["documents"]["taken"] == 60
    assert [row["deficit"] for row in deviation["languages"]] == [0, 0]
    assert deviation["bound"]["least_deviation"] <= deviation["bound"]["reached"] <= 8


def test_available_is_what_authors_may_give_not_what_they_wrote():
    pool = pool_of(corpus(9, 3), SAMPLE)
    rows = sampling_deviation(pool, select_documents(pool, safe(pool), SAMPLE), SAMPLE)["languages"]
    sizes = pool.group_by("lang", "author").len()
    for row in rows:
        of_language = sizes.filter(pl.col("lang") == row["language"])["len"]
        assert row["available"] == of_language.clip(upper_bound=5).sum() < of_language.sum()


def test_the_bound_is_reached_where_there_is_no_choice():
    pool = pool_of(corpus(9, 3), SAMPLE)
    bound = sampling_deviation(pool, select_documents(pool, safe(pool), SAMPLE), SAMPLE)["bound"]
    assert 0 < bound["least_deviation"] <= bound["reached"]


def test_what_is_taken_is_counted_anew_once_documents_are_left_out():
    documents = corpus(300, 1)
    pool = pool_of(documents, SAMPLE)
    selection = select_documents(pool, safe(pool), SAMPLE)
    deviation = sampling_deviation(pool, selection, SAMPLE)
    chosen = documents[pool.filter(pl.Series(selection.chosen))["row"]]
    assert recount(deviation, chosen, SAMPLE) == deviation
    fewer = recount(deviation, chosen.filter(pl.col("author_id") != chosen["author_id"][0]), SAMPLE)
    gone = chosen.filter(pl.col("author_id") == chosen["author_id"][0])
    assert fewer["documents"]["taken"] == 60 - gone.height
    for old, new in zip(deviation["languages"], fewer["languages"], strict=True):
        lost = gone.filter(pl.col("lang") == old["language"]).height
        assert (new["taken"], new["deficit"]) == (old["taken"] - lost, old["deficit"] + lost)
    lengths = [row["taken"] for row in fewer["cells"] if row["dimension"] == "length"]
    assert sum(lengths) == 60 - gone.height


def test_a_bound_over_authors_of_many_kinds_is_one_still(monkeypatch):
    pool = pool_of(corpus(40, 3), SAMPLE)
    selection = select_documents(pool, safe(pool), SAMPLE)
    tight = sampling_deviation(pool, selection, SAMPLE)["bound"]["least_deviation"]
    monkeypatch.setattr("authbench.build.sample.deviation.KINDS", 0)
    loose = sampling_deviation(pool, selection, SAMPLE)["bound"]["least_deviation"]
    assert 0 <= loose <= tight


def test_authors_with_two_documents_are_admitted_only_where_a_language_falls_short():
    sample = SAMPLE | {"fallback_documents_per_author": 2}
    many, few = pool_of(corpus(300, 5), sample), pool_of(corpus(12, 5, largest=4), sample)
    for pool, expected in ((many, 0), (few, 1)):
        selection = select_documents(pool, safe(pool), sample)
        fallback = sampling_deviation(pool, selection, sample)["fallback_authors"]
        assert min(fallback, 1) == expected


NOTHING_ASKED = SAMPLE | {"documents": None, "languages": None, "lengths": None, "genres": None}


def whole_pool_of(documents, sample):
    """The pool without a bound on authors, as it is where no number of documents is asked for."""
    return pool_of(documents, sample | {"documents": 10**6})


@costly(20)
@given(st.integers(0, 1000), st.sampled_from([None, 2]), st.sampled_from([0.0, 0.1, 1.0]))
def test_where_nothing_is_asked_for_every_author_gives_what_the_rule_allows(seed, fallback, toxic):
    sample = NOTHING_ASKED | {"fallback_documents_per_author": fallback, "min_documents_per_author": 3}
    pool = whole_pool_of(corpus(60, seed), sample)
    verdicts = np.where(np.random.default_rng(seed).random(pool.height) < toxic, TOXIC, SAFE).astype(np.int8)
    selection = select_documents(pool, verdicts, sample)
    left = pool.filter(pl.Series(verdicts != TOXIC)).group_by("author").len()
    sizes = pool.group_by("author").len("all").join(left, on="author", how="left").fill_null(0)
    allowed = sizes.filter((pl.col("all") >= 3) & (pl.col("len") >= 3))["len"].clip(upper_bound=5)
    taken = pool.filter(pl.Series(selection.chosen)).group_by("author").len()["len"]
    assert sorted(taken) == sorted(allowed)
    deviation = sampling_deviation(pool, selection, sample)
    assert deviation["documents"] == {"target": None, "taken": int(selection.chosen.sum())}
    assert deviation["fallback_authors"] == 0
    rows = [*deviation["languages"], *deviation["cells"]]
    assert {row["language"] for row in rows} == set(pool["lang"].unique())
    assert all(row["target"] is None and row["deficit"] is None for row in rows)
    assert sum(row["taken"] for row in deviation["languages"]) == deviation["documents"]["taken"]


@costly(20)
@given(st.integers(0, 1000))
def test_a_number_without_shares_is_a_sample_like_the_pool(seed):
    sample = NOTHING_ASKED | {"documents": 100}
    documents = corpus(150, seed)
    pool = pool_of(documents, sample)
    selection = select_documents(pool, safe(pool), sample)
    assert abs(int(selection.chosen.sum()) - 100) < 2 * sample["min_documents_per_author"]
    chosen = pool.filter(pl.Series(selection.chosen))
    for language, many in pool.group_by("lang").len().iter_rows():
        assert abs((chosen["lang"] == language).sum() / chosen.height - many / pool.height) < 0.15
    assert all(row["target"] is None for row in sampling_deviation(pool, selection, sample)["languages"])
    whole, more = whole_pool_of(documents, sample), NOTHING_ASKED | {"documents": 10**5}
    everything = select_documents(whole, safe(whole), NOTHING_ASKED).chosen
    assert np.array_equal(select_documents(whole, safe(whole), more).chosen, everything)


@example(782, 60)  # a pool that is nearly of these shares
@costly(20)
@given(st.integers(0, 1000), st.sampled_from([30, 60, 90]))
def test_shares_without_a_number_hold_for_as_many_as_there_are(seed, share):
    sample = NOTHING_ASKED | {"languages": {"en": share, "fr": 100 - share}, "lengths": SAMPLE["lengths"]}
    pool = whole_pool_of(corpus(120, seed), sample)
    selection = select_documents(pool, safe(pool), sample)
    deviation = sampling_deviation(pool, selection, sample)
    targets = {row["language"]: row["target"] for row in deviation["languages"]}
    assert targets == largest_remainder(deviation["documents"]["taken"], sample["languages"])
    assert all(abs(row["deficit"]) <= 3 for row in deviation["languages"])
    assert any(row["available"] - row["taken"] <= 3 for row in deviation["languages"])
    lengths = [row for row in deviation["cells"] if row["dimension"] == "length"]
    assert {row["target"] is None for row in lengths} == {False}
    assert {row["target"] for row in deviation["cells"] if row["dimension"] == "genre"} == {None}


@costly(20)
@given(st.integers(0, 1000), st.integers(2, 6), st.integers(1, 2))
def test_the_pool_is_the_same_in_one_shard_as_in_many(seed, parts, works):
    documents, sample = corpus(30, seed, largest=60), SAMPLE | {"min_origins": works}
    whole = pool_of(documents, sample)
    assert pool_of(documents, sample, parts, seed).drop("shard", "row").equals(whole.drop("shard", "row"))


@pytest.mark.parametrize("at_once", [1, 40])
def test_the_pool_is_the_same_however_many_documents_are_sorted_at_once(monkeypatch, at_once):
    documents = corpus(30, 5, largest=60)
    whole = pool_of(documents, SAMPLE)
    monkeypatch.setattr(reservoir, "_SORTED_AT_ONCE", at_once)
    assert pool_of(documents, SAMPLE).equals(whole)


def test_an_author_keeps_documents_of_his_lengths_in_turn():
    rare = pl.when(pl.int_range(pl.len()) % 100 == 0).then(pl.lit("long")).otherwise(pl.lit("medium"))
    documents = pl.concat([corpus(1, 0).head(1)] * 1000).with_columns(
        doc_key=pl.format("s:{}", pl.int_range(pl.len())), length_bucket=rare
    )
    kept = pool_of(documents, SAMPLE)["length_bucket"].to_list()
    assert [set(kept[turn : turn + 2]) for turn in range(0, 10, 2)] == [{"medium", "long"}] * 5


def test_what_an_author_wrote_is_counted_over_all_shards():
    documents = corpus(30, 4)
    halves = [documents[::2], documents[1::2]]
    tallies = [fill_reservoir(half.with_row_index("row"), 7, 2, 2)[1] for half in halves]
    merged, numbers = merge_tallies(tallies, 2)
    assert merged["documents"].sum() == documents.height
    assert merged["origins"].list.len().max() == 2
    for tally, rows in zip(tallies, numbers, strict=True):
        assert merged["author_rank"].gather(rows).equals(tally["author_rank"])


@costly(30)
@given(st.integers(0, 10_000), st.integers(4, 150), st.sampled_from([0.0, 0.02, 0.2, 0.6, 1.0]))
def test_lazy_safety_equals_scoring_everything(seed, authors, rate):
    sample = SAMPLE | {"fallback_documents_per_author": 2 if seed % 2 else None}
    pool = pool_of(corpus(authors, seed), sample)
    rng = np.random.default_rng(seed)
    toxicity = np.where(rng.random(pool.height) < rate, 0.9, 0.1)
    exempt = rng.random(pool.height) < 0.1
    asked = []

    def score(rows):
        asked.extend(rows.tolist())
        return toxicity[rows]

    def run(scope):
        def select(verdicts):
            return select_documents(pool, verdicts, sample)

        known = np.where(rng.random(pool.height) < 0.3, toxicity, np.nan)
        return select_safely(select, score, known, exempt, 0.8, scope)

    lazy, _ = run("consulted")
    assert len(asked) == len(set(asked))
    full, scores = run("all")
    assert np.array_equal(scores, toxicity)
    assert np.array_equal(lazy.chosen, full.chosen)
    assert np.array_equal(lazy.consulted, full.consulted)
    assert not (lazy.chosen & (toxicity > 0.8) & ~exempt).any()


def test_only_consulted_texts_are_scored():
    pool = pool_of(corpus(800, 2), SAMPLE)
    rounds = []

    def score(rows):
        rounds.append(len(rows))
        return np.where(rows % 20 == 0, 0.9, 0.0)

    _, scores = select_safely(
        lambda verdicts: select_documents(pool, verdicts, SAMPLE),
        score,
        np.full(pool.height, np.nan),
        np.zeros(pool.height, bool),
        0.8,
        "consulted",
    )
    assert (~np.isnan(scores)).sum() == sum(rounds) < pool.height / 4
    assert len(rounds) > 1


@cases
def test_an_author_is_refused_for_a_named_reason(author, reason):
    row = {"lang": "en", "source": "s", "author_id": "a", "author_kind": "person", "documents": 3, "origins": ["o"]}
    assert refuse_authors(pl.DataFrame([row | author]), AUTHORS, SAMPLE)["refused"].item() == reason


def test_quantile_bins_have_equal_mass_in_every_language():
    documents = corpus(100, 4).with_columns(token_length=pl.int_range(1, pl.len() + 1) % 997 + 1)
    counts = documents.group_by("lang", "token_length").len("documents")
    binned, bounds = set_length_bins(documents, counts, "quantiles")
    assert set(bounds) == {"en", "fr"}
    for _, part in binned.group_by("lang"):
        sizes = part.group_by("length_bucket").len()["len"]
        assert sizes.max() - sizes.min() <= 4


def parity_counts():
    """English with 4 characters a token, Chinese with 1, French with 5; English has the fewest documents."""
    rows = [("en", 100, 3, 1200), ("zh", 50, 400, 20_000), ("fr", 20, 10, 1000), ("fr", 40, 5, 1000)]
    return pl.DataFrame(rows, schema=LENGTHS, orient="row")


def test_parity_bins_hold_texts_of_as_many_characters_in_every_language():
    documents = pl.DataFrame(
        {
            "lang": ["en", "en", "zh", "zh", "fr", "fr"],
            "token_length": [100, 101, 400, 401, 80, 81],
            "length_bucket": ["long"] * 6,
        },
        schema_overrides={"token_length": pl.Int32},
    )
    binned, bounds = set_length_bins(documents, parity_counts(), "parity")
    assert bounds == {"en": [10, 100, 500], "fr": [8, 80, 400], "zh": [40, 400, 2000]}
    assert binned["length_bucket"].to_list() == ["medium", "long"] * 3
    shuffled, same = set_length_bins(documents, parity_counts().reverse(), "parity")
    assert same == bounds and shuffled.equals(binned)


def test_parity_without_english_goes_by_the_language_with_the_most_documents():
    counts = parity_counts().filter(pl.col("lang") != "en")
    documents = pl.DataFrame({"lang": ["fr"], "token_length": [3], "length_bucket": ["short"]})
    _, bounds = set_length_bins(documents, counts, "parity")
    assert bounds == {"fr": [2, 20, 100], "zh": [10, 100, 500]}


def test_lengths_are_counted_by_tokens_with_their_characters():
    pool = pl.DataFrame({"lang": ["en", "en", "de"], "token_length": [3, 3, 3], "char_length": [10, 14, 20]})
    assert count_lengths(pool).rows() == [("de", 3, 1, 20), ("en", 3, 2, 24)]


@cases
@pytest.mark.parametrize("bins", ["fixed", "quantiles"])
def test_a_sample_of_nothing_is_refused_and_says_why(tmp_path, changes, authors, toxicity, why, bins):
    found = corpus(20, 3).with_columns(content="doc_key").head(1_000 if authors else 0).with_row_index("row")
    rules = SAMPLE | changes | {"length_bins": bins}
    reservoir, tallies = fill_reservoir(found, 7, 10, 1)

    def documents(places, columns):
        yield found[places["row"]].select(*columns, at=pl.int_range(pl.len()))

    earlier = [
        {"stage": stage, "sources": {"s": {"in": 12, "kept": 12 - number, "gained": 0, "dropped": {reason: number}}}}
        for stage, reason, number in (
            ("ingest", "other_language", 2), ("filter", "too_many_symbols", 9), ("dedup_chunks", "copy", 1)
        )
    ]  # fmt: skip
    with pytest.raises(InputError, match=f"no document for a release.*{why}"):
        settings = Settings(rules, AUTHORS, SAFETY, SPLITS, 7)
        lengths = found.group_by("lang", "token_length").len("documents")
        of = admitted([reservoir], [tallies], lengths, settings, earlier)
        store = ScoreStore(tmp_path / "scores.parquet")
        sample(of, documents, [Scorer(lambda text: toxicity)], store, settings, pl.DataFrame(schema=SCORED))


def test_documents_are_fetched_from_where_they_stand(tmp_path):
    shards = [pl.DataFrame({"doc_key": [f"s:{shard}-{row}" for row in range(50)]}) for shard in range(3)]
    paths = [str(tmp_path / f"{shard}.parquet") for shard in range(3)]
    for path, shard in zip(paths, shards, strict=True):
        write_batches(path, shard.schema, shard.iter_slices(7))
    asked = pl.DataFrame({"shard": [2, 0, 2, 0], "row": [49, 6, 0, 7]})
    found = pl.concat(stored_documents(paths)(asked, ["doc_key"])).sort("at")
    assert found["doc_key"].to_list() == ["s:2-49", "s:0-6", "s:2-0", "s:0-7"]
    with pytest.raises(InputError, match="row 50"):
        list(stored_documents(paths)(pl.DataFrame({"shard": [1], "row": [50]}), ["doc_key"]))


def test_documents_of_another_author_than_the_reservoir_says_are_refused(tmp_path):
    found = corpus(20, 3).with_columns(content="doc_key").with_row_index("row")
    others = found.with_columns(
        pl.col("author_id").reverse(),
        *(pl.lit(None, kind).alias(name) for name, kind in DOCUMENT.items() if name not in found),
    )
    reservoir, tallies = fill_reservoir(found, 7, 10, 1)
    settings = Settings(SAMPLE, AUTHORS, SAFETY, SPLITS, 7)
    with pytest.raises(InputError, match="do not belong together"):
        sample(
            admitted([reservoir], [tallies], found.group_by("lang", "token_length").len("documents"), settings),
            lambda places, columns: [others[places["row"]].select(*columns, at=pl.int_range(pl.len()))],
            [Scorer(lambda text: 0.0)],
            ScoreStore(tmp_path / "scores.parquet"),
            settings,
            pl.DataFrame(schema=SCORED),
        )


@costly(10)
@given(
    st.integers(0, 10_000),
    st.integers(30, 80),
    st.integers(1, 9),
    st.integers(0, 3),
    st.sampled_from(["consulted", "all"]),
)
def test_scores_of_batches_in_rounds_give_what_one_process_selects(seed, authors, batches, rounds, scope):
    found = corpus(authors, seed).with_columns(content="doc_key").with_row_index("row")
    found = found.with_columns(pl.lit(None, kind).alias(name) for name, kind in DOCUMENT.items() if name not in found)
    reservoir, tallies = fill_reservoir(found, 7, 10, 1)
    safety = SAFETY | {"threshold": 0.7, "scope": scope}
    settings = Settings(SAMPLE, AUTHORS, safety, SPLITS, 7)

    def documents(places, columns):
        yield found[places["row"]].select(*columns, at=pl.int_range(pl.len()))

    outcomes, scorers = [], []
    for number in (0, rounds):
        scorer = Scorer(lambda text: keyed_hash(seed, "toxic", text) / 2**64)
        known = pl.DataFrame(schema=SCORED)
        with tempfile.TemporaryDirectory() as folder:
            store = ScoreStore(Path(folder, "scores.parquet"))
            of = admitted([reservoir], [tallies], found.group_by("lang", "token_length").len("documents"), settings)
            for _ in range(number):
                asked = ask_scores(of, known, safety, batches)
                sizes = [asked.filter(pl.col("batch") == batch).height for batch in range(batches)]
                assert sum(sizes) == asked.height and max(sizes) - min(sizes) <= 1
                given_now = [
                    score_documents(asked.filter(pl.col("batch") == batch), documents, [scorer], store)
                    for batch in reversed(range(batches))
                ]
                known = pl.concat([known, *given_now])
            outcomes.append(sample(of, documents, [scorer], store, settings, known))
        scorers.append(scorer)
    assert outcomes[0].selected.equals(outcomes[1].selected) and outcomes[0].toxic.equals(outcomes[1].toxic)
    assert outcomes[0].counts == outcomes[1].counts and outcomes[0].facts == outcomes[1].facts
    assert sorted(scorers[0].texts) == sorted(scorers[1].texts)


BUCKETS = ("short", "medium", "long", "extra_long")


@given(st.lists(st.tuples(st.integers(0, 60), st.integers(0, 60)), min_size=4, max_size=4))
def test_a_scarce_length_borrows_and_none_lends_what_it_needs(numbers):
    targets = dict(zip(BUCKETS, (target for target, _ in numbers), strict=True))
    available = dict(zip(BUCKETS, (there for _, there in numbers), strict=True))
    given_now = borrow_adjacent(targets, available)
    assert sum(given_now.values()) == sum(targets.values())
    for bucket in BUCKETS:
        if available[bucket] >= targets[bucket]:
            assert targets[bucket] <= given_now[bucket] <= available[bucket]
        else:
            assert available[bucket] <= given_now[bucket] <= targets[bucket]
    missing = sum(max(0, given_now[bucket] - available[bucket]) for bucket in BUCKETS)
    assert missing == max(0, sum(targets.values()) - sum(available.values())) or sum(targets.values()) == 0


def test_the_length_next_to_a_scarce_one_takes_its_share():
    documents = corpus(400, 3).filter(pl.col("length_bucket") != "extra_long")
    lengths = {"short": 25, "medium": 25, "long": 25, "extra_long": 25}
    taken = {}
    for borrow in ("any", "adjacent"):
        sample = SAMPLE | {"borrow": borrow, "lengths": lengths, "min_documents_per_author": 1, "spread": "ignore"}
        pool = pool_of(documents, sample)
        chosen = pool.filter(pl.Series(select_documents(pool, safe(pool), sample).chosen))
        taken[borrow] = dict(chosen["length_bucket"].cast(pl.String).value_counts().iter_rows())
    assert taken["any"]["long"] <= 21  # a third
    assert taken["adjacent"]["long"] >= 26  # near the half that is asked for; authors are taken whole


@cases
def test_a_missed_target_names_what_limited_it(row, limit):
    assert limit_of(row | {"deficit": None if row["target"] is None else row["target"] - row["taken"]}) == limit


def test_a_sample_states_what_limited_each_language_and_cell():
    few = corpus(40, 2, 2).with_columns(lang=pl.lit("fr"), genre=pl.lit("news"), author_id=pl.col("author_id") + "f")
    documents = pl.concat([corpus(120, 1).filter(pl.col("lang") == "en"), few])
    pool = pool_of(documents, SAMPLE)
    selection = select_documents(pool, safe(pool), SAMPLE)
    deviation = with_filtered(
        sampling_deviation(pool, selection, SAMPLE, {"fr": {"author_with_too_few_documents": few.height}}), {"fr": 7}
    )
    rows = {row["language"]: row for row in deviation["languages"]}
    assert (rows["fr"]["limited_by"], rows["fr"]["filtered"]) == ("authors", 7)
    assert rows["fr"]["refused"] == {"author_with_too_few_documents": few.height}
    assert rows["en"]["limited_by"] is None
    assert all(cell["limited_by"] is None or cell["deficit"] > 0 for cell in deviation["cells"])
    recounted = recount(deviation, documents.filter(pl.col("lang") == "fr").head(0), SAMPLE)
    assert {row["limited_by"] for row in recounted["languages"]} == {"whole_authors", "authors"}
