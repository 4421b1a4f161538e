"""A file that changes between two stages is noticed by the stage that reads it, and nothing of it is released."""

import os
import random

import pytest

from authbench.core.errors import InputError
from authbench.core.storage import json_files, parquet


def flipped(content):
    place = random.Random(len(content)).randrange(len(content))
    return content[:place] + bytes([content[place] ^ 1]) + content[place + 1 :]


def cut(content):
    return content[: len(content) * 2 // 3]


def one_more(content):
    """A number in it changed, as an editor would."""
    place = next(place for place, byte in enumerate(content) if chr(byte) in "12345678" and content[place - 1] == 0x20)
    return content[:place] + bytes([content[place] + 1]) + content[place + 1 :]


def damage(path, change):
    """Change a file, and nothing that a listing of its folder shows but its size."""
    times, content = path.stat(), path.read_bytes()
    path.write_bytes(change(content))
    assert path.read_bytes() != content
    os.utime(path, ns=(times.st_atime_ns, times.st_mtime_ns))


def largest(project, pattern):
    return max(project.results.glob(pattern), key=lambda path: path.stat().st_size)


def test_whatever_stages_leave_for_each_other_carries_checksums(demo, tmp_path):
    read = {".parquet": lambda path: parquet.read_columns([path]), ".json": json_files.read_json}
    others = {".log", ".html"}  # for people
    plain = ("release", "draft", "evaluate", "leaderboard")  # for all to read
    published = {demo.results / name for name in plain}
    files = [path for path in demo.results.rglob("*") if path.is_file() and not published & set(path.parents)]
    assert {path.suffix for path in files} == set(read) | others
    for path in files:
        if path.suffix in read:
            content = path.read_bytes()
            read[path.suffix](path)
            for change in (flipped, cut):
                changed = tmp_path / path.name
                changed.write_bytes(change(content))
                try:
                    found = read[path.suffix](changed)
                except InputError as refused:
                    assert "Delete it and run again" in str(refused)
                else:  # an empty table may be hit where nothing of it is read
                    assert path.suffix == ".parquet" and not found.height and found.equals(read[".parquet"](path))


@pytest.mark.parametrize(
    ("rule", "pattern", "change"),
    [
        ("normalize_text", "ingest/*/1-2-of-2.parquet", cut),
        ("chunk_documents", "normalize/1-of-2.parquet", flipped),
        ("select_documents", "sample/scores.parquet", cut),
        ("count_survivors", "filter/counts/1-of-2.json", one_more),
    ],
)
def test_the_stage_that_reads_a_damaged_file_stops_and_names_it(another, rule, pattern, change):
    path = largest(another, pattern)
    damage(path, change)
    status, said = another.snakemake("--cores", "2", "--until", rule, "--forcerun", rule)
    assert status != 0
    assert f"{path.relative_to(another.folder)} is not as it was written" in said
    assert "Delete it and run again" in said
    assert "Traceback" not in said


def test_a_damaged_file_that_is_deleted_is_made_anew_and_the_release_is_the_same(demo, another):
    path = another.results / "sample/selected.parquet"
    damage(path, flipped)
    status, said = another.snakemake("--cores", "2", "release", "--forcerun", "assign_splits")
    assert status != 0
    assert "sample/selected.parquet is not as it was written" in said
    path.unlink()
    another.build("release")
    assert (another.release / "SHA256SUMS").read_bytes() == (demo.release / "SHA256SUMS").read_bytes()
