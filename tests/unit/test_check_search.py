"""The check's searches find what comparing every pair finds: similar texts, and texts that contain each other."""

from collections import Counter
from itertools import combinations

import polars as pl
import pytest
from cases import cases
from hypothesis import given
from hypothesis import strategies as st

from authbench.build.dedup.similarity import similarity_text
from authbench.config.settings.split import Containment
from authbench.core.identity import keyed_hash
from authbench.release.checking import overlap as contained
from authbench.release.checking import overlap as similar
from authbench.release.checking import similar_kernels
from authbench.release.checking.boilerplate import without_boilerplate
from authbench.release.checking.overlap import contained_texts, fold, similar_texts


def grams(text, length):
    folded = " ".join(text.split())
    return Counter(folded[i : i + length] for i in range(max(1, len(folded) - length + 1)))


def every_similar(texts, parts, within, across, length):
    found = {}
    for a, b in combinations(range(len(texts)), 2):
        one, other = grams(texts[a], length), grams(texts[b], length)
        similarity = (one & other).total() / (one | other).total()
        if similarity >= (within if parts[a] == parts[b] else across):
            found[f"d{a:03}", f"d{b:03}"] = similarity
    return found


def every_contained(texts, origins, of):
    found = {}
    for a, b in combinations(range(len(texts)), 2):
        one, other = set(grams(texts[a], of["shingle_chars"])), set(grams(texts[b], of["shingle_chars"]))
        share = len(one & other) / min(len(one), len(other))
        if min(len(texts[a]), len(texts[b])) >= of["min_chars"] and origins[a] != origins[b] and share >= of["share"]:
            found[f"d{a:03}", f"d{b:03}"] = share
    return found


def ids(texts):
    return pl.Series([f"d{place:03}" for place in range(len(texts))], dtype=pl.String)


def as_pairs(table):
    return {(a, b): value for a, b, value in table.iter_rows()}


WORDS = st.sampled_from(["ab", "abab", "x", "der", "die", "das", "मैं", "好好", "\n", "  ", "éé", "🙂", "0", "haha" * 9])
TEXTS = st.lists(st.lists(WORDS, min_size=1, max_size=14).map(" ".join).map(str.strip).filter(bool), max_size=10)
VARIED = st.builds(
    lambda base, cuts: [
        base[: len(base) * cut // 99] + base[len(base) * (cut + more) // 99 :] + end for cut, more, end in cuts
    ],
    # of one script, and of several, in any share
    st.one_of(
        st.text(letters, min_size=60, max_size=150)
        for letters in ("abcdefgh ", "abcжд", "жзи a", "कखab", "漢字か a한글")
    ),
    st.lists(st.tuples(st.integers(0, 99), st.integers(0, 30), st.text("xyzж漢 ", max_size=25)), max_size=10),
).map(lambda texts: [text.strip() or "x" for text in texts])


@given(
    TEXTS | VARIED,
    st.sampled_from([(0.8, 0.7), (0.9, 0.9), (0.5, 0.9), (0.3, 0.2), (1.0, 1.0)]),
    st.sampled_from([5, 2]),
)
def test_similar_texts_are_those_that_comparing_every_pair_finds(texts, thresholds, length):
    parts = [place % 3 for place in range(len(texts))]
    found = similar_texts(ids(texts), pl.Series(texts, dtype=pl.String), pl.Series(parts), *thresholds, length)
    expected = every_similar(texts, parts, *thresholds, length)
    assert as_pairs(found) == pytest.approx(expected)


@given(TEXTS | VARIED, st.sampled_from([0.3, 0.05, 1.0]), st.sampled_from([24, 6]), st.booleans())
def test_contained_texts_are_those_that_comparing_every_pair_finds(texts, share, length, every_passage):
    of = Containment(shingle_chars=length, share=share, min_chars=20)
    origins = [place % 4 for place in range(len(texts))]
    found = contained_texts(ids(texts), pl.Series(texts, dtype=pl.String), pl.Series(origins), of, every_passage)
    assert as_pairs(found) == pytest.approx(every_contained(texts, origins, of))


def test_little_room_for_hashes_loses_no_pair(monkeypatch):
    monkeypatch.setattr(similar, "_KEPT", 90)
    test_similar_texts_are_those_that_comparing_every_pair_finds()


def test_counting_grams_in_many_parts_loses_no_pair(monkeypatch):
    monkeypatch.setattr(contained, "_PART", 50)
    monkeypatch.setattr(contained, "_KEPT", 30)
    test_contained_texts_are_those_that_comparing_every_pair_finds()


def words(name, count):
    return " ".join(f"{keyed_hash(1, name, str(place)):x}"[:6] for place in range(count))


def test_texts_whose_bitmaps_differ_in_width_are_compared():
    longer = [words(str(place), 30) for place in range(20)]
    texts = [text[:end] for text in longer for end in (88, 92, 170, 180)]  # bitmaps of 2, 4, 4 and 8 words at 1.5 bits
    found = similar_texts(ids(texts), pl.Series(texts), pl.Series([0] * len(texts)), 0.9, 0.9, 5)
    assert as_pairs(found).keys() == {(f"d{place:03}", f"d{place + 1:03}") for place in range(0, 80, 2)}


def counted_join(monkeypatch, texts):
    """Return the similar texts, and how many pairs were compared gram by gram."""
    compared = []
    join = similar_kernels.join

    def counting(*arguments):
        *pairs, number = join(*arguments)
        compared.append(number)
        return *pairs, number

    monkeypatch.setattr(similar_kernels, "join", counting)
    found = similar_texts(ids(texts), pl.Series(texts), pl.Series([0] * len(texts)), 0.8, 0.7, 5)
    return found, sum(compared)


def test_a_crowd_of_near_copies_costs_a_few_comparisons_each_and_each_is_named(monkeypatch):
    crowd = [f"{words('all', 40)} {words(str(place), 2)}" for place in range(100)]
    found, compared = counted_join(monkeypatch, crowd)
    assert set(found["a"]) | set(found["b"]) == set(ids(crowd))
    assert found.height <= compared <= similar.MOST * len(crowd)


def test_texts_of_one_template_that_are_less_similar_than_asked_are_not_compared(monkeypatch):
    template = [f"{words('all', 40)} {words(str(place), 12)}" for place in range(100)]
    found, compared = counted_join(monkeypatch, template)
    assert found.height == compared == 0


def test_a_passage_that_many_texts_have_links_none(monkeypatch):
    monkeypatch.setattr(contained, "_WIDEST", 3)
    monkeypatch.setattr(contained, "_COMMON", 5)
    of = Containment(shingle_chars=24, share=0.3, min_chars=100)
    for many, pairs in ((3, 3), (4, 0), (6, 0)):
        texts = [f"{words('all', 20)} {words(str(place), 20)}" for place in range(many)]
        assert contained_texts(ids(texts), pl.Series(texts), ids(texts), of).height == pairs
        assert (
            contained_texts(ids(texts), pl.Series(texts), ids(texts), of, every_passage=True).height
            == many * (many - 1) / 2
        )


LINES = st.sampled_from(
    ["© 2001 by me", "Words that she wrote.", "All rights reserved.", "*** START OF THIS PROJECT GUTENBERG EBOOK X",
     "End of the Project Gutenberg EBook", "Home | About | Contact", "Alle Rechte vorbehalten", "", "转载请注明",
     "İMPRESSUM",
     "----------", "12", "page 12 of 20", "x" * 401, "版权所有", "更多", "Read more »", "read more\u00a0…"],
)  # fmt: skip


@given(
    st.lists(
        st.tuples(st.sampled_from(["en", "de", "zh", "xx"]), st.lists(LINES, max_size=14).map("\n".join)), max_size=5
    )
)
def test_the_lines_left_out_are_those_that_the_stages_leave_out(rows):
    texts = pl.DataFrame(rows, {"lang": pl.String, "content": pl.String}, orient="row")
    assert without_boilerplate(texts).to_list() == similarity_text(texts).to_list()


@cases
def test_what_reads_the_same_is_folded_alike(disguised, plain):
    assert fold(pl.Series([disguised, plain])).to_list() == [plain, plain]
