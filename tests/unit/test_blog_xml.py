"""Every post of a blog file is a record, however little of XML the file is."""

from pathlib import Path

import pytest
from cases import cases
from hypothesis import given
from hypothesis import strategies as st
from read_content import read_content

from authbench.config.registry.readers import BlogXmlReader
from authbench.config.registry.typed_schema import from_plain
from authbench.release.reading.blog_xml import iso_date
from authbench.release.reading.rows import BadRow


def rows(tmp_path, content, **options):
    return read_content(tmp_path / "1.male.20.Student.Leo.xml", content, from_plain(BlogXmlReader, options))[0]


def blog(*posts):
    entries = "".join(
        f"<date>0{n},May,2004</date>\r\n<post>\r\n {post} \r\n</post>\r\n" for n, post in enumerate(posts, 1)
    )
    return f"<Blog>\r\n\r\n{entries}\r\n</Blog>\r\n"


def posts_of(found):
    return [row["post"] for row in found if isinstance(row, dict)]


def test_each_post_is_a_record_with_its_date_and_place(tmp_path):
    assert rows(tmp_path, blog("one", "two")) == [
        {"date": "2004-05-01", "written_date": "01,May,2004", "post": "one", "ordinal": 0},
        {"date": "2004-05-02", "written_date": "02,May,2004", "post": "two", "ordinal": 1},
    ]


@pytest.mark.parametrize(
    "post", ["a & b", "a&nbsp;b", "1 < 2 <br> <>", "a\x00b\x0bc", "<a href='x'>y", "&#60;&wrapper);"]
)
def test_what_is_not_well_formed_stays_as_it_is(tmp_path, post):
    assert posts_of(rows(tmp_path, blog(post, "next"))) == [post, "next"]


def test_a_file_that_is_not_utf_8_is_read_in_the_next_declared_encoding(tmp_path):
    content = blog("it’s – fine").encode("cp1252")
    assert posts_of(rows(tmp_path, content, encoding=["utf-8", "cp1252"])) == ["it’s – fine"]


def test_an_unclosed_post_is_a_bad_row_with_its_line_and_the_next_one_is_read(tmp_path):
    content = "<Blog>\n<date>01,May,2004</date>\n<post>\nlost\n<date>02,May,2004</date>\n<post>kept</post>\n</Blog>"
    found = rows(tmp_path, content)
    assert posts_of(found) == ["kept"]
    assert [row.position for row in found if isinstance(row, BadRow)] == ["line 2"]


def test_text_outside_of_posts_is_a_bad_row(tmp_path):
    found = rows(tmp_path, blog("a").replace("</Blog>", "stray</Blog>"))
    assert [type(row) for row in found] == [dict, BadRow]


def test_a_file_without_its_last_tag_is_whole(tmp_path):
    assert posts_of(rows(tmp_path, blog("a").replace("</Blog>", ""))) == ["a"]


@cases
def test_a_date_is_iso_in_any_language_or_null(written, expected):
    assert iso_date(written) == expected


@given(st.lists(st.text("ab<>&; \n", max_size=20), max_size=6))
def test_as_many_posts_come_out_as_went_in(posts):
    from tempfile import TemporaryDirectory

    with TemporaryDirectory() as folder:
        assert posts_of(rows(Path(folder), blog(*posts))) == [post.strip() for post in posts]


def test_a_file_of_posts_that_never_end_is_read_in_time(tmp_path):
    found = rows(tmp_path, "<Blog>" + "<date>1</date>\n<post>\n" * 20_000)
    assert len(found) == 20_000 and found[-1] == BadRow(
        "line 39999", "neither a date with its post nor the end of the blog"
    )
