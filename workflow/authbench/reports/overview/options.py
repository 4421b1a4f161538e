"""Reconstruct the Snakemake command-line options that gave a run its configuration."""

import os
from collections.abc import Sequence
from pathlib import Path

BUILD = "AUTHBENCH_BUILD"  # environment variable that `authbench build` sets for Snakemake


def program() -> list[str]:
    """Return the command that started the run, for use in further commands."""
    return ["authbench", "build"] if os.environ.get(BUILD) else ["snakemake"]


def options_of(configfiles: Sequence[Path], settings: Sequence[str], here: Path) -> list[str]:
    """Return the options for the configuration of a run.

    Args:
        configfiles: absolute paths, as Snakemake knows them; paths below `here` become relative.
        settings: the arguments of `--config`.
        here: the working directory.

    >>> options_of([Path("/here/mine.yaml")], ["name=mine"], Path("/here"))
    ['--configfile', 'mine.yaml', '--config', 'name=mine']
    """
    files = [path.relative_to(here) if path.is_relative_to(here) else path for path in configfiles]
    named = ["--configfile", *map(str, files)] if files else []
    return [*named, *(["--config", *settings] if settings else [])]
