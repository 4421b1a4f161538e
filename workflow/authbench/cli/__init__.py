"""What can one do with AuthBench from a shell, beside building?"""

import argparse
import sys
from collections.abc import Sequence

from authbench.cli import corpora, models, release, verification
from authbench.errors import InputError

COMMANDS = dict(sorted((corpora.COMMANDS | release.COMMANDS | models.COMMANDS | verification.COMMANDS).items()))


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
