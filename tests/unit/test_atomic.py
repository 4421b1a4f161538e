"""Files appear whole or not at all."""

import os

import pytest

from authbench.core.storage.atomic import atomic_file, atomic_folder, write_text


def test_a_file_that_fails_half_way_leaves_the_old_one_and_nothing_else(tmp_path):
    path = tmp_path / "table"
    path.write_text("old")
    with pytest.raises(RuntimeError), atomic_file(path) as aside:
        aside.write_text("half")
        raise RuntimeError
    assert path.read_text() == "old"
    assert list(tmp_path.iterdir()) == [path]


def test_a_folder_that_fails_half_way_leaves_the_old_one_and_nothing_else(tmp_path):
    folder = tmp_path / "release"
    with atomic_folder(folder) as aside:
        (aside / "a").write_text("old")
    with pytest.raises(RuntimeError), atomic_folder(folder) as aside:
        (aside / "a").write_text("half")
        raise RuntimeError
    assert [path.read_text() for path in folder.iterdir()] == ["old"]
    assert list(tmp_path.iterdir()) == [folder]


def test_a_new_folder_takes_the_place_of_the_old_one(tmp_path):
    folder = tmp_path / "release"
    for name in ("old", "new"):
        with atomic_folder(folder) as aside:
            (aside / name).write_text("")
    assert [path.name for path in folder.iterdir()] == ["new"]


def test_text_has_the_same_line_ends_everywhere(tmp_path):
    write_text(tmp_path / "a.csv", "x\r\ny\n")
    assert (tmp_path / "a.csv").read_bytes() == b"x\r\ny\n"


def test_a_folder_that_another_writer_sweeps_before_it_is_locked_is_made_anew(tmp_path, monkeypatch):
    opened, swept = os.open, []

    def opened_after_a_sweep(path, *arguments):
        if not swept:
            path.rmdir()
            swept.append(path)
        return opened(path, *arguments)

    with monkeypatch.context() as patch:
        patch.setattr(os, "open", opened_after_a_sweep)
        with atomic_folder(tmp_path / "release") as aside:
            (aside / "a").write_text("whole")
    assert swept
    assert (tmp_path / "release/a").read_text() == "whole"
