"""What must not straddle the splits moves as one, shares are kept in every bucket, and nothing depends on order."""

import time
import unicodedata

import numpy as np
import polars as pl
import pytest
from defaults import section
from hypothesis import given, settings
from hypothesis import strategies as st

from authbench.build.ingest.persons import OF_A_NAME
from authbench.build.split.assign import Labels, assign_splits, near_copies, split_deviation, split_documents
from authbench.build.split.balance import due
from authbench.build.split.leakage import Leaks, find_leaks, fold
from authbench.build.split.units import find_bridges, unit_of
from authbench.core.records import RECORD
from authbench.release.checking.overlap import fold as check_fold

SETTINGS = section("split", splits={"train": 80, "dev": 10, "test": 10})
NO_LINKS = pl.DataFrame(schema={"a": pl.String, "b": pl.String})


def documents(authors, seed=0, kind="person"):
    rng = np.random.default_rng(seed)
    rows = []
    for author in range(authors):
        lang = str(rng.choice(["en", "zh"], p=[0.7, 0.3]))
        genre = str(rng.choice(["news", "blog/arts"]))
        for number in range(rng.integers(3, 6)):
            rows.append(
                {
                    "source": "s",
                    "doc_key": f"s:{author:04}-{number}",
                    "author_id": f"a{author}",
                    "author_kind": kind,
                    "train_only": False,
                    "origin_id": f"o{author}-{number}",
                    "lang": lang,
                    "genre": genre,
                    "length_bucket": str(rng.choice(["short", "medium", "long"], p=[0.2, 0.6, 0.2])),
                    "content": f"text {number}",
                }
            )
    return pl.DataFrame(rows).with_columns(pl.lit(None, RECORD[name]).alias(name) for name in OF_A_NAME)


def split(frame, linked=NO_LINKS, lock=None, **changes):
    return assign_splits(frame, linked, SETTINGS | changes, minimum=3, seed=3, lock=lock or {}).assigned.join(
        frame, on="doc_key"
    )


def links(*pairs):
    return pl.DataFrame(pairs, schema=["a", "b"], orient="row")


@settings(max_examples=20, deadline=None)
@given(st.integers(0, 1000), st.integers(1, 80))
def test_no_author_and_no_origin_is_in_two_splits_whatever_the_order(seed, authors):
    frame = documents(authors, seed)
    assigned = split(frame)
    assert assigned.group_by("author_id").agg(pl.col("split").n_unique())["split"].max() == 1
    assert assigned.sort("doc_key").equals(split(frame.sample(fraction=1, shuffle=True, seed=seed)).sort("doc_key"))


def test_linked_texts_share_a_split_with_all_that_their_authors_wrote():
    frame = documents(60)
    assigned = split(frame, links(("s:0001-0", "s:0002-1"), ("s:0002-0", "s:0003-1")))
    together = assigned.filter(pl.col("author_id").is_in(["a1", "a2", "a3"]))
    assert together["split"].n_unique() == 1
    assert together["unit"].n_unique() == 1


def test_authors_of_one_work_share_a_split():
    frame = documents(60).with_columns(
        pl.when(pl.col("doc_key").is_in(["s:0001-0", "s:0002-0"]))
        .then(pl.lit("anthology"))
        .otherwise("origin_id")
        .alias("origin_id")
    )
    assert split(frame).filter(pl.col("author_id").is_in(["a1", "a2"]))["split"].n_unique() == 1


@pytest.mark.parametrize("splits", [{"train": 20, "dev": 20, "test": 60}, {"seen": 50, "unseen": 50}])
def test_texts_that_only_train_are_due_in_no_other_split(splits):
    frame = documents(400).with_columns(
        train_only=(pl.col("lang") == "zh") | ((pl.col("genre") == "news") & (pl.col("author_id").str.ends_with("3")))
    )
    rows = split_deviation(split(frame, splits=splits), splits)
    for row in rows:
        assert abs(row["documents"] - row["due"]) <= row["largest_unit"], row
    first = next(iter(splits))
    assert {row["due"] for row in rows if row["lang"] == "zh" and row["split"] != first} == {0}
    whole = {row["length_bucket"]: 0.0 for row in rows}
    for row in rows:
        if row["lang"] == "en" and row["genre"] == "news":
            whole[row["length_bucket"]] += row["due"]
    counts = dict(
        frame.filter(pl.col("lang") == "en", pl.col("genre") == "news").group_by("length_bucket").len().iter_rows()
    )
    assert whole == pytest.approx(counts)


def test_where_more_only_train_than_is_due_the_others_share_the_rest():
    shares = np.array([0.2, 0.2, 0.6])
    wanted = due(np.array([100.0, 100.0]), np.array([60.0, 10.0]), shares, 0)
    assert wanted[:, 0].tolist() == pytest.approx([60, 10, 30])
    assert wanted[:, 1].tolist() == pytest.approx([20, 20, 60])


def test_a_group_that_is_too_large_loses_the_documents_that_join_it():
    frame = documents(40)
    chain = links(*((f"s:{author:04}-0", f"s:{author + 1:04}-1") for author in range(30)))
    bridges = find_bridges(frame, chain, SETTINGS["bridge"], "author")
    left = frame.filter(~pl.col("doc_key").is_in(bridges))
    sizes = left.with_columns(pl.Series("unit", unit_of(left, chain, "author"))).group_by("unit").len()["len"]
    assert bridges
    assert sizes.max() <= 20
    assert all(key in set(chain["a"]) | set(chain["b"]) for key in bridges)


def test_a_crowd_of_authors_tied_by_one_notice_falls_apart_in_seconds():
    frame = documents(800)
    firsts = frame.filter(pl.col("doc_key").str.ends_with("-0"))["doc_key"].to_list()
    crowd = links(*((a, b) for place, a in enumerate(firsts) for b in firsts[place + 1 : place + 200]))
    start = time.process_time()
    bridges = find_bridges(frame, crowd, SETTINGS["bridge"], "author")
    assert time.process_time() - start < 10
    assert len(firsts) // 2 < len(bridges) <= len(firsts)


def test_document_units_let_authors_cross_but_not_copies():
    frame = documents(60)
    assigned = split(frame, links(("s:0001-0", "s:0002-1")), unit="document")
    assert assigned.group_by("author_id").agg(pl.col("split").n_unique())["split"].max() > 1
    assert assigned.filter(pl.col("doc_key").is_in(["s:0001-0", "s:0002-1"]))["split"].n_unique() == 1


def test_document_units_keep_the_pieces_of_a_work_together():
    frame = documents(60).with_columns(origin_id=pl.col("author_id"))
    assigned = split(frame, unit="document")
    assert assigned.group_by("origin_id").agg(pl.col("split").n_unique())["split"].max() == 1


def test_a_lock_keeps_authors_where_they_were():
    frame = documents(80)
    before = split(frame.filter(pl.col("author_id") != "a5"))
    lock = dict(before.select("author_id", "split").unique().iter_rows())
    after = split(frame, lock=lock)
    assert {a: s for a, s in after.select("author_id", "split").iter_rows() if a != "a5"} == lock


def test_works_without_an_author_only_train():
    frame = pl.concat(
        [
            documents(60),
            documents(60, 1, "work").with_columns(
                pl.col("author_id") + "w", pl.col("doc_key") + "w", pl.col("origin_id") + "w"
            ),
        ]
    )
    works = pl.col("author_kind") == "work"
    assert split(frame).filter(works)["split"].unique().to_list() == ["train"]
    assert split(frame, splits={"test": 20, "train": 80}).filter(works)["split"].unique().to_list() == ["train"]
    assert split(frame, splits={"seen": 80, "unseen": 20}).filter(works)["split"].unique().to_list() == ["seen"]


def test_labels_that_only_train_do_so_with_all_that_moves_with_them_whatever_the_lock_says():
    frame = documents(60).with_columns(train_only=pl.col("author_id").is_in(["a3", "a4"]))
    assigned = split(frame, links(("s:0003-0", "s:0009-1")), lock={"a3": "test", "a9": "dev"})
    bound = pl.col("author_id").is_in(["a3", "a4", "a9"])
    assert assigned.filter(bound)["split"].unique().to_list() == ["train"]
    backwards = split(frame, splits={"test": 20, "train": 80}, lock={"a3": "test"})
    assert backwards.filter(pl.col("train_only"))["split"].unique().to_list() == ["train"]


def marked(frame, similar=(), **marks):
    pairs = pl.DataFrame([*similar], schema={"a": pl.String, "b": pl.String, "similarity": pl.Float64}, orient="row")
    contained = pl.DataFrame(schema={"a": pl.String, "b": pl.String, "share": pl.Float64})
    rules = SETTINGS | {"leak_threshold": 0.7}
    return split_documents(
        frame.drop("train_only"), Leaks(pairs, contained, 0), rules, 3, 0.8, 3, {}, Labels(**marks)
    ).documents  # fmt: skip


def test_texts_known_under_two_labels_and_labels_of_several_people_are_not_scored():
    frame = documents(40).with_columns(doc_key=pl.col("doc_key") + "#chunk_0")
    same = ("s:0001-0#chunk_0", "s:0001-1#chunk_0", 0.9)
    other = ("s:0002-0#chunk_0", "s:0003-1#chunk_0", 0.9)
    found = marked(
        frame,
        [same, other, ("s:0004-0#chunk_0", "s:0005-0#chunk_0", 0.75)],
        train_only=pl.DataFrame({"source": ["s"], "author_id": ["a8"]}),
        known_twice=pl.DataFrame({"doc_key": ["s:0006-0", "s:0007-0#chunk_0", "s:0009-0#chunk_1"]}),
    )
    assert "train_only" not in found.columns
    unscored = found.filter(~pl.col("scored"))
    assert set(unscored.filter(pl.col("author_id") != "a8")["doc_key"]) == {
        "s:0002-0#chunk_0", "s:0006-0#chunk_0", "s:0007-0#chunk_0"
    }  # fmt: skip
    assert found.filter(pl.col("author_id") == "a8").select("split", "scored").unique().rows() == [("train", False)]


def test_all_texts_are_scored_where_nothing_speaks_against_it():
    assert marked(documents(40))["scored"].all()


@pytest.mark.parametrize("seed", range(8))
@pytest.mark.parametrize("shares", [(80, 10, 10), (50, 20, 30)])
def test_buckets_are_balanced_for_many_corpora(seed, shares):
    splits = dict(zip(("train", "dev", "test"), shares, strict=True))
    assigned = split(documents(250, seed), splits=splits)
    beyond = [r for r in split_deviation(assigned, splits) if abs(r["documents"] - r["due"]) > r["largest_unit"]]
    assert not beyond


def test_buckets_are_balanced_in_a_language_with_many_texts_that_only_train():
    works = documents(250, 1, "work").with_columns(
        pl.format("work-{}", "doc_key").alias("doc_key"),
        author_id=pl.format("work-{}", "author_id"),
        origin_id=pl.format("work-{}", "origin_id"),
        genre=pl.lit("prose"),
    )
    assigned = split(pl.concat([documents(250), works]))
    deviation = split_deviation(assigned, SETTINGS["splits"])
    assert {row["genre"] for row in deviation if row["due"] == 0} == {"prose"}
    assert not [row for row in deviation if abs(row["documents"] - row["due"]) > row["largest_unit"]]


@pytest.mark.parametrize(("size", "left"), [(2, []), (3, []), (4, ["s:0000-1", "s:0000-2", "s:0000-3"])])
def test_an_author_left_with_too_few_documents_goes_even_one_admitted_with_few(size, left):
    one = documents(1).head(1)
    frame = pl.concat([one.with_columns(doc_key=pl.lit(f"s:0000-{number}")) for number in range(size)])
    assigned = assign_splits(frame, NO_LINKS, SETTINGS, 3, 3, {}, copies={"s:0000-0"}).assigned
    assert assigned.filter(pl.col("left_out").is_null())["doc_key"].to_list() == left
    assert assigned.dtypes == [pl.String] * 4
    reasons = {"s:0000-0": "near_duplicate"} | ({} if left else {"s:0000-1": "author_with_too_few_left"})
    assert dict(assigned.drop_nulls("left_out").select("doc_key", "left_out").head(2).iter_rows()) == reasons


def test_of_near_copies_that_deduplication_missed_one_stays():
    pairs = pl.DataFrame({"a": ["1", "2", "4"], "b": ["2", "3", "5"]})
    assert near_copies(pairs) == {"2", "5"}


def test_what_the_check_of_a_release_would_call_similar_the_splits_know():
    alike, notice = (
        "the same words of one writer again and again " * 3,
        "Copyright 1999 by nobody. All rights reserved.\n",
    )
    frame = pl.DataFrame(
        {
            "doc_key": ["a", "b", "c", "d"],
            "origin_id": ["a", "b", "c", "d"],
            "lang": ["en"] * 4,
            "content": [alike, alike + "and once more", notice + "I like tea.", notice + "He sold his house."],
        }
    )
    found = find_leaks(frame, leak=0.7, near=0.8, shingle_chars=5, containment=section("split.containment"))
    assert found.similar.select("a", "b").rows() == [("a", "b")]
    assert found.contained.is_empty()
    lower, *_ = find_leaks(frame, leak=0.9, near=0.6, shingle_chars=3, containment=section("split.containment"))
    assert lower.select("a", "b").rows() == [("a", "b")]


@pytest.mark.parametrize(
    "disguise",
    [
        str.upper,
        lambda text: text.replace("1999", "١٩٩٩"),
        lambda text: text.translate({point: point + 0xFEE0 for point in range(0x21, 0x7F)}),
        lambda text: text.replace("a", "a\N{SOFT HYPHEN}"),
        lambda text: text.replace("i", "i\N{ZERO WIDTH JOINER}") + " Well",
        lambda text: text.translate(str.maketrans("aceopxyABEHKMOPCTX", "асеорхуАВЕНКМОРСТХ")),
        lambda text: text.replace(" ", ""),
    ],
)
def test_copies_that_differ_in_how_they_are_written_are_known(disguise):
    text = "In 1999 we sailed around the whole island, and nobody at home would believe a word of it."
    contents = [text, disguise(text), "Good.", "GOOD.", text.replace("island", "lake").replace("sailed", "walked")]
    frame = pl.DataFrame(
        {"doc_key": list("abcde"), "origin_id": list("abcde"), "lang": ["en"] * 5, "content": contents}
    )
    found = find_leaks(frame, leak=0.99, near=0.8, shingle_chars=5, containment=section("split.containment"))
    assert found.similar.select("a", "b").rows() == [("a", "b")]


def test_the_folded_form_is_that_which_the_check_compares():
    assigned = (chr(point) for point in range(0x20000))
    characters = [one for one in assigned if unicodedata.category(one) not in ("Cn", "Cs")]
    texts = pl.Series([f"{one}X\u0301{one} ٣ΣΑΣ" for one in characters])
    assert fold(texts).equals(check_fold(texts))
