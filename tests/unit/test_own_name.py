"""The author's own name goes from the text, and nothing else does."""

import unicodedata

import regex
from cases import cases
from hypothesis import given
from hypothesis import strategies as st

from authbench.build.ingest import own_name
from authbench.build.ingest.own_name import without_own_name


@cases
def test_a_name_goes_from_a_text(name, text, without):
    assert without_own_name(text, name.strip()) == without


@cases
def test_what_is_no_name_stays(name, text):
    assert without_own_name(text, name) == text


@given(st.text(max_size=80), st.text(max_size=12))
def test_taking_a_name_out_twice_is_taking_it_out_once_inside(text, name):
    once = without_own_name(text, name)
    assert once == text or "[NAME]" in once or len(once) < len(text)


LETTERS = st.sampled_from("aAiIİıßẞſsSKkσςΣµμ中国 \n,-*")


@given(st.text(LETTERS, max_size=30), st.text(LETTERS, max_size=6), st.booleans())
def test_no_name_is_passed_over_that_its_pattern_finds(text, name, named):
    name, text = " ".join(name.split()), f"{text} {name.swapcase()}" if named else text
    pattern = own_name._pattern(name)
    if pattern is not None and pattern.search(text):
        assert own_name._may_occur(name, text)
        assert without_own_name(text, name) != text


def test_letters_that_differ_by_case_alone_are_the_same_without_it():
    """Of those that this Python knows: the library of patterns may know later ones."""
    known = [chr(code) for code in range(0x11000) if unicodedata.category(chr(code)) not in ("Cn", "Cs")]
    cased = {letter for letter in known if len({letter, letter.lower(), letter.upper(), letter.casefold()}) > 1}
    for letter in cased:
        same = regex.compile(regex.escape(letter), regex.IGNORECASE)
        for other in {letter.lower(), letter.upper(), letter.title(), letter.swapcase()}:
            if same.fullmatch(other):
                assert own_name.caseless(other) == own_name.caseless(letter)
