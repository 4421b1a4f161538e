"""The language found is langid's own answer, for many texts at once."""

from pathlib import Path

import numpy as np
import pytest
from cases import read_cases
from hypothesis import given, settings
from hypothesis import strategies as st

from authbench.build.filter import language
from authbench.core.errors import InputError

LANGUAGES = ("en", "zh", "hi", "es", "fr", "ar", "ru", "de", "ja", "ko")
TEXTS = read_cases(Path(__file__))["TEXTS"]


def assert_langid_agrees(texts, languages):
    labels, probabilities = language.identify(texts, languages)
    theirs, their_probabilities = language.identify(texts, languages, "packages")
    assert labels == theirs
    np.testing.assert_allclose(probabilities, their_probabilities, atol=1e-6)


@pytest.mark.parametrize("languages", [LANGUAGES, ("en", "es"), language.candidates(LANGUAGES)])
def test_labels_and_probabilities_are_those_of_langid(languages):
    assert_langid_agrees(TEXTS, tuple(dict.fromkeys(languages)))


@given(st.lists(st.text(max_size=80), max_size=3))
@settings(max_examples=40, deadline=None)
def test_labels_and_probabilities_are_those_of_langid_for_any_text(texts):
    assert_langid_agrees(texts, LANGUAGES)


def test_languages_that_tie_are_told_apart_as_langid_tells_them(monkeypatch):
    monkeypatch.setattr(language, "NEAR", np.inf)
    assert_langid_agrees([*TEXTS, "ab" * 5_000], LANGUAGES)
    pieces = [text[start : start + 3] for text in TEXTS for start in range(len(text))]
    assert_langid_agrees(pieces, LANGUAGES)


def test_the_languages_of_the_recipe_are_recognised():
    assert language.identify(TEXTS[:10], language.candidates(LANGUAGES))[0] == list(LANGUAGES)


def test_a_stranger_is_not_forced_into_a_language_of_the_recipe():
    assert language.identify(TEXTS[-1:], language.latin_candidates(LANGUAGES))[0][0] in ("id", "ms")


def test_no_texts_have_no_languages():
    for backend in ("kernels", "packages"):
        labels, probabilities = language.identify([], LANGUAGES, backend)
        assert labels == []
        assert probabilities.shape == (0,)


def test_unknown_languages_are_an_error_that_names_the_known():
    with pytest.raises(InputError, match="knows none of the languages xx; it knows af, am"):
        language.identify(["so"], ["xx"])


@pytest.fixture(scope="module")
def unpacked():
    return language._unpacked()


@pytest.mark.parametrize("damage", [None, b"", b"PK\x03\x04 no archive"])
def test_the_unpacked_model_is_kept_beside_compiled_code(monkeypatch, tmp_path, damage, unpacked):
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path))
    monkeypatch.setattr(language, "_unpacked", lambda: unpacked)
    first = language._whole_model.__wrapped__()
    (kept,) = tmp_path.iterdir()
    if damage is None:
        monkeypatch.setattr(language, "_unpacked", None)
    else:
        kept.write_bytes(damage)
    again = language._whole_model.__wrapped__()
    assert list(first) == list(again) == list(unpacked)
    assert all(np.array_equal(again[name], unpacked[name]) for name in unpacked)
