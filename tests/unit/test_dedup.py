"""De-duplication: the definition, word for word, against a pass that compares everything with everything."""

import os
import random
import subprocess
import sys
from collections import Counter
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from dedup_stage import deduplicate
from defaults import section
from examples import costly
from hypothesis import given, settings
from hypothesis import strategies as st

from authbench.build.dedup import compare
from authbench.build.dedup import similar_pairs as pairs_in_memory
from authbench.build.dedup.minhash import draw_permutations
from authbench.build.dedup.settings import band_recall, choose_bands, dedup_problems
from authbench.build.dedup.signatures import sign_texts
from authbench.build.dedup.similar_pairs import similar_pairs
from authbench.build.split.assign import near_copies
from authbench.build.split.units import unit_of
from authbench.core.records import REMOVED

WORKFLOW = str(Path(compare.__file__).parents[2])
# 24 bands of one row miss a pair at 0.8 once in 10^16: what differs from the reference is an error, not chance.
SURE = section("dedup", threshold=0.8, bands=24, rows=1)
SOURCES = ["0", "1", "2"]


def multiset(text):
    text = " ".join(text.split())
    return Counter(text[i : i + 5] for i in range(len(text) - 4)) if len(text) >= 5 else Counter([text])


def jaccard(one, other):
    a, b = multiset(one), multiset(other)
    return (a & b).total() / (a | b).total()


def corpus(rows):
    """A table of (doc_key, text, place of its source in the recipe, author)."""
    schema = {"doc_key": pl.String, "content": pl.String, "place": pl.UInt32, "author_id": pl.String}
    table = pl.DataFrame(rows, schema=schema, orient="row")
    return table.with_columns(source=pl.col("place").cast(pl.String), lang=pl.lit("en"))


def removed(table, settings=SURE):
    return deduplicate(table, settings, SOURCES).removed


def counts(table, settings=SURE):
    return deduplicate(table, settings, SOURCES).counts


def kept_for(table, settings=SURE):
    return dict(removed(table, settings).select("doc_key", "kept").iter_rows())


def greedy(rows, threshold):
    """The definition: in corpus order, the most similar accepted document stands for one similar enough.

    What stands for a text when it first appears stands for every copy of it.
    """
    accepted = []
    stands = {}
    gone = {}
    for row in sorted(rows, key=lambda row: (row[2], row[0])):
        key, text, _, _ = row
        reason = "exact_duplicate" if text in stands else "near_duplicate"
        if text not in stands:
            near = [(jaccard(text, other[1]), other) for other in accepted]
            stands[text] = max(near, key=lambda pair: pair[0], default=(0.0, row))
            if stands[text][0] < threshold:
                accepted.append(row)
                stands[text] = (1.0, row)
                continue
        similarity, other = stands[text]
        gone[key] = (reason, other[0], similarity)
    return gone


@st.composite
def small_corpora(draw):
    """Texts of few letters, many of them edits of one another, from few sources and authors."""
    texts = [draw(st.text("ab ", min_size=0, max_size=30))]
    for _ in range(draw(st.integers(0, 14))):
        text = draw(st.sampled_from(texts))
        match draw(st.sampled_from(("copy", "edit", "append", "new"))):
            case "edit":
                at = draw(st.integers(0, len(text)))
                text = text[:at] + draw(st.sampled_from("abc")) + text[at + 1 :]
            case "append":
                text += draw(st.text("abc", max_size=4))
            case "new":
                text = draw(st.text("abc 语", max_size=30))
        texts.append(text)
    keys = draw(st.permutations([f"d{i:02d}" for i in range(len(texts))]))
    places = st.integers(0, 2)
    authors = st.sampled_from("xyz")
    return [(key, text, draw(places), draw(authors)) for key, text in zip(keys, texts, strict=True)]


@costly(40)
@given(small_corpora(), st.sampled_from((0.5, 0.7, 0.8, 1.0)))
def test_what_goes_and_what_stands_for_it_is_what_the_definition_says(rows, threshold):
    found = removed(corpus(rows), section("dedup", threshold=threshold, bands=24, rows=1))
    found = found.select("doc_key", "reason", "kept", "value")
    assert {key: tuple(of_key) for key, *of_key in found.iter_rows()} == greedy(rows, threshold)


@costly(12)
@given(small_corpora(), st.randoms(use_true_random=False), st.integers(1, 40))
def test_neither_order_of_input_nor_size_of_blocks_changes_anything(rows, chance, block):
    shuffled = rows[:]
    chance.shuffle(shuffled)
    one = removed(corpus(rows))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(compare, "BLOCK_SHINGLES", block)
        other = removed(corpus(shuffled))
    assert one.equals(other)


@settings(max_examples=30, deadline=None)
@given(small_corpora(), st.sampled_from((0.5, 0.7)))
def test_similar_pairs_are_all_pairs_at_the_threshold(rows, threshold):
    keys, texts = [row[0] for row in rows], [row[1] for row in rows]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(pairs_in_memory, "choose_bands", lambda *_: (120, 1))
        found = similar_pairs(keys, texts, threshold)
    pairs = [(a, b, jaccard(s, t)) for a, s in zip(keys, texts, strict=True) for b, t in zip(keys, texts, strict=True)]
    assert found.rows() == sorted((a, b, j) for a, b, j in pairs if a < b and j >= threshold)


@costly(12)
@given(small_corpora())
def test_drop_all_leaves_no_text_that_a_gone_one_of_another_author_resembles(rows):
    everything = section("dedup", bands=24, rows=1, cross_author_duplicates="drop_all")
    table = corpus(rows)
    found = removed(table, everything)
    kept_first = set(removed(table)["doc_key"])
    assert kept_first <= set(found["doc_key"])
    for key, text, _, author in rows:
        if key not in kept_first:
            rivals = any(jaccard(text, t) >= 0.8 or t == text for k, t, _, a in rows if a != author and k in kept_first)
            assert (key in set(found["doc_key"])) == rivals


STORY = "It was a bright cold day in April, and the clocks were striking thirteen; nobody looked up from the paper."
EDITED = STORY.replace("bright", "clear")


def test_lines_broken_elsewhere_do_not_make_another_text():
    assert kept_for(corpus([("a", STORY, 0, "x"), ("b", STORY.replace(" ", "\n"), 0, "x")])) == {"b": "a"}


def test_a_shared_laugh_is_as_long_as_it_is():
    laugh = "ha" * 300
    alike = [("a", laugh + " what a day at the sea", 0, "x"), ("b", laugh + " nobody knows the reason", 0, "x")]
    assert len(set(multiset(alike[0][1])) & set(multiset(alike[1][1]))) < 5
    assert kept_for(corpus(alike), section("dedup")) == {"b": "a"}
    assert kept_for(corpus([("a", "ha" * 20, 0, "x"), ("b", "ha" * 300, 0, "x")])) == {}


def test_drop_all_takes_the_kept_one_with_its_copies_and_leaves_one_authors_own_copies():
    rows = [
        ("a", STORY, 0, "x"), ("b", EDITED, 0, "y"), ("c", STORY, 0, "x"),
        ("d", "Another text of which one author keeps two copies.", 0, "x"),
        ("e", "Another text of which one author keeps two copies.", 0, "x"),
    ]  # fmt: skip
    found = removed(corpus(rows), section("dedup", bands=24, rows=1, cross_author_duplicates="drop_all"))
    assert list(found.select("doc_key", "reason", "kept").iter_rows()) == [
        ("a", "cross_author_duplicate", "b"),
        ("b", "cross_author_duplicate", "a"),
        ("c", "cross_author_duplicate", "a"),
        ("e", "exact_duplicate", "d"),
    ]


def test_copies_are_counted_by_kind_and_author_whatever_the_policy():
    table = corpus([("a", STORY, 0, "x"), ("b", EDITED, 0, "y"), ("c", STORY, 0, "x"), ("d", STORY, 0, "y")])
    expected = {
        "exact_duplicate_same_author": 1,
        "exact_duplicate_other_author": 1,
        "near_duplicate_same_author": 0,
        "near_duplicate_other_author": 1,
        "texts_of_several_authors": 1,
        "pairs_compared": 1,
        "comparisons_curtailed": 0,
    }
    assert counts(table) == expected
    assert counts(table, section("dedup", bands=24, rows=1, cross_author_duplicates="drop_all")) == expected


def test_no_documents_no_duplicates():
    assert removed(corpus([])).drop("kept").schema == REMOVED
    assert similar_pairs([], [], 0.7).is_empty()


def test_a_crowd_of_near_copies_costs_one_comparison_each():
    chance = random.Random(1)
    words = [f"{chance.randrange(10**6)}" for _ in range(100)]
    rows = [(f"d{i:05d}", " ".join([*words[: i % 100], f"{i}", *words[i % 100 :]]), 0, "x") for i in range(3000)]
    table = corpus(rows)
    found = counts(table, section("dedup"))
    assert found["near_duplicate_same_author"] == 2999
    assert found["pairs_compared"] == 2999


def test_blocks_hold_whole_components(monkeypatch):
    monkeypatch.setattr(compare, "DOCUMENT_OVERHEAD", 0)
    component, sizes = np.array([0, 0, 2, 2, 2, 5, 5], np.int32), np.full(7, 10, np.uint32)
    found = []
    for limit in (50, 1):
        monkeypatch.setattr(compare, "BLOCK_SHINGLES", limit)
        found.append([(block.start, block.stop) for block in compare.comparison_blocks(component, sizes)])
    assert found == [[(0, 5), (5, 7)], [(0, 2), (2, 5), (5, 7)]]


def test_settings_are_checked_without_loading_the_compiler():
    check = "import sys; from authbench.build.dedup import settings, similar_pairs; sys.exit('numba' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", check], env={**os.environ, "PYTHONPATH": WORKFLOW}).returncode == 0


def test_a_key_given_twice_is_refused():
    with pytest.raises(ValueError, match="doc_key is not unique"):
        removed(corpus([("a", STORY, 0, "x"), ("a", EDITED, 0, "x")]))


def test_bands_that_would_miss_near_copies_are_refused_with_ones_that_would_not():
    (problem,) = dedup_problems({"dedup": section("dedup", threshold=0.8, bands=9, rows=13)})
    assert "Set dedup.bands: 25 and dedup.rows: 5" in problem


@pytest.mark.parametrize("threshold", [0.06, 0.3, 0.5, 0.7, 0.8, 0.9, 0.99, 1.0])
def test_chosen_bands_find_a_pair_at_the_threshold(threshold):
    assert band_recall(threshold, *choose_bands(threshold)) >= 0.999


def test_banding_finds_the_share_that_is_expected():
    """25 x 5 at 0.5: 1 - (1 - 0.5^5)^25 = 0.55 of the pairs."""
    chance = random.Random(2)
    letters = [chr(0x4E00 + i) for i in range(5000)]
    texts = []
    for _ in range(400):
        text = chance.choices(letters, k=304)
        texts += ["".join(text), "".join(text[:202] + chance.choices(letters, k=102))]
    assert np.mean([jaccard(a, b) for a, b in zip(texts[::2], texts[1::2], strict=True)]) == pytest.approx(
        0.5, abs=0.01
    )
    bands = (
        sign_texts(pl.Series(texts), pl.Series(texts), draw_permutations(125), section("dedup"))
        .select(pl.col("^band_.*$"))
        .to_numpy()
    )
    met = (bands[::2] == bands[1::2]).any(axis=1).mean()
    assert met == pytest.approx(band_recall(0.5, 25, 5), abs=0.08)


def test_a_crowd_of_similar_texts_takes_a_bounded_number_of_pairs_and_makes_the_same_groups_and_copies():
    words = [f"word{number}" for number in range(60)]
    texts = [
        " ".join([*words[: number % 7], *words[number % 7 + number % 4 :], f"end {number}"]) for number in range(90)
    ]
    keys = [f"d{number:03}" for number in range(90)]
    everything = similar_pairs(keys, texts, 0.7, near=0.9, most=1_000)
    some = similar_pairs(keys, texts, 0.7, near=0.9, most=5)
    assert everything.height > 2_000
    assert some.height <= 90 * 10
    assert set(some.iter_rows()) <= set(everything.iter_rows())
    documents = pl.DataFrame({"doc_key": keys, "author_id": keys, "origin_id": keys})
    assert unit_of(documents, some, "author") == unit_of(documents, everything, "author")
    copies = near_copies(everything.filter(pl.col("similarity") >= 0.9))
    assert copies
    assert near_copies(some.filter(pl.col("similarity") >= 0.9)) == copies
