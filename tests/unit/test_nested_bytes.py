"""The bytes that rows of nested Parquet columns take when their shared texts are written out."""

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from authbench.release.reading.table_parquet import row_bytes

SHARED = pa.dictionary(pa.int32(), pa.string())
TEXTS = st.sampled_from(["", "rain", "über", "雨が降る"])
SOME = TEXTS | st.none()
LISTS = st.none() | st.lists(SOME, max_size=3)
KINDS = {
    "list": (pa.list_(SHARED), LISTS),
    "large list": (pa.large_list(SHARED), LISTS),
    "list of lists": (pa.list_(pa.list_(SHARED)), st.none() | st.lists(LISTS, max_size=3)),
    "fixed-size list": (pa.list_(SHARED, 2), st.lists(SOME, min_size=2, max_size=2)),
    "struct": (pa.struct({"a": SHARED, "b": pa.int64()}), st.fixed_dictionaries({"a": SOME, "b": st.just(1)})),
    "map": (pa.map_(SHARED, SHARED), st.none() | st.lists(st.tuples(TEXTS, SOME), max_size=3)),
    "numbers": (pa.list_(pa.int64()), st.lists(st.just(7), max_size=3)),
}


def written_out(value):
    """Return the bytes of all texts in a value."""
    if isinstance(value, str):
        return len(value.encode())
    inner = value.values() if isinstance(value, dict) else value if isinstance(value, list | tuple) else ()
    return sum(map(written_out, inner))


@pytest.mark.parametrize("kind", KINDS)
@given(data=st.data())
def test_a_row_takes_the_bytes_of_its_texts(kind, data):
    arrow, values = KINDS[kind]
    rows = data.draw(st.lists(values, max_size=6))
    start = data.draw(st.integers(0, len(rows)))  # a batch is a slice of a column
    assert row_bytes(pa.array(rows, arrow).slice(start)).tolist() == list(map(written_out, rows[start:]))
