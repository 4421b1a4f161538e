"""Files that a fuzzer found to end a reader are refused or read; each was a fault once."""

import re
import subprocess
import sys
from datetime import date
from pathlib import Path

import polars as pl
import pyarrow.parquet as pq
import pytest

from authbench.core.errors import InputError
from authbench.core.storage.parquet_headers import bounded_parquet, expect_readable
from authbench.core.storage.raw_files import RawFile
from authbench.release.reading.blog_xml import iso_date

FUZZED = Path(__file__).parent / "fuzzed"
ABORT = "import sys, pyarrow.parquet as pq; pq.read_metadata(sys.argv[1]).row_group(0).column(0)"


@pytest.mark.parametrize("name", ["levels", "bytes"])
def test_size_statistics_at_which_pyarrow_aborts_are_refused(name):
    path = FUZZED / f"{name}.parquet"
    with pytest.raises(InputError, match="size statistics"):
        bounded_parquet(path)
    columns = range(pq.read_metadata(path).num_columns)
    every = ABORT.replace("column(0)", "column(int(sys.argv[2]))")
    done = [subprocess.run([sys.executable, "-c", every, path, str(at)], capture_output=True) for at in columns]
    assert any(one.returncode < 0 for one in done), "pyarrow raises now: the check of the footer can go"


@pytest.mark.parametrize(
    "column", [[1, None], ["a", None], [[1], None, [2, 3]], [{"a": [1]}, None], [date(2020, 1, 1)]]
)
def test_the_footers_of_sound_files_are_understood(column, tmp_path):
    frame = pl.DataFrame({"column": column})
    frame.write_parquet(tmp_path / "polars.parquet")
    pq.write_table(frame.to_arrow(), tmp_path / "arrow.parquet", row_group_size=1)
    for name in ("polars", "arrow"):
        assert bounded_parquet(tmp_path / f"{name}.parquet").equals(frame)


def test_a_page_larger_than_its_file_is_refused_before_it_is_decoded(tmp_path):
    path = tmp_path / "a.parquet"
    pl.DataFrame({"column": ["x" * 20_000]}).write_parquet(path, compression="uncompressed", use_pyarrow=True)
    header = re.compile(rb"\x15([\x80-\xff]{2}.\x15)(?:[\x80-\xff]{2}.)", re.DOTALL)  # size unpacked, packed
    a_mib = b"\xfe\xff\x7f"
    stated, places = header.subn(lambda found: b"\x15" + found[1] + a_mib, path.read_bytes(), count=1)
    assert places
    expect_readable(path)
    path.write_bytes(stated)
    with pytest.raises(InputError):
        expect_readable(path)


def test_a_member_of_a_zip_without_a_name_is_refused():
    path = FUZZED / "unnamed.csv.zip"
    with pytest.raises(InputError):
        for member in RawFile(path, path.name, "").members(["**/*"]):
            with member.open_binary() as stream:
                stream.read()


def test_a_year_that_no_computer_can_hold_is_no_date():
    assert iso_date(f"1,May,{10**30}") is None
