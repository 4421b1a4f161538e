"""The normal form of author labels: what is one label, what stays two, and what names nobody."""

import unicodedata

import polars as pl
import pytest
from cases import cases
from hypothesis import given
from hypothesis import strategies as st

from authbench.core.author_labels import UNSEEN, folded, folded_labels, known_labels, refusal

SEEN = st.characters(exclude_categories=("Cs", "Cc", "Cf", "Zs", "Zl", "Zp")).filter(lambda one: not UNSEEN.search(one))
UNSEEN_MARKS = st.sampled_from(["\u200b", "\u200e", "\u200f", "\u202e", "\u2066", "\ufeff", "\u00ad", "\ufe0f"])
SPACES = st.text(st.sampled_from([" ", "\u00a0", "\t", "\u3000", "\u2009"]), max_size=3)
NUMBERS = st.integers(-(10**25), 10**25)


@st.composite
def names(draw):
    """Return a name in normal form that no program writes for a number."""
    words = draw(st.lists(st.text(SEEN, min_size=1, max_size=8), min_size=1, max_size=3))
    name = unicodedata.normalize("NFC", " ".join(words))
    return name if name[:1] not in "-0123456789" else f"n{name}"


@st.composite
def spellings(draw, name):
    """Return a name with other spaces, marks without a glyph anywhere, and maybe decomposed."""
    form = draw(st.sampled_from(["NFC", "NFD"]))
    parts = [unicodedata.normalize(form, part) for part in name.split(" ")]
    gaps = [draw(SPACES.filter(bool)) for _ in parts[1:]]
    spelled = "".join(part + gap for part, gap in zip(parts, [*gaps, ""], strict=True))
    at = draw(st.integers(0, len(spelled)))
    return draw(SPACES) + spelled[:at] + draw(st.text(UNSEEN_MARKS, max_size=2)) + spelled[at:] + draw(SPACES)


@st.composite
def written(draw, number):
    """Return a whole number as a program may write it."""
    digits = str(abs(number))
    sign = "-" if number < 0 else ""
    forms = [f"{sign}{digits}", f"{sign}{digits}.0", f"{sign}{digits}.000"]
    significant = digits[1:].rstrip("0")
    exponent = len(digits) - 1
    for e in ("e", "E", "e+", "E+0"):
        forms.append(f"{sign}{digits[0]}{'.' + significant if significant else ''}{e}{exponent}")
        forms.append(f"{sign}{digits[0]}.{significant}0{e}{exponent}")
    return draw(SPACES) + draw(st.sampled_from(forms)) + draw(st.text(UNSEEN_MARKS, max_size=1))


@given(
    st.text(st.characters(exclude_categories=("Cs",)))
    | st.from_regex(r"-?[0-9]{1,4}(\.[0-9]{1,4})?([eE]\+?[0-9]{1,4})?")
)
def test_the_normal_form_of_a_normal_form_is_itself(label):
    assert folded(folded(label)) == folded(label)


@given(st.data())
def test_spellings_of_a_name_are_one_label(data):
    name = data.draw(names())
    assert folded(name) == name
    assert folded(data.draw(spellings(name))) == name


@given(st.data())
def test_spellings_of_a_number_are_one_label_with_all_its_digits(data):
    number = data.draw(NUMBERS)
    assert folded(data.draw(written(number))) == str(number)


@given(names() | NUMBERS.map(str), names() | NUMBERS.map(str))
def test_distinct_labels_stay_distinct(one, other):
    assert (folded(one) == folded(other)) == (one == other)


@cases
def test_what_is_no_whole_number_of_a_program_stays(label):
    assert folded(label) == label


@pytest.mark.parametrize("label", ["1", "2", "07", "٣"])
def test_a_number_counts_unless_the_source_says_how_short_a_label_may_be(label):
    assert refusal(label, ()) is None
    assert refusal(label, (), 3) == "placeholder_author"
    assert refusal("x", ()) == "placeholder_author"
    assert refusal("x", (), 1) is None


def test_a_column_is_folded_and_placeholders_name_nobody():
    labels = pl.Series(["3.0", "3", None, "nan", "[deleted]", " ", "automoderator", "N.A.", "Ann\u00a0", "x", "Ann"])
    assert known_labels(labels).to_list() == ["3", "3", *[None] * 6, "Ann", "x", "Ann"]
    assert folded_labels(labels).to_list()[-5:] == ["automoderator", "N.A.", "Ann", "x", "Ann"]


@given(st.lists(st.none() | st.text(st.characters(exclude_categories=("Cs",)), max_size=4), max_size=8))
def test_a_column_is_folded_as_each_of_its_labels_is(labels):
    column = pl.Series("author", labels, pl.String)
    found = folded_labels(column)
    assert found.to_list() == [None if one is None else folded(one) for one in labels]
    assert (found.name, found.dtype) == ("author", pl.String)
