"""An error of the disk is told in words, and no other error is taken for one."""

import errno
from pathlib import Path

import polars as pl
import pyarrow as pa
import pytest

from authbench.core.errors import InputError
from authbench.core.storage.atomic import atomic_file, atomic_folder
from authbench.core.storage.disk import cannot_write, check_room, machine_failed


@pytest.mark.parametrize(
    "error",
    [
        OSError(errno.ENOSPC, "No space left on device"),
        OSError(errno.EDQUOT, "Disk quota exceeded"),
        OSError("No space left on device (os error 28)"),
        pl.exceptions.ComputeError(
            "parquet: File out of specification: underlying IO error: No space left on device (os error 28)"
        ),
        OSError("500000 requested and 131072 written"),
    ],
    ids=["space", "quota", "polars", "polars' Parquet", "numpy"],
)
def test_a_full_disk_is_recognised_whoever_tells_it(tmp_path, error):
    told = str(cannot_write(error, tmp_path / "results/table.parquet"))
    assert "table.parquet cannot be written: the disk of" in told
    assert "Make room there, then run the same command again" in told


@pytest.mark.parametrize(
    ("error", "words"),
    [
        (OSError(errno.EIO, "Input/output error", "results/table.parquet"), "the disk of results/table.parquet gave"),
        (OSError("Error reading bytes from file. Detail: [errno 5] Input/output error"), "the disk of results gave"),
        (pl.exceptions.ComputeError("underlying IO error: Input/output error (os error 5)"), "gave an I/O error"),
        (MemoryError(), "there was not enough memory (MemoryError)"),
        (OSError(errno.ENOMEM, "Cannot allocate memory"), "Give the job more (mem_mb)"),
        (RuntimeError("failed to spawn thread"), "there was not enough memory"),
        (RuntimeError("can't start new thread"), "there was not enough memory"),
        (pa.ArrowException("Unknown error: Failed to launch worker thread: no"), "there was not enough memory"),
    ],
    ids=["disk", "arrow", "polars", "memory", "system", "threads", "Python's threads", "arrow's threads"],
)
def test_a_failing_disk_and_missing_memory_are_recognised_whoever_tells_them(error, words):
    told = str(machine_failed(error, Path("results")))
    assert words in told and "run the same command again" in told
    assert len(told.splitlines()) == 1


def test_no_other_error_is_taken_for_a_failing_disk_or_missing_memory():
    said = "row 7 says: Input/output error, out of memory"
    others = (ValueError(said), InputError(said), FileNotFoundError(errno.ENOENT, "no", "a"), RuntimeError("no"))
    assert [machine_failed(error, Path("results")) for error in others] == [None] * 4


def test_what_may_not_be_written_is_told(tmp_path):
    path = tmp_path / "results/table.parquet"
    for number, words in ((errno.EROFS, "is on a read-only disk"), (errno.EACCES, "may not be written by user")):
        for name in (path, tmp_path / "results", path.with_name(f".table.parquet.{'0' * 32}")):
            assert words in str(cannot_write(OSError(number, "no", str(name)), path))


@pytest.mark.parametrize("write", [atomic_file, atomic_folder])
@pytest.mark.parametrize("below", [".", "below", "far/below"])
def test_a_file_in_the_way_is_told_by_name(write, below, tmp_path):
    there = tmp_path / "there"
    there.touch() if write is atomic_folder or below != "." else there.mkdir()
    with pytest.raises(InputError, match=f"{there} is a "), write(there / below):
        pass
    assert [path.name for path in tmp_path.iterdir()] == ["there"]


def test_errors_of_what_is_read_stay_what_they_are(tmp_path):
    path = tmp_path / "results/table.parquet"
    assert cannot_write(OSError(errno.EACCES, "no", str(tmp_path / "raw/a.csv")), path) is None
    assert cannot_write(OSError(errno.EACCES, "no", str(path.with_name("counts.json"))), path) is None
    assert cannot_write(FileNotFoundError(errno.ENOENT, "no", str(path)), path) is None
    for error in (ValueError, InputError):
        assert cannot_write(error("row 7 says: No space left on device (os error 28)"), path) is None
    with pytest.raises(ZeroDivisionError), atomic_file(path):
        _ = 1 / 0


def test_room_is_looked_for_and_nothing_left(tmp_path):
    check_room([tmp_path / "results", tmp_path / "other/folder"])
    assert [path for path in tmp_path.rglob("*") if path.is_file()] == []
    (tmp_path / "file").write_text("")
    with pytest.raises((InputError, OSError)):
        check_room([tmp_path / "file"])
