"""Pseudonyms and chance depend on identity alone."""

import hashlib
import hmac
import subprocess
import sys
import unicodedata
from collections import Counter

from hypothesis import given
from hypothesis import strategies as st

from authbench.core.identity import (
    author_id,
    digest,
    fold_space,
    keyed_hash,
    keyed_hashes,
    uniform,
)

SEEDS = st.integers(min_value=-(2**63), max_value=2**63 - 1)


def test_an_author_id_is_the_sha_256_of_space_and_name():
    assert author_id("blog", "Åsa Öberg") == hashlib.sha256("blog:Åsa Öberg".encode()).hexdigest()


def test_with_a_key_it_is_the_hmac():
    keyed = hmac.new(b"key", b"blog:Asa", hashlib.sha256).hexdigest()
    assert author_id("blog", "Asa", b"key") == keyed
    assert keyed != author_id("blog", "Asa")


@given(st.text(), st.binary(max_size=8))
def test_spellings_that_differ_in_nothing_a_reader_sees_are_one_author(name, key):
    spelled = f" \t{unicodedata.normalize('NFD', name)}\u3000\n"
    try:
        expected = author_id("space", name, key)
    except UnicodeEncodeError:
        return
    assert author_id("space", spelled, key) == expected


def test_one_name_at_two_sites_is_two_authors():
    assert author_id("douban", "1002") != author_id("xiaohongshu", "1002")


@given(st.text())
def test_folding_space_twice_changes_nothing(text):
    assert fold_space(fold_space(text)) == fold_space(text)


@given(
    st.lists(st.text(alphabet="ab"), min_size=1, max_size=3), st.lists(st.text(alphabet="ab"), min_size=1, max_size=3)
)
def test_parts_do_not_run_together(one, other):
    assert (digest(*one) == digest(*other)) == (one == other)
    assert (keyed_hash(1, *one) == keyed_hash(1, *other)) == (one == other)


def test_chance_is_the_same_in_every_process():
    said = subprocess.run(
        [sys.executable, "-c", "from authbench.core.identity import keyed_hash; print(keyed_hash(20260101, 'a', 'ß'))"],
        env={"PYTHONPATH": ":".join(sys.path), "PYTHONHASHSEED": "5"},
        capture_output=True,
        text=True,
        check=True,
    ).stdout
    assert int(said) == keyed_hash(20260101, "a", "ß")


@given(SEEDS, st.text())
def test_chance_is_in_range(seed, key):
    assert 0 <= keyed_hash(seed, key) < 2**64
    assert 0 <= uniform(seed, key) < 1


def test_chance_is_uniform_and_another_seed_draws_anew():
    draws = [uniform(1, f"k{place}") for place in range(20_000)]
    tenths = Counter(int(draw * 10) for draw in draws)
    # Chi square of ten cells: 33.7 is exceeded once in ten thousand.
    assert sum((tenths[cell] - 2000) ** 2 / 2000 for cell in range(10)) < 33.7
    others = [uniform(2, f"k{place}") for place in range(20_000)]
    mean = sum((one - 0.5) * (other - 0.5) for one, other in zip(draws, others, strict=True)) / 20_000
    assert abs(mean * 12) < 0.03


@given(SEEDS, st.lists(st.text()))
def test_a_series_of_hashes_is_hash_by_hash(seed, keys):
    assert keyed_hashes(seed, "rank", keys).to_list() == [keyed_hash(seed, "rank", key) for key in keys]


def test_a_label_of_a_hundred_thousand_marks_is_sorted_before_it_is_composed(monkeypatch):
    """Python composes by insertion: in order it takes a step a mark, out of order a step for each two marks."""
    seen = []
    normalize = unicodedata.normalize
    raw = "a" + "\u0301\u0323" * 50_000
    author_id("s", raw)  # a process looks up once which marks there are
    monkeypatch.setattr(unicodedata, "normalize", lambda form, text: seen.append(text) or normalize(form, text))
    assert author_id("s", raw) == author_id("s", normalize("NFC", "a" + "\u0323" * 50_000 + "\u0301" * 50_000))
    classes = [unicodedata.combining(mark) for text in seen for mark in text]
    assert classes == sorted(classes)
