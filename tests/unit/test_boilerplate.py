import re
from pathlib import Path

import polars as pl
import pytest
from cases import cases, read_cases
from hypothesis import assume, example, given, settings
from hypothesis import strategies as st
from linear_time import takes_linear_time

from authbench.build.normalize.boilerplate import patterns, rules, strip, strip_texts, suspected
from authbench.core.records import LANGUAGES
from authbench.release.checking.boilerplate import _wider_pattern

CASES = read_cases(Path(__file__))
LINES = CASES["LINES"]

PROSE = CASES["PROSE"]


def test_every_language_has_rules_and_examples():
    assert set(LINES) == set(LANGUAGES) == set(PROSE)


@pytest.mark.parametrize(("lang", "line"), [(lang, line) for lang, lines in LINES.items() for line in lines])
def test_lines_of_boilerplate_go_and_the_text_stays(lang, line):
    prose = PROSE[lang]
    assert strip(f"{prose}\n\n{line}\n\n{prose}", lang) == f"{prose}\n\n{prose}"


@pytest.mark.parametrize("lang", PROSE)
def test_prose_that_speaks_of_such_things_stays(lang):
    assert strip(PROSE[lang], lang) == PROSE[lang]


def test_all_outside_the_gutenberg_marks_goes():
    book = "\n".join(f"Line {n} of the story." for n in range(20))
    text = (
        "The Project Gutenberg EBook of A Story\n\nSome notice.\n\n"
        "*** START OF THIS PROJECT GUTENBERG EBOOK A STORY ***\n\n"
        f"{book}\n\n*** END OF THIS PROJECT GUTENBERG EBOOK A STORY ***\n\nLicence text."
    )
    assert strip(text, "en") == book


@cases
def test_a_text_keeps_its_own_lines(lang, text, left):
    assert strip(text, lang) == left


PATTERNS = [pattern for part in rules().values() for kind in part.values() for pattern in kind]


@given(st.sampled_from(PATTERNS).flatmap(lambda pattern: st.from_regex(re.compile(pattern, re.I), fullmatch=True)))
@example(":|:|\U0001ccf0|")  # a digit since Unicode 16
@settings(deadline=None, max_examples=300)
def test_every_line_that_a_rule_fits_makes_its_text_suspected(line):
    assume("\n" not in line)  # white space and a last $ fit a line break, too
    assert suspected(pl.Series([f"a\n{line}\nb"])).item()
    assert pl.Series([line]).str.contains(_wider_pattern()).item()


def test_a_column_of_texts_is_stripped_as_they_are_one_by_one():
    rows = [(lang, f"{PROSE[lang]}\n{line}") for lang, lines in LINES.items() for line in lines]
    rows += [(lang, prose) for lang in LINES for prose in PROSE.values()]
    frame = pl.DataFrame(rows, schema=["lang", "content"], orient="row")
    assert strip_texts(frame).to_list() == [strip(text, lang) for lang, text in rows]
    assert suspected(frame["content"]).sum() < len(rows)


@pytest.mark.parametrize("lang", LANGUAGES)
@pytest.mark.parametrize(
    "unit", ["a|", "a | ", "home | ", "a b", "share ", "- ", "cookies ", "© 2000 ", "isbn ", "тип. ", "首页 > "]
)
def test_time_is_linear_whatever_the_lines(lang, unit):
    line = (unit * 400)[:399]
    assert takes_linear_time(lambda lines: strip("\n".join([line] * lines), lang), 300, soon=0.5)


def test_the_rules_file_has_known_parts_only():
    assert set(rules()) == {"all", *LANGUAGES}
    assert all(set(part) <= {"lines", "before", "after"} for part in rules().values())
    assert all(patterns(lang) for lang in LANGUAGES)
