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


def text_of(xml, *leave_out):
    return running_text(parse(xml), leave_out)


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


def test_the_author_is_not_the_editor_and_a_name_in_parts_is_surname_forename():
    header = parse(
        "<teiHeader><author><persName><surname>Saar</surname><forename>Ferdinand von</forename>"
        "<name type='pen_name'>X</name></persName><date>1833</date><idno>42</idno></author>"
        "<editor><persName><surname>Editor</surname></persName></editor></teiHeader>"
    )
    assert header_value(header, "author") == "Saar, Ferdinand von"


def test_a_name_that_stands_in_parts_with_a_link_keeps_the_link():
    person = "<persName><forename>Tomás</forename><nameLink>de</nameLink><surname>Iriarte</surname></persName>"
    assert header_value(parse(f"<h><author>{person}</author></h>"), "author") == "Iriarte, Tomás de"


def test_header_paths_reach_attributes_and_choose_by_attribute():
    header = parse("<h><b type='a'><date>1801</date></b><b type='f'><date>1802</date></b><language ident='fra'/></h>")
    assert header_value(header, "language@ident") == "fra"
    assert header_value(header, "b[@type='f']/date") == "1802"
    assert header_value(header, "nothing") is None


def test_several_authors_are_joined_by_a_semicolon():
    assert header_value(parse("<h><author>A B</author><author>C D</author></h>"), "author") == "A B; C D"


def test_line_breaks_and_markup_inside_a_verse_fold():
    assert text_of("<body><l>De sol a\n      <w>sol</w>,\n <hi>y</hi> más</l></body>") == "De sol a sol, y más"


def test_hard_wrapped_paragraphs_are_one_line_and_page_breaks_leave_nothing():
    assert text_of("<body><p>There was\n   a <pb n='2'/> house.</p></body>") == "There was a house."


def test_a_word_broken_over_a_line_is_joined_where_the_markup_says_so():
    assert text_of('<body><p>Haus<lb break="no"/>tür und<lb/>Tor</p></body>') == "Haustür und Tor"


def test_notes_and_headings_go_with_all_that_is_in_them_but_what_follows_stays():
    xml = "<body><head>I <hi>x</hi></head><p>One<note><p>deep</p></note> two.</p></body>"
    assert text_of(xml, "head", "note") == "One two."


def test_a_quotation_inside_a_sentence_stays_in_its_line_and_verses_in_it_do_not():
    assert text_of("<body><p>He said <quote>no</quote> twice.</p></body>") == "He said no twice."
    assert text_of("<body><p>He sang:<quote><l>la</l><l>li</l></quote>then slept.</p></body>") == (
        "He sang:\nla\nli\nthen slept."
    )


def test_a_text_inside_a_text_is_read_once(tmp_path):
    inner = "<body><p>a</p><floatingText><body><p>b</p></body></floatingText></body>"
    assert rows(tmp_path, DOCUMENT.format("", inner))[0]["text"] == "a\n\nb"


def test_malformed_xml_is_a_bad_row_that_says_where(tmp_path):
    (row,) = rows(tmp_path, "<TEI>\n<teiHeader></TEI>")
    assert isinstance(row, BadRow)
    assert row.position.startswith("line 2, column")
    assert "mismatched tag" in row.reason


def test_a_file_that_is_no_tei_document_is_a_bad_row(tmp_path):
    assert isinstance(rows(tmp_path, "<html><body>x</body></html>")[0], BadRow)


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
    assert text_of(f"<body>{xml}</body>") == "\n\n".join("\n".join(stanza) for stanza in stanzas)


def test_elements_nested_beyond_reason_are_a_bad_row(tmp_path):
    body = "<div>" * 5000 + "x" + "</div>" * 5000
    xml = f"<TEI><teiHeader/><text><body>{body}</body></text></TEI>"
    assert rows(tmp_path, xml) == [BadRow("line 1", "elements are nested too deeply")]


@pytest.mark.parametrize("encoding", ["UTF-0", "gb18030", "utf-7"])
def test_an_encoding_that_cannot_be_read_is_a_bad_row(tmp_path, encoding):
    (row,) = rows(tmp_path, f'<?xml version="1.0" encoding="{encoding}"?><TEI/>')
    assert isinstance(row, BadRow)
