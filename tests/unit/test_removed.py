"""The list of what went: every row, in one order, however many are sorted at a time."""

import json
import tempfile
from pathlib import Path

import polars as pl
from hypothesis import given, settings
from hypothesis import strategies as st

from authbench.records import REMOVED
from authbench.report.removed import write_log
from authbench.storage.parquet import write_parquet

FEW = st.sampled_from([None, "", "a", "aa", "b", "ü", "文"])
ROWS = st.lists(st.tuples(st.sampled_from("st"), FEW, FEW, st.integers(0, 9)), max_size=40)


def table(rows: list[tuple[str, str | None, str | None, int]]) -> pl.DataFrame:
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
    assert found == whole.to_dicts()


def test_the_order_of_the_tables_does_not_show(tmp_path):
    rows = table([("news", "b", None, 1), ("blogs", "a", "x", 2), ("news", None, "line 3", 3), ("news", "a", "y", 4)])
    parts = [tmp_path / f"{place}.parquet" for place in range(2)]
    write_parquet(rows[:2], parts[0])
    write_parquet(rows[2:], parts[1])
    write_log(tmp_path / "a.log", parts)
    write_log(tmp_path / "b.log", parts[::-1])
    assert (tmp_path / "a.log").read_bytes() == (tmp_path / "b.log").read_bytes()
    entries = [json.loads(line) for line in (tmp_path / "a.log").read_text(encoding="utf-8").splitlines()]
    assert [entry["doc_key"] for entry in entries] == ["a", None, "a", "b"]
    assert list(entries[0]) == REMOVED.names()
