"""What can be done with a release?"""

import argparse
import sys
from pathlib import Path

import orjson

from authbench.cli.command import Command


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


def diff_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("a", type=Path, metavar="A", help="a release, or its public bundle")
    parser.add_argument("b", type=Path, metavar="B", help="a later one")
    parser.add_argument("--json", action="store_true", help="print one JSON object, with every document")


def diff(arguments: argparse.Namespace) -> int:
    """0: the same; 1: they differ, and it is said in what and why."""
    from authbench.diff.releases import read_release
    from authbench.diff.summary import difference, difference_text, is_same

    found = difference(read_release(arguments.a), read_release(arguments.b))
    if arguments.json:
        sys.stdout.write(orjson.dumps(found, option=orjson.OPT_INDENT_2 | orjson.OPT_APPEND_NEWLINE).decode())
    else:
        sys.stdout.write(difference_text(found))
    return 0 if is_same(found) else 1


def export_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("release", type=Path, metavar="RELEASE_DIR", help="a release, or its public bundle")
    parser.add_argument("--form", required=True, help="public, huggingface, beir, mteb, trec or pan")
    parser.add_argument("--out", type=Path, required=True, metavar="DIR", help="becomes the folder in that form")
    parser.add_argument("--config", type=Path, metavar="FILE", help="settings with a section publish")
    parser.add_argument("--runs", type=Path, metavar="DIR", help="for trec: what authbench evaluate wrote")
    parser.add_argument(
        "--with-tier-b", action="store_true", help="texts that may not be passed on too: for your own use"
    )


def export(arguments: argparse.Namespace) -> int:
    from authbench.export.publication import read_publication
    from authbench.export.run import PUBLIC, export, export_public
    from authbench.registry.sources import find_sources

    about = read_publication(arguments.config)
    if arguments.form == PUBLIC:
        export_public(arguments.release, arguments.out, about, find_sources())
    else:
        export(arguments.release, arguments.form, arguments.out, about, arguments.with_tier_b, arguments.runs)
    print(f"In the form {arguments.form}: {arguments.out}/   What it is: {arguments.out}/README.md")
    return 0


def rebuild_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("bundle", type=Path, metavar="PUBLIC_BUNDLE", help="what a release lets one pass on")
    parser.add_argument("--raw", type=Path, required=True, metavar="DIR", help="holds a folder of raw files per source")
    parser.add_argument("--out", type=Path, required=True, metavar="DIR", help="becomes the whole release")


def rebuild(arguments: argparse.Namespace) -> int:
    """0: the release is there, to the byte; 1: texts no longer match, each is named, and there is no release."""
    from collections import Counter

    from authbench.rebuild.run import rebuild

    unmatched = rebuild(arguments.bundle, arguments.raw, arguments.out)
    if not unmatched:
        print(f"The release, to the byte: {arguments.out}/")
        return 0
    for one in unmatched:
        print(f"{one.id} of {one.source}: {one.reason}")
    for (source, reason), number in sorted(Counter(one[1:] for one in unmatched).items()):
        print(f"{source}: {number} texts: {reason}", file=sys.stderr)
    print(f"{len(unmatched)} texts no longer match; nothing was written to {arguments.out}", file=sys.stderr)
    return 1


COMMANDS = {
    "check": Command("check a release: exit 0 sound, 1 violations, 2 cannot be read", check_arguments, check),
    "diff": Command("what changed between two releases, and why: exit 0 nothing, 1 something", diff_arguments, diff),
    "export": Command("write a release in a form that others use", export_arguments, export),
    "rebuild": Command(
        "make a release whole again of raw corpora: exit 0 done, 1 texts changed", rebuild_arguments, rebuild
    ),
}
