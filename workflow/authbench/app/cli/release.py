"""Commands on releases: check, compare, export and rebuild."""

import argparse
import sys

import orjson

from authbench.app.cli import command
from authbench.app.cli.command import PLACE, Command, flag, path, unverified_argument, verified, warn_unverified
from authbench.core.errors import InputError
from authbench.core.printable import printable


def _check_arguments(parser: argparse.ArgumentParser) -> None:
    path(parser, "release RELEASE", PLACE)
    path(
        parser,
        "--config FILE",
        "settings that the release may have, e.g. a recipe; they override those in its manifest.json",
    )
    parser.add_argument("--json", action="store_true", help="print the violations as one JSON object, with all ids")


def check(arguments: argparse.Namespace) -> int:
    """Return 0 if the release is sound, 1 if a claim is broken; violations are printed with ids of documents."""
    from authbench.release.checking import ENDING, check_release
    from authbench.release.checking.settings import read_settings
    from authbench.release.format.files import CHECKED_SECTIONS
    from authbench.release.format.hub import release_of
    from authbench.reports.report.verify import check_drawings, unchecked

    granted = read_settings(arguments.config) if arguments.config else {}
    folder = release_of(arguments.release)
    violations = check_release(folder, {name: granted[name] for name in CHECKED_SECTIONS if name in granted})
    if not any(violation.code in ENDING for violation in violations):
        violations += check_drawings(folder)
    if arguments.json:
        report = {
            "release": str(arguments.release),
            "sound": not violations,
            "violations": [violation.as_dict() for violation in violations],
            "unchecked": unchecked(folder),
        }
        sys.stdout.write(orjson.dumps(report, option=orjson.OPT_INDENT_2 | orjson.OPT_APPEND_NEWLINE).decode())
    else:
        for line in [*violations, *(f"not checked: {what}" for what in unchecked(folder))]:
            print(line)
        count = len(violations)
        name = printable(str(arguments.release))
        print(f"{name}: " + (f"{count} claim{'s' * (count > 1)} broken" if count else "sound"))
    return 1 if violations else 0


def _diff_arguments(parser: argparse.ArgumentParser) -> None:
    path(parser, "a A", f"a release or its public bundle: {PLACE}")
    path(parser, "b B", "a later one, likewise")
    flag(parser, "--json", "print the differences as one JSON object, document by document")
    unverified_argument(parser)


def diff(arguments: argparse.Namespace) -> int:
    """Return 0 if both are equal, 1 if they differ; differences are printed with their causes."""
    from authbench.reports.diff.releases import read_release
    from authbench.reports.diff.summary import difference, difference_text, is_same

    releases = [read_release(folder, arguments.unverified) for folder in (arguments.a, arguments.b)]
    for one in releases:
        warn_unverified(one.release.folder, one.release.unverified)
    found = difference(*releases)
    if arguments.json:
        sys.stdout.write(orjson.dumps(found, option=orjson.OPT_INDENT_2 | orjson.OPT_APPEND_NEWLINE).decode())
    else:
        sys.stdout.write(difference_text(found))
    return 0 if is_same(found) else 1


def _release_notes_arguments(parser: argparse.ArgumentParser) -> None:
    path(parser, "a A", "directory of the earlier release or its public bundle")
    path(parser, "b B", "directory of the later release or its public bundle")
    path(parser, "--out FILE", "Markdown file to write; printed if not given")
    unverified_argument(parser)


def release_notes(arguments: argparse.Namespace) -> int:
    from authbench.core.storage.atomic import write_text
    from authbench.reports.diff.notes import release_notes
    from authbench.reports.diff.releases import read_release
    from authbench.reports.diff.summary import difference

    a, b = (read_release(folder, arguments.unverified) for folder in (arguments.a, arguments.b))
    for one in (a, b):
        warn_unverified(one.release.folder, one.release.unverified)
    notes = release_notes(a, b, difference(a, b))
    if arguments.out:
        write_text(arguments.out, notes)
        print(f"Release notes: {arguments.out}")
    else:
        sys.stdout.write(notes)
    return 0


def _export_arguments(parser: argparse.ArgumentParser) -> None:
    path(parser, "release RELEASE_DIR", "directory of a release, or of its public bundle")
    parser.add_argument(
        "--form",
        required=True,
        help="format: public, huggingface, beir, mteb, trec, pan, steb, or the name of a plug-in",
    )
    path(parser, "--out DIR", "output directory", required=True, replaced=True)
    path(parser, "--config FILE", "settings, of which the section `publish` is read")
    path(parser, "--runs DIR", "for trec: output directory of authbench evaluate")
    path(
        parser,
        "--scores DIR",
        "output directory of authbench evaluate, from which DATA_PROTECTION.md states the risk of re-identification",
    )
    flag(parser, "--with-tier-b", "include texts of tier B, which may not be passed on; for your own use only")
    unverified_argument(parser)


def export(arguments: argparse.Namespace) -> int:
    from authbench.config.registry.sources import find_sources
    from authbench.publish.export.freeze import read_publication
    from authbench.publish.export.run import PUBLIC, export, export_public

    command.expect_without(arguments, f"--form {PUBLIC}", "--runs", "--with-tier-b")
    about = read_publication(arguments.config)
    release = verified(arguments.release, arguments, complete=True)
    if arguments.form == PUBLIC:
        export_public(release, arguments.out, about, find_sources(), arguments.scores)
    else:
        export(release, arguments.form, arguments.out, about, arguments.with_tier_b, arguments.runs, arguments.scores)
    card = "   What it is: {0}/README.md" if (arguments.out / "README.md").exists() else ""
    print(f"In the form {arguments.form}: {arguments.out}/" + card.format(arguments.out))
    return 0


def _freeze_arguments(parser: argparse.ArgumentParser) -> None:
    path(parser, "release RELEASE_DIR", "directory of the complete release")
    path(parser, "--config RECIPE", "its recipe, which gets `publish.sha256`", required=True)


def freeze(arguments: argparse.Namespace) -> int:
    from authbench.publish.export.freeze import freeze
    from authbench.release.format.verify import open_verified

    about = freeze(open_verified(arguments.release, complete=True), arguments.config)
    print(f"{arguments.config}: version {about['version']} of {about['date']} is the release {about['sha256']}")
    for name, value in (("publisher", about["publisher"]), ("doi", about["doi"])):
        if value is None:
            print(f"Before it is deposited: set publish.{name}")
    return 0


def _rebuild_arguments(parser: argparse.ArgumentParser) -> None:
    path(parser, "bundle PUBLIC_BUNDLE", "directory that export --form public wrote")
    path(parser, "--raw DIR", "directory of the raw files, one subdirectory per source", required=True)
    path(parser, "--out DIR", "output directory; the complete release", required=True, replaced=True)
    parser.add_argument(
        "--partial",
        action="store_true",
        help="if texts no longer match, write a release of the other texts, which can be evaluated; "
        "not_found.csv names the missing texts",
    )
    unverified_argument(parser)


def rebuild(arguments: argparse.Namespace) -> int:
    """Return 0 if the release was rebuilt byte for byte, 1 if texts no longer match.

    In that case no file is written, or with --partial a release of the matching texts.
    """
    from collections import Counter

    from authbench.publish.rebuild.run import rebuild

    bundle = verified(arguments.bundle, arguments, complete=True)
    unmatched = rebuild(bundle, arguments.raw, arguments.out, arguments.partial)
    if not unmatched:
        print(f"The release, to the byte: {arguments.out}/")
        return 0
    for one in unmatched:
        print(printable(f"{one.id} of {one.source}: {one.reason}"))
    for (source, reason), number in sorted(Counter(one[1:] for one in unmatched).items()):
        print(printable(f"{source}: {number} texts: {reason}"), file=sys.stderr)
    written = "the release of the others is" if arguments.partial else "nothing was written to"
    print(f"{len(unmatched)} texts no longer match; {written} {arguments.out}", file=sys.stderr)
    return 1


def _merge_arguments(parser: argparse.ArgumentParser) -> None:
    path(parser, "a A", f"a release, which stays as it is: {PLACE}")
    path(parser, "b B", "directory of the second release, whose further texts are added")
    path(parser, "--out DIR", "output directory; the merged release", required=True, replaced=True)
    parser.add_argument("--name", help="name of the merged release (default: the names of both)")
    path(parser, "--takedown FILE", "author ids or SHA-256 of contents to exclude from both, one a line")
    unverified_argument(parser)


def merge(arguments: argparse.Namespace) -> int:
    from authbench.build.release.takedown import read_takedown
    from authbench.build.release.warnings import about_lists
    from authbench.publish.merging.run import merge

    first, second = (verified(folder, arguments, complete=True) for folder in (arguments.a, arguments.b))
    takedown = read_takedown(arguments.takedown) if arguments.takedown else frozenset()
    found = merge(first, second, arguments.out, arguments.name or f"{first.name}-{second.name}", takedown)
    for stated in found["merged"]:
        gone = ", ".join(f"{reason} {number:,}" for reason, number in stated["removed"].items())
        print(
            printable(f"{stated['name']}: {stated['kept']:,} of {stated['documents']:,} documents")
            + (f" ({gone})" if gone else "")
        )
    lost = "entries_without_a_document"
    before = sum(release.manifest["takedown"].get(lost, 0) for release in (first, second))
    for line in about_lists({}, {lost: found["takedown"][lost] - before}):
        print(f"authbench: {line}", file=sys.stderr)
    totals = found["totals"]
    print(f"{totals['documents']:,} documents by {totals['authors']:,} authors, {totals['queries']:,} queries: "
          f"{arguments.out}/")  # fmt: skip
    return 0


def _lookup_arguments(parser: argparse.ArgumentParser) -> None:
    path(parser, "release RELEASE_DIR", "directory of a release or its public bundle")
    parser.add_argument("--handle", required=True, metavar="NAME", help="the author's label in the raw corpus")
    parser.add_argument("--source", metavar="TAG", help="the source to search (default: all of the release)")
    unverified_argument(parser)


def lookup(arguments: argparse.Namespace) -> int:
    """Return 0 if the author is in the release, else 1; the handle is not printed."""
    import os

    from authbench.build.ingest.aliases import persons_file, read_aliases
    from authbench.config.registry.sources import find_sources
    from authbench.publish.lookup import look_up, sources_of

    release = verified(arguments.release, arguments, complete=True)
    tags = [arguments.source] if arguments.source else sources_of(release.provenance, release.absent)
    variable = release.setting("ingest.author_key_env")
    key = os.environ.get(variable, "") if variable else ""
    if variable and not key:
        raise InputError(f"The author ids are keyed: set the environment variable {variable} as in the build.")
    found = look_up(release, arguments.handle, find_sources(tags), key.encode() or None, read_aliases(persons_file()))
    if found.is_empty():
        print(f"Not in {release.folder}: {len(tags)} sources searched")
        return 1
    for ident, split, source in found.select("id", "split", "source").iter_rows():
        print(printable(f"{ident} {split} {source}"))
    print(f"{found.height} texts. Lines for the file of release.takedown, which removes them from the next build:")
    print("\n".join(sorted(found["author_id"].unique())))
    return 0


COMMANDS = {
    "check": Command("check a release", _check_arguments, check, negative="violations were found"),
    "release diff": Command("compare two releases", _diff_arguments, diff, negative="the releases differ"),
    "release notes": Command("write what changed between two releases", _release_notes_arguments, release_notes),
    "release merge": Command(
        "merge two releases into one: ids and splits stay, copies are left out", _merge_arguments, merge
    ),
    "release export": Command("write a release in the format of another tool or host", _export_arguments, export),
    "release freeze": Command("record in a recipe the checksum of its release", _freeze_arguments, freeze),
    "release lookup": Command(
        "find an author's texts in a release by handle, offline",
        _lookup_arguments,
        lookup,
        negative="the author is not in the release",
    ),
    "release rebuild": Command(
        "rebuild a complete release from its public bundle and raw files",
        _rebuild_arguments,
        rebuild,
        negative="texts of the raw files have changed",
    ),
}
