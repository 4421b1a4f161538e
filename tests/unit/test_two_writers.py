"""Two processes that write one file, or one folder: whoever reads sees one whole, and neither spoils the other's."""

import subprocess
import sys
import time
from contextlib import contextmanager, suppress

import pytest

from authbench.core.storage import parquet
from authbench.core.storage.atomic import atomic_file, atomic_folder

TURNS = 20  # of which one writer replaced what the other had written
SECONDS = 600  # at most, on a busy machine
WRITER = """
import sys, threading
from pathlib import Path
import polars as pl
from authbench.core.storage import parquet
from authbench.core.storage.atomic import atomic_folder

kind, path, mark = sys.argv[1], Path(sys.argv[2]), sys.argv[3]
print("begins", flush=True)
enough = threading.Event()
threading.Thread(target=lambda: (sys.stdin.read(), enough.set()), daemon=True).start()
while not enough.is_set():
    if kind == "file":
        parquet.write_parquet(pl.DataFrame({"content": [mark * 50_000]}), path)
    else:
        with atomic_folder(path) as folder:
            for name in range(8):
                (folder / str(name)).write_text(mark)
"""

STALLED = """
import sys, time
from authbench.core.storage.atomic import atomic_file, atomic_folder

with (atomic_file if sys.argv[1] == "file" else atomic_folder)(sys.argv[2]):
    print("writing", flush=True)
    time.sleep(600)
"""


@contextmanager
def two_writers(kind, path):
    """Let two processes write again and again, one marks of `a` and one of `b`; both must end well."""
    writers = [
        subprocess.Popen(
            [sys.executable, "-c", WRITER, kind, str(path), mark],
            env={"PYTHONPATH": ":".join(sys.path)},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        for mark in "ab"
    ]
    try:
        assert [writer.stdout.readline() for writer in writers if writer.stdout] == ["begins\n"] * 2
        yield
        for writer in writers:
            writer.communicate(timeout=SECONDS)
        assert [writer.returncode for writer in writers] == [0, 0]
    finally:
        for writer in writers:
            writer.kill()
            writer.communicate()


def marks_in_turn(read):
    """Yield the mark that a reader finds, until it was another than before some times."""
    turns, last, end = 0, "", time.monotonic() + SECONDS
    while turns < TURNS:
        assert time.monotonic() < end, f"{turns} turns of two writers"
        mark = read()
        turns, last = turns + (bool(last) and mark != last), mark
        yield mark


def test_two_writers_of_a_table_leave_a_whole_one_at_any_time(tmp_path):
    path = tmp_path / "table.parquet"

    def read():
        while not path.exists():
            time.sleep(0.01)
        (text,) = parquet.read_columns([path])["content"]
        assert text == text[0] * 50_000
        return str(text[0])

    with two_writers("file", path):
        assert set(marks_in_turn(read)) == {"a", "b"}
    assert list(tmp_path.iterdir()) == [path]


def test_two_writers_of_a_folder_leave_a_whole_one_at_any_time(tmp_path):
    path = tmp_path / "release"

    def read():
        while True:  # a folder may go between two looks at it
            with suppress(FileNotFoundError):
                return (path / "7").read_text()

    with two_writers("folder", path):
        assert set(marks_in_turn(read)) == {"a", "b"}
    marks = {file.read_text() for file in path.iterdir()}
    assert len(marks) == 1
    assert len(list(path.iterdir())) == 8
    assert list(tmp_path.iterdir()) == [path]


def test_an_orphan_that_ends_after_its_rerun_brings_its_own_whole_file(tmp_path):
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
def test_what_a_killed_writer_left_goes_with_the_next_and_what_a_live_one_writes_stays(tmp_path, kind):
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
