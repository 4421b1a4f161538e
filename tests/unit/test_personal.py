import re

import polars as pl
import pytest
from cases import cases
from hypothesis import given, settings
from hypothesis import strategies as st
from linear_time import takes_linear_time

from authbench.build.normalize.personal import FINDERS, MAY_HOLD, PLACEHOLDERS, mask

ALL = ["email", "phone", "handle", "url"]

PHONES = {
    "en": ["call (555) 234-5678 now", "555-234-5678", "+1 555 234 5678", "phone: 2345678"],
    "zh": ["电话：13812345678", "打010-12345678吧", "手机138-1234-5678", "+86 138 1234 5678"],
    "hi": ["फ़ोन: 9876543210", "+91 98765 43210 पर", "मोबाइल नंबर 98765-43210", "०११-२३४५६७८९"],
    "es": ["tel. 612 345 678", "llame al 612 34 56 78", "91 123 45 67", "+34 912 345 678"],
    "fr": ["au 01 23 45 67 89", "06.12.34.56.78", "+33 6 12 34 56 78", "Tél : 0612345678"],
    "ar": ["هاتف: 0501234567", "+966 50 123 4567", "جوال ٠٥٠١٢٣٤٥٦٧", "اتصل ٠٥٠-١٢٣-٤٥٦٧"],
    "ru": ["8 (495) 123-45-67", "+7 912 345-67-89", "тел. 123-45-67", "8-912-345-67-89"],
    "de": ["030 1234567", "0151/23456789", "(030) 123456", "+49 (0)30 1234567", "Telefon 4711123"],
    "ja": ["電話は03-1234-5678", "090-1234-5678", "０３－１２３４－５６７８", "09012345678"],
    "ko": ["010-1234-5678로", "02-123-4567", "전화 01012345678", "+82-10-1234-5678"],
}

NO_PHONES = {
    "en": [
        "1914-1918",
        "on 01/02/2003",
        "ISBN 978-3-16-148410-0",
        "12,345,678.90",
        "2024-11-20 16:20",
        "order 1234567890",
    ],
    "zh": ["1949年10月1日", "2003-02-01", "圆周率3.14159265358979", "ISBN 7-111-07575-8", "编号20240101123456"],
    "hi": ["१५ अगस्त १९४७", "1947-2022", "65000-70000 रुपये", "१२३४५६७८९०"],
    "es": ["12.345.678 habitantes", "01-02-2003", "de 1492 a 1898", "612 345 678 pesos"],
    "fr": ["01.02.2003", "1 234 567 890 euros", "1789-1799", "ISBN 2-07-036822-X", "le 01 02 2003 à 10 h"],
    "ar": ["٢٠٢٤/٠١/٠٢", "١٩٤٨-١٩٦٧", "1234567890123", "01-02-2003"],
    "ru": ["01.02.2003 г.", "02.03-08.07.03", "0537 1809.90", "1941-1945 гг.", "8 000 000 000 рублей", "1 234 567"],
    "de": ["01.02.2003-03.04.2005", "0306406152", "ISBN 3-518-01234-5", "1.000.000.000"],
    "ja": ["1868年1月25日", "2011-03-11", "1,234,567,890円", "00123456789012"],
    "ko": ["1950-1953", "2002.06.22", "123456-1234567", "10,000,000,000원"],
}


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


PIECES = [
    "@",
    "a",
    "www.",
    ".com",
    "/",
    "http://",
    "+49",
    " ",
    "-",
    "555",
    "01",
    "[URL]",
    "1234567",
    "tel",
    "张",
    "(",
    ")",
    ".",
]


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
