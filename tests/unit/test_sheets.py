"""Rows of workbooks: values as text, of all sheets; a cell far away or damage costs one line and little memory."""

import pytest
from extras import needs
from read_content import read_content
from workbooks import workbook

from authbench.config.registry.readers import SheetReader
from authbench.core.errors import InputError

HEAD = ["author", "text"]
FORMULA = '<row><c t="inlineStr"><is><t>Ann</t></is></c><c><f>20+1</f><v>21</v></c></row>'
FAR = '<row r="5000"><c r="XFD5000" t="inlineStr"><is><t>z</t></is></c></row>'
LATE = '<row r="90000"><c r="B90000" t="inlineStr"><is><t>z</t></is></c></row>'


def read(path, content, **more):
    return read_content(path, content, SheetReader(), **more)


@needs("fastexcel", "sheets")
def test_rows_of_all_sheets_are_text(tmp_path):
    content = workbook([HEAD, ["007", "a"]], [], [HEAD, ["Bob", "b"]], cells=FORMULA)
    found, units = read(tmp_path / "a.xlsx", content, at_most=10)
    assert found == [
        {"sheet": "s1", "author": "007", "text": "a"},
        {"sheet": "s1", "author": "Ann", "text": "21"},
        {"sheet": "s3", "author": "Bob", "text": "b"},
    ]
    assert (units.found, units.records) == (3, 3)


@needs("fastexcel", "sheets")
def test_empty_rows_are_blank_and_long_ones_bad(tmp_path):
    found, units = read(tmp_path / "a.xlsx", workbook([HEAD, ["Ann", "y" * 99]], cells=LATE), limit=90)
    assert (units.found, units.records, units.bad, units.blank) == (89_999, 1, 1, 89_997)
    assert found[0].position == "row 1" and found[1]["text"] == "z"


@needs("fastexcel", "sheets")
@pytest.mark.parametrize(
    ("content", "said"),
    [
        (lambda: workbook([HEAD], cells=FAR), "MiB of memory"),
        (lambda: b"PK", "no readable workbook"),
        (lambda: workbook([HEAD])[:-40], "no readable workbook"),
    ],
    ids=["far", "no zip", "cut"],
)
def test_what_cannot_be_read_is_named_in_one_line(content, said, tmp_path):
    with pytest.raises(InputError, match=f"a.xlsx: .*({said})"):
        read(tmp_path / "a.xlsx", content())


def test_without_the_extra_the_command_that_installs_it_is_named(tmp_path, monkeypatch):
    monkeypatch.setattr("authbench.core.extras.find_spec", lambda _: None)
    with pytest.raises(InputError, match=r"pip install 'authbench\[sheets\]'"):
        read(tmp_path / "a.xlsx", workbook([HEAD]))
