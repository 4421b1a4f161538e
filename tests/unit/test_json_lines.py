"""JSON lines are read in batches, and whatever cannot be read is named by its line."""

import json

import pytest
from cases import cases
from hypothesis import given
from hypothesis import strategies as st

from authbench.core.errors import InputError
from authbench.core.storage.json_lines import line_batches, read_objects, value_batches, write_json_lines

VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-(1 << 53), 1 << 53) | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=6,
)


@given(st.lists(VALUES), st.integers(1, 200))
def test_values_come_back_as_written_with_the_numbers_of_their_lines(tmp_path_factory, values, batch_bytes):
    path = tmp_path_factory.mktemp("lines") / "rows.jsonl"
    write_json_lines(path, values)
    read = [
        (first + place, value) for first, batch in value_batches(path, batch_bytes) for place, value in enumerate(batch)
    ]
    assert read == list(enumerate(values, start=1))
    lines = [line for _, batch in line_batches(path, batch_bytes) for line in batch]
    assert b"".join(lines) == path.read_bytes()


@cases
@pytest.mark.parametrize("before", [0, 3])
def test_a_line_that_is_no_object_is_named(tmp_path, line, problem, before):
    path = tmp_path / "rows.jsonl"
    lines = [*(f'{{"id":{n}}}\r' for n in range(before)), line, "{}\n"]
    path.write_bytes("\n".join(lines).encode("latin-1"))
    with pytest.raises(InputError) as error:
        list(read_objects(path))
    assert str(error.value).startswith(f"{path}, line {before + 1}: {problem}")


def test_a_byte_order_mark_is_no_text_and_whole_numbers_keep_their_digits(tmp_path):
    path = tmp_path / "rows.jsonl"
    numbers = [2**64 + 1, -(2**63) - 1, 10**30 + 7, 12, 1.5]
    rows = [{"id": number, "in": {"a": [number]}, 'key": "': '\\":'} for number in numbers]
    path.write_bytes(b"\xef\xbb\xbf" + "".join(json.dumps(row) + "\n" for row in rows).encode())
    assert [row for _, row in read_objects(path)] == rows


def test_a_file_that_is_not_there_or_is_a_folder_is_named(tmp_path):
    for path in (tmp_path / "absent.jsonl", tmp_path):
        with pytest.raises(InputError, match=str(path)):
            list(value_batches(path))
