"""The check's own reading of texts: their normal form and personal data."""

import polars as pl
import pytest
from cases import cases
from hypothesis import given
from hypothesis import strategies as st

from authbench.build.normalize.personal import mask
from authbench.build.normalize.text import normalize_text
from authbench.core.tokens import load_encoding, load_tokenizer
from authbench.release.checking.texts import abnormal, check_texts, find_personal_data

KINDS = ("email", "phone", "handle", "url")


def is_normal(text):
    return not abnormal(pl.Series([text]))


CHARACTERS = st.characters(exclude_categories=["Cs"]) | st.sampled_from(
    " \n\t\u200b\u200c\u200d\u00ad\ufe0f\u2028\u0301é\u1112\u1161"
)


def test_texts_end_with_a_line_break_where_the_release_says_so():
    texts = pl.DataFrame({"id": ["a", "b", "c"], "content": ["One.\n", "One.", "One. \n"], "token_length": [3, 2, 3]})
    found = check_texts(load_tokenizer(), load_encoding(), (), "\n", texts)
    told = {(one.id, one.note) for one in found if one.code == "content_form"}
    assert told == {("b", "no final line break"), ("c", "white space at an end")}


@given(st.text(CHARACTERS, min_size=1, max_size=12))
def test_normal_is_what_the_stage_leaves_as_it_is(text):
    assert is_normal(text) == (normalize_text(text) == text)


def test_every_character_is_normal_where_the_stage_leaves_it():
    characters = [chr(code) for code in range(0x110000) if not 0xD800 <= code < 0xE000]
    differ = {place for place, _ in abnormal(pl.Series(characters))}
    assert differ == {place for place, one in enumerate(characters) if normalize_text(one) != one}


@cases
def test_personal_data_are_found_if_their_kind_is_to_be_masked(kind, text):
    assert [place for place, _ in find_personal_data(pl.Series(["no", text]), KINDS)] == [1]
    assert find_personal_data(pl.Series([text]), set(KINDS) - {kind}) == []
    assert find_personal_data(pl.Series([mask(text, KINDS)[0]]), KINDS) == []


@pytest.mark.parametrize(
    "text", ["[EMAIL] and [URL]", "@ 5 pm", "a@b", "x@@y.org z", "1999-2001", "@article{x", "5@10.5"]
)
def test_what_is_no_personal_data_is_not_named(text):
    assert find_personal_data(pl.Series([text]), KINDS) == []


PIECES = st.sampled_from(
    [*"ab1_.@+-%/ \n(){[],:!", "ann", "example", ".org", "com", "www.", "http://", "+49 170 1234 567", "555-234-5678"]
    + ["@ann", "ann@example.org", " 12", "Tel. ", "x" * 70, "é"]
)


@given(st.lists(PIECES, max_size=12).map("".join))
def test_nothing_is_found_in_what_the_masks_leave(text):
    masked, _ = mask(normalize_text(text), KINDS)
    assert find_personal_data(pl.Series([masked]), KINDS) == []


@pytest.mark.parametrize("piece", ["@", "a@", "a.b-c", "+49 12 ", "x@y.", "@ab"])
def test_a_long_text_of_signs_is_read_in_time_linear_in_its_length(piece):
    assert find_personal_data(pl.Series([piece * 30_000 + "\nann@example.org"]), ["email"]) != []
    find_personal_data(pl.Series([piece * 30_000]), KINDS)
