"""The official dump of Stack Exchange and the plain texts of Project Gutenberg, as users have them."""

import gzip
from pathlib import Path

import pytest
from cases import cases, read_cases
from read_content import read_content

from authbench.config.registry.readers import GutenbergReader, XmlRowsReader
from authbench.core.errors import InputError
from authbench.release.reading.rows import BadRow

DATA = read_cases(Path(__file__))
POSTS = "\ufeff" + DATA["POSTS"]


def dump(tmp_path, text, name="Posts.xml"):
    return read_content(tmp_path / name, text, XmlRowsReader())


def book(tmp_path, text):
    rows, units = read_content(tmp_path / "1-0.txt", text, GutenbergReader())
    assert (units.unit, units.found, units.records + units.bad) == ("files", 1, 1)
    return rows[0]


def test_rows_of_a_dump_are_records_and_every_line_is_accounted_for(tmp_path):
    rows, units = dump(tmp_path, POSTS)
    assert [row["Id"] for row in rows] == ["1", "2"]
    assert rows[0]["Body"] == "<p>Why?</p>\n" and rows[0]["Title"] == "Rain &amp; wind"
    assert "Title" not in rows[1]
    assert (units.found, units.header, units.records, units.bad, units.blank) == (5, 3, 2, 0, 0)
    packed, _ = dump(tmp_path, gzip.compress(POSTS.encode()), "Posts.xml.gz")
    assert packed == rows


@cases
def test_a_broken_record_costs_itself_alone_and_is_named_with_its_line(tmp_path, broken, words):
    rows, units = dump(tmp_path, POSTS.replace("</posts>", f"{broken}\n</posts>"))
    bad = [row for row in rows if isinstance(row, BadRow)]
    assert len(rows) == 3 and len(bad) == 1
    assert bad[0].position.startswith("line 5") and words in bad[0].reason
    assert units.bad == 1


@pytest.mark.parametrize("end", ["</posts>\n", '"Ann" />\n</posts>\n'])
def test_a_dump_that_was_cut_off_is_refused(tmp_path, end):
    with pytest.raises(InputError, match=r"Posts.xml, line \d: the file ends without </posts>"):
        dump(tmp_path, POSTS.removesuffix(end))


HEADER = DATA["HEADER"]
TEXT = "CHAPTER I\n\nIt was so.\n\n*       *       *\n\nThe end of the matter."
BEGINNINGS = DATA["BEGINNINGS"]
ENDS = DATA["ENDS"]
LICENCE = "\n\nUpdated editions will replace the previous one of Project Gutenberg. License.\n"


@pytest.mark.parametrize("begins", BEGINNINGS)
@pytest.mark.parametrize("ends", ENDS)
def test_a_book_is_what_stands_between_the_marks(tmp_path, begins, ends):
    row = book(tmp_path, f"{HEADER}{begins}\n\n\n{TEXT}\n\n\n{ends}{LICENCE}")
    assert row["text"] == TEXT
    assert (row["title"], row["author"], row["language"]) == ("A Tale of the Sea", "Edgar Poe", "English")


def test_a_text_without_marks_is_named_not_taken_with_the_licence(tmp_path):
    none = book(tmp_path, f"{HEADER}{TEXT}")
    assert isinstance(none, BadRow) and "no line `*** START OF THE PROJECT GUTENBERG EBOOK`" in none.reason
    endless = book(tmp_path, f"{HEADER}{BEGINNINGS[0]}\n{TEXT}{LICENCE}")
    assert isinstance(endless, BadRow) and "no line `*** END OF`" in endless.reason
    assert book(tmp_path, f"{HEADER}{BEGINNINGS[0]}\n{TEXT}\n")["text"] == TEXT


def test_a_book_of_old_times_is_named_in_its_first_line(tmp_path):
    row = book(tmp_path, f"The Project Gutenberg Etext of A Tale, by Edgar Poe\n\n{BEGINNINGS[5]}\n{TEXT}\n{ENDS[3]}\n")
    assert (row["title"], row["author"], row["text"]) == ("A Tale", "Edgar Poe", TEXT)
