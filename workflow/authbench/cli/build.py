"""The subcommand that builds a benchmark: Snakemake with the rules of the package, in any folder."""

import argparse
import os
import sys
from collections.abc import Sequence
from pathlib import Path

from authbench.cli.command import Command
from authbench.overview.options import BUILD
from authbench.shipped import shipped

PROFILE = "profiles/default"
_CORES = ("--cores", "-c", "--jobs", "-j", "--executor", "-e", "--profile")
_PROFILES = ("--workflow-profile", "--profile")


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.usage = "authbench build [TARGET ...] [any option of snakemake]"
    parser.description = (
        "Build a benchmark in this folder: `snakemake` with the rules of the package. Without a target all is built,"
        " on all cores where --cores is not given; without sources in the configuration, the demo."
    )


def run(given: argparse.Namespace) -> int:
    """Become Snakemake, whose exit status is that of the command."""
    command = snakemake_command(given.others, Path())
    sys.stdout.flush()
    os.execve(command[0], command, {**os.environ, BUILD: "1"})


def snakemake_command(given: Sequence[str], folder: Path) -> list[str]:
    """Return the command: what was given, after the package's Snakefile and, as far as nothing says other, its profile.

    >>> snakemake_command(["release", "--cores", "2"], Path("/none"))[-3:]
    ['release', '--cores', '2']
    """
    named = {one.partition("=")[0] if one.startswith("--") else one[:2] for one in given if one.startswith("-")}
    command = [sys.executable, "-m", "snakemake", "--snakefile", str(shipped("project/workflow/Snakefile"))]
    if not named & set(_PROFILES) and not (folder / PROFILE).exists():
        command += ["--workflow-profile", str(shipped(f"project/{PROFILE}"))]
    if not named & set(_CORES):
        command += ["--cores", "all"]
    return [*command, *given]


COMMANDS = {"build": Command("build a benchmark from raw corpora, with any option of snakemake", arguments, run, True)}
