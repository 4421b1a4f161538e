"""A text that holds itself twice keeps its first half, and no other text loses anything."""

from collections import Counter

import polars as pl
from hypothesis import given, settings
from hypothesis import strategies as st

from authbench.build.normalize.doubled import LEAST_CHARACTERS, LEAST_SHARE, SIMILAR, first_of_two, suspected

POEM = """Der Mond ist aufgegangen,
die goldnen Sternlein prangen
am Himmel hell und klar.

Der Wald steht schwarz und schweiget,
und aus den Wiesen steiget
der weiße Nebel wunderbar."""


def shingles(text):
    folded = " ".join(text.split())
    return Counter(folded[at : at + 5] for at in range(len(folded) - 4))


def by_trying_every_cut(text):
    """The highest similarity of two halves that a cut at a line break gives."""
    lines, whole = text.split("\n"), len(" ".join(text.split()))
    best = 0.0
    for cut in range(1, len(lines)):
        one, other = "\n".join(lines[:cut]), "\n".join(lines[cut:])
        if min(len(" ".join(half.split())) for half in (one, other)) < max(LEAST_CHARACTERS, LEAST_SHARE * whole) - 1:
            continue
        a, b = shingles(one), shingles(other)
        best = max(best, (a & b).total() / max((a | b).total(), 1))
    return best


def test_the_first_of_two_stays_with_its_stanzas():
    assert first_of_two(f"{POEM}\n\n{POEM}") == POEM
    assert first_of_two(f"{POEM}\n{POEM.replace('goldnen', 'güldnen')}") == POEM


def test_a_poem_a_refrain_and_a_repeated_cry_stay_as_they_are():
    assert first_of_two(POEM) is None
    assert first_of_two(f"{POEM}\nein andrer Vers von ganz verschiedener Art\n{POEM[:60]}") is None
    assert first_of_two("Tor! Tor!\nTor! Tor!") is None
    assert first_of_two("la la la") is None and first_of_two("") is None


def test_three_times_is_not_twice():
    assert first_of_two("\n".join([POEM] * 3)) is None


def test_a_suspicion_falls_on_doubled_texts_and_on_few_others():
    texts = pl.Series([f"{POEM}\n\n{POEM}", POEM, "Tor!\nTor!", "one line alone, however long it may be" * 9])
    assert suspected(texts).to_list() == [True, False, False, False]


@given(
    st.lists(st.sampled_from([*POEM.replace("\n\n", "\n").split("\n"), "", "a b", "ab"]), max_size=14), st.booleans()
)
@settings(max_examples=150, deadline=None)
def test_the_similarity_that_is_kept_up_from_cut_to_cut_is_that_of_the_halves(lines, twice):
    text = "\n".join(lines * (1 + twice)).strip()
    found = first_of_two(text)
    assert (found is not None) == (by_trying_every_cut(text) >= SIMILAR)
    assert found is None or text.startswith(found)
