"""A text file becomes one record or many, without the header that stands above the text."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from read_content import read_content

from authbench.config.registry.readers import TextReader
from authbench.config.registry.typed_schema import from_plain
from authbench.core.errors import InputError
from authbench.release.reading.rows import BadRow

BLANK_LINE = r"\n[ \u3000]*\n"


def rows(tmp_path, content, **options):
    return read_content(tmp_path / "a.txt", content, from_plain(TextReader, options))[0]


def test_a_file_is_one_record_unless_it_is_split(tmp_path):
    assert rows(tmp_path, "one\n\ntwo\n") == [{"part": 1, "text": "one\n\ntwo"}]


def test_runs_of_blank_lines_part_records_and_one_blank_line_does_not(tmp_path):
    poems = "a\n\nb\n\n\n \n\n\nc\n\n\n\n"
    found = rows(tmp_path, poems, split=r"\n(?:[ \t]*\n){3,}")
    assert found == [{"part": 1, "text": "a\n\nb"}, {"part": 2, "text": "c"}]


def test_the_header_is_cut_and_gives_the_fields_asked_for(tmp_path):
    header = {"title": r"\A(.+)", "translator": r"^(.+)訳$", "subtitle": r"^――(.+)$"}
    (row,) = rows(tmp_path, "題\n人名\n訳者訳\n　\n本文訳\n", header_ends=BLANK_LINE, header=header)
    assert row == {"title": "題", "translator": "訳者", "subtitle": None, "part": 1, "text": "本文訳"}


def test_without_its_end_there_is_no_header(tmp_path):
    (row,) = rows(tmp_path, "only text", header_ends="^END$", header={"title": "(.+)"})
    assert row == {"title": None, "part": 1, "text": "only text"}


def test_line_ends_are_one_character_and_a_byte_order_mark_is_no_text(tmp_path):
    assert rows(tmp_path, b"\xef\xbb\xbfa\r\nb\rc")[0]["text"] == "a\nb\nc"


def test_the_first_encoding_in_which_a_file_decodes_is_used(tmp_path):
    encodings = ["utf-8", "cp1251"]
    assert rows(tmp_path, "Руслан".encode("cp1251"), encoding=encodings)[0]["text"] == "Руслан"
    assert rows(tmp_path, "Руслан".encode(), encoding=encodings)[0]["text"] == "Руслан"


def test_a_wrong_declaration_is_an_error_with_its_place(tmp_path):
    with pytest.raises(InputError, match="line 2"):
        rows(tmp_path, "abc\nルビ".encode("cp932"), encoding="utf-8")


def test_a_file_of_blanks_is_one_empty_text(tmp_path):
    assert rows(tmp_path, "\n \n\n\n\n", split=r"\n{3,}") == [{"part": 1, "text": ""}]


def test_a_file_larger_than_a_record_may_be_is_a_bad_row(tmp_path):
    ((row,), _) = read_content(tmp_path / "a.txt", "a" * 100, TextReader(), 99)
    assert isinstance(row, BadRow)


@given(st.lists(st.text("ab \n", min_size=1).filter(str.strip), min_size=1, max_size=5))
def test_splitting_loses_nothing_but_the_separators(parts):
    from authbench.release.reading.plain_text import parts as split

    stripped = [part.strip("\n") for part in parts]
    assert split("\n=====\n".join(parts), "^=====$") == stripped
