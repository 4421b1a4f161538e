"""A text file becomes one record or many, without the header that stands above the text."""

import pytest
from cases import cases
from hypothesis import given
from hypothesis import strategies as st
from read_content import read_content

from authbench.config.registry.readers import TextReader
from authbench.config.registry.typed_schema import from_plain
from authbench.core.errors import InputError
from authbench.release.reading.rows import BadRow


def rows(tmp_path, content, **options):
    return read_content(tmp_path / "a.txt", content, from_plain(TextReader, options))[0]


@cases
def test_a_file_becomes_these_records(tmp_path, content, options, records):
    assert rows(tmp_path, content, **options) == records


def test_the_first_encoding_in_which_a_file_decodes_is_used(tmp_path):
    encodings = ["utf-8", "cp1251"]
    assert rows(tmp_path, "Руслан".encode("cp1251"), encoding=encodings)[0]["text"] == "Руслан"
    assert rows(tmp_path, "Руслан".encode(), encoding=encodings)[0]["text"] == "Руслан"


def test_a_wrong_declaration_is_an_error_with_its_place(tmp_path):
    with pytest.raises(InputError, match="line 2"):
        rows(tmp_path, "abc\nルビ".encode("cp932"), encoding="utf-8")


def test_a_file_larger_than_a_record_may_be_is_a_bad_row(tmp_path):
    ((row,), _) = read_content(tmp_path / "a.txt", "a" * 100, TextReader(), 99)
    assert isinstance(row, BadRow)


@given(st.lists(st.text("ab \n", min_size=1).filter(str.strip), min_size=1, max_size=5))
def test_splitting_loses_nothing_but_the_separators(parts):
    from authbench.release.reading.plain_text import parts as split

    stripped = [part.strip("\n") for part in parts]
    assert split("\n=====\n".join(parts), "^=====$") == stripped
