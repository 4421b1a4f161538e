"""Raw files are known by name and content."""

import json
import os
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from authbench import inventory
from authbench.inventory import shard_count, source_digest, take_inventory, total_bytes

SOURCES: dict[str, dict[str, Any]] = {
    "news": {"files": ["**/*.csv"]},
    "blogs": {"files": ["*.xml"], "folder": "shared/blogs"},
}


@pytest.fixture
def raw(tmp_path: Path) -> Path:
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


def test_the_files_that_fit_are_listed_with_their_digests(raw: Path, tmp_path: Path) -> None:
    found = take_inventory(raw, SOURCES, tmp_path / "memory.json")
    assert {tag: sorted(files) for tag, files in found.items()} == {"news": ["a.csv", "deep/b.csv"], "blogs": ["1.xml"]}
    assert found["news"]["a.csv"] == "7692c3ad3540bb803c020b3aee66cd8887123234ea0c6e7143c0add73ff431ed"


def test_a_source_without_a_folder_has_no_files(raw: Path, tmp_path: Path) -> None:
    assert take_inventory(raw, {"books": {"files": ["*"]}}, tmp_path / "memory.json") == {"books": {}}


def test_a_file_is_read_once_as_long_as_size_and_time_stay(
    raw: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    memory = tmp_path / "memory.json"
    before = take_inventory(raw, SOURCES, memory)
    monkeypatch.setattr(inventory.hashlib, "file_digest", lambda *_: pytest.fail("read again"))
    assert take_inventory(raw, SOURCES, memory) == before


def test_a_touched_or_moved_file_has_the_same_digest(raw: Path, tmp_path: Path) -> None:
    memory = tmp_path / "memory.json"
    before = take_inventory(raw, SOURCES, memory)
    os.utime(raw / "news/a.csv", (1, 1))
    assert take_inventory(raw, SOURCES, memory) == before
    raw.rename(tmp_path / "elsewhere")
    assert take_inventory(tmp_path / "elsewhere", SOURCES, memory) == before


def test_a_changed_file_has_another_digest(raw: Path, tmp_path: Path) -> None:
    memory = tmp_path / "memory.json"
    before = take_inventory(raw, SOURCES, memory)
    (raw / "news/a.csv").write_text("One")
    os.utime(raw / "news/a.csv", (1, 1))
    after = take_inventory(raw, SOURCES, memory)
    assert after["news"]["a.csv"] != before["news"]["a.csv"]
    assert after["blogs"] == before["blogs"]


def test_the_memory_forgets_files_that_are_gone(raw: Path, tmp_path: Path) -> None:
    memory = tmp_path / "memory.json"
    take_inventory(raw, SOURCES, memory)
    (raw / "news/a.csv").unlink()
    take_inventory(raw, SOURCES, memory)
    assert not [path for path in json.loads(memory.read_text()) if path.endswith("a.csv")]


@given(st.dictionaries(st.text(min_size=1), st.text(min_size=1), min_size=1), st.randoms())
def test_the_digest_of_a_source_ignores_order_and_sees_names_and_contents(files: dict[str, str], chance: Any) -> None:
    shuffled = list(files.items())
    chance.shuffle(shuffled)
    assert source_digest(dict(shuffled)) == source_digest(files)
    name = next(iter(files))
    assert source_digest({**files, name: files[name] + "x"}) != source_digest(files)
    assert source_digest({**files, f"{name}x" * 2: "1"}) != source_digest(files)


def test_shards_are_as_set_or_by_size_and_at_least_two(
    raw: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    found = take_inventory(raw, SOURCES, tmp_path / "memory.json")
    assert total_bytes(raw, SOURCES, found) == len("onetwothree")
    assert shard_count(5, raw, SOURCES, found) == 5
    assert shard_count("auto", raw, SOURCES, found) == 2
    monkeypatch.setattr(inventory, "SHARD_BYTES", 3)
    assert shard_count("auto", raw, SOURCES, found) == 4


def test_there_are_never_more_shards_than_a_process_may_have_files_open(
    raw: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    found = take_inventory(raw, SOURCES, tmp_path / "memory.json")
    monkeypatch.setattr(inventory, "SHARD_BYTES", 0.001)
    assert shard_count("auto", raw, SOURCES, found) == 500
