"""Nothing that comes from a file reaches a terminal as more than signs to read."""

from hypothesis import given
from hypothesis import strategies as st

from authbench.core.printable import printable


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
