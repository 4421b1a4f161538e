"""Find the results in a run's folder."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from html import unescape
from pathlib import Path

from authbench.core.errors import InputError
from authbench.core.storage.json_files import read_json
from authbench.reports.overview.parts import PARTS, Part

RELEASE_DATA = "release_data.json"
CHECK = "check.json"
FINDING = re.compile(r'<p class="lead"><strong>(.*?)</strong>', re.DOTALL)
_HEAD = 1 << 16  # characters of a page before the end of its finding


@dataclass(frozen=True)
class Found:
    """A part of a run: its other files, in pattern order, and a summary of its first numbers.

    `time` is its creation time in seconds since 1970, None if it is missing. `old` means that the release is newer.
    """

    part: Part
    time: float | None = None
    files: Sequence[str] = ()
    summary: str = ""
    old: bool = False


def find(folder: Path) -> list[Found]:
    """Return every part of `results/<name>` that the rules can make, made or not, in the order of `parts.PARTS`."""
    release = _time(folder / RELEASE_DATA)
    found = []
    for part in PARTS:
        time = _time(folder / part.made)
        if time is None:
            found.append(Found(part))
            continue
        files = [
            path.relative_to(folder).as_posix()
            for pattern in part.files
            for path in sorted(folder.glob(pattern))
            if path.is_file()
        ]
        old = part.of_release and release is not None and time < release
        found.append(Found(part, time, [file for file in files if file != part.made], _summary(folder, part), old))
    return found


def checked_summary(folder: Path) -> str:
    """Return the line on the release written by its check; empty if there is none."""
    try:
        return str(read_json(folder / CHECK)["summary"])
    except (OSError, InputError, KeyError):
        return ""


def _summary(folder: Path, part: Part) -> str:
    """Return the sentence that opens a part's page; of the release, what its check found."""
    if part.made == "release/report.html":
        return checked_summary(folder)
    try:
        with (folder / part.made).open(encoding="utf-8", errors="replace") as page:
            found = FINDING.search(page.read(_HEAD)) if part.made.endswith(".html") else None
    except OSError:
        return ""
    return unescape(found[1]) if found else ""


def _time(path: Path) -> float | None:
    try:
        return path.stat().st_mtime
    except OSError:
        return None
