"""Nothing vanishes unexplained."""

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from authbench.core.funnel import STAGES, Tally, Unaccounted, add_up, join_stages, merge_counts
from authbench.core.records import REMOVED

REASONS = ["toxic", "too_short", "wrong_script"]


def documents(fates, keep):
    rows = [(f"k{place}", source) for place, (source, reason) in enumerate(fates) if not keep or reason is None]
    return pl.DataFrame(rows, schema={"doc_key": pl.String, "source": pl.String}, orient="row")


def removals(fates):
    rows = [
        (source, f"k{place}", "filter", one, None, None, None)
        for place, (source, reason) in enumerate(fates)
        if reason
        for one in (reason, "a later reason")
    ]
    return pl.DataFrame(rows, schema=REMOVED, orient="row")


def tallied(fates, stage="filter"):
    tally = Tally(stage)
    tally.add(documents(fates, keep=False), documents(fates, keep=True), removals(fates))
    return tally


FATES = st.lists(st.tuples(st.sampled_from(["news", "blogs"]), st.sampled_from([None, *REASONS])), max_size=30)


@given(FATES)
def test_in_is_kept_and_dropped_and_a_document_counts_under_its_first_reason(fates):
    counts = tallied(fates).counts()
    assert sum(source["in"] for source in counts["sources"].values()) == len(fates)
    for tag, source in counts["sources"].items():
        assert source["in"] + source["gained"] == source["kept"] + sum(source["dropped"].values())
        for reason in REASONS:
            assert source["dropped"].get(reason, 0) == fates.count((tag, reason))
        assert "a later reason" not in source["dropped"]


@given(FATES, st.integers(min_value=1, max_value=5))
def test_parts_add_up_to_the_whole(fates, parts):
    pieces = [tallied(fates[part::parts]).counts() for part in range(parts)]
    whole = tallied(fates).counts()["sources"]
    assert merge_counts(pieces)["filter"]["sources"] == whole


def test_a_document_that_vanishes_stops_the_stage():
    tally = Tally("filter")
    both = [("news", None), ("news", None)]
    tally.add(documents(both, keep=False), documents(both[:1], keep=True))
    with pytest.raises(Unaccounted, match="filter, news"):
        tally.counts()


def test_only_chunking_may_gain_documents():
    one, two = documents([("news", None)], keep=False), documents([("news", None)] * 2, keep=False)
    chunking, filtering = Tally("chunk"), Tally("filter")
    chunking.add(one, two)
    filtering.add(one, two)
    assert chunking.counts()["sources"]["news"]["gained"] == 1
    with pytest.raises(Unaccounted):
        filtering.counts()


def counted(stage, entered, kept, **dropped):
    source = {"in": entered, "kept": kept, "gained": 0, "dropped": dropped}
    return {"stage": stage, "sources": {"news": source}}


def test_stages_join_where_one_takes_in_what_the_other_kept():
    counts = merge_counts([counted("filter", 5, 4, toxic=1), counted("ingest", 7, 5, no_author=2)])
    assert [(row["stage"], row["reason"], row["documents"]) for row in join_stages(counts)] == [
        ("ingest", "in", 7),
        ("ingest", "no_author", 2),
        ("ingest", "kept", 5),
        ("filter", "in", 5),
        ("filter", "toxic", 1),
        ("filter", "kept", 4),
    ]


@pytest.mark.parametrize(
    ("later", "told"),
    [
        (counted("filter", 4, 4), "filter, news: 4 came in, 5 were kept before"),
        ({"stage": "filter", "sources": {}}, "nothing came in of"),
    ],
)
def test_a_stage_that_does_not_take_in_what_was_kept_stops_the_release(later, told):
    with pytest.raises(Unaccounted, match=told):
        join_stages(merge_counts([counted("ingest", 7, 5, no_author=2), later]))


def test_a_source_that_is_used_up_may_be_absent_later():
    used_up = counted("ingest", 5, 0, no_author=5)
    assert join_stages(merge_counts([used_up, {"stage": "filter", "sources": {}}]))[-1]["documents"] == 0


def test_the_order_of_stages_is_that_of_the_pipeline():
    counts = merge_counts([counted(stage, 1, 1) for stage in reversed(STAGES)])
    assert [row["stage"] for row in join_stages(counts) if row["reason"] == "in"] == list(STAGES)


NUMBERS = st.dictionaries(st.sampled_from("abc"), st.dictionaries(st.sampled_from("xyz"), st.integers()))


@given(NUMBERS, NUMBERS)
def test_adding_up_loses_no_number(one, other):
    def total(numbers):
        return sum(number for inner in numbers.values() for number in inner.values())

    both = add_up(one, other)
    assert total(both) == total(one) + total(other)
    assert both == add_up(other, one)
