"""A file that is not as it was written is noticed by whoever reads it."""

import json

import polars as pl
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st
from polars.testing import assert_frame_equal

from authbench.core.errors import InputError
from authbench.core.storage import json_files, parquet
from authbench.core.storage.checksums import read_checksums

FRAME = pl.DataFrame(
    {
        "doc_key": [f"news:{number}" for number in range(40)],
        "content": [f"The text {number}. " * 3 for number in range(40)],
        "tokens": list(range(40)),
        "signature": [[number, 7] for number in range(40)],
        "topic": [None, "x"] * 20,
    }
)
READERS = {
    "read_batches": lambda path: list(parquet.read_batches([path])),
    "read_columns": lambda path: parquet.read_columns([path]),
    "scan_columns": lambda path: parquet.scan_columns([path]).collect(),
}


def chunks_of(path):
    with path.open("rb") as file:
        return read_checksums(file)


@pytest.fixture
def table(tmp_path):
    parquet.write_batches(tmp_path / "table.parquet", FRAME.schema, [FRAME[:25], FRAME[25:]])
    return tmp_path / "table.parquet"


def test_every_flipped_bit_of_a_table_is_noticed(table):
    whole = table.read_bytes()
    for place in range(len(whole)):
        table.write_bytes(whole[:place] + bytes([whole[place] ^ 1 << place % 8]) + whole[place + 1 :])
        with pytest.raises(InputError, match="table.parquet is not as it was written"):
            parquet.read_columns([table])


@pytest.mark.parametrize("read", READERS.values(), ids=READERS)
def test_a_changed_or_cut_table_is_noticed_however_it_is_read(table, read):
    whole = table.read_bytes()
    read(table)
    step = len(whole) // 40
    for place in range(0, len(whole), step):
        for content in (whole[:place], whole[:place] + whole[place + 1 :], whole[:place] + b"\x55" + whole[place:]):
            table.write_bytes(content)
            with pytest.raises(InputError, match="Delete it and run again"):
                read(table)


def test_a_reader_of_one_column_checks_only_what_it_reads(table):
    chunk = next(chunk for chunk in chunks_of(table) if chunk.column == "content" and chunk.group == 1)
    content = bytearray(table.read_bytes())
    content[(chunk.start + chunk.stop) // 2] ^= 4
    table.write_bytes(content)
    assert parquet.read_columns([table], ["doc_key", "signature"]).height == FRAME.height
    for read in (parquet.read_columns, parquet.scan_columns):
        with pytest.raises(InputError, match="column content of row group 1 has changed"):
            read([table], ["doc_key", "content"])
    batches = parquet.read_batches([table], ["content"])
    assert next(batches).height == 25
    with pytest.raises(InputError, match="row group 1"):
        next(batches)


def test_a_nested_column_is_checked_under_its_name(table):
    chunk = next(chunk for chunk in chunks_of(table) if chunk.column.startswith("signature."))
    content = bytearray(table.read_bytes())
    content[chunk.stop - 2] ^= 4
    table.write_bytes(content)
    with pytest.raises(InputError, match="signature"):
        parquet.read_columns([table], ["signature"])


def test_other_programs_read_a_sealed_table_as_any_other(table):
    assert_frame_equal(pl.read_parquet(table), FRAME)
    assert_frame_equal(pl.scan_parquet(table).filter(pl.col("tokens") > 30).collect(), FRAME[31:])
    assert pq.read_table(table).num_rows == FRAME.height


def test_an_empty_table_is_sealed_too(tmp_path):
    path = tmp_path / "table.parquet"
    parquet.write_parquet(FRAME.clear(), path)
    assert_frame_equal(parquet.read_columns([path]), FRAME.clear())
    content = bytearray(path.read_bytes())
    content[-30] ^= 1
    path.write_bytes(content)
    with pytest.raises(InputError, match="footer"):
        parquet.read_columns([path])


@pytest.mark.parametrize("content", [b"", b"PAR1", b"no table", b"\0" * 5000], ids=["empty", "mark", "text", "zeros"])
def test_what_is_no_table_is_refused(tmp_path, content):
    (tmp_path / "table.parquet").write_bytes(content)
    with pytest.raises(InputError, match="Delete it and run again"):
        parquet.read_columns([tmp_path / "table.parquet"])


def test_a_table_without_checksums_is_refused(tmp_path):
    FRAME.write_parquet(tmp_path / "table.parquet")
    with pytest.raises(InputError, match="no checksums"):
        parquet.read_columns([tmp_path / "table.parquet"])


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(st.characters(codec="utf-8")),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text(st.characters(codec="utf-8")), inner, max_size=3)
    ),
    max_leaves=8,
)


@given(st.dictionaries(st.text(st.characters(codec="utf-8")).filter(lambda key: key != "crc32"), VALUES, max_size=4))
def test_an_object_is_read_back_as_it_was(tmp_path_factory, value):
    path = tmp_path_factory.mktemp("json") / "counts.json"
    json_files.write_json(path, value)
    assert json_files.read_json(path) == value
    assert {key: inner for key, inner in json.loads(path.read_text("utf-8")).items() if key != "crc32"} == value


def test_every_changed_byte_of_an_object_is_noticed(tmp_path):
    path = tmp_path / "counts.json"
    json_files.write_json(path, {"kept": 7, "inner": {"crc32": "00000000", "a": None}})
    whole = path.read_bytes()
    for place in range(len(whole)):
        for content in (
            whole[:place] + bytes([whole[place] ^ 1 << place % 8]) + whole[place + 1 :],
            whole[:place],
            whole[:place] + b" " + whole[place:],
        ):
            path.write_bytes(content)
            with pytest.raises(InputError, match="counts.json is not as it was written"):
                json_files.read_json(path)
