"""A file that somebody hands us takes as much memory as follows from its size, whatever it says of itself."""

import gzip
import json
import struct

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from authbench.core.errors import InputError
from authbench.core.storage import bounds
from authbench.core.storage.bounds import VARIABLE, room
from authbench.release.format.columns import POSITIVES
from authbench.release.format.tables import table_problems
from authbench.release.reading import table_csv, table_parquet
from authbench.release.reading.foreign import read_foreign
from authbench.release.reading.typed_parquet import IDENT, read_columns


def write(path, rows, text, **options):
    """A table whose rows all have one text, which is stored once."""
    index = pa.array(np.zeros(rows, np.int8))
    texts = pa.DictionaryArray.from_arrays(index, pa.array([text]))
    pq.write_table(pa.table({"author": [f"a{n}" for n in range(rows)], "text": texts}), path, **options)
    return path


def everything(_):
    return True


def test_a_text_that_all_rows_have_is_not_decoded_for_all_at_once(tmp_path, monkeypatch):
    path = write(tmp_path / "a.parquet", 3_000, "x" * (1 << 20))
    taken = list[int]()
    rows = table_parquet._rows
    monkeypatch.setattr(table_parquet, "_rows", lambda batch, *more: taken.append(batch.nbytes) or rows(batch, *more))
    with pytest.raises(InputError, match="grows to more than"):
        read_foreign(path, everything)
    assert max(taken) <= 2 * table_parquet.WORST_BYTES and path.stat().st_size < 1 << 20


def in_one_list(texts):
    return pa.ListArray.from_arrays(pa.array([0, len(texts)], pa.int32()), texts)


@pytest.mark.parametrize(
    "nest",
    [
        in_one_list,
        lambda texts: pa.StructArray.from_arrays([in_one_list(texts)], ["a"]),
        lambda texts: in_one_list(in_one_list(texts)),
    ],
)
def test_a_row_that_has_a_stored_text_many_times_is_refused_before_it_is_decoded(nest, tmp_path, monkeypatch):
    index = pa.array(np.zeros(3_000, np.int32))
    texts = pa.DictionaryArray.from_arrays(index, pa.array(["x" * (1 << 20)]))
    pq.write_table(pa.table({"author": ["Ann"], "text": nest(texts)}), path := tmp_path / "a.parquet")
    monkeypatch.setattr(table_parquet, "_rows", lambda *_: pytest.fail("decoded"))
    with pytest.raises(InputError, match=VARIABLE):
        read_foreign(path, everything)


def test_an_honest_table_of_lists_is_read(tmp_path):
    rows = [["It rains."] * (n % 5) for n in range(3_000)]
    pq.write_table(pa.table({"text": rows}), path := tmp_path / "a.parquet", row_group_size=700)
    assert read_foreign(path, everything).columns["text"] == rows


@pytest.mark.parametrize("compression", ["zstd", "none"])
def test_an_honest_table_is_read_whatever_its_pages(compression, tmp_path):
    path = write(tmp_path / "a.parquet", 5_000, "It rains.", compression=compression, row_group_size=999)
    found = read_foreign(path, everything)
    assert found.columns["text"] == ["It rains."] * 5_000
    assert found.columns["author"] == [f"a{n}" for n in range(5_000)]


@pytest.mark.parametrize(
    "options", [{}, {"use_dictionary": False}, {"version": "1.0"}, {"compression": "none"}], ids=str
)
def test_an_honest_table_without_rows_is_no_damaged_one(options, tmp_path):
    empty = pa.schema({"author": pa.string(), "n": pa.int64(), "text": pa.list_(pa.string())}).empty_table()
    pq.write_table(empty, path := tmp_path / "a.parquet", **options)
    assert not read_foreign(path, everything).rows
    assert read_columns(path, {"author": IDENT}).is_empty()


def test_columns_are_read_by_name(tmp_path, monkeypatch):
    pq.write_table(
        pa.table({"author": ["Ann"], "when": pa.array([(1, 2, 3)], pa.list_(pa.int64()))}),
        path := tmp_path / "a.parquet",
    )
    taken = list[list[str]]()
    rows = table_parquet._rows
    monkeypatch.setattr(
        table_parquet, "_rows", lambda batch, *more: taken.append(batch.schema.names) or rows(batch, *more)
    )
    found = read_foreign(path, lambda name: name == "author")
    assert found.columns == {"author": ["Ann"]} and found.names == ["author", "when"] and taken == [["author"]]


@pytest.mark.parametrize("read", [lambda path: read_foreign(path, everything),
                                  lambda path: read_columns(path, {"author": IDENT})])  # fmt: skip
def test_more_rows_than_a_file_has_bytes_for_are_refused(read, tmp_path):
    nothing = pa.array([""]).take(pa.array(np.zeros(2_000_000, np.int8)))
    pq.write_table(pa.table({"author": nothing}), path := tmp_path / "a.parquet", compression="zstd")
    with pytest.raises(InputError, match=VARIABLE):
        read(path)


def test_a_page_that_is_larger_than_the_footer_says_is_refused_before_it_is_unpacked(tmp_path):
    path = tmp_path / "a.parquet"
    pq.write_table(pa.table({"author": ["x" * (300 << 20)]}), path, compression="zstd", use_dictionary=False)
    with pytest.raises(InputError, match=VARIABLE):
        read_foreign(path, everything)
    with pytest.raises(InputError, match=VARIABLE):
        read_columns(path, {"author": IDENT})


def test_the_room_of_a_file_follows_from_its_size_and_can_be_set(tmp_path, monkeypatch):
    monkeypatch.setattr(bounds, "ALWAYS", 1 << 20)
    path = tmp_path / "a.jsonl.gz"
    row = json.dumps({"author": "Ann", "text": "x" * 100}) + "\n"
    path.write_bytes(gzip.compress(row.encode() * 20_000))
    with pytest.raises(InputError, match=VARIABLE):
        read_foreign(path, everything)
    monkeypatch.setenv(VARIABLE, "1000")
    assert len(read_foreign(path, everything).rows) == 20_000
    assert room(1 << 30) == 1000 << 30
    monkeypatch.setenv(VARIABLE, "much")
    with pytest.raises(InputError, match="whole number"):
        room(1)


def test_rows_that_cannot_be_read_take_room_too(tmp_path, monkeypatch):
    monkeypatch.setattr(bounds, "ALWAYS", 1 << 20)
    (path := tmp_path / "a.csv").write_bytes(b"author,text\n" + b",\n" * 3 + b",,\n" * 20_000)
    with pytest.raises(InputError, match=VARIABLE):
        read_foreign(path, everything)


def test_a_first_line_longer_than_a_parser_takes_by_itself_is_a_header_like_others(tmp_path):
    (path := tmp_path / "a.csv").write_text(f"author,{'x' * 200_000}\nAnn,1\n")
    assert read_foreign(path, lambda name: name == "author").columns == {"author": ["Ann"]}


def test_more_columns_than_a_table_of_texts_has_are_refused(tmp_path):
    names = ",".join(f"c{n}" for n in range(table_csv.MOST_COLUMNS))
    (path := tmp_path / "a.csv").write_text(f"author,{names}\n")
    with pytest.raises(InputError, match="columns"):
        read_foreign(path, everything)


def test_a_damaged_header_of_a_page_is_told(tmp_path):
    path = write(tmp_path / "a.parquet", 9, "It rains.")
    content = bytearray(path.read_bytes())
    for at in range(4, len(content) - 8 - struct.unpack("<I", content[-8:-4])[0]):
        damaged = content.copy()
        damaged[at] ^= 0x55
        path.write_bytes(damaged)
        try:
            found = read_foreign(path, everything)
        except InputError:
            continue
        assert len(found.rows) + len(found.bad) == 9


def test_a_released_table_whose_pages_together_expand_is_refused_before_it_is_looked_into(tmp_path):
    ids = pa.array(["x" * (1 << 20)]).take(pa.array(np.zeros(400, np.int32)))
    path = tmp_path / "positives.parquet"
    pq.write_table(pa.table({"query_id": ids}), path, compression="zstd", use_dictionary=False)
    with pytest.raises(InputError, match="AUTHBENCH_EXPANSION"):
        next(table_problems(path, POSITIVES), None)
