"""The command `authbench`: what can be done from a shell, beside building."""

import argparse
import sys
from collections.abc import Sequence

from authbench import __version__
from authbench.cli import audit, corpora, models, release, verification
from authbench.errors import InputError
from authbench.extras import missing_extra
from authbench.printable import printable

COMMANDS = dict(
    sorted((audit.COMMANDS | corpora.COMMANDS | release.COMMANDS | models.COMMANDS | verification.COMMANDS).items())
)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a subcommand and return its exit status; 2: an input cannot be used, and the message says which and why."""
    parser = argparse.ArgumentParser(
        prog="authbench", description="Check authorship benchmarks, evaluate models on them and pass them on."
    )
    parser.add_argument("--version", action="version", version=f"authbench {__version__}")
    subcommands = parser.add_subparsers(required=True, metavar="COMMAND")
    for name, command in COMMANDS.items():
        subparser = subcommands.add_parser(name, help=command.about, description=command.about)
        command.arguments(subparser)
        subparser.set_defaults(run=command.run)
    parsed = parser.parse_args(arguments)
    try:
        status: int = parsed.run(parsed)
        return status
    except (InputError, ModuleNotFoundError) as error:
        problem = error if isinstance(error, InputError) else missing_extra(error)
        if problem is None:
            raise
        print("authbench:", printable(str(problem), keep="\n"), file=sys.stderr)
        return 2
