"""A subcommand, and the kinds of values and arguments that subcommands share."""

import argparse
import os
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from pathlib import Path
from typing import TYPE_CHECKING

from authbench.core.errors import InputError
from authbench.core.printable import printable

if TYPE_CHECKING:
    from authbench.models.model import VectorCache
    from authbench.release.format.release import Release


GROUPS = {
    "release": "export, merge, compare, sign and rebuild releases",
    "pan": "compare verifiers on pairs in PAN's format",
    "raven": "measure how far verifiers rely on topics",
    "style": "score models on datasets of writing style",
    "publish": "write tables for a paper, pack and check submissions",
    "sources": "list and fetch the corpora that are known",
}


_MOVED = {
    "release": "attest diff export freeze languages lookup merge rebuild verify",
    "publish": "submit tables validate",
    "sources": "acquire",
    "style": "steb",
}
# The names of commands that are still taken, until 1.0, with the present ones.
FORMER = {word: f"{group} {word}" for group, words in _MOVED.items() for word in words.split()}
FORMER |= {f"pan-{word}": f"pan {word}" for word in ("evaluate", "pairs", "ratios", "run")}
FORMER |= {"raven": "raven run", "raven-folds": "raven folds", "release-notes": "release notes"}
FORMER |= {"sources": "sources list", "style": "style run"}


@dataclass(frozen=True)
class Command:
    """A subcommand: its description in `--help`, its arguments, its function, which returns the exit status.

    Its name is a word, or a group and a word. A command that `passes_on` gets unknown arguments as `others`.
    `negative` is the meaning of exit status 1; without it the command never ends with 1.
    """

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


def overview(commands: Mapping[str, Command], group: str = "") -> str:
    """Return the commands of a group, or the groups and all other commands, one a line, for `--help`."""
    lines = {name.removeprefix(f"{group} "): one.about for name, one in commands.items() if _group(name) == group}
    further = [] if group else ["", "groups of commands:", *_listed(GROUPS)]
    more = f"`authbench {f'{group} ' * bool(group)}COMMAND --help` explains a command by examples."
    return "\n".join(["commands:", *_listed(lines), *further, "", more])


def _listed(lines: Mapping[str, str]) -> list[str]:
    return [f"  {name:<12} {about}" for name, about in lines.items()]


def _group(name: str) -> str:
    return name.rpartition(" ")[0]


def present(words: Sequence[str], commands: Mapping[str, Command]) -> list[str]:
    """Return a command's words, with its present name in place of a former one, which is said.

    Raises:
        InputError: no command or group has the name.
    """
    first, second = (*words, "", "")[:2]
    of_group = {name.split()[1]: name for name in commands if first in GROUPS and _group(name) == first}
    if first.startswith("-") or (of_group and second in ("", "-h", "--help", *of_group)):
        return list(words)
    if first in FORMER and (not of_group or any(word.startswith("-") for word in words[1:])):
        print(f"authbench: `{first}` is now `{FORMER[first]}`; its former name goes with 1.0", file=sys.stderr)
        return [*FORMER[first].split(), *words[1:]]
    if of_group:
        _expect_command(second, of_group, f"{first} ")
    elif first:
        _expect_command(first, {**FORMER, **{name: name for name in (*GROUPS, *commands)}})
    return list(words)


def _expect_command(name: str, known: Mapping[str, str], group: str = "") -> None:
    """Raise InputError for an unknown name; `known` has what to say in place of a similar one."""
    if name not in known:
        close = get_close_matches(name, known, 1)
        cure = f"did you mean '{known[close[0]]}'?" if close else f"`authbench {group}--help` lists all"
        raise InputError(f"no command {printable(group + name)!r}; {cure}")


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


def seed(text: str) -> int:
    """Return an integer of 64 bits."""
    number = int(text)
    if not -(1 << 63) <= number < 1 << 63:
        raise argparse.ArgumentTypeError(f"expected an integer of 64 bits, found {text}")
    return number


def amount(text: str) -> float:
    """Return a number above 0, which may be written 1e8, and whose product with another is finite."""
    value = float(text)
    if not 0 < value <= 1e100:
        raise argparse.ArgumentTypeError(f"expected a number above 0 and at most 1e100, found {text}")
    return value


def whole_amount(text: str) -> int:
    """Return an amount without a fraction."""
    value = amount(text)
    if not value.is_integer():
        raise argparse.ArgumentTypeError(f"expected a whole number, found {text}")
    return int(value)


def share(text: str) -> float:
    """Return a number between 0 and 1, both excluded."""
    value = float(text)
    if not 0 < value < 1:
        raise argparse.ArgumentTypeError(f"expected a number between 0 and 1, found {text}")
    return value


def option(parser: argparse.ArgumentParser, named: str, about: str, **settings: object) -> None:
    """Add an argument; `named` is such as "--seed N"."""
    name, metavar = named.split()
    parser.add_argument(name, metavar=metavar, help=about, **settings)  # type: ignore[arg-type]


def flag(parser: argparse.ArgumentParser, name: str, about: str) -> None:
    """Add an option without a value."""
    parser.add_argument(name, action="store_true", help=about)


def path(parser: argparse.ArgumentParser, named: str, about: str, replaced: bool = False, **settings: object) -> None:
    """Add an argument that is the path of a file or folder; one that is `replaced` may hold no input."""
    option(parser, named, about, type=_folder if named == "--out DIR" else Path, **settings)
    if replaced:
        parser.set_defaults(replaces=True)


def _folder(text: str) -> Path:
    """Return the path of a folder, which may be missing."""
    if (found := Path(text)).is_file():
        raise argparse.ArgumentTypeError(f"{printable(text)} is a file. Expected a folder.")
    return found


def many(parser: argparse.ArgumentParser, named: str, about: str, **settings: object) -> None:
    """Add an option that may be given several times."""
    option(parser, named, about, **{"action": "append", "default": [], **settings})


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


def expect_with(given: argparse.Namespace, needed: str, *options: str) -> None:
    """Raise InputError if an option is given that counts only with an argument, which is not."""
    for option in options:
        if _is_given(given, option) and not _is_given(given, needed):
            raise InputError(f"{option} counts only with {needed}. Give {needed}, too, or leave out {option}.")


def expect_without(given: argparse.Namespace, other: str, *options: str) -> None:
    """Raise InputError if an option is given with one in whose presence it does not count."""
    for option in options:
        if _is_given(given, option) and _is_given(given, other):
            raise InputError(f"{option} does not count with {other}. Leave one out.")


def _is_given(given: argparse.Namespace, option: str) -> bool:
    """Return whether an argument is not its default; with a value in `option`, such as "--year 2020", is that value."""
    name, _, value = option.partition(" ")
    found = getattr(given, key := name.lstrip("-").replace("-", "_").lower())
    return str(found) == value if value else bool(found) and found != given.parser.get_default(key)


def expect_kept(out: Path, given: argparse.Namespace) -> None:
    """Raise InputError if a path that is given is inside `out`, a folder that is replaced."""
    for place in _inputs(given):
        if Path(os.path.realpath(place)).is_relative_to(os.path.realpath(out)):
            raise InputError(f"--out {out} would be replaced, and {place} is inside it. Give another folder.")


def expect_outside(out: Path, given: argparse.Namespace) -> None:
    """Raise InputError if `out` is inside a folder that is given, whose checksums would lack its files."""
    for place in _inputs(given):
        inside = Path(os.path.realpath(out)).is_relative_to(os.path.realpath(place))
        if inside and (place / "SHA256SUMS").is_file():
            raise InputError(f"--out {out} is inside {place}, whose SHA256SUMS would lack it. Give another place.")


def _inputs(given: argparse.Namespace) -> list[Path]:
    values = [value for name, value in vars(given).items() if name not in ("out", "cache")]
    named = [one for value in values for one in (value if isinstance(value, list) else [value])]
    return [one for one in named if isinstance(one, Path)]


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
