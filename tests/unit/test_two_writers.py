"""Two processes that write one file, or one folder: whoever reads sees one whole, and neither spoils the other's."""

import subprocess
import sys
import time
from pathlib import Path

import pytest

from authbench.storage import parquet
from authbench.storage.atomic import atomic_file, atomic_folder

SECONDS = 0.8
WRITER = """
import sys, time
from pathlib import Path
import polars as pl
from authbench.storage import parquet
from authbench.storage.atomic import atomic_folder

kind, path, mark, end = sys.argv[1], Path(sys.argv[2]), sys.argv[3], time.time() + float(sys.argv[4])
written = 0
while time.time() < end or not written:
    if kind == "file":
        parquet.write_parquet(pl.DataFrame({"content": [mark * 50_000]}), path)
    else:
        with atomic_folder(path) as folder:
            for name in range(8):
                (folder / str(name)).write_text(mark)
    written += 1
print(written)
"""

STALLED = """
import sys, time
from authbench.storage.atomic import atomic_file, atomic_folder

with (atomic_file if sys.argv[1] == "file" else atomic_folder)(sys.argv[2]):
    print("writing", flush=True)
    time.sleep(600)
"""


def writer(kind: str, path: Path, mark: str, seconds: float = SECONDS) -> "subprocess.Popen[str]":
    return subprocess.Popen(
        [sys.executable, "-c", WRITER, kind, str(path), mark, str(seconds)],
        env={"PYTHONPATH": ":".join(sys.path)},
        stdout=subprocess.PIPE,
        text=True,
    )


def both_end_well(writers: list["subprocess.Popen[str]"]) -> bool:
    """Whether both writers are through; fails if one of them failed."""
    if any(writer.poll() is None for writer in writers):
        return False
    written = [int(writer.communicate()[0] or 0) for writer in writers]
    assert [writer.returncode for writer in writers] == [0, 0]
    assert min(written) > 1
    return True


def test_two_writers_of_a_table_leave_a_whole_one_at_any_time(tmp_path: Path) -> None:
    path = tmp_path / "table.parquet"
    writers = [writer("file", path, mark) for mark in "ab"]
    seen = set()
    while not both_end_well(writers):
        if path.exists():
            (text,) = parquet.read_columns([path])["content"]
            seen.add(text[0])
            assert text == text[0] * 50_000
    assert seen == {"a", "b"}
    assert list(tmp_path.iterdir()) == [path]


def test_two_writers_of_a_folder_leave_a_whole_one_at_any_time(tmp_path: Path) -> None:
    path = tmp_path / "release"
    writers = [writer("folder", path, mark) for mark in "ab"]
    while not both_end_well(writers):
        time.sleep(0.001)
    marks = {file.read_text() for file in path.iterdir()}
    assert len(marks) == 1
    assert len(list(path.iterdir())) == 8
    assert list(tmp_path.iterdir()) == [path]


def test_an_orphan_that_ends_after_its_rerun_brings_its_own_whole_file(tmp_path: Path) -> None:
    path = tmp_path / "counts"
    with atomic_file(path) as orphan:
        orphan.write_text("or")
        with atomic_file(path) as rerun:
            rerun.write_text("rerun")
        assert path.read_text() == "rerun"
        orphan.write_text("orphan")
        assert path.read_text() == "rerun"
    assert path.read_text() == "orphan"
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.parametrize("kind", ["file", "folder"])
def test_what_a_killed_writer_left_goes_with_the_next_and_what_a_live_one_writes_stays(
    tmp_path: Path, kind: str
) -> None:
    path = tmp_path / "a.parquet"
    other = tmp_path / f".another.a.parquet.{'0' * 32}"
    other.write_text("of another file")
    stalled = subprocess.Popen(
        [sys.executable, "-c", STALLED, kind, str(path)],
        env={"PYTHONPATH": ":".join(sys.path)},
        stdout=subprocess.PIPE,
        text=True,
    )
    assert stalled.stdout is not None
    assert stalled.stdout.readline() == "writing\n"
    stalled.kill()
    stalled.communicate()
    assert len(set(tmp_path.iterdir()) - {other}) == 1
    opened = atomic_file if kind == "file" else atomic_folder
    with opened(path) as live:
        assert set(tmp_path.iterdir()) == {live, other}
        with opened(path):
            pass
        assert live.exists()
    assert set(tmp_path.iterdir()) == {path, other}
