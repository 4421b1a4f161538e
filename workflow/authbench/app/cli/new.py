"""The subcommand that drafts the description of a corpus."""

import argparse
import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING

from authbench.app.cli.audit import columns_of
from authbench.app.cli.command import Command, many, path
from authbench.core.errors import InputError
from authbench.core.printable import printable

if TYPE_CHECKING:
    from authbench.build.drafting.propose import Proposal
    from authbench.build.drafting.sample import Sample


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("what", type=_source, metavar="source", help="what to describe: a corpus")
    path(
        parser,
        "files FILES",
        "tables (CSV, TSV, JSON, JSON lines, Parquet, .xlsx, .ods), mail (.mbox), chats (of Telegram, WhatsApp, "
        "Discord), XML or TEI, also compressed or zipped, or a folder of them or of texts (author/title.txt, "
        "Author_Title.txt); at most 1,000 records are read",
        nargs="+",
    )
    options(parser)
    parser.add_argument("--yes", action="store_true", help="take the proposals without a question")
    parser.add_argument("--dry-run", action="store_true", help="print the files instead of writing them")
    parser.set_defaults(builds=False)


def _source(word: str) -> str:
    if word != "source":
        raise argparse.ArgumentTypeError(f"write `authbench new source {printable(word)}`")
    return word


def options(parser: argparse.ArgumentParser) -> None:
    """Add what a user can say of a corpus, which `build` takes, too."""
    parser.add_argument("--name", metavar="NAME", help="name of the source (default: that of the file or folder)")
    many(
        parser,
        "--column OURS=THEIRS",
        "the file's field for text, author, id, date, topic, lang or genre; may be repeated",
    )
    parser.add_argument("--encoding", metavar="NAME", help="encoding of the files (default: UTF-8, else Windows-1252)")


def run(given: argparse.Namespace) -> int:
    """Return 0 when the files are written or, with --dry-run, printed.

    Args:
        given: what `arguments` adds, and whether the corpus is built next.
    """
    from authbench.build.drafting.propose import FEWEST, FIELDS, propose
    from authbench.build.drafting.sample import read_sample
    from authbench.build.drafting.write import (
        entry_path,
        entry_text,
        expect_free,
        genre_of,
        name_of,
        put,
        recipe_path,
        recipe_text,
    )

    name = given.name or name_of(given.files)
    expect_free(name)
    columns = columns_of(given.column, FIELDS)
    sample = read_sample(given.files, given.encoding, columns.values())
    proposal = propose(sample, columns, genre_of(name), _identify, _ask)
    entry, recipe = entry_text(name, sample, proposal), recipe_text(name, proposal)
    texts = {entry_path(name): entry, recipe_path(name): recipe}
    _tell(name, sample, proposal)
    few = FEWEST - proposal.repeated if sample.whole else 0
    if few > 0:
        told = f"{name}: authors with two different texts or more: {proposal.repeated}; a benchmark needs {FEWEST}"
        if given.builds:
            raise InputError(f"{told}. Give more texts, or name another field: --column author=NAME.")
        print(f"  {told}, of this or other sources.")
    if given.dry_run:
        for path, text in texts.items():
            print(f"\n--- {path}\n{text}", end="")
        return 0
    if not given.yes:
        _confirm()
    put(name, sample, entry, recipe)
    print(f"Written: {', '.join(map(str, texts))}. Next: authbench build --configfile {recipe_path(name)}")
    return 0


def _tell(name: str, sample: "Sample", proposal: "Proposal") -> None:
    """Print what was read and what is proposed, with the evidence."""
    from authbench.core.words import plural

    of = "all" if sample.whole else "the first"
    records, files = plural(sample.records, "record"), plural(len(sample.files), "file")
    print(f"{name}: {of} {records} of {files}{_also(sample.assumed)}")
    for ours, (expression, why) in proposal.found.items():
        print(f"  {ours:<7} {printable(str(_shown(expression)))}: {why}")
    for note in proposal.notes:
        print(f"  {note}")
    if sample.bad:
        print(f"  {sample.bad:,} of the first records cannot be read.")
    if sample.left_out:
        print(f"  {sample.left_out:,} files of other kinds are left out.")


def _shown(expression: object) -> object:
    """Return the field or the constant of an expression."""
    if isinstance(expression, dict):
        return expression.get("field", expression.get("const"))
    return expression


def _also(assumed: Sequence[str]) -> str:
    return f" ({printable('; '.join(assumed))})" if assumed else ""


def _identify(texts: Sequence[str]) -> Sequence[str]:
    from authbench.core.runtime.jit import stay_plain

    stay_plain()  # compiling takes longer than so few texts
    from authbench.build.filter.language import candidates, identify
    from authbench.core.records import LANGUAGES

    return identify(texts, candidates(LANGUAGES))[0] if texts else []


def _ask(ours: str, fields: Sequence[str]) -> str:
    """Return the user's answer to which field it is. Raises InputError without a terminal."""
    said = {"content": "text"}.get(ours, ours)
    known = ", ".join(printable(one[:40]) for one in fields)[:400]
    if not sys.stdin.isatty():
        raise InputError(f"No field is surely the {said}. There are {known or 'none'}: give --column {said}=NAME.")
    for _ in range(3):
        answer = _answer(f"Which field is the {said}? ({known}) ").strip()
        if answer in fields:
            return answer
    raise InputError(f"No field is the {said}: give --column {said}=NAME.")


def _confirm() -> None:
    """Raise InputError unless the user takes the proposals."""
    if not sys.stdin.isatty():
        raise InputError("Nothing was written. --yes takes these proposals; --column OURS=THEIRS changes one.")
    if _answer("Take these? [Y/n] ").strip().lower() not in ("", "y", "yes"):
        raise InputError("Nothing was written. --column OURS=THEIRS changes a proposal.")


def _answer(question: str) -> str:
    try:
        return input(question)
    except EOFError:
        raise InputError("Nothing was written, as there was no answer.") from None


COMMANDS = {"new": Command("write the entry and recipe of your corpus from its files", arguments, run)}
