"""What a run says at its end."""

import json
import os
from pathlib import Path

from authbench.report.closing import closing_lines
from authbench.storage.json_files import write_json

NO_LISTS = {"filter": {"exclude": None}, "release": {"takedown": None}}
LISTS = {"filter": {"exclude": "lists/out.jsonl"}, "release": {"takedown": None}}


def results(folder: Path) -> Path:
    (folder / "release").mkdir(parents=True)
    (folder / "leaderboard").mkdir()
    write_json(folder / "check.json", {"summary": "demo: 3 documents"})
    (folder / "release_data.json").touch()
    return folder


def test_a_run_that_made_no_release_says_nothing(tmp_path: Path) -> None:
    assert closing_lines(tmp_path, NO_LISTS) == []


def test_a_run_says_what_it_made_and_where(tmp_path: Path) -> None:
    told = closing_lines(results(tmp_path), NO_LISTS)
    assert told == [
        "demo: 3 documents",
        f"The benchmark: {tmp_path}/release/   The story of it: {tmp_path}/release/report.html",
    ]


def test_a_leaderboard_is_named_unless_it_is_of_an_older_release(tmp_path: Path) -> None:
    board = results(tmp_path) / "leaderboard/index.html"
    board.touch()
    assert closing_lines(tmp_path, NO_LISTS)[-1] == f"Models on it: {board}"
    os.utime(board, (1, 1))
    assert len(closing_lines(tmp_path, NO_LISTS)) == 2


def test_an_entry_of_a_list_that_met_nothing_is_told(tmp_path: Path) -> None:
    folder = results(tmp_path)
    (folder / "release/manifest.json").write_text(json.dumps({"takedown": {}}))
    (folder / "report").mkdir()
    write_json(folder / "report/facts.json", {"exclusions": {"entries": 2, "without_a_document": ["s:1"]}})
    assert any("s:1" in line for line in closing_lines(folder, LISTS))
