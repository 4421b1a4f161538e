import re
from pathlib import Path

import polars as pl
import pytest
from cases import cases, read_cases
from hypothesis import given, settings
from hypothesis import strategies as st
from linear_time import takes_linear_time

from authbench.build.normalize.personal import FINDERS, MAY_HOLD, PLACEHOLDERS, mask

ALL = ["email", "phone", "handle", "url"]

CASES = read_cases(Path(__file__))
PHONES = CASES["PHONES"]

NO_PHONES = CASES["NO_PHONES"]


@pytest.mark.parametrize("text", [text for texts in PHONES.values() for text in texts])
def test_phone_numbers_of_ten_languages_are_masked(text):
    masked, counts = mask(text, ["phone"])
    assert counts == {"phone": 1}
    assert "[PHONE]" in masked
    assert not any(character.isdigit() for character in masked)


@pytest.mark.parametrize("text", [text for texts in NO_PHONES.values() for text in texts])
def test_dates_years_isbns_and_plain_numbers_are_no_phone_numbers(text):
    assert mask(text, ALL) == (text, {})


@cases
def test_urls_end_where_their_language_goes_on(text, masked):
    assert mask(text, ALL)[0] == masked


@cases
def test_addresses_and_handles_are_told_apart(text, masked):
    assert mask(text, ALL)[0] == masked


def test_only_the_kinds_asked_for_are_masked():
    assert mask("a@example.org @b", ["handle"]) == ("a@example.org [HANDLE]", {"handle": 1})
    assert mask("a@example.org @b", []) == ("a@example.org @b", {})


PIECES = CASES["PIECES"]


@given(st.lists(st.sampled_from(PIECES), max_size=30).map("".join))
def test_masking_twice_is_masking_once(text):
    masked, _ = mask(text, ALL)
    assert mask(masked, ALL) == (masked, {})


ODD = ["\u0660", "\u0967", "\uff11", "\u0301", "\u0131", "\u212a", "\u017f", "\u00b2", "_", "\n", "w", "W", "["]


@settings(deadline=None)
@given(st.lists(st.sampled_from([*PIECES, *ODD, *(text for texts in PHONES.values() for text in texts)])).map("".join))
def test_a_text_with_a_sign_of_personal_data_is_found_by_the_pattern_for_columns(text):
    for kind, (sign, _) in FINDERS.items():
        assert not sign.search(text) or pl.Series([text]).str.contains(MAY_HOLD[kind]).item()


def test_every_digit_of_this_python_is_one_for_columns():
    digits = [chr(code) for code in range(0x110000) if re.match(r"\d", chr(code))]
    assert pl.Series([digit * 7 for digit in digits]).str.contains(MAY_HOLD["phone"]).all()


def test_placeholders_are_left_alone():
    text = " ".join(PLACEHOLDERS.values())
    assert mask(text, ALL) == (text, {})


@cases
def test_time_is_linear_whatever_the_text(unit):
    assert takes_linear_time(lambda size: mask(unit * (size // len(unit)), ALL), 100_000, soon=2)
