"""A full disk, or one that cannot be written, is one clear message; with room again the run goes on."""

import shutil
import subprocess
from contextlib import ExitStack, contextmanager
from hashlib import sha256

import polars as pl
import pytest

from authbench.core.errors import InputError
from authbench.core.storage import parquet
from authbench.core.storage.disk import ROOM


@pytest.fixture
def mount():
    """Put a small disk of its own at a folder, for the time of a test."""
    with ExitStack() as stack:
        yield lambda folder, options: stack.enter_context(mounted(folder, options))


@contextmanager
def mounted(folder, options):
    folder.mkdir(parents=True, exist_ok=True)
    command = ["mount", "-t", "tmpfs", "-o", options, "tmpfs", str(folder)]
    try:
        subprocess.run(command, check=True, capture_output=True, text=True)
    except (FileNotFoundError, subprocess.CalledProcessError) as problem:
        pytest.skip(f"no disk can be mounted here: {getattr(problem, 'stderr', problem)}")
    try:
        yield
    finally:
        subprocess.run(["umount", "--lazy", str(folder)], check=True)


def fill(folder, leave=0):
    """A file that takes all the room but so many bytes."""
    filler = folder / "filler"
    filler.write_bytes(bytes(max(0, shutil.disk_usage(folder).free - leave)))
    return filler


@pytest.mark.parametrize("folder", ["results", ".snakemake"])
@pytest.mark.parametrize(
    ("options", "told"),
    [("size=100k", "is full ("), ("size=100k,ro", "is on a read-only disk. Make it writable")],
    ids=["full", "read-only"],
)
def test_a_folder_that_cannot_be_written_is_told_before_anything_runs(fresh, mount, folder, options, told):
    mount(fresh.folder / folder, options)
    said = fresh.refusal()
    assert f"{folder} cannot be written" in said
    assert told in said
    assert "run the same command again" in said
    assert "Traceback" not in said
    assert len(said.splitlines()) < 8


def test_a_disk_that_fills_up_stops_the_run_with_one_message_and_with_room_it_goes_on(demo, tmp_path, mount):
    mount(tmp_path / "small/results", "size=64m")
    project = demo.copy(tmp_path / "small")
    for stage in ("chunk", "filter", "dedup", "sample", "split", "report", "draft", "release"):
        shutil.rmtree(project.results / stage)
    filler = fill(project.folder / "results", leave=ROOM + 100_000)
    status, said = project.snakemake("--cores", "2", "release")
    assert status != 0
    assert "cannot be written: the disk of" in said
    assert "Traceback" not in said
    assert "Make room there, then run the same command again: what is finished stays." in said
    hidden = {path.name for path in project.results.rglob(".*") if path.is_file()}
    assert hidden <= {".snakemake_timestamp"}  # which Snakemake writes into each folder that is an output
    filler.unlink()
    project.build("release")
    assert (project.release / "SHA256SUMS").read_bytes() == (demo.release / "SHA256SUMS").read_bytes()


def test_a_table_without_room_is_told_and_leaves_nothing(tmp_path, mount):
    disk = tmp_path / "disk"
    mount(disk, "size=200k")
    frame = pl.DataFrame({"content": [sha256(b"%d" % number).hexdigest() for number in range(20_000)]})
    with pytest.raises(InputError, match=r"table.parquet cannot be written: the disk of .*/disk is full \(0.0 MB"):
        parquet.write_parquet(frame, disk / "table.parquet")
    assert list(disk.iterdir()) == []
    with pytest.raises(InputError, match="is full"):
        parquet.write_plain_parquet(frame, disk / "table.parquet")
    assert list(disk.iterdir()) == []
    parquet.write_parquet(frame[:10], disk / "table.parquet")
