"""Claims about counts of kinds of characters."""

from collections import Counter

import regex
from hypothesis import given
from hypothesis import strategies as st

from authbench.models.stylometric import counter_of_kinds

PATTERNS = {"capital": r"\p{Lu}", "letter": r"\p{L}", "emoji": r"[\p{Extended_Pictographic}--\p{N}]", "line": r"\n"}


@given(st.text())
def test_kinds_of_characters_are_counted_as_a_search_finds_them(text):
    found = counter_of_kinds(PATTERNS)(Counter(text))
    assert found == {name: len(regex.findall(pattern, text, regex.V1)) for name, pattern in PATTERNS.items()}
