"""A subcommand, and the kinds of values and arguments that subcommands share."""

import argparse
import os
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from pathlib import Path
from typing import TYPE_CHECKING, Literal, get_args

from authbench.core.errors import InputError

if TYPE_CHECKING:
    from authbench.models.model import VectorCache
    from authbench.release.format.release import Release


Group = Literal["first", "release", "pan", "raven", "style", "publish", "sources"]


@dataclass(frozen=True)
class Command:
    """A subcommand: its group and description in `--help`, its arguments, its function, which returns the exit status.

    `authbench --help` describes the commands of the group `first`, and names those of the other groups.
    A command that `passes_on` gets unknown arguments as `others`. `negative` is the meaning of exit status 1; without
    it the command never ends with 1.
    """

    group: Group
    about: str
    arguments: Callable[[argparse.ArgumentParser], None]
    run: Callable[[argparse.Namespace], int]
    passes_on: bool = False
    negative: str = ""


def statuses(command: Command) -> str:
    """Return the meaning of a command's exit statuses, for its `--help`."""
    negative = f"  1  {command.negative}\n" if command.negative else ""
    return (
        f"exit status:\n  0  done\n{negative}  2  an input or option cannot be used; the message says which and why\n"
        "  70  a fault of AuthBench; AUTHBENCH_TRACEBACK=1 shows where"
    )


def overview(commands: Mapping[str, Command]) -> str:
    """Return the commands for `authbench --help`: those of the group `first` described, the others named by group."""
    by_group = {
        group: [name for name, command in commands.items() if command.group == group] for group in get_args(Group)
    }
    first = [f"  {name:<12} {commands[name].about}" for name in by_group.pop("first")]
    further = [f"  {f'{group}:':<12} {' '.join(names)}" for group, names in by_group.items()]
    more = "`authbench COMMAND --help` explains a command by examples. Further commands by topic:"
    return "\n".join(["commands:", *first, "", more, *further])


def unrecognized(words: Sequence[str], parser: argparse.ArgumentParser) -> str:
    """Return the message for arguments that a parser does not know, each with the option that it resembles."""
    options = [option for action in parser._actions for option in action.option_strings if option.startswith("--")]
    parts = []
    for word in words:
        close = get_close_matches(word.partition("=")[0], options, 1) if word.startswith("-") else []
        parts.append(f"unrecognized argument {word!r}" + (f", did you mean {close[0]}?" if close else ""))
    return "; ".join(parts)


def whole_number(text: str) -> int:
    """Return an integer of at least 1."""
    number = int(text)
    if number < 1:
        raise argparse.ArgumentTypeError(f"expected 1 or more, found {text}")
    return number


def amount(text: str) -> float:
    """Return a finite number above 0, which may be written 1e8."""
    value = float(text)
    if not 0 < value < float("inf"):
        raise argparse.ArgumentTypeError(f"expected a number above 0, found {text}")
    return value


def share(text: str) -> float:
    """Return a number between 0 and 1, both excluded."""
    value = float(text)
    if not 0 < value < 1:
        raise argparse.ArgumentTypeError(f"expected a number between 0 and 1, found {text}")
    return value


def path(parser: argparse.ArgumentParser, named: str, about: str, **settings: object) -> None:
    """Add an argument that is the path of a file or folder; `named` is such as "--out DIR"."""
    name, metavar = named.split()
    parser.add_argument(name, type=Path, metavar=metavar, help=about, **settings)  # type: ignore[arg-type]


def many(parser: argparse.ArgumentParser, named: str, about: str, **settings: object) -> None:
    """Add an option that may be given several times, likewise."""
    name, metavar = named.split()
    given = {"default": [], **settings}
    parser.add_argument(name, action="append", metavar=metavar, help=about, **given)  # type: ignore[arg-type]


SCORES = "output directory of authbench evaluate, directory of submissions, or a submission"
PLACE = "PATH or, on the Hugging Face Hub, hf:owner/name[@revision][:config]"  # what `format.hub.local` takes


def unverified_argument(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--unverified",
        action="store_true",
        help="take a release that contradicts its checksums or itself; what is made of it says so",
    )


def warn_unverified(place: Path, reason: str) -> None:
    """Print why a release is not verified, if it is not."""
    if reason:
        print(f"authbench: {place} is not verified: {reason}", file=sys.stderr, flush=True)


def verified(folder: Path, arguments: argparse.Namespace, complete: bool = False) -> "Release":
    """Return a release; print why it is not verified, if it is not."""
    from authbench.release.format.verify import open_verified

    release = open_verified(folder, complete=complete, unverified=arguments.unverified)
    warn_unverified(release.folder, release.unverified)
    return release


def expect_kept(out: Path, inputs: Sequence[Path | None]) -> None:
    """Raise InputError if an input is inside `out`, a folder that is replaced."""
    for place in inputs:
        if place and Path(os.path.realpath(place)).is_relative_to(os.path.realpath(out)):
            raise InputError(f"--out {out} would be replaced, and {place} is inside it. Give another folder.")


def cache_arguments(parser: argparse.ArgumentParser, what: str = "vectors") -> None:
    """Add --cache and --half, which `cache_of` reads."""
    path(
        parser,
        "--cache DIR",
        f"directory that caches {what}, for all commands and models (default: vectors in the user's cache)",
    )
    parser.add_argument("--half", action="store_true", help="cache vectors in 16 bits")


def cache_of(arguments: argparse.Namespace) -> "VectorCache":
    """Return the cache of vectors that the arguments name."""
    from authbench.models.cache import default_cache
    from authbench.models.model import VectorCache

    return VectorCache(arguments.cache or default_cache(), arguments.half)


def raw_argument(parser: argparse.ArgumentParser) -> None:
    path(
        parser,
        "--raw DIR",
        "directory of the raw files, one subdirectory per source (default: %(default)s)",
        default=Path("resources/raw"),
    )
