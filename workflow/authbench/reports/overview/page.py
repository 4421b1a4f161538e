"""Render the index of a run, which links all results and gives the commands for the rest, and sum up a run."""

import json
import shlex
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from authbench.build.release.warnings import about_lists, about_losses
from authbench.config.settings.config import Config
from authbench.core.json_values import JsonObject
from authbench.core.presentation.pages import environment
from authbench.core.storage.atomic import write_text
from authbench.core.storage.json_files import read_json
from authbench.core.version import VERSION
from authbench.reports.overview.found import CHECK, Found, checked_summary, find
from authbench.reports.overview.options import program
from authbench.reports.overview.parts import INDEX

FACTS = "report/facts.json"
RELEASE, BOARD = "release/report.html", "leaderboard/index.html"
_NUMBER = ("B", "KB", "MB", "GB")
_STEP = 1000


def write_index(folder: Path, name: str, options: Sequence[str] = ()) -> Path:
    """Write `index.html` into the folder of a run, `results/<name>`, and return its path."""
    write_text(folder / INDEX, render(folder, name, options))
    return folder / INDEX


def render(folder: Path, name: str, options: Sequence[str] = ()) -> str:
    found = find(folder)
    page = environment().get_template("index.html.j2")
    return page.render(
        name=name,
        version=VERSION,
        made=[_shown(folder, one) for one in found if one.time is not None],
        missing=[{"part": one.part, "command": command(one.part.target, options)} for one in found if one.time is None],
        logs=(folder / "logs").is_dir(),
        again={one.part.title: command(one.part.target, options) for one in found if one.old},
    )


def command(target: str, options: Sequence[str] = ()) -> str:
    """Return the command that makes a target.

    >>> command("pan", ["--configfile", "my recipe.yaml"])
    "snakemake --cores 2 pan --configfile 'my recipe.yaml'"
    """
    # the target precedes `--config`, which takes all following arguments
    return shlex.join([*program(), "--cores", "2", *([target] if target else []), *options])


def _shown(folder: Path, one: Found) -> JsonObject:
    return {
        "part": one.part,
        "summary": one.summary,
        "old": one.old,
        "files": [{"path": file, "size": _size(folder / file)} for file in one.files],
    }


def _size(path: Path) -> str:
    """Return the size of a file in words, e.g. `12 KB`."""
    size, unit = float(path.stat().st_size), 0
    while size >= _STEP and unit < len(_NUMBER) - 1:
        size, unit = size / _STEP, unit + 1
    return f"{size:.0f} {_NUMBER[unit]}" if size >= 10 or not unit else f"{size:.1f} {_NUMBER[unit]}"


def close_run(results: str | Path, settings: Config, since: float, options: Sequence[str] = ()) -> list[str]:
    """Write the index of a run and return the lines for its end.

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
