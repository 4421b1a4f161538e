"""Render the index of a run: an HTML page that links all results, and gives the commands for the rest."""

import shlex
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from authbench.overview.found import Found, find
from authbench.overview.options import program
from authbench.presentation.links import INDEX
from authbench.presentation.pages import environment
from authbench.storage.atomic import write_text
from authbench.version import VERSION

_NUMBER = ("B", "KB", "MB", "GB")
_STEP = 1000


def write_index(folder: Path, name: str, options: Sequence[str] = ()) -> Path:
    """Write `index.html` into the folder of a run, `results/<name>`, and return its path."""
    write_text(folder / INDEX, render(folder, name, options))
    return folder / INDEX


def render(folder: Path, name: str, options: Sequence[str] = ()) -> str:
    """Return the page."""
    found = find(folder)
    return (
        environment()
        .get_template("index.html.j2")
        .render(
            name=name,
            version=VERSION,
            made=[_shown(folder, one) for one in found if one.time is not None],
            missing=[
                {"part": one.part, "command": command(one.part.target, options)} for one in found if one.time is None
            ],
            logs=(folder / "logs").is_dir(),
            again={one.part.title: command(one.part.target, options) for one in found if one.old},
        )
    )


def command(target: str, options: Sequence[str] = ()) -> str:
    """Return the command that makes a target.

    >>> command("pan", ["--configfile", "my recipe.yaml"])
    "snakemake --cores 2 pan --configfile 'my recipe.yaml'"
    """
    # the target precedes `--config`, which takes all following arguments
    return shlex.join([*program(), "--cores", "2", *([target] if target else []), *options])


def _shown(folder: Path, one: Found) -> dict[str, Any]:
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
