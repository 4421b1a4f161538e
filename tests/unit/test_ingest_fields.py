"""Expressions, cleaning rules, author labels: what a source's YAML can say, and how it is told that it cannot."""

import pytest
from cases import cases
from hypothesis import given
from hypothesis import strategies as st

from authbench.build.ingest.authors import CASELESS, occurs
from authbench.build.ingest.compiled import compile_cleaning
from authbench.build.ingest.fields import as_text, compile_expression, needs
from authbench.config.registry.expressions import names
from authbench.config.registry.source_entry import CleanRule
from authbench.config.registry.typed_schema import from_plain
from authbench.core.author_labels import PLACEHOLDERS, folded, refusal
from authbench.core.errors import InputError

ROW = {
    "title": "The  Work",
    "empty": "",
    "none": None,
    "number": 4.0,
    "nan": float("nan"),
    "list": [["Streinu", "Ileana", ""], ["Theran", "Louis", ""]],
    "parent": {"user": "u1"},
    "dots.in": "name",
    "lines": ["a", None, "b"],
    "authors": "A. One (X), B. Two and C. Three",
}


def value(expression, row=ROW):
    (found,) = compile_expression(expression, "s.yaml: fields.x")([row])
    return found


@cases
def test_an_expression_has_the_value_it_says(expression, expected):
    assert value(expression) == expected


def test_an_object_is_no_text():
    assert as_text({"html": "a"}) is None


def test_half_a_surrogate_pair_can_be_hashed():
    assert value({"field": "broken", "hash": True}, {"broken": "a\ud800"})


def test_a_hash_hides_its_value():
    hashed = value({"field": "title", "hash": True})
    assert len(hashed) == 32 and "Work" not in hashed


@cases
def test_a_mapping_error_names_file_and_key(expression, message):
    with pytest.raises(InputError, match=message):
        value(expression)


def test_what_an_expression_needs_are_sets_of_which_one_must_occur():
    expression = {"any": [{"compose": "{a}-{b}{c?}"}, "d"]}
    assert needs({"compose": "{a}-{b}{c?}"}) == [frozenset("a"), frozenset("b")]
    assert needs(expression) == [frozenset("abd")]
    assert needs({"any": ["a", {"const": None}]}) == []
    assert names(expression) == {"a", "b", "c", "d"}


def cleaned(text, *rules, **row):
    return compile_cleaning([from_plain(CleanRule, rule) for rule in rules], "s.yaml: clean")(text, row)


@cases
def test_a_rule_takes_what_it_says(text, rules, row, left):
    assert cleaned(text, *rules, **row) == left


def test_a_bad_rule_is_named():
    with pytest.raises(InputError, match=r"s\.yaml: clean\.1\.drop_lines: '\(' is not a regular expression"):
        cleaned("", {"replace": "a"}, {"drop_lines": "("})
    with pytest.raises(InputError, match=r"s\.yaml: clean\.0\.with: "):
        cleaned("", {"replace": "{{a}}", "with": "\\g<name>"})


@cases
def test_a_label_names_somebody_or_is_refused(reason, labels):
    placeholders = {one.casefold() for one in PLACEHOLDERS}
    assert {label: refusal(folded(label), placeholders) for label in labels} == dict.fromkeys(labels, reason)


@given(st.text())
def test_folding_twice_changes_nothing(label):
    assert folded(folded(label)) == folded(label)


def test_a_name_occurs_whatever_its_case_and_a_short_one_as_a_word():
    assert occurs("Mary Shelley", "by MARY SHELLEY, 1818")
    assert not occurs("Ann", "Anne's annals") and occurs("Ann", "Dear Ann,")


def test_what_a_name_is_first_looked_for_by_comes_of_no_other_character():
    cased = (chr(code) for code in range(0x110000) if not 0xD800 <= code < 0xE000)
    assert not [one for one in cased if one.casefold() != one and CASELESS.search(one.casefold())]
    assert not [one for one in map(chr, range(0x3000)) if CASELESS.fullmatch(one) and one.casefold() != one]


@given(st.text(alphabet="aAßſ3_ıİКк人ﬁi", min_size=1), st.text(alphabet="aAßſ3_ıİКк人ﬁi "))
def test_a_name_is_found_as_in_the_text_without_case(name, text):
    if len(name.casefold()) >= 4:
        assert occurs(name, text) == (name.casefold() in text.casefold())
