"""Labels: how often two texts of one label are by two people, and which may be scored."""

import random
from datetime import date, timedelta
from itertools import combinations

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from authbench.build.labels.count import count_texts
from authbench.build.labels.decision import CELLS, COPIED, decide, in_words, read_decisions
from authbench.build.labels.estimators import account, poisson_interval, proportion_interval, same_item, two_accounts
from authbench.build.labels.judge import judge_labels
from authbench.build.labels.shared import (
    MOST_LABELS,
    copies_among,
    known_under_two_labels,
    labels_that_share_texts,
    stand_ins,
    texts_of_two_labels,
)
from authbench.config.registry.source_entry import Impurity
from authbench.core.records import RECORD

SAME_ITEM, ACCOUNT = Impurity("same_item"), Impurity("account")
VOICES = Impurity("voices", patterns=("said",), per_1000_words=10.0)
NOTHING_REMOVED = pl.DataFrame(schema={"doc_key": pl.String, "stand_in": pl.String})


def as_cells(reviews):
    return pl.DataFrame(
        [(label, item, day, 1) for label, item, day in reviews],
        schema={"label": pl.UInt64, "item": pl.UInt64, "day": pl.Int32, "texts": pl.Int64},
        orient="row",
    )


def same_item_pairs(reviews):
    by_label = {}
    for review in reviews:
        by_label.setdefault(review[0], []).append(review)
    return sum(
        one[1] == other[1] and one[2] != other[2]
        for texts in by_label.values()
        for one, other in combinations(texts, 2)
    )


def reviews_of(people_per_label, labels, seed, items=12):
    """Return reviews in which no person writes of an item twice."""
    draw = random.Random(seed)
    return [
        (label, item, draw.randrange(10_000))
        for label in range(labels)
        for _ in range(people_per_label)
        for item in draw.sample(range(items), 4 // people_per_label)
    ]


def test_the_expectation_of_strangers_is_the_mean_over_permutations_of_labels():
    reviews = reviews_of(2, 40, seed=1)
    draw, labels, pairs = random.Random(2), [review[0] for review in reviews], []
    for _ in range(2000):
        draw.shuffle(labels)
        pairs.append(
            same_item_pairs([(label, item, day) for label, (_, item, day) in zip(labels, reviews, strict=True)])
        )
    expected = same_item_pairs(reviews) / same_item(as_cells(reviews)).impurity
    assert expected == pytest.approx(sum(pairs) / len(pairs), rel=0.02)


def test_labels_of_one_person_each_are_clean_and_labels_of_strangers_are_not():
    clean = same_item(as_cells(reviews_of(1, 300, seed=3)))
    assert clean.impurity == 0
    assert clean.high < 0.05
    several = same_item(as_cells(reviews_of(4, 300, seed=4)))
    assert several.low > 0.7
    two = same_item(as_cells(reviews_of(2, 300, seed=5)))
    assert two.low < 2 / 3 < two.high  # of the six pairs of a label of two people with two texts, four are strangers'


def test_texts_of_one_day_say_nothing():
    one_day = [(label, item, 0) for label, item, _ in reviews_of(4, 300, seed=4)]
    assert same_item(as_cells(one_day)).impurity is None


def test_a_source_of_few_labels_or_of_none_is_unmeasured():
    assert same_item(as_cells([])).impurity is None
    assert same_item(as_cells([(label, 1, day) for label in (1, 2) for day in range(50)])).impurity is None
    assert account([]).high is None


@settings(max_examples=60, deadline=None)
@given(st.lists(st.tuples(st.integers(0, 30), st.integers(0, 4), st.integers(0, 3)), max_size=200), st.randoms())
def test_neither_order_nor_shards_change_an_estimate(reviews, draw):
    shuffled = [*reviews]
    draw.shuffle(shuffled)
    in_parts = pl.concat([as_cells(shuffled[::2]), as_cells(shuffled[1::2])])
    assert same_item(as_cells(reviews)) == same_item(in_parts)


def test_accounts_of_a_label_are_counted_in_pairs():
    texts = pl.DataFrame(
        [(1, 7, 2), (1, 8, 1), (2, 7, 3), (3, 9, 1)],
        schema={"label": pl.UInt64, "account": pl.UInt64, "texts": pl.Int64},
        orient="row",
    )
    assert two_accounts(texts).rows() == [(1, pytest.approx(2 / 3)), (2, 0.0)]
    assert account([1.0] * 30 + [0.0] * 4).impurity == pytest.approx(30 / 34)


@given(st.integers(0, 400))
def test_intervals_enclose_what_was_counted(count):
    low, high = poisson_interval(count)
    assert low <= count < high
    low, high = proportion_interval(count, 400)
    assert 0 <= low <= count / 400 <= high <= 1


def records(rows):
    filled = [
        {
            **dict.fromkeys(RECORD),
            "doc_key": f"s:{number}",
            "source": "s",
            "author_kind": "account",
            "content": "a b",
            **row,
        }
        for number, row in enumerate(rows)
    ]
    return pl.DataFrame(filled, schema=RECORD)


def judged(texts, rule, limit=0.2, shards=1):  # noqa: ANN201
    parts = [
        count_texts([texts.gather_every(shards, shard)], NOTHING_REMOVED, {"s": rule and rule.estimator})
        for shard in range(shards)
    ]
    return judge_labels([part[0] for part in parts], [part[1] for part in parts], {"s": rule}, limit, (2, 10))


def as_date(day):
    return (date(2000, 1, 1) + timedelta(days=day)).isoformat()


def reviews_as_records(reviews, kind="account"):
    return records(
        [
            {"author_id": f"{label:03}", "author_kind": kind, "item": f"film {item}", "date": as_date(day)}
            for label, item, day in reviews
        ]
    )  # fmt: skip


def test_a_source_is_judged_by_its_interval():
    for people, decision in ((1, "clean"), (4, "impure")):
        authors, statistics = judged(reviews_as_records(reviews_of(people, 200, seed=6)), SAME_ITEM)
        assert set(authors["decision"]) == {decision}
        assert statistics.select("source", "labels", "texts", "estimator", "decision").rows() == [
            ("s", 200, 800, "same_item", decision)
        ]
    authors, statistics = judged(reviews_as_records(reviews_of(4, 25, seed=7, items=300)), SAME_ITEM)
    assert set(authors["decision"]) == {"unmeasured"}


def test_a_mask_of_more_texts_than_may_be_sampled_is_not_measured():
    few, many = (
        reviews_of(1, 60, seed=8),
        [(label, item, day) for label in (900, 901) for item in (1, 2) for day in range(20)],
    )
    clean, _ = judged(reviews_as_records([*few, *many], "masked"), SAME_ITEM)
    assert clean["decision"].unique().to_list() == ["clean"]


def test_sources_without_dates_items_accounts_or_estimator_are_unmeasured():
    texts = reviews_as_records(reviews_of(4, 200, seed=9))
    cases = [
        (texts.with_columns(date=pl.lit("2020")), SAME_ITEM),
        (texts.with_columns(item=pl.lit(None, pl.String)), SAME_ITEM),
        (texts, ACCOUNT),
        (texts, VOICES),
        (texts, None),
        (texts.clear(), SAME_ITEM),
    ]
    for given_texts, rule in cases:
        authors, statistics = judged(given_texts, rule)
        assert set(authors["decision"]) <= {"unmeasured"}
        assert statistics["decision"].to_list() == ["unmeasured"]
        assert statistics["impurity"].to_list() == [None]


def test_a_label_of_two_accounts_is_impure_in_a_clean_source():
    rows = [{"author_id": f"{label:03}", "account": f"{label}"} for label in range(100) for _ in range(3)]
    rows += [{"author_id": "two", "account": account} for account in "aab"]
    authors, statistics = judged(records(rows), ACCOUNT)
    assert authors.filter(pl.col("decision") == "impure")["author_id"].to_list() == ["two"]
    assert statistics.select("labels", "decision").rows() == [(100, "clean"), (1, "impure")]
    assert statistics["impurity"].to_list() == [round(2 / 3 / 101, 6), round(2 / 3, 6)]


def test_a_label_with_many_marks_of_other_voices_is_impure_and_others_are_not_measured():
    rows = [
        {"author_id": name, "voice_marks": marks, "content": "word " * 100}
        for name, marks in [("own", 6.9), ("chains", 10.3), ("unread", None)]
        for _ in range(3)
    ]
    authors, statistics = judged(records(rows), VOICES)
    assert authors.select("author_id", "decision").rows() == [
        ("chains", "impure"), ("own", "unmeasured"), ("unread", "unmeasured"),
    ]  # fmt: skip
    assert statistics.select("labels", "decision", "impurity").rows() == [
        (1, "impure", None), (2, "unmeasured", None),
    ]  # fmt: skip


def test_marks_of_other_voices_are_weighed_by_words():
    rows = [
        {"author_id": "a", "voice_marks": 100.0, "content": "word " * 10},
        {"author_id": "a", "voice_marks": 0.0, "content": "word " * 990},
    ]
    authors, _ = judged(records(rows), VOICES)
    assert authors["decision"].to_list() == ["unmeasured"]


@given(st.none() | st.floats(0, 1), st.none() | st.floats(0, 1), st.none() | st.floats(0, 1))
def test_nothing_is_clean_or_impure_without_an_interval(low, high, limit):
    decision = decide(low, high, limit)
    if low is None or high is None or limit is None:
        assert decision == "unmeasured"
    else:
        assert (decision == "clean") == (high <= limit)


def test_what_an_older_release_calls_clean_without_an_interval_is_read_as_unmeasured(tmp_path):
    rows = ["v,24,1236,voices,,,,clean", "a,321,6238,account,0.0,0.0,0.010887,clean", "n,9,90,,,,,"]
    header = "source,labels,texts,estimator,impurity,low,high,decision"
    (tmp_path / "labels.csv").write_text("\n".join([header, *rows, ""]), encoding="utf-8")
    told = read_decisions(tmp_path / "labels.csv")
    assert [row["decision"] for row in told] == ["unmeasured", "clean", None]
    assert [in_words(row["decision"], row["estimator"], row["impurity"]) for row in told] == [
        "unmeasured", "clean by construction", "not judged"
    ]  # fmt: skip


def test_a_stated_impurity_is_taken_as_it_is():
    texts = records([{"author_id": "a"}])
    for value, decision in ((0.1, "clean"), (0.3, "impure")):
        authors, _ = judged(texts, Impurity("stated", value=value, reference="a book"))
        assert authors["decision"].to_list() == [decision]


def test_without_a_limit_everything_is_measured_and_nothing_judged():
    authors, statistics = judged(reviews_as_records(reviews_of(4, 200, seed=6)), SAME_ITEM, limit=None)
    assert set(authors["decision"]) == {"unmeasured"}
    assert statistics["decision"].to_list() == [None]
    assert statistics["impurity"].item() > 0.5


def test_works_and_labels_of_few_texts_are_in_no_statistics():
    rows = [{"author_id": "work", "author_kind": "work"}] * 5 + [{"author_id": "two texts"}] * 2
    _, statistics = judged(records(rows), None)
    assert statistics.select("labels", "texts").rows() == [(0, 0)]


@pytest.mark.parametrize("rule", [SAME_ITEM, ACCOUNT, VOICES])
def test_one_shard_judges_as_eight_do(rule):
    texts = reviews_as_records(reviews_of(2, 60, seed=10)).with_columns(
        account=pl.col("item"), voice_marks=pl.int_range(pl.len()) / 3
    )
    one, eight = judged(texts, rule), judged(texts, rule, shards=8)
    assert one[0].equals(eight[0])
    assert one[1].equals(eight[1])


def test_texts_that_deduplication_removed_are_not_counted():
    texts = records([{"author_id": "a", "item": "x", "date": "2020-01-01", "content": "one two three"}] * 3)
    removed = pl.DataFrame({"doc_key": ["s:2"], "stand_in": ["s:0"]})
    labels, cells, copied = count_texts([texts], removed, {"s": "same_item"})
    assert labels["texts"].to_list() == [2]
    assert cells.select("texts").rows() == [(2,)]
    assert cells.schema == CELLS
    assert copied.select("doc_key", "letters").rows() == [("s:0", 11), ("s:2", 11)]


def copies(*pairs):
    return pl.DataFrame(pairs, schema={"doc_key": pl.String, "stand_in": pl.String}, orient="row")


def owned(**authors):
    rows = [(key, "s", author, 100) for key, author in authors.items()]
    return pl.DataFrame(rows, schema=COPIED, orient="row")


def test_a_kept_text_is_known_under_two_labels_if_another_author_had_a_copy():
    texts = owned(kept="a", copy="b", own="a", own_copy="a")
    found = texts_of_two_labels(copies(("copy", "kept"), ("own_copy", "own")), texts)
    assert found["doc_key"].to_list() == ["kept"]


def test_chunks_of_a_text_known_under_two_labels_are_known_so_too():
    known = pl.DataFrame({"doc_key": ["s:1", "s:2#chunk_3"]})
    documents = pl.DataFrame({"doc_key": ["s:1", "s:1#chunk_0", "s:2#chunk_3", "s:2#chunk_4", "s:11", "s:2"]})
    assert documents.select(known_under_two_labels("doc_key", known)).to_series().to_list() == [
        True, True, True, False, False, False,
    ]  # fmt: skip


def test_the_copies_are_read_from_the_reason_of_their_removal():
    removed = pl.DataFrame({"doc_key": ["s:2"], "detail": ["stand-in s:1 of 2"]})
    assert stand_ins(removed).rows() == [("s:2", "s:1 of 2")]


def test_a_copy_concerns_a_shard_that_holds_it_or_the_text_kept_for_it():
    copies = pl.DataFrame({"doc_key": ["s:2", "s:3", "s:5"], "stand_in": ["s:1", "s:4", "s:1"]})
    assert copies_among(copies, pl.Series(["s:2", "s:4"])).rows() == [("s:2", "s:1"), ("s:3", "s:4")]


def test_two_labels_share_texts_directly_and_by_a_third_label_that_keeps_them():
    texts = owned(
        **{f"k{n}": "a" for n in range(3)}, **{f"b{n}": "b" for n in range(3)}, **{f"c{n}": "c" for n in range(3)}
    )
    kept = copies(*[(f"b{n}", f"k{n}") for n in range(3)], *[(f"c{n}", f"k{n}") for n in range(3)])
    assert labels_that_share_texts(kept, texts).rows() == [("a", "b"), ("a", "c"), ("b", "c")]


def test_two_texts_or_short_texts_or_texts_of_everybody_join_no_labels():
    pairs = copies(*[(f"b{n}", f"k{n}") for n in range(3)])
    texts = owned(**{f"k{n}": "a" for n in range(3)}, **{f"b{n}": "b" for n in range(3)})
    assert labels_that_share_texts(pairs, texts).height == 1
    assert labels_that_share_texts(pairs[:2], texts).is_empty()
    short = texts.with_columns(letters=pl.when(pl.col("doc_key") == "b0").then(99).otherwise("letters"))
    assert labels_that_share_texts(pairs, short).is_empty()
    elsewhere = texts.with_columns(source=pl.when(pl.col("author_id") == "b").then(pl.lit("t")).otherwise("source"))
    assert labels_that_share_texts(pairs, elsewhere).is_empty()
    crowd = {f"x{label}_{n}": f"label {label}" for label in range(MOST_LABELS) for n in range(3)}
    chain = copies(*[(key, f"k{key[-1]}") for key in crowd])
    assert labels_that_share_texts(chain, owned(**{f"k{n}": "a" for n in range(3)}, **crowd)).is_empty()
