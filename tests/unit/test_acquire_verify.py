"""The raw files of a build beside the lock of what was first fetched."""

import hashlib
from dataclasses import replace

import pytest

from authbench.build.acquire import verify
from authbench.build.acquire.lock import Entry, File, add_to_lock, entries_digest, lock_path, read_raw_lock
from authbench.build.acquire.verify import (
    ADDED,
    CHANGED,
    INTERRUPTED,
    MISSING,
    NOT_LOCKED,
    VERIFIED,
    check_lock,
    compare,
)
from authbench.build.release.warnings import _about_raw_lock
from authbench.config.registry.sources import find_sources

SHA = {name: hashlib.sha256(name.encode()).hexdigest() for name in ("a.csv", "b.csv", "c.txt")}
LOCKED = Entry({}, {name: File(1, sha256) for name, sha256 in SHA.items()})
HERE = {"a.csv": SHA["a.csv"], "b.csv": SHA["b.csv"]}


FOUND = {
    "equal": (HERE, {}, (VERIFIED, "")),
    "edited": ({**HERE, "b.csv": "0"}, {}, (CHANGED, "b.csv")),
    "missing": ({"b.csv": SHA["b.csv"]}, {}, (MISSING, "a.csv")),
    "missing and edited": ({"b.csv": "0"}, {}, (MISSING, "a.csv")),
    "added": ({**HERE, "x.csv": "0"}, {}, (ADDED, "x.csv")),
    "of another source in the folder": ({**HERE, "x.csv": "0"}, {"everywhere": {("x.csv", "0")}}, (VERIFIED, "")),
    "interrupted": (HERE, {"interrupted": True}, (INTERRUPTED, "")),
    "unknown": (HERE, {"locked": None}, (NOT_LOCKED, "")),
    "without files": (HERE, {"locked": Entry()}, (NOT_LOCKED, "")),
}


@pytest.mark.parametrize(("files", "how", "found"), FOUND.values(), ids=FOUND)
def test_files_are_what_the_lock_says_or_the_first_reason_why_not_is_named(files, how, found):
    given = {"locked": LOCKED, "fits": lambda name: name.endswith(".csv"), **how}
    assert compare(files, **given) == found


def checked(raw, **files):
    sources = find_sources(["douban", "exorde"])
    return check_lock(sources, raw, {"douban": files, "exorde": {}}, raw.with_name("memory"))


def test_without_a_lock_one_line_says_so_for_all_sources(tmp_path):
    found = checked(tmp_path / "raw", **{"books.txt": "1"})
    assert found.sha256 is None and set(found.states.values()) == {NOT_LOCKED}
    assert len(found.messages()) == len([*_about_raw_lock(found.as_stated())]) == 1


def test_nobody_asks_for_a_lock_of_files_of_ones_own(tmp_path):
    found = checked(tmp_path / "raw", **{"books.txt": "1"})
    assert replace(found, local=["douban", "exorde"]).messages() == []
    assert len(replace(found, local=["douban"]).messages()) == 1
    changed = replace(found, local=["douban", "exorde"], states={"douban": CHANGED})
    assert changed.messages()[0].startswith("douban is not verified: files have changed")


def test_sources_are_named_one_by_one_where_the_lock_has_one_of_them(tmp_path):
    raw = tmp_path / "raw"
    add_to_lock(lock_path(raw), "douban", Entry({}, {"bookreviews_cleaned.txt": File(1, "1")}))
    found = checked(raw, **{"bookreviews_cleaned.txt": "1"})
    assert found.states == {"douban": VERIFIED, "exorde": NOT_LOCKED}
    (message,) = found.messages()
    assert message.startswith("exorde is not verified: not in the lock")
    assert [*_about_raw_lock(found.as_stated())] == [
        "The raw files are not those of their lock: exorde (not in the lock); acquire.unverified: stop would refuse "
        "them."
    ]
    edited = checked(raw, **{"bookreviews_cleaned.txt": "2"})
    assert "douban is not verified: files have changed, e.g. bookreviews_cleaned.txt" in edited.messages()[0]
    assert "bookreviews" not in str(edited.as_stated()) + str([*_about_raw_lock(edited.as_stated())])


def test_the_digest_is_over_the_entries_of_the_builds_sources_alone(tmp_path):
    raw = tmp_path / "raw"
    add_to_lock(lock_path(raw), "douban", Entry({}, {"bookreviews_cleaned.txt": File(1, "1")}))
    before = checked(raw).sha256
    add_to_lock(lock_path(raw), "another", LOCKED)
    assert checked(raw).sha256 == before == entries_digest({"douban": read_raw_lock(lock_path(raw))["douban"]})
    add_to_lock(lock_path(raw), "exorde", LOCKED)
    assert checked(raw).sha256 != before


def test_a_lock_is_read_as_yaml_once(tmp_path, monkeypatch):
    raw = tmp_path / "raw"
    add_to_lock(lock_path(raw), "douban", LOCKED)
    before = checked(raw)
    monkeypatch.setattr(verify, "read_raw_lock", lambda _: pytest.fail("read again"))
    assert checked(raw) == before
