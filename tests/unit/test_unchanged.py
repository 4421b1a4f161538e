"""Raw files that change while a run reads them."""

import hashlib
import os

import pytest

from authbench.core.errors import InputError
from authbench.core.storage.raw_paths import describe, listing_digest, take_listing
from authbench.core.storage.unchanged import file_mark, unchanged


def listed(folder, **contents):
    for name, content in contents.items():
        (folder / name).write_text(content)
    return {name: hashlib.sha256(content.encode()).hexdigest() for name, content in contents.items()}


def test_files_that_stay_as_they_are_listed_pass(tmp_path):
    files = listed(tmp_path, a="one", b="")
    with unchanged(tmp_path, files, "news") as check:
        check()
        (tmp_path / "a").touch()


def test_a_file_that_was_edited_since_it_was_listed_is_named_with_both_digests(tmp_path):
    files = listed(tmp_path, a="one", b="two")
    (tmp_path / "b").write_text("too")
    with pytest.raises(InputError) as stopped, unchanged(tmp_path, files, "news"):
        pass
    found = hashlib.sha256(b"too").hexdigest()
    assert f"news: {tmp_path / 'b'} is not the file" in str(stopped.value)
    assert found[:16] in str(stopped.value) and files["b"][:16] in str(stopped.value)
    assert "\n" not in str(stopped.value)


def test_a_file_that_is_edited_while_it_is_read_is_noticed_whenever_its_digest_is_taken(tmp_path):
    files = listed(tmp_path, a="one")
    with (
        pytest.raises(InputError, match="is not the file that this run was planned with"),
        unchanged(tmp_path, files, "news"),
    ):
        (tmp_path / "a").write_text("three")


def test_what_a_reader_makes_of_an_edited_file_gives_way_to_the_edit(tmp_path):
    files = listed(tmp_path, a="one")
    (tmp_path / "a").write_text("no table")
    with pytest.raises(InputError, match="is not the file"), unchanged(tmp_path, files, "news"):
        raise InputError("a has no columns")
    with pytest.raises(InputError, match="a has no columns"), unchanged(tmp_path, listed(tmp_path, a="x"), "news"):
        raise InputError("a has no columns")


def test_a_file_that_is_gone_is_left_to_its_reader(tmp_path):
    with unchanged(tmp_path, {"a": "0" * 64}, "news"):
        pass


def test_an_edit_that_keeps_size_and_time_still_marks_a_file(tmp_path):
    listed(tmp_path, a="one")
    before, stat = file_mark(tmp_path / "a"), (tmp_path / "a").stat()
    for _ in range(1000):  # the clock of a file system ticks every few milliseconds
        (tmp_path / "a").write_text("two")
        os.utime(tmp_path / "a", ns=(stat.st_atime_ns, stat.st_mtime_ns))
        if file_mark(tmp_path / "a") != before:
            break
    assert file_mark(tmp_path / "a")[:2] == before[:2]
    assert file_mark(tmp_path / "a") != before


def test_a_folder_is_listed_only_as_the_files_that_were_planned(tmp_path):
    files = listed(tmp_path, a="one", b="two")
    (tmp_path / "b.txt").write_text("not asked for")
    planned = listing_digest(files)
    assert planned == describe(files)["sha256"]
    assert take_listing(tmp_path, ("a", "b"), planned) == files
    (tmp_path / "b").rename(tmp_path / "c")
    with pytest.raises(InputError, match="not the files that this run was planned with"):
        take_listing(tmp_path, ("a", "b", "c"), planned)
