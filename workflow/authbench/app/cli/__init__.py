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
from authbench.app.cli.command import overview, statuses, unrecognized
from authbench.app.cli.ending import run_to_end
from authbench.app.cli.examples import examples
from authbench.config.registry.values import nearest
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


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a subcommand and return its exit status (authbench.app.cli.ending)."""
    parser = argparse.ArgumentParser(
        prog="authbench",
        usage="authbench [-h] [--version] COMMAND ...",
        description="Build and check authorship benchmarks, evaluate models on them, pass them on.",
        epilog=overview(COMMANDS),
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--version", action="version", version=f"authbench {VERSION}")
    subcommands = parser.add_subparsers(required=True, metavar="COMMAND", prog="authbench", help=argparse.SUPPRESS)
    for name, command in COMMANDS.items():
        subparser = subcommands.add_parser(
            name,
            description=command.about,
            epilog=f"{statuses(command)}\n\n{examples(name)}",
            formatter_class=argparse.RawDescriptionHelpFormatter,
        )
        command.arguments(subparser)
        subparser.set_defaults(run=command.run, parser=subparser, passes_on=command.passes_on)
    if "_ARGCOMPLETE" in os.environ:  # the shell asks how the line may go on
        import argcomplete

        argcomplete.autocomplete(parser)
    given = list(sys.argv[1:] if arguments is None else arguments)
    if given and not given[0].startswith("-") and given[0] not in COMMANDS:
        meant = nearest(given[0], COMMANDS) or "; `authbench --help` lists all"
        print(f"authbench: no command {printable(given[0])!r}{meant}", file=sys.stderr)
        return 2
    parsed, unknown = parser.parse_known_args(given)
    parsed.others = unknown
    if unknown and not parsed.passes_on:
        parsed.parser.error(unrecognized(unknown, parsed.parser))
    if strange := _no_file(parsed):
        print(f"authbench: {printable(strange)!r}: is no regular file. Expected a file or a folder.", file=sys.stderr)
        return 2
    return run_to_end(lambda: parsed.run(parsed), given)
