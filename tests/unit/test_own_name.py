"""The author's own name goes from the text, and nothing else does."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from authbench.ingest.own_name import without_own_name


@pytest.mark.parametrize(
    ("name", "text", "without"),
    [
        ("ann_lee", "So it is.\nann_lee", "So it is."),
        ("ann_lee", "@Ann_Lee here\nSo it is.\n\n- ANN_LEE -", "So it is."),
        ("ann_lee", "Who is ann_lee, they asked.", "Who is [NAME], they asked."),
        ("ann_lee", "a\nmy name is @ann_lee!\nb", "a\nmy name is [NAME]!\nb"),
        (
            "Lee, Ann",
            "Of trees\nby Ann Lee\nA tree grew.\nLee, Ann asked.\nIt fell.",
            "Of trees\nby [NAME]\nA tree grew.\n[NAME] asked.\nIt fell.",
        ),
        ("Hope", "Hope is my name, I hope.\nHope", "[NAME] is my name, I hope."),
        ("今天天气", "我就是今天天气啊\n再见", "我就是[NAME]啊\n再见"),
        ("Søren ", "Søren's tale", "[NAME]'s tale"),
    ],
)
def test_a_name_goes_from_a_text(name, text, without):
    assert without_own_name(text, name.strip()) == without


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("ann", "annual planning"),
        ("Hope", "I hope so"),
        ("x", "x marks it"),
        ("42", "42 is the answer\n42"),
        ("白", "白日依山尽"),
        ("李白", "桃李白如雪"),
        ("love****", "I love it"),
        ("", "nothing"),
    ],
)
def test_what_is_no_name_stays(name, text):
    assert without_own_name(text, name) == text


def test_a_long_line_at_an_end_is_prose_and_loses_the_name_only():
    line = "It was a long day, as ann_lee wrote in the first of these letters, and nobody came by."
    assert without_own_name(f"{line}\nSo it is.", "ann_lee") == f"{line.replace('ann_lee', '[NAME]')}\nSo it is."


def test_a_text_of_nothing_but_by_lines_keeps_them():
    assert without_own_name("ann_lee\nby ann_lee", "ann_lee") == "[NAME]\nby [NAME]"


@given(st.text(max_size=80), st.text(max_size=12))
def test_taking_a_name_out_twice_is_taking_it_out_once_inside(text, name):
    once = without_own_name(text, name)
    assert once == text or "[NAME]" in once or len(once) < len(text)
