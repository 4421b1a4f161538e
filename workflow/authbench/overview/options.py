"""The options of Snakemake's command line by which a run was given its configuration."""

import os
from collections.abc import Sequence
from pathlib import Path

BUILD = "AUTHBENCH_BUILD"  # variable of the environment that `authbench build` sets for Snakemake


def program() -> list[str]:
    """Return what the run was started with, as commands that make more of it repeat it."""
    return ["authbench", "build"] if os.environ.get(BUILD) else ["snakemake"]


def options_of(configfiles: Sequence[Path], settings: Sequence[str], here: Path) -> list[str]:
    """Return the options for the configuration of a run.

    Args:
        configfiles: absolute paths, as Snakemake knows them; those below `here` become relative.
        settings: what followed `--config`.
        here: the working directory.

    >>> options_of([Path("/here/mine.yaml")], ["name=mine"], Path("/here"))
    ['--configfile', 'mine.yaml', '--config', 'name=mine']
    """
    files = [path.relative_to(here) if path.is_relative_to(here) else path for path in configfiles]
    named = ["--configfile", *map(str, files)] if files else []
    return [*named, *(["--config", *settings] if settings else [])]
