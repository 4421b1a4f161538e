"""Nothing that comes from a file reaches a terminal as more than signs to read."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from authbench.core.printable import printable, shown


@given(st.text())
def test_what_is_printed_is_printable_and_says_what_was_there(text):
    shown = printable(text)
    assert shown.isprintable()
    assert shown == text or not text.isprintable()


def test_sequences_turns_and_line_breaks_are_escaped_and_letters_are_not():
    assert printable("\x1b]0;title\x07") == r"\x1b]0;title\x07"
    assert printable("a\u202eb\u200b\ud800\x85") == r"a\u202eb\u200b\ud800\x85"
    assert printable("one\ntwo") == r"one\ntwo" and printable("one\ntwo", keep="\n") == "one\ntwo"
    assert printable("Łódź हिन्दी 汉字 👍") == "Łódź हिन्दी 汉字 👍"


@pytest.mark.parametrize("value", [["Rain fell."], ["Ann", None], [["Ann"]], {"Ann": 1}, "It rains for the fields."])
def test_texts_and_names_in_a_wrong_value_are_not_shown(value):
    assert not {"Ann", "Rain", "rains"} & set(re.findall(r"\w+", shown(value)))
    assert "1, 2" in shown([1, 2]) and "high" in shown("high")
