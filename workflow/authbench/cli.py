"""What can one do with AuthBench from a shell, beside building?"""

import argparse
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import orjson

from authbench.errors import InputError


@dataclass(frozen=True)
class Command:
    """A subcommand: what `--help` says, its arguments, and what it does (the exit status is returned)."""

    about: str
    arguments: Callable[[argparse.ArgumentParser], None]
    run: Callable[[argparse.Namespace], int]


def check_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("release", type=Path, metavar="RELEASE_DIR", help="folder with a folder per split")
    parser.add_argument(
        "--config", type=Path, metavar="FILE", help="settings to check against, before those of its manifest.json"
    )
    parser.add_argument("--json", action="store_true", help="print one JSON object")


def check(arguments: argparse.Namespace) -> int:
    """0: sound; 1: violations, each named with its ids."""
    from authbench.check import check_release
    from authbench.check.rules import SECTIONS, read_expected

    expected = read_expected(arguments.config) if arguments.config else {}
    violations = check_release(arguments.release, {name: expected[name] for name in SECTIONS if name in expected})
    if arguments.json:
        report = {
            "release": str(arguments.release),
            "sound": not violations,
            "violations": [violation.as_dict() for violation in violations],
        }
        sys.stdout.write(orjson.dumps(report, option=orjson.OPT_INDENT_2 | orjson.OPT_APPEND_NEWLINE).decode())
    else:
        for violation in violations:
            print(violation)
        count = len(violations)
        print(f"{arguments.release}: " + (f"{count} claim{'s' * (count > 1)} broken" if count else "sound"))
    return 1 if violations else 0


def sources_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--markdown", action="store_true", help="print the page docs/sources.md")


def sources(arguments: argparse.Namespace) -> int:
    from authbench.catalogue import as_markdown, as_text, read_sources

    sys.stdout.write((as_markdown if arguments.markdown else as_text)(read_sources()))
    return 0


COMMANDS = {
    "check": Command("check a release: exit 0 sound, 1 violations, 2 cannot be read", check_arguments, check),
    "sources": Command("list the known corpora: languages, tier, where to get them", sources_arguments, sources),
}


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a subcommand. Exit status 2: something given cannot be used, and the message says what."""
    parser = argparse.ArgumentParser(prog="authbench", description="Build and check authorship benchmarks.")
    subcommands = parser.add_subparsers(required=True, metavar="COMMAND")
    for name, command in COMMANDS.items():
        subparser = subcommands.add_parser(name, help=command.about, description=command.about)
        command.arguments(subparser)
        subparser.set_defaults(run=command.run)
    parsed = parser.parse_args(arguments)
    try:
        status: int = parsed.run(parsed)
    except InputError as problem:
        print(f"authbench: {problem}", file=sys.stderr)
        return 2
    return status


if __name__ == "__main__":
    sys.exit(main())
