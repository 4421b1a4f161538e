"""Tables of statistics in a release of others: as they were written, or refused by file, column and row."""

import polars as pl
import pytest
from cases import cases
from hypothesis import given
from hypothesis import strategies as st

from authbench.core.errors import InputError
from authbench.core.funnel import FunnelRow
from authbench.release.format.columns import STATISTICS
from authbench.release.format.findings import LabelRow, SourceRow
from authbench.release.reading.typed_csv import read_rows

NAMES = st.text(st.characters(exclude_categories=("Cs", "Cc")), min_size=1, max_size=8).filter(lambda one: one.strip())
WHOLE = st.integers(0, 1 << 40)
SHARES = st.none() | st.floats(0, 1)


@given(
    st.lists(st.tuples(NAMES, WHOLE, WHOLE, st.none() | NAMES, SHARES, SHARES, SHARES, st.none() | NAMES), max_size=5)
)
def test_what_a_release_states_of_labels_is_read_as_it_was_written(tmp_path_factory, rows):
    path = tmp_path_factory.mktemp("rows") / "labels.csv"
    table = pl.DataFrame(rows, STATISTICS["labels"], orient="row")
    table.write_csv(path)
    assert read_rows(path, LabelRow) == table.to_dicts()


def test_truth_and_other_columns(tmp_path):
    (tmp_path / "s.csv").write_text("source,language,noisy\na,en,true\nb,de,false\n")
    assert read_rows(tmp_path / "s.csv", SourceRow) == [{"source": "a", "noisy": True}, {"source": "b", "noisy": False}]


@cases
def test_a_table_that_is_not_of_a_release_is_refused(content, said, tmp_path):
    (tmp_path / "funnel.csv").write_text(content, encoding="latin-1")
    with pytest.raises(InputError, match=said) as told:
        read_rows(tmp_path / "funnel.csv", FunnelRow)
    assert "funnel.csv" in str(told.value) and "\n" not in str(told.value)


def test_a_file_that_is_not_there_is_told(tmp_path):
    with pytest.raises(InputError, match="nowhere.csv"):
        read_rows(tmp_path / "nowhere.csv", FunnelRow)
