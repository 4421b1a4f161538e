"""What a TEI file says becomes one record, and nothing in it can reach outside or grow without bound."""

import pytest
from cases import cases
from hypothesis import given
from hypothesis import strategies as st
from read_content import read_content

from authbench.config.registry.readers import TeiReader
from authbench.config.registry.typed_schema import from_plain
from authbench.release.reading.rows import BadRow
from authbench.release.reading.tei import MalformedError, header_value, parse, running_text

HEADER = "<fileDesc><titleStmt><title>T</title><author>Ros,\n  Ana (1800-1850)</author>{}</titleStmt></fileDesc>"
DOCUMENT = '<TEI xmlns="http://www.tei-c.org/ns/1.0" xml:lang="es"><teiHeader>{}</teiHeader><text>{}</text></TEI>'
OPTIONS = {
    "header": {"author": "fileDesc/titleStmt/author", "title": "fileDesc/titleStmt/title"},
    "leave_out": ["head", "note"],
}


def rows(tmp_path, xml, **options):
    return read_content(tmp_path / "a.xml", xml, from_plain(TeiReader, {**OPTIONS, **options}))[0]


def test_a_file_is_one_record_with_the_header_fields_asked_for(tmp_path):
    xml = DOCUMENT.format(HEADER.format(""), "<body><p>Uno.</p><p>Dos.</p></body>")
    expected = {"author": "Ros, Ana (1800-1850)", "title": "T", "lang": "es", "text": "Uno.\n\nDos."}
    assert rows(tmp_path, xml) == [expected]


def test_front_and_back_and_header_stay_out_unless_asked_for(tmp_path):
    text = "<front><p>Dedication</p></front><body><p>Body</p></body><back><p>Notes</p></back>"
    xml = DOCUMENT.format(HEADER.format(""), text)
    assert rows(tmp_path, xml)[0]["text"] == "Body"
    both = rows(tmp_path, xml, text=["front", "body"])[0]
    assert both["text"] == "Dedication\n\nBody"


@cases
def test_a_text_is_what_its_markup_means(body, left_out, text):
    assert running_text(parse(f"<body>{body}</body>"), left_out) == text


@cases
def test_a_header_has_a_value_at_a_path(header, path, value):
    assert header_value(parse(f"<teiHeader>{header}</teiHeader>"), path) == value


@cases
def test_what_is_no_document_of_tei_is_a_bad_row_that_says_where(tmp_path, xml, place, reason):
    (row,) = rows(tmp_path, xml)
    assert isinstance(row, BadRow) and row.position.startswith(place) and reason in row.reason


def test_elements_nested_beyond_reason_are_a_bad_row(tmp_path):
    xml = f"<TEI><teiHeader/><text><body>{'<div>' * 5000}x{'</div>' * 5000}</body></text></TEI>"
    assert rows(tmp_path, xml) == [BadRow("line 1", "elements are nested too deeply")]


def test_a_text_inside_a_text_is_read_once(tmp_path):
    inner = "<body><p>a</p><floatingText><body><p>b</p></body></floatingText></body>"
    assert rows(tmp_path, DOCUMENT.format("", inner))[0]["text"] == "a\n\nb"


def test_a_file_larger_than_a_record_may_be_is_a_bad_row(tmp_path):
    xml = DOCUMENT.format("", "<body/>")
    ((row,), _) = read_content(tmp_path / "a.xml", xml, from_plain(TeiReader, OPTIONS), 20)
    assert isinstance(row, BadRow)


def test_an_empty_body_is_an_empty_text(tmp_path):
    assert rows(tmp_path, DOCUMENT.format("", "<body/>"))[0]["text"] == ""


@cases
def test_declared_entities_are_refused_before_they_are_fetched_or_expanded(declaration):
    with pytest.raises(MalformedError, match="entity"):
        parse(f"<!DOCTYPE TEI [{declaration}]><TEI>&a;</TEI>")


def test_an_entity_that_only_an_absent_dtd_defines_is_refused_and_the_doctype_alone_is_not():
    with pytest.raises(MalformedError, match="entity nbsp"):
        parse('<!DOCTYPE TEI SYSTEM "tei.dtd"><TEI>a&nbsp;b</TEI>')
    assert parse('<!DOCTYPE TEI SYSTEM "tei.dtd"><TEI>a &amp; b</TEI>').text == "a & b"


def test_the_xml_declaration_names_the_encoding(tmp_path):
    xml = ('<?xml version="1.0" encoding="iso-8859-1"?>' + DOCUMENT.format("", "<body><p>Süß</p></body>")).encode(
        "latin-1"
    )
    assert rows(tmp_path, xml)[0]["text"] == "Süß"


@given(st.lists(st.lists(st.text("abc", min_size=1, max_size=5), min_size=1, max_size=4), min_size=1, max_size=4))
def test_no_verse_is_lost_or_joined(stanzas):
    xml = "".join("<lg>" + "".join(f"<l> {line}\n</l>" for line in stanza) + "</lg>" for stanza in stanzas)
    assert running_text(parse(f"<body>{xml}</body>"), []) == "\n\n".join("\n".join(stanza) for stanza in stanzas)
