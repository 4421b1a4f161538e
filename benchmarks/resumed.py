"""Trials that are recorded one by one in a file of JSON lines, so that a run that was stopped goes on."""

import argparse
import json
import sys
import time
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any, TypeVar

from machine import write_table

Trial = TypeVar("Trial")
Line = dict[str, Any]


def read_lines(path: Path) -> list[Line]:
    """Return the trials of a file; none where there is no file."""
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()] if path.exists() else []


def add_options(parser: argparse.ArgumentParser, kept: Path, what: str) -> None:
    """Add the options of every script that records trials in `kept`."""
    parser.add_argument("--resume", type=Path, default=kept, help=f"the file of finished {what}s, default %(default)s")
    parser.add_argument("--minutes", type=float, default=90, help=f"no {what} starts later, default %(default)s")
    parser.add_argument(
        "--table", action="store_true", help="print the counts of the file, of the default also into docs"
    )


def run(trials: Iterable[Trial], attempt: Callable[[Trial], Line], path: Path, minutes: float) -> None:
    """Try one after the other and append what came of each, until the minutes are over."""
    end = time.monotonic() + 60 * minutes
    for trial in trials:
        if time.monotonic() > end:
            break
        found = attempt(trial)
        if found["wrong"]:
            print(json.dumps(found), flush=True)
        with path.open("a", encoding="utf-8") as file:
            file.write(json.dumps(found) + "\n")


def print_table(path: Path, kept: Path, page: Path, name: str, table: Callable[[list[Line]], str]) -> None:
    """Print the counts of a file; write those of `kept` between the marks `name` of a page."""
    print(table(read_lines(path)))
    if path == kept:
        write_table(page, name, table(read_lines(kept)))


def end_with(lines: list[Line], table: Callable[[list[Line]], str]) -> None:
    """Print the counts; exit with 1 where a trial is wrong."""
    print(table(lines))
    if any(line["wrong"] for line in lines):
        sys.exit(1)
