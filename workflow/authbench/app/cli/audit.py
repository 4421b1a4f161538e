"""The subcommand that audits a dataset."""

import argparse
import sys
from collections.abc import Collection, Sequence
from pathlib import Path

from authbench.app.cli import command
from authbench.core.errors import InputError
from authbench.core.extras import absent
from authbench.core.printable import printable

FEW_TEXTS, FEW_BYTES = 100, 50_000  # plain loops take a few seconds for these, and compiling the loops 40


def arguments(parser: argparse.ArgumentParser) -> None:
    command.path(
        parser,
        "source X",
        f"{command.PLACE}, or style:entry: a release or its splits, our Hugging Face folder, PAN pairs, a BEIR or MTEB "
        "folder, LUAR episodes, STEB JSON lines, tables with author and text, or a folder of texts; several are one "
        "dataset",
        nargs="+",
    )
    command.path(parser, "--out DIR", "folder for index.html, figures, audit.md and audit.json")
    parser.add_argument("--strict", action="store_true", help="exit 1 where a claim is broken")
    command.path(parser, "--clean DIR", "new folder for a version without the leaks, with diff.jsonl")
    command.many(
        parser,
        "--scores FILE",
        "published scores (CSV, JSON, a folder of them) or answers to PAN's problems; may be repeated",
        type=Path,
    )
    command.many(
        parser,
        "--column OURS=THEIRS",
        "a table's own name of a column (its number where there are no headings), such as author=user, "
        "content=body, lang, split, source, genre, date, item, account, origin; may be repeated",
    )
    command.option(parser, "--encoding NAME", "encoding of tables and plain texts (default: UTF-8, else Windows-1252)")
    parser.add_argument("--config", metavar="NAME", help="configuration to audit, where a dataset has several")
    command.path(parser, "--data DIR", "folder of the datasets that X, an entry of config/style, reads")
    parser.add_argument(
        "--texts",
        type=command.whole_number,
        default=10_000,
        metavar="N",
        help="texts of a split that the sanity rows are scored on (default: %(default)s)",
    )
    parser.add_argument(
        "--rows", type=command.whole_number, metavar="N", help="rows to read of each split (default: all)"
    )
    parser.add_argument("--brief", action="store_true", help="write only counts to audit.json, no ids")
    parser.add_argument("--seed", type=command.seed, default=0, help="random seed of draws and intervals (default: 0)")


def run(given: argparse.Namespace) -> int:
    """Return 0 when the audit is done; 1 with --strict if a claim is broken."""
    from authbench.audit.auditing.read import How, read_dataset
    from authbench.core.runtime.jit import stay_plain
    from authbench.release.reading.column_names import NAMES

    def say(line: str) -> None:
        print(f"authbench: {line}", file=sys.stderr, flush=True)

    command.expect_with(given, "--out", "--brief")
    if given.rows and given.clean:
        raise InputError("--clean writes whole files, and --rows reads a part of them. Leave one out.")
    columns = columns_of(given.column, NAMES)
    dataset = read_dataset(given.source, How(columns, given.data, given.encoding, given.config, given.rows), say)
    content, authors = dataset.documents["content"], dataset.documents["author"]
    if authors.n_unique() == 1 and not authors.null_count():
        raise InputError(
            f"All {len(authors):,} texts are by one author, and an audit compares authors. Another column may name "
            "them: --column author=NAME."
        )
    if content.len() <= FEW_TEXTS and int(content.str.len_bytes().sum()) <= FEW_BYTES:
        stay_plain()
    from authbench.audit.auditing.run import examine  # imported after it is known how its inner loops run

    result = examine(
        dataset, given.source, scores=given.scores, clean=given.clean, texts=given.texts, seed=given.seed, say=say
    )
    from authbench.audit.auditing.findings import IDS
    from authbench.audit.auditing.page import verdict, write_audit

    if given.out:
        if problem := absent("matplotlib"):
            say(f"index.html has no pictures: {problem}")
        write_audit(result, given.out, given.brief)
    for note in result.dataset["notes"]:
        print(printable(note))
    for finding in result.broken:
        first = ", ".join(printable(ident)[:60] for ident in finding.ids[:3])
        print(f"{finding.claim}: {len(finding.cases):,} cases, {len(finding.ids):,} ids ({first}...)")
    for line in verdict(result):
        print(printable(line))
    if given.out:
        print(f"The audit: {given.out}/index.html")
    if given.clean:
        print(f"The version without the leaks: {given.clean}")
        if any(finding.claim == IDS for finding in result.broken):
            print(f"Ids and the order of lines stay as they were there, and still tell authors ({IDS}).")
    return 1 if given.strict and result.broken else 0


def _languages_arguments(parser: argparse.ArgumentParser) -> None:
    command.path(parser, "source X", "results of a build (results/NAME), or a release")
    command.path(parser, "--out DIR", "folder for suspects.jsonl and summary.json", required=True, replaced=True)
    command.option(
        parser,
        "--most N",
        "number of suspects to list (default: %(default)s)",
        type=command.whole_number,
        default=5_000,
    )
    command.unverified_argument(parser)


def languages(given: argparse.Namespace) -> int:
    from authbench.audit.auditing.languages import audit_languages

    found = audit_languages(given.source, given.out, given.most, given.unverified)
    command.warn_unverified(given.source, found.get("release", {}).get("reason", ""))
    pairs = ", ".join(f"{pair} {number:,}" for pair, number in list(found["another_language"].items())[:8])
    print(f"{found['inspected']:,} texts, {found['too_short']:,} of them too short to tell a language by")
    print(f"Another language: {pairs or 'none'}. Too few letters of the script: {sum(found['low_script'].values()):,}.")
    print(f"Listed for a person to see: {found['listed']:,} in {given.out}/suspects.jsonl")
    return 0


def columns_of(given: Sequence[str], known: Collection[str]) -> dict[str, str]:
    """Return the tables' names of columns by ours.

    Raises:
        InputError: ours is unknown or has two names, or the column of texts is another of ours too.
    """
    found: dict[str, str] = {}
    for one in given:
        ours, sign, theirs = one.partition("=")
        ours = {"text": "content", "language": "lang"}.get(ours, ours)
        if not sign or not theirs or ours not in known:
            raise InputError(f"--column {one}: expected OURS=THEIRS, OURS one of {', '.join(known)}.")
        if found.setdefault(ours, theirs) != theirs:
            raise InputError(f"--column {one}: {ours} is {found[ours]} already. Give it once.")
    if list(found.values()).count(text := found.get("content", "")) > 1:
        raise InputError(f"--column content={text}: the column is something else too. Expected a column of texts.")
    return found


COMMANDS = {
    "audit": command.Command(
        "find leaks, noisy labels and shortcuts in any authorship dataset",
        arguments,
        run,
        negative="with --strict: a claim is broken",
    ),
    "release languages": command.Command(
        "list texts that may not be in their stated language", _languages_arguments, languages
    ),
}
