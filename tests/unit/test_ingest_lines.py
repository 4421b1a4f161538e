"""Every line of a table is of its header, of a record, of a bad row, or blank; no quotation mark hides rows."""

import csv
import io
from pathlib import Path

import pytest
from cases import read_cases
from hypothesis import example, given
from hypothesis import strategies as st
from read_content import read_content

from authbench.config.registry.readers import CsvReader
from authbench.core.errors import InputError
from authbench.release.reading import table_csv
from authbench.release.reading.rows import BadRow

HEADER = ["id", "author", "text"]
POSTS = [[str(n), f"user{n % 40}", f"Post number {n} of many"] for n in range(1, 847)]


def written(rows, header=HEADER):
    """Return the lines of a table, one for each record."""
    lines = []
    for row in [header, *rows]:
        text = io.StringIO(newline="")
        csv.writer(text).writerow(row)
        lines.append(text.getvalue())
    return lines


def read(folder, content, limit=1 << 20, **options):
    """Return the rows of a table and the counts of its lines, which add up to those of the file."""
    found, units = read_content(folder / "t.csv", content, CsvReader(**options), limit)
    assert units.found == len(io.StringIO(content, newline="").readlines())
    assert units.found == units.header + units.records + units.bad + units.blank
    return found, units


def good(rows):
    return [list(row.values()) for row in rows if not isinstance(row, BadRow)]


def test_an_unmatched_quote_costs_its_line_and_no_other(tmp_path):
    lines = written(POSTS)
    lines[100] = '100,user20,"Post number 100 of many\n'
    lines[600] = '600,user0,Post number 600 of many"\n'
    found, units = read(tmp_path, "".join(lines))
    assert [row for row in found if isinstance(row, BadRow)] == [
        BadRow(
            "line 101", "a quotation mark is not matched: the text would run to line 601, over rows", "unmatched_quote"
        )
    ]
    expected = [row for row in POSTS if row[0] != "100"]
    expected[598] = ["600", "user0", 'Post number 600 of many"']
    assert good(found) == expected
    assert (units.found, units.header, units.records, units.bad, units.blank) == (847, 1, 845, 1, 0)


@pytest.mark.parametrize(("opened", "quoted_after"), [(1, 700), (40, 700), (300, 700), (10, len(POSTS))])
def test_an_unmatched_quote_loses_no_other_row_before_a_quoted_text_or_where_nothing_closes_it(
    tmp_path, opened, quoted_after
):
    posts = [[number, author, f"{text}, he said"] if int(number) > quoted_after else [number, author, text]
             for number, author, text in POSTS]  # fmt: skip
    lines = written(posts)
    lines[opened] = f'{opened},user{opened % 40},"Post number {opened} of many\n'
    found, units = read(tmp_path, "".join(lines))
    assert good(found) == [row for row in posts if row[0] != str(opened)]
    assert units.bad == 1


def test_an_unmatched_quote_is_found_across_pieces_of_a_large_file(tmp_path, monkeypatch):
    monkeypatch.setattr("authbench.release.reading.rows.CHUNK", 500)
    monkeypatch.setattr("authbench.release.reading.table_csv.CHUNK", 500)
    lines = written(POSTS)
    lines[5] = '5,user5,"Post number 5 of many\n'
    lines[800] = '800,user0,Post number 800 of many"\n'
    found, _ = read(tmp_path, "".join(lines))
    assert len(good(found)) == 845


def test_a_text_without_its_closing_quote_costs_its_lines_and_no_row(tmp_path):
    lines = written(POSTS)
    lines[7] = '7,user7,"Dear all,\nthis is, as I said, a text\nof three lines\n'
    lines[9] = '9,user9,Post number 9"\n'
    found, units = read(tmp_path, "".join(lines))
    assert units.bad == 3
    assert [row[0] for row in good(found)] == [row[0] for row in POSTS if row[0] != "7"]


def test_a_row_that_swallowed_only_the_next_is_found_out(tmp_path):
    found, _ = read(tmp_path, 'id,author,text\n1,ann,fine\n2,bob,"oops\n3,cid,also fine"\n4,dan,good\n')
    assert [row[0] for row in good(found)] == ["1", "3", "4"]


DATA = read_cases(Path(__file__))
TEXTS = DATA["TEXTS"]


@pytest.mark.parametrize("place", [0, 1, 2])
@pytest.mark.parametrize("quoting", [csv.QUOTE_MINIMAL, csv.QUOTE_ALL])
def test_texts_of_several_lines_are_records_though_their_lines_hold_commas(tmp_path, place, quoting):
    def moved(row):
        others = [cell for cell in row if cell is not row[2]]
        return [*others[:place], row[2], *others[place:]]

    posts = [moved([str(n), f"user_{n % 40}", TEXTS[n % len(TEXTS)]]) for n in range(300)]
    text = io.StringIO(newline="")
    csv.writer(text, quoting=quoting).writerows([moved(HEADER), *posts])
    found, units = read(tmp_path, text.getvalue())
    assert good(found) == posts
    assert units.bad == 0 and units.longest.lines == 5


def test_poems_with_a_comma_in_each_line_are_records_of_a_table_of_two_columns(tmp_path):
    poems = DATA["POEMS"] * 30
    found, _ = read(tmp_path, "".join(written(poems, ["poet", "poem"])))
    assert good(found) == poems


CELLS = st.text(st.sampled_from('ab1 ,"\n\r;'), max_size=8)


@given(table=st.lists(st.tuples(CELLS, CELLS, CELLS), max_size=8), block=st.integers(1, 40))
@example(table=[("", "", "\n")], block=1)
@example(table=[("a\r", "\r\n", "\n\r")], block=1)
def test_every_line_of_any_table_is_accounted_for(tmp_path_factory, table, block):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("authbench.release.reading.rows.CHUNK", block)
        patch.setattr("authbench.release.reading.table_csv.CHUNK", block)
        found, units = read(tmp_path_factory.getbasetemp(), "".join(written(table)))
    assert units.bad or good(found) == [list(row) for row in table]


@given(lines=st.lists(CELLS, max_size=12), block=st.integers(1, 40))
def test_every_line_of_any_text_is_accounted_for(tmp_path_factory, lines, block):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("authbench.release.reading.rows.CHUNK", block)
        patch.setattr("authbench.release.reading.table_csv.CHUNK", block)
        read(tmp_path_factory.getbasetemp(), "a,b\n" + "\n".join(lines))


def test_after_a_stray_quote_the_rest_of_its_text_is_no_row(tmp_path):
    lines = written(POSTS)
    lines[50] = '50,user10,"He said "no" to\nme, you,and him\nand left"\n'
    found, units = read(tmp_path, "".join(lines))
    assert good(found) == [row for row in POSTS if row[0] != "50"]
    assert units.bad == 3


def test_a_mark_left_open_in_every_line_takes_a_step_for_each(tmp_path, monkeypatch):
    parsed = []
    monkeypatch.setattr(
        table_csv._Reading,
        "_sample",
        lambda _, lines: parsed.append(len(lines)) or [],
    )
    _, units = read(tmp_path, "id,text\n" + '1,"a text\n' * 3000)
    assert units.bad == 3000 and sum(parsed) < 10 * 3000


def test_a_header_that_swallows_rows_is_refused(tmp_path):
    with pytest.raises(InputError, match=r"quotation mark in the header is not matched: its text would run to line 3"):
        read(tmp_path, 'id,author,"text\n1,ann,fine\n2,bob,ok"\n')
    found, units = read(tmp_path, 'id,"likes\n(all)",text\n1,2,fine\n')
    assert good(found) == [["1", "2", "fine"]] and units.header == 2


def test_the_longest_record_is_reported_with_its_place(tmp_path):
    _, units = read(tmp_path, 'id,text\n1,"a\nb\nc"\n2,' + "x" * 50 + "\n\n")
    assert units.counts()["longest_record"] == {
        "lines": 3,
        "lines_at": "t.csv line 2",
        "characters": 53,
        "characters_at": "t.csv line 5",
    }
    assert units.blank == 1


def test_a_header_of_very_many_columns_takes_a_step_for_each(tmp_path):
    names = [f"c{n}" for n in range(100_000)]
    found, _ = read(tmp_path, f"{','.join(names)}\n{','.join(names)}\n")
    assert good(found) == [names]
    with pytest.raises(InputError) as refused:
        read(tmp_path, f"{','.join(names * 2)}\n")
    assert len(str(refused.value)) < 2000
