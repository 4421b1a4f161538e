"""Raw files are known by name and content."""

import bz2
import gzip
import json
import os
import zipfile

import polars as pl
import pytest
import zstandard
from hypothesis import given
from hypothesis import strategies as st

from authbench.core.runtime import inventory
from authbench.core.runtime.inventory import (
    MOST_SHARDS,
    SHARD_BYTES,
    fitting_shards,
    shard_count,
    source_digest,
    take_inventory,
    total_bytes,
)
from authbench.core.storage.raw_paths import FileSet
from authbench.core.storage.raw_sizes import expanded_bytes

SOURCES = {"news": FileSet("news", ("**/*.csv",)), "blogs": FileSet("shared/blogs", ("*.xml",))}


@pytest.fixture
def raw(tmp_path):
    folder = tmp_path / "raw"
    for name, text in {
        "news/a.csv": "one",
        "news/deep/b.csv": "two",
        "news/notes.txt": "not asked for",
        "shared/blogs/1.xml": "three",
    }.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)
    return folder


def test_the_files_that_fit_are_listed_with_their_digests(raw, tmp_path):
    found = take_inventory(raw, SOURCES, tmp_path / "memory.json")
    assert {tag: sorted(files) for tag, files in found.items()} == {"news": ["a.csv", "deep/b.csv"], "blogs": ["1.xml"]}
    assert found["news"]["a.csv"] == "7692c3ad3540bb803c020b3aee66cd8887123234ea0c6e7143c0add73ff431ed"


def test_a_source_without_a_folder_has_no_files(raw, tmp_path):
    assert take_inventory(raw, {"books": FileSet("books", ("*",))}, tmp_path / "memory.json") == {"books": {}}


def test_a_file_is_read_once_as_long_as_size_and_time_stay(raw, tmp_path, monkeypatch):
    memory = tmp_path / "memory.json"
    before = take_inventory(raw, SOURCES, memory)
    monkeypatch.setattr(inventory.hashlib, "file_digest", lambda *_: pytest.fail("read again"))
    assert take_inventory(raw, SOURCES, memory) == before


def test_a_touched_or_moved_file_has_the_same_digest(raw, tmp_path):
    memory = tmp_path / "memory.json"
    before = take_inventory(raw, SOURCES, memory)
    os.utime(raw / "news/a.csv", (1, 1))
    assert take_inventory(raw, SOURCES, memory) == before
    raw.rename(tmp_path / "elsewhere")
    assert take_inventory(tmp_path / "elsewhere", SOURCES, memory) == before


def test_a_changed_file_has_another_digest(raw, tmp_path):
    memory = tmp_path / "memory.json"
    before = take_inventory(raw, SOURCES, memory)
    (raw / "news/a.csv").write_text("One")
    os.utime(raw / "news/a.csv", (1, 1))
    after = take_inventory(raw, SOURCES, memory)
    assert after["news"]["a.csv"] != before["news"]["a.csv"]
    assert after["blogs"] == before["blogs"]


def test_the_memory_forgets_files_that_are_gone(raw, tmp_path):
    memory = tmp_path / "memory.json"
    take_inventory(raw, SOURCES, memory)
    (raw / "news/a.csv").unlink()
    take_inventory(raw, SOURCES, memory)
    assert not [path for path in json.loads(memory.read_text()) if path.endswith("a.csv")]


def test_a_damaged_memory_is_none(raw, tmp_path):
    memory = tmp_path / "memory.json"
    before = take_inventory(raw, SOURCES, memory)
    whole = memory.read_bytes()
    memory.write_bytes(whole[: len(whole) // 2])
    assert take_inventory(raw, SOURCES, memory) == before
    assert memory.read_bytes() == whole


@given(st.dictionaries(st.text(min_size=1), st.text(min_size=1), min_size=1), st.randoms())
def test_the_digest_of_a_source_ignores_order_and_sees_names_and_contents(files, chance):
    shuffled = list(files.items())
    chance.shuffle(shuffled)
    assert source_digest(dict(shuffled)) == source_digest(files)
    name = next(iter(files))
    assert source_digest({**files, name: files[name] + "x"}) != source_digest(files)
    assert source_digest({**files, f"{name}x" * 2: "1"}) != source_digest(files)


def test_shards_are_as_set_or_by_size_and_remembered(raw, tmp_path, monkeypatch):
    found = take_inventory(raw, SOURCES, tmp_path / "memory.json")
    assert total_bytes(raw, SOURCES, found) == len("onetwothree")
    monkeypatch.setattr(inventory, "SHARD_BYTES", 3)
    monkeypatch.setattr(inventory.os, "cpu_count", lambda: 1)
    memory = tmp_path / "shards.json"
    assert shard_count(5, raw, SOURCES, found, memory) == 5 and not memory.exists()
    assert shard_count("auto", raw, SOURCES, found, memory) == 4
    monkeypatch.setattr(inventory, "SHARD_BYTES", 1)
    assert shard_count("auto", raw, SOURCES, found, memory) == 4
    assert shard_count("auto", raw, SOURCES, {"news": found["news"]}, memory) == len("onetwo")
    assert shard_count("auto", raw, SOURCES, found, memory) == 4
    memory.write_text("{")
    assert shard_count("auto", raw, SOURCES, found, memory) == len("onetwothree")


@given(st.integers(0, 1 << 50), st.integers(1, 1000))
def test_shards_are_bounded_in_size_and_number(size, cores):
    count = fitting_shards(size, cores)
    assert 2 <= count <= MOST_SHARDS
    assert size / count <= SHARD_BYTES or count == MOST_SHARDS
    assert count >= min(cores, MOST_SHARDS) or count * (8 << 20) >= size // 2 or count == 2


TEXT = b"Some text, again and again. " * 5000


@pytest.mark.parametrize(
    ("name", "content", "size"),
    [
        ("a.csv", TEXT, len(TEXT)),
        ("a.csv.gz", gzip.compress(TEXT, mtime=0), len(TEXT)),
        ("a.csv.gz", gzip.compress(TEXT, mtime=0) + gzip.compress(b"", mtime=0), None),
        ("a.csv.zst", zstandard.compress(TEXT), len(TEXT)),
        ("a.csv.bz2", bz2.compress(TEXT), None),
        ("a.csv.zip", b"no zip file", None),
        ("a.parquet", b"no parquet file", None),
        ("a.gz", b"", 0),
    ],
    ids=["plain", "gzip", "two gzip members", "zstandard", "bzip2", "zip", "parquet", "empty"],
)
def test_compressed_files_count_as_they_expand(tmp_path, name, content, size):
    (tmp_path / name).write_bytes(content)
    assert expanded_bytes(tmp_path / name) == (4 * len(content) if size is None else size)


def test_members_of_a_zip_file_and_columns_of_a_parquet_file_count_as_they_expand(tmp_path):
    with zipfile.ZipFile(tmp_path / "a.zip", "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("a.txt", TEXT)
        archive.writestr("b.txt", TEXT)
    assert expanded_bytes(tmp_path / "a.zip") == 2 * len(TEXT)
    texts = [f"{place} {TEXT!r}" for place in range(10)]
    pl.DataFrame({"text": texts}).write_parquet(tmp_path / "a.parquet")
    assert expanded_bytes(tmp_path / "a.parquet") >= 10 * len(TEXT)
