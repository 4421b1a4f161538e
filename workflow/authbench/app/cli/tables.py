"""The subcommand that writes the tables and figures of a paper."""

import argparse
from pathlib import Path

from authbench.app.cli import command
from authbench.core.errors import InputError

_MOST_DIGITS = 6


def _digits(text: str) -> int:
    number = int(text)
    if not 1 <= number <= _MOST_DIGITS:
        raise argparse.ArgumentTypeError(f"expected 1 to {_MOST_DIGITS}, found {text}")
    return number


def _tables_arguments(parser: argparse.ArgumentParser) -> None:
    command.path(
        parser,
        "scores SCORES",
        f"{command.SCORES} (default: none, for the tables of the release alone)",
        nargs="*",
    )
    command.path(parser, "--release RELEASE", f"the release that was evaluated: {command.PLACE}")
    command.path(parser, "--out DIR", "output directory; replaced if it exists", required=True, replaced=True)
    command.many(parser, "--model NAME", "model to show; may be repeated (default: all)")
    command.many(
        parser,
        "--metric KEY",
        "score to show, a key of scores.json such as success@1, mrr, roc_auc or eer_matched, as a column of the "
        "overall table and a table of each slice; may be repeated (default: those of the paper)",
    )
    parser.add_argument("--digits", type=_digits, default=3, help="decimals of scores (default: %(default)s)")
    parser.add_argument(
        "--least-authors",
        type=command.whole_number,
        default=20,
        metavar="N",
        help="query authors that a slice needs for a score; the papers need 1 (default: %(default)s)",
    )
    parser.add_argument(
        "--order", choices=("score", "name"), default="score", help="order of models in a group (default: %(default)s)"
    )
    parser.add_argument(
        "--marks",
        choices=("group", "column"),
        default="group",
        help="whether best and second best are marked by group or by column (default: %(default)s)",
    )
    command.many(parser, "--curves FILE", "curves.csv of authbench train, for the figures of training; may be repeated")
    command.unverified_argument(parser)


def tables(arguments: argparse.Namespace) -> int:
    from authbench.reports.tables.models import Choice
    from authbench.reports.tables.write import write_tables
    from authbench.scoring.train.records import read_curves

    if not arguments.scores and arguments.release is None:
        raise InputError("There is nothing to show. Give SCORES, --release or both.")
    command.expect_with(arguments, "SCORES", "--model", "--metric", "--order", "--marks", "--least-authors")
    choice = Choice(
        arguments.model,
        arguments.metric,
        arguments.digits,
        arguments.least_authors,
        arguments.order,
        arguments.marks,
    )
    trainings = [read_curves(Path(file)) for file in arguments.curves]
    release = command.verified(arguments.release, arguments) if arguments.release else None
    written = write_tables(arguments.scores, release, arguments.out, choice, trainings)
    for what, reason in written.lacking.items():
        print(f"Not there: {what}, as {reason}.")
    print(f"{written.tables} tables and {written.figures} figures: {arguments.out}/index.html")
    return 0


COMMANDS = {
    "publish tables": command.Command(
        "write the tables and figures of a paper on a release and models", _tables_arguments, tables
    ),
}
