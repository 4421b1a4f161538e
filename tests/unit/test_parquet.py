"""Tables are read back as they were written, a bounded part at a time."""

import polars as pl
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st
from polars.testing import assert_frame_equal

from authbench.core.storage import json_files, parquet

TEXTS = pl.Schema({"doc_key": pl.String, "content": pl.String})


def texts(*contents):
    return pl.DataFrame({"doc_key": [f"k{place}" for place in range(len(contents))], "content": contents}, TEXTS)


def test_batches_that_fail_half_way_leave_no_table(tmp_path):
    def batches():
        yield {"one": texts("a"), "other": texts("b")}
        raise RuntimeError

    outputs = {name: (tmp_path / f"{name}.parquet", TEXTS) for name in ("one", "other")}
    with pytest.raises(RuntimeError):
        parquet.write_parquets(outputs, batches())
    assert list(tmp_path.iterdir()) == []


@given(st.lists(st.lists(st.text(max_size=5), max_size=5), max_size=5))
def test_what_is_written_in_batches_is_read_back_in_order(tmp_path_factory, parts):
    path = tmp_path_factory.mktemp("tables") / "table.parquet"
    frames = [texts(*part) for part in parts]
    parquet.write_batches(path, TEXTS, frames)
    read = list(parquet.read_batches([path, path]))
    whole = pl.concat([pl.DataFrame(schema=TEXTS), *frames])
    assert_frame_equal(pl.concat(read), pl.concat([whole, whole]))
    assert_frame_equal(parquet.read_columns([path], ["content"]), whole.select("content"))


@pytest.mark.parametrize("sizes", [[], [3], [2, 4]])
def test_rows_are_counted_from_the_footer(tmp_path, sizes):
    parquet.write_batches(tmp_path / "table", TEXTS, [texts(*"abcd"[:size]) for size in sizes])
    assert parquet.count_rows(tmp_path / "table") == sum(sizes)


@given(st.lists(st.integers(0, 2**64 - 1), max_size=12), st.integers(0, 2**64 - 1), st.integers(0, 2**64 - 1))
def test_rows_between_two_numbers_are_found_whatever_the_groups(tmp_path_factory, numbers, low, high):
    path = tmp_path_factory.mktemp("between") / "table.parquet"
    frame = pl.DataFrame({"text": map(str, numbers), "number": pl.Series(numbers, dtype=pl.UInt64)})
    parquet.write_batches(path, frame.schema, frame.iter_slices(3))
    found = [number for part in parquet.read_between([path], "number", low, high) for number in part["number"]]
    assert found == [number for number in numbers if low <= number <= high]


def test_groups_without_a_number_between_two_are_not_read(tmp_path):
    path = tmp_path / "table.parquet"
    frame = pl.DataFrame({"number": pl.Series([0, 1, 2**63, 2**64 - 1], dtype=pl.UInt64)})
    parquet.write_batches(path, frame.schema, frame.iter_slices(1))
    assert [part["number"].to_list() for part in parquet.read_between([path], "number", 1, 2**63)] == [[1], [2**63]]


def test_an_empty_table_keeps_its_columns(tmp_path):
    path = tmp_path / "table.parquet"
    parquet.write_batches(path, TEXTS, [])
    (frame,) = parquet.read_batches([path], ["content"])
    assert frame.schema == pl.Schema({"content": pl.String})
    assert frame.height == 0


def test_row_groups_follow_the_batches(tmp_path):
    path = tmp_path / "table.parquet"
    parquet.write_batches(path, TEXTS, [texts("a", "b"), texts("c"), texts()])
    with pq.ParquetFile(path) as file:
        assert [file.metadata.row_group(group).num_rows for group in range(file.num_row_groups)] == [2, 1]


def test_row_groups_are_bounded_however_large_a_frame(tmp_path, monkeypatch):
    monkeypatch.setattr(parquet, "MOST_BYTES", 1000)
    frame = texts(*("word " * (place % 7) for place in range(500)))
    parquet.write_parquet(frame, tmp_path / "table.parquet")
    groups = list(parquet.read_batches([tmp_path / "table.parquet"]))
    assert_frame_equal(pl.concat(groups), frame)
    for group in groups:
        assert sum(len(value.encode()) for row in group.iter_rows() for value in row) <= 1000


@given(st.lists(st.text(max_size=30)), st.integers(min_value=1, max_value=60))
def test_parts_hold_at_most_the_limit_or_one_row(contents, limit):
    frame = texts(*contents)
    parts = list(parquet.split_by_bytes(frame, limit=limit))
    assert [text for part in parts for text in part["content"]] == contents
    for part in parts:
        assert part.height == 1 or sum(len(text.encode()) for text in part["content"]) <= limit


def test_removed_documents_are_left_out_and_the_order_stays(tmp_path):
    paths = [tmp_path / "one.parquet", tmp_path / "other.parquet"]
    for path, keys in zip(paths, (["k1"], ["k3", "unknown"]), strict=True):
        parquet.write_parquet(pl.DataFrame({"doc_key": keys}), path)
    assert parquet.without(texts(*"abcde"), paths)["content"].to_list() == ["a", "c", "e"]
    assert parquet.without(texts(*"abcde"), [parquet.read_columns(paths)])["content"].to_list() == ["a", "c", "e"]


def test_equal_values_are_equal_bytes(tmp_path):
    json_files.write_json(tmp_path / "a", {"b": 1, "a": "ä"})
    json_files.write_json(tmp_path / "b", {"a": "ä", "b": 1})
    parquet.write_parquet(texts("a"), tmp_path / "c")
    parquet.write_parquet(texts("a"), tmp_path / "d")
    assert (tmp_path / "a").read_bytes() == (tmp_path / "b").read_bytes()
    assert (tmp_path / "c").read_bytes() == (tmp_path / "d").read_bytes()


def test_a_table_for_others_has_the_same_bytes_however_it_lies_in_memory(tmp_path):
    rows = pl.DataFrame({"id": range(1000), "content": [f"text {number}" for number in range(1000)]})
    parts = pl.concat([rows[:3], rows[3:700], rows[700:]], rechunk=False)
    assert parts.n_chunks() == 3
    parquet.write_plain_parquet(rows, tmp_path / "one.parquet")
    parquet.write_plain_parquet(parts, tmp_path / "three.parquet")
    assert (tmp_path / "one.parquet").read_bytes() == (tmp_path / "three.parquet").read_bytes()
    assert_frame_equal(pl.read_parquet(tmp_path / "three.parquet"), rows)
    assert parts.n_chunks() == 3  # the caller's table is as it was


def test_small_frames_share_a_row_group_and_keep_their_order(monkeypatch):
    frames = [texts("a"), texts(), texts("b", "c"), texts("d" * 100), texts("e")]
    monkeypatch.setattr(parquet, "GROUP_BYTES", 100)
    joined = list(parquet.join_small(frames))
    assert_frame_equal(pl.concat(joined), pl.concat(frames))
    assert [frame.estimated_size() >= 100 for frame in joined] == [True, False]
    assert list(parquet.join_small([])) == []
