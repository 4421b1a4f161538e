"""Make the lines that a run prints at its end."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from authbench.overview.found import CHECK, checked_summary, find
from authbench.overview.page import write_index
from authbench.report.warnings import about_lists, about_losses
from authbench.settings.config import Config
from authbench.storage.json_files import read_json

FACTS = "report/facts.json"
RELEASE, BOARD = "release/report.html", "leaderboard/index.html"


def close_run(results: str | Path, settings: Config, since: float, options: Sequence[str] = ()) -> list[str]:
    """Write the index of a run and return the lines for its end.

    Args:
        results: the folder `results/<name>`.
        settings: the configuration.
        since: when the run began, in seconds since 1970.
        options: Snakemake command-line options, repeated in the commands of the index.

    Raises:
        OSError: the index cannot be written.
    """
    folder = Path(results)
    if not folder.is_dir():
        return []
    return [*closing_lines(folder, settings, since), f"All of it: {write_index(folder, settings['name'], options)}"]


def closing_lines(results: str | Path, settings: Config, since: float) -> list[str]:
    """Return lines that name a run's results: the release, the leaderboard and each suite.

    An existing release and leaderboard are also named if the run did not make them, unless the leaderboard is for an
    older release. User list entries that matched no text are listed, too.
    """
    folder = Path(results)
    found = {one.part.made: one for one in find(folder)}
    lines = []
    if (folder / CHECK).exists() and found[RELEASE].time is not None:
        release = folder / "release"
        lines += [
            checked_summary(folder),
            f"The benchmark: {release}/   Its report: {release}/report.html",
        ]
        facts: Any = read_json(folder / FACTS) if (folder / FACTS).exists() else None
        lines += about_losses(facts) if facts else []
        if facts and (settings["filter"]["exclude"] or settings["release"]["takedown"]):
            takedown = json.loads((release / "manifest.json").read_bytes())["takedown"]
            lines += about_lists(facts, takedown)
        if found[BOARD].time is not None and not found[BOARD].old:
            lines.append(f"Models on it: {folder / BOARD}")
    for made, one in found.items():
        if made not in (RELEASE, BOARD) and one.part.target != "release" and one.time and one.time >= since:
            lines.append(f"{one.part.title}: {folder / made}")
    return lines
