"""The command `authbench`."""

import argparse
import os
import stat
import sys
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

from authbench.app.cli import (
    attestation,
    audit,
    build,
    case,
    corpora,
    models,
    new,
    release,
    style,
    submissions,
    tables,
    verification,
)
from authbench.app.cli.command import GROUPS, expect_kept, expect_outside, overview, present, statuses, unrecognized
from authbench.app.cli.ending import UNUSABLE, run_to_end
from authbench.app.cli.examples import examples
from authbench.core.errors import InputError
from authbench.core.json_values import JsonObject
from authbench.core.printable import printable
from authbench.core.version import VERSION

COMMANDS = dict(
    sorted(
        (
            attestation.COMMANDS
            | audit.COMMANDS
            | build.COMMANDS
            | case.COMMANDS
            | corpora.COMMANDS
            | release.COMMANDS
            | models.COMMANDS
            | new.COMMANDS
            | style.COMMANDS
            | submissions.COMMANDS
            | tables.COMMANDS
            | verification.COMMANDS
        ).items()
    )
)


def _no_file(parsed: argparse.Namespace) -> str:
    """Return an input that is a pipe, a device or a socket, which may have no end; empty if there is none."""
    for name, value in vars(parsed).items():
        for one in value if isinstance(value, list) else [value]:
            if isinstance(one, str | Path) and name != "out":
                with suppress(OSError, ValueError):  # not a path
                    mode = Path(one).stat().st_mode
                    if not (stat.S_ISREG(mode) or stat.S_ISDIR(mode)):
                        return str(one)
    return ""


def _parsers() -> dict[str, argparse.ArgumentParser]:
    """Return the parsers of the command line (""), of the groups and of the commands, each below the one before."""
    parsers: dict[str, argparse.ArgumentParser] = {}
    below: JsonObject = {}
    for name, about in {
        "": "Build and check authorship benchmarks, evaluate models on them, pass them on.",
        **GROUPS,
    }.items():
        program = f"authbench {name}".strip()
        looks: JsonObject = {
            "usage": f"{program} COMMAND ...",
            "description": f"{about[:1].upper()}{about[1:].rstrip('.')}.",
            "epilog": overview(COMMANDS, name),
            "formatter_class": argparse.RawDescriptionHelpFormatter,
            "add_help": False,
        }
        parsers[name] = below[""].add_parser(name, **looks) if name else argparse.ArgumentParser(program, **looks)
        parsers[name].add_argument("-h", "--help", action="help", help=argparse.SUPPRESS)
        below[name] = parsers[name].add_subparsers(
            required=True, metavar="COMMAND", prog=program, help=argparse.SUPPRESS
        )
    parsers[""].add_argument("--version", action="version", version=f"authbench {VERSION}", help=argparse.SUPPRESS)
    for name, command in COMMANDS.items():
        group, _, word = name.rpartition(" ")
        parsers[name] = below[group].add_parser(
            word,
            description=command.about,
            epilog=f"{statuses(command)}\n\n{examples(name)}",
            formatter_class=argparse.RawDescriptionHelpFormatter,
        )
        command.arguments(parsers[name])
        parsers[name].set_defaults(run=command.run, parser=parsers[name], passes_on=command.passes_on)
    return parsers


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a subcommand and return its exit status (authbench.app.cli.ending)."""
    parsers = _parsers()
    if "_ARGCOMPLETE" in os.environ:  # the shell asks how the line may go on
        import argcomplete

        argcomplete.autocomplete(parsers[""])
    given = list(sys.argv[1:] if arguments is None else arguments)
    try:
        words = present(given, COMMANDS)
    except InputError as problem:
        print(f"authbench: {problem}", file=sys.stderr)
        return UNUSABLE
    if " ".join(words) in ("", *GROUPS):
        parsers[" ".join(words)].print_help(sys.stderr)
        return UNUSABLE
    parsed, others = parsers[""].parse_known_args(words)
    for name, value in vars(parsed).items():
        if isinstance(value, list) and not any(isinstance(one, float) for one in value):
            setattr(parsed, name, list(dict.fromkeys(value)))  # what is given twice counts once, unless it is an amount
    parsed.others = others
    if others and not parsed.passes_on:
        parsed.parser.error(unrecognized(others, parsed.parser))
    if strange := _no_file(parsed):
        print(f"authbench: {printable(strange)!r}: is no regular file. Expected a file or a folder.", file=sys.stderr)
        return UNUSABLE

    def run() -> int:
        if isinstance(out := vars(parsed).get("out"), Path):
            if "replaces" in parsed:
                expect_kept(out, parsed)
            expect_outside(out, parsed)
        return int(parsed.run(parsed))

    return run_to_end(run, given)
