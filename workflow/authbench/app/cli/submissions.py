"""Commands on submissions: pack a result, and check a packed result."""

import argparse
import sys
from dataclasses import replace
from pathlib import Path

from authbench.app.cli.command import Command, path, unverified_argument, verified
from authbench.app.cli.ending import told
from authbench.core.printable import printable

_FIELDS = {
    "name": "what the board calls the model (default: its name in the scores)",
    "model": "where others find the model: a name on Hugging Face or an address (default: its checkpoint, if there)",
    "command": "the command that makes the scores (default: that of authbench evaluate)",
    "contributor": "who answers for the submission",
}


def _submit_arguments(parser: argparse.ArgumentParser) -> None:
    path(parser, "scores SCORES", "directory of a model in the output of authbench evaluate")
    for name, about in _FIELDS.items():
        parser.add_argument(f"--{name}", metavar="TEXT", help=about)
    path(parser, "--out FILE", "file to write (default: <name>.zip)")


def submit(arguments: argparse.Namespace) -> int:
    from authbench.core.errors import InputError
    from authbench.release.format.names import name_problem
    from authbench.scoring.submissions.archive import SCORES, Fields, files_of, pack, proposed, read_result, unpacked

    fields = proposed(read_result(files_of(arguments.scores)[SCORES]))
    given = {name: getattr(arguments, name) for name in _FIELDS if getattr(arguments, name) is not None}
    fields = Fields.from_dict(replace(fields, **given).as_dict(), "authbench publish submit")
    if problem := name_problem(fields.name):
        raise InputError(f"--name: {fields.name!a:.80}: {problem}.")
    out = arguments.out or Path(f"{fields.name}.zip")
    pack(arguments.scores, out, fields)
    with unpacked(out):
        pass
    for name in fields.empty:
        print(f"authbench: nobody has filled the field {name}: give --{name}", file=sys.stderr)
    print(f"The submission: {out}   Check it: authbench publish validate {out} --release RELEASE_DIR")
    return 0


def _validate_arguments(parser: argparse.ArgumentParser) -> None:
    path(parser, "submissions FILE", "file that authbench publish submit wrote; may be several", nargs="+")
    path(parser, "--release RELEASE_DIR", "release that was scored", required=True)
    unverified_argument(parser)


def validate(arguments: argparse.Namespace) -> int:
    """Return 0 if all submissions hold, 1 if one does not, 2 if one is not a submission."""
    from authbench.core.errors import InputError
    from authbench.scoring.evaluation.split import Split, read_split
    from authbench.scoring.submissions.archive import unpacked
    from authbench.scoring.submissions.validate import read_scores, validate

    release = verified(arguments.release, arguments)
    splits: dict[str, Split] = {}
    status = 0
    for file in arguments.submissions:
        try:
            with unpacked(file) as submission:
                name = read_scores(submission)["benchmark"]["split"]
                if name not in splits:
                    splits[name] = read_split(release, name)
                verdict = validate(submission, splits[name])
        except InputError as problem:
            print("authbench:", told(str(problem), [str(file)]), file=sys.stderr)
            status = 2
            continue
        for line in verdict.problems:
            print(printable(f"{file}: {line}"))
        for field in submission.fields.empty:
            print(printable(f"{file}: nobody has filled the field {field}"))
        if verdict.problems:
            print(printable(f"{file}: refused"))
            status = max(status, 1)
        else:
            numbers, values = verdict.computed
            anew = f"{numbers:,} values of scores.json and {values:,} of queries.parquet"
            stated = "; ".join(verdict.stated)
            print(printable(f"{file}: stands. Computed anew: {anew}. Taken as stated: {stated}."))
    return status


COMMANDS = {
    "publish submit": Command(
        "pack the result of a model into one file that others can check", _submit_arguments, submit
    ),
    "publish validate": Command(
        "check submissions against the release", _validate_arguments, validate, negative="a submission is refused"
    ),
}
