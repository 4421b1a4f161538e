"""The list of what went: every row, in one order, however many are sorted at a time."""

import json
import tempfile
from pathlib import Path

import polars as pl
from hypothesis import given, settings
from hypothesis import strategies as st

from authbench.core.records import REMOVED
from authbench.core.storage.parquet import write_parquet
from authbench.reports.report.removed import write_log

FEW = st.sampled_from([None, "", "a", "aa", "b", "ü", "文"])
ROWS = st.lists(st.tuples(st.sampled_from("st"), FEW, FEW, st.integers(0, 9)), max_size=40)


def table(rows):
    named = [{"source": s, "doc_key": k, "detail": d, "stage": "filter", "value": v} for s, k, d, v in rows]
    return pl.DataFrame(named, schema=REMOVED)


@settings(max_examples=60, deadline=None)
@given(ROWS, ROWS, st.integers(1, 50))
def test_sorting_a_range_at_a_time_gives_what_sorting_all_at_once_gives(one, other, at_once):
    with tempfile.TemporaryDirectory() as folder:
        parts = [Path(folder) / name for name in ("one.parquet", "other.parquet")]
        for part, rows in zip(parts, (one, other), strict=True):
            write_parquet(table(rows), part)
        write_log(Path(folder) / "log", parts, rows=at_once)
        found = [json.loads(line) for line in (Path(folder) / "log").read_text(encoding="utf-8").splitlines()]
    whole = table([*one, *other]).sort("source", "doc_key", "detail", maintain_order=True)
    assert [list(row.items()) for row in found] == [list(row.items()) for row in whole.to_dicts()]
