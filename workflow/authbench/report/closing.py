"""Lines that a run prints at its end."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from authbench.report.warnings import about_lists
from authbench.storage.json_files import read_json


def closing_lines(results: str | Path, settings: Mapping[str, Any]) -> list[str]:
    """Return lines on the release in a folder of results; none if the run made no checked release.

    They give its size and path, entries of the user's lists that matched nothing, and the path of its leaderboard.
    """
    folder = Path(results)
    if not (folder / "check.json").exists():
        return []
    release, board = folder / "release", folder / "leaderboard/index.html"
    lines = [
        read_json(folder / "check.json")["summary"],
        f"The benchmark: {release}/   The story of it: {release}/report.html",
    ]
    if settings["filter"]["exclude"] or settings["release"]["takedown"]:
        takedown = json.loads((release / "manifest.json").read_bytes())["takedown"]
        lines += about_lists(read_json(folder / "report/facts.json"), takedown)
    if board.exists() and board.stat().st_mtime >= (folder / "release_data.json").stat().st_mtime:
        lines.append(f"Models on it: {board}")
    return lines
