"""Readers of tables and JSON: rows as the format gives them, bad rows with position and reason."""

import csv
import io
import json

import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from cases import cases
from hypothesis import given
from hypothesis import strategies as st
from read_content import read_content

from authbench.config.registry.readers import (
    BlogXmlReader,
    JsonLinesReader,
    JsonReader,
    ParquetReader,
    TeiReader,
    TextReader,
)
from authbench.config.registry.typed_schema import from_plain
from authbench.core.errors import InputError
from authbench.core.storage.raw_files import RawFile
from authbench.release.reading import json_lines, json_records, table_csv, table_parquet
from authbench.release.reading.readers import READERS
from authbench.release.reading.rows import BadRow, Wanted, bounded_lines

NEEDS = {"config/sources/s.yaml: fields.text": [frozenset({"text"})]}


def rows(read, path, content, limit=1 << 20, **options):
    wanted = Wanted(options.pop("columns", None), options.pop("needs", {}))
    (kind,) = (kind for kind, reader in READERS.items() if reader is read)
    return read_content(path, content, from_plain(kind, options), limit, wanted)[0]


def csv_rows(folder, content, **options):
    return rows(table_csv.read, folder / "t.csv", content, **options)


FORMS = {"csv": table_csv.read, "json": json_records.read}


@cases
def test_rows_are_as_the_format_gives_them_and_bad_ones_are_told_with_place_and_reason(
    tmp_path, form, content, options, expected
):
    found = rows(FORMS[form], tmp_path / f"t.{form}", content, **options)
    assert found == [BadRow(*row) if isinstance(row, list) else row for row in expected]


@cases
def test_what_is_not_as_it_is_declared_is_refused_by_name(tmp_path, form, content, options, said):
    needs = {field: [frozenset(names)] for field, names in options.get("needs", {}).items()}
    with pytest.raises(InputError, match=said):
        rows(FORMS[form], tmp_path / f"t.{form}", content, needs=needs)


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=6,
)


@given(
    records=st.lists(st.dictionaries(st.text(), VALUES, max_size=3), max_size=5),
    block=st.integers(1, 40),
    ascii_only=st.booleans(),
    indent=st.none() | st.integers(0, 2),
)
def test_any_array_is_read_as_the_library_reads_it(tmp_path_factory, records, block, ascii_only, indent):
    content = json.dumps(records, ensure_ascii=ascii_only, indent=indent)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(json_records, "CHUNK", block)
        assert rows(json_records.read, tmp_path_factory.getbasetemp() / "t.json", content) == records


CELLS = st.text(st.characters(codec="utf-8", exclude_characters="\0"), max_size=8)


@given(table=st.lists(st.tuples(CELLS, CELLS, CELLS), max_size=5), delimiter=st.sampled_from(",;\t|"))
def test_any_table_is_read_as_it_was_written(tmp_path_factory, table, delimiter):
    written = io.StringIO(newline="")
    csv.writer(written, delimiter=delimiter).writerows([("a", "b", "c"), *table])
    found = csv_rows(tmp_path_factory.getbasetemp(), written.getvalue(), delimiter=delimiter)
    assert [tuple(row.values()) for row in found] == table


def test_a_record_beyond_the_limit_is_one_bad_row_of_json(tmp_path):
    path = tmp_path / "t.json"
    content = json.dumps([{"a": 1}, {"a": "x" * 2000}, {"a": 2}])
    assert rows(json_records.read, path, content, limit=1000) == [
        {"a": 1},
        BadRow("line 1", "is longer than max_record_bytes (1000)"),
        {"a": 2},
    ]
    with pytest.raises(InputError, match="much longer than max_record_bytes"):
        rows(json_records.read, path, json.dumps([{"a": "x" * 3_000_000}]), limit=1000)


def test_json_lines_that_hold_no_object_are_bad_rows(tmp_path):
    content = '{"a": 1}\n\n{"a": \n[1]\n{"a": NaN}\n' + json.dumps({"a": "x" * 200})
    found = rows(json_lines.read, tmp_path / "t.jsonl", content, limit=100)
    assert found[0] == {"a": 1} and found[3]["a"] != found[3]["a"]
    assert [(row.position, row.reason[:20]) for row in found if isinstance(row, BadRow)] == [
        ("line 3", "invalid JSON: Expect"),
        ("line 4", "is not a JSON object"),
        ("line 6", "is longer than max_r"),
    ]


def parquet(path):
    pl.DataFrame({"text": ["a", None], "n": [1, 2], "more": [0.5, 1.5]}).write_parquet(path)
    return RawFile(path, path.name, "0" * 64)


def test_parquet_gives_the_columns_that_are_read(tmp_path):
    file = parquet(tmp_path / "t.parquet")
    (block,) = table_parquet.read(file, ParquetReader(), Wanted(["n", "text", "other"], NEEDS))
    assert block == [
        {"n": 1, "text": "a"},
        {"n": 2, "text": None},
    ]


def test_a_parquet_file_without_the_column_names_what_it_has(tmp_path):
    needs = {"config/sources/s.yaml: fields.text": [frozenset({"complete_text", "body"})]}
    with pytest.raises(InputError, match=r"expects 'body' or 'complete_text'\. Found: 'text', 'n', 'more'"):
        list(table_parquet.read(parquet(tmp_path / "t.parquet"), ParquetReader(), Wanted(needs=needs)))


def test_a_parquet_file_of_fewer_rows_than_it_says_is_refused(tmp_path, monkeypatch):
    file, whole = parquet(tmp_path / "t.parquet"), pq.ParquetFile.iter_batches
    monkeypatch.setattr(pq.ParquetFile, "iter_batches", lambda *a, **how: (one.slice(1) for one in whole(*a, **how)))
    with pytest.raises(InputError, match=r"t\.parquet is damaged: it says that it has 2 rows, and has 1"):
        list(table_parquet.read(file, ParquetReader()))


HUGE_NUMBER = "1" * 5000


def test_a_number_too_long_to_convert_is_a_bad_row_or_stops_the_file(tmp_path):
    (bad,) = rows(json_lines.read, tmp_path / "t.jsonl", f'{{"id": {HUGE_NUMBER}}}\n')
    assert isinstance(bad, BadRow) and bad.position == "line 1"
    for shape, text in (("array", f'[{{"id": {HUGE_NUMBER}}}]'), ("file", f'{{"id": {HUGE_NUMBER}}}')):
        with pytest.raises(InputError, match="invalid JSON"):
            rows(json_records.read, tmp_path / "t.json", text, records=shape)


def test_bytes_and_times_of_a_parquet_file_are_read_as_text(tmp_path):
    times = pa.array([1_700_000_000_000_000_001], pa.timestamp("ns"))
    far = pa.array([10**18], pa.timestamp("us"))
    (row,) = parquet_rows(tmp_path, text=pa.array([b"a"]), date=times, far=far)
    assert row["text"] == "a" and row["date"].startswith("2023-11-14 22:13:20") and isinstance(row["far"], str)


def test_text_in_parquet_that_is_no_utf_8_costs_its_row_and_no_other(tmp_path):
    first, bad, last = parquet_rows(tmp_path, text=pa.array([b"a", b"\xff", b"c"]).view(pa.string()))
    assert (first, last) == ({"text": "a"}, {"text": "c"})
    assert bad.position == "row 2" and "utf-8" in bad.reason


def test_a_day_that_python_does_not_have_costs_its_row_and_no_other(tmp_path):
    found = parquet_rows(tmp_path, day=pa.array([0, 10**9], pa.int32()).view(pa.date32()))
    assert [isinstance(row, BadRow) for row in found] == [False, True]


@pytest.mark.parametrize("escape", ["", r"\ud800"])  # the second is read by another parser
def test_a_record_nested_beyond_reason_is_a_bad_row(tmp_path, escape):
    deep = f'{{"text": {"[" * 400}"a{escape}"{"]" * 400}}}'
    shallow = {"text": [["b"]]}
    content = f"{deep}\n{json.dumps(shallow)}\n"
    bad = BadRow("line 1", "is nested more than 100 deep")
    assert rows(json_lines.read, tmp_path / "t.jsonl", content) == [bad, shallow]
    assert rows(json_records.read, tmp_path / "t.json", f"[{deep},{json.dumps(shallow)}]") == [bad, shallow]


def test_json_that_cannot_be_walked_is_refused_by_name(tmp_path):
    for value in ("[" * 5000 + "]" * 5000, "9" * 5000):
        with pytest.raises(InputError, match=r"t\.json: invalid JSON on line 1"):
            rows(json_records.read, tmp_path / "t.json", f'[{{"a": {value}}}]')


def test_one_line_without_an_end_is_one_bad_row(tmp_path):
    content = '{"a": 1}\n{"a": "' + "x" * 5_000_000
    assert rows(json_lines.read, tmp_path / "t.jsonl", content, limit=100_000) == [
        {"a": 1},
        BadRow("line 2", "is longer than max_record_bytes (100000)"),
    ]


@given(st.lists(st.text(alphabet="a\n", max_size=9), max_size=9), st.integers(1, 9))
def test_lines_are_the_same_wherever_the_stream_is_cut(pieces, limit):
    waiting = iter([piece for piece in pieces if piece])
    cut = bounded_lines(lambda _: next(waiting, ""), lambda piece: piece.split("\n"), limit)
    expected = "".join(pieces).split("\n")
    if not expected[-1]:
        expected.pop()
    assert [line for lines in cut for line in lines] == [one if len(one) <= limit else None for one in expected]


GROUP = {"by": "work", "text": "text", "join": "\n"}


def test_a_work_is_joined_wherever_its_records_stand_and_keys_may_hold_any_number(tmp_path):
    huge = "9" * 5000
    content = json.dumps(
        {
            "s10": {"work": "b", "text": "ten"},
            f"s{huge}": {"work": "b", "text": "last"},
            "x1": {"work": "a", "text": " alone "},
            "s2": {"work": "b", "text": "two", "year": 1},
            "s2.5": {"work": "b", "text": "\ud800"},
        }
    )
    assert rows(json_records.read, tmp_path / "t.json", content, records="object", group=GROUP) == [
        {"key": "s2", "work": "b", "text": "two\n\ud800\nten\nlast", "year": 1},
        {"key": "x1", "work": "a", "text": "alone"},
    ]


def test_whole_numbers_of_any_length_stay_as_they_are_written(tmp_path):
    numbers = [2**64 - 1, 2**64, 2**64 + 1, -(2**63), -(2**63) - 1, 10**30, 10**30 + 1]
    for shape in ({"id": 0}, {"by": {"of": [{"id": 0}]}}, {"id": 0, "share": 0.5}):
        lines = [json.dumps(shape).replace('"id": 0', f'"id": {number}') for number in numbers]
        found = rows(json_lines.read, tmp_path / "t.jsonl", "\n".join(lines))
        assert found == list(map(json.loads, lines))


def parquet_rows(folder, **columns):
    path = folder / "t.parquet"
    pq.write_table(pa.table(columns), path)
    return rows(table_parquet.read, path, path.read_bytes())


@pytest.mark.parametrize(
    ("column", "value"),
    [
        (pa.array([b"ab"], pa.binary(2)), "ab"),
        (pa.array([b"ab"], pa.binary_view()), "ab"),
        (pa.array([b"ab"], pa.large_binary()), "ab"),
        (pa.array(["ab"], pa.string_view()), "ab"),
        (pa.array([b"ab"]).dictionary_encode(), "ab"),
        (pa.array(["ab"]).dictionary_encode(), "ab"),
        (pa.array([[("k", b"ab")]], pa.map_(pa.string(), pa.binary())), {"k": "ab"}),
        (pa.array([[{"k": b"ab"}]]), [{"k": "ab"}]),
        (pa.array([[b"ab", b"cd"]], pa.list_(pa.binary(), 2)), ["ab", "cd"]),
    ],
    ids=lambda value: str(getattr(value, "type", "")),
)
def test_text_is_text_however_parquet_stores_it(tmp_path, column, value):
    assert parquet_rows(tmp_path, text=column) == [{"text": value}]


def test_a_parquet_column_of_no_text_numbers_or_times_is_refused_by_name(tmp_path):
    flags = pa.ExtensionArray.from_storage(pa.bool8(), pa.array([1], pa.int8()))
    with pytest.raises(InputError, match=r"the column 'text' is of the type extension<arrow.bool8>"):
        parquet_rows(tmp_path, text=flags)


def test_two_columns_of_one_name_are_refused_where_they_are_read(tmp_path):
    path = tmp_path / "t.parquet"
    pq.write_table(pa.Table.from_arrays([pa.array(["a"]), pa.array(["b"]), pa.array([1])], ["text", "text", "n"]), path)
    with pytest.raises(InputError, match=r"has the column 'text' more than once"):
        rows(table_parquet.read, path, path.read_bytes())
    assert rows(table_parquet.read, path, path.read_bytes(), columns=["n"]) == [{"n": 1}]


@pytest.mark.parametrize(("kind", "largest"), [(pa.float64(), 2**53), (pa.float32(), 2**24), (pa.float16(), 2**11)])
def test_ids_that_lost_digits_as_floating_point_numbers_are_refused(tmp_path, kind, largest):
    exact = pa.array([float(largest - 1), -3.0, None]).cast(kind)
    assert [row["user"] for row in parquet_rows(tmp_path, user=exact)] == [largest - 1, -3, None]
    with pytest.raises(InputError, match=r"the column 'user' .* last digits are lost"):
        parquet_rows(tmp_path, user=pa.array([1.0, float(largest)]).cast(kind))


def test_what_a_format_holds_beside_records_is_counted(tmp_path):
    def counted(name, content, options):
        _, units = read_content(tmp_path / name, content, options)
        return units.unit, units.found, units.records, units.bad, units.blank

    two_on_a_line = '{"a": 1}\n{"a": 1} {"a": 2}\n\n{"a": "unended\n{"a": 3}\n'
    assert counted("t.jsonl", two_on_a_line, JsonLinesReader()) == ("lines", 5, 2, 2, 1)
    nested = '[{"of": [{"a": 1}, 5]}, {"of": []}, {"b": 1}, 7]'
    assert counted("t.json", nested, JsonReader(expand="of")) == ("elements", 5, 1, 2, 2)
    posts = "<Blog><date>1,May,2004</date><post>a</post><post>b</post><date>x</date><post>c</post></Blog>"
    assert counted("t.xml", posts, BlogXmlReader()) == ("posts", 3, 2, 1, 0)
    assert counted("t.txt", "a\n\n\n\n\n\nb\n", TextReader(split="\n{3}")) == ("parts", 3, 2, 0, 1)
    corpus = "<TEI><teiHeader/><text><body/></text><text><body/></text></TEI>"
    assert counted("t.xml", corpus, TeiReader()) == ("documents", 1, 0, 1, 0)
