"""Commands on corpora: list them, fetch them, and plan what a build of one takes."""

import argparse
import sys
from pathlib import Path

from authbench.app.cli import command
from authbench.app.cli.command import Command, amount, flag, option, path, raw_argument, share, whole_amount
from authbench.config.registry.entries import default_settings, read_yaml
from authbench.core.errors import InputError
from authbench.core.printable import printable

_RELEASED = 300_000  # documents of a release whose size nobody states


def _acquire_arguments(parser: argparse.ArgumentParser) -> None:
    option(parser, "sources SOURCE", "name of a source in config/sources (default: all)", nargs="*")
    raw_argument(parser)
    parser.add_argument(
        "--share",
        type=share,
        default=1.0,
        metavar="S",
        help="share of each source's files, chosen by a hash of their names, e.g. .01; a larger one later adds to it "
        "(default: all)",
    )
    for named, about in (
        ("--bytes N", "the most bytes of each source: a share that fits, e.g. 2e9"),
        ("--rows N", "the most rows of each source, read as a stream (Hugging Face), e.g. 1e5"),
    ):
        option(parser, named, about, type=whole_amount)


def acquire(arguments: argparse.Namespace) -> int:
    """Return 0 if all files are present and verified, 2 if not; messages say which and why."""
    from authbench.build.acquire import acquire_source
    from authbench.config.registry.sources import find_sources

    missing = []
    for tag, source in find_sources(arguments.sources).items():
        try:
            said = acquire_source(source, arguments.raw, arguments.share, arguments.bytes, arguments.rows)
            print(printable(said, keep="\n"), flush=True)
        except InputError as problem:
            missing.append(tag)
            print("authbench:", printable(str(problem), keep="\n"), file=sys.stderr, flush=True)
    if missing:
        print(f"authbench: not here: {', '.join(missing)}", file=sys.stderr)
    return 2 if missing else 0


def _sources_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--markdown", action="store_true", help="print them as Markdown, as in docs/sources.md")
    raw_argument(parser)


def sources(arguments: argparse.Namespace) -> int:
    from authbench.build.acquire.lock import lock_path, read_raw_lock
    from authbench.build.acquire.state import state
    from authbench.build.catalogue import as_markdown, as_text, measured_labels
    from authbench.config.registry.sources import find_sources

    command.expect_without(arguments, "--markdown", "--raw")
    known = find_sources()
    if arguments.markdown:
        sys.stdout.write(as_markdown(known, measured_labels()))
        return 0
    locked = read_raw_lock(lock_path(arguments.raw))
    states = {tag: state(source, arguments.raw, locked.get(tag)) for tag, source in known.items()}
    sys.stdout.write(as_text(known, states))
    return 0


def _plan_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--documents",
        type=amount,
        nargs="+",
        metavar="N",
        help="number of documents in the corpus, e.g. 1e8; of a corpus of posts and books, one number of each kind",
    )
    parser.add_argument(
        "--mean-chars",
        type=amount,
        nargs="+",
        metavar="N",
        help="mean length of a document in characters, e.g. 4e5 of a book; as many numbers",
    )
    parser.add_argument("--cores", type=int, metavar="N", help="jobs that run at the same time")
    parser.add_argument(
        "--release",
        type=amount,
        metavar="N",
        help=f"documents in the release (default: sample.documents of the recipe, else {_RELEASED})",
    )
    path(parser, "--configfile RECIPE", "recipe of the build: its settings, and how many documents it releases")
    flag(parser, "--detoxify", "the released texts are scored by Detoxify (safety.scorers)")
    path(
        parser,
        "--power RESULTS",
        "instead: the query authors that a build with a leaderboard would need, by language, and its sources that have "
        "them",
    )
    parser.add_argument(
        "--difference",
        type=share,
        default=0.03,
        metavar="D",
        help="with --power: the difference of two models' AUC matched to show (default: %(default)s)",
    )


def plan(arguments: argparse.Namespace) -> int:
    from authbench.app.plan import Corpus, make_plan
    from authbench.app.plan_text import as_text
    from authbench.app.power import power_text
    from authbench.app.rates import read_rates

    own = ("--documents", "--mean-chars", "--cores", "--release", "--configfile", "--detoxify")
    command.expect_without(arguments, "--power", *own)
    command.expect_with(arguments, "--power", "--difference")
    if arguments.power:
        sys.stdout.write(power_text(arguments.power, arguments.difference))
        return 0
    if not (arguments.documents and arguments.mean_chars and arguments.cores is not None):
        raise InputError("expected --documents, --mean-chars and --cores, or --power")
    if arguments.cores < 1:
        raise InputError(f"--cores: expected 1 or more, found {arguments.cores}")
    numbers, lengths = arguments.documents, arguments.mean_chars
    if len(numbers) != len(lengths):
        raise InputError(f"--mean-chars: expected {len(numbers)} numbers, as of --documents, found {len(lengths)}")
    rates, released, detoxify = read_rates(), arguments.release, arguments.detoxify
    settings = default_settings()
    if arguments.configfile:
        from authbench.app.config import prepare

        settings = prepare(read_yaml(arguments.configfile), Path(), need_files=False).config
        released = released or settings["sample"]["documents"]
        detoxify |= "detoxify" in settings["safety"]["scorers"]
    corpus = Corpus(list(zip(numbers, lengths, strict=True)), released or _RELEASED, arguments.cores, settings)
    sys.stdout.write(as_text(make_plan(corpus, rates, detoxify), rates))
    return 0


COMMANDS = {
    "sources acquire": Command(
        "fetch corpora and verify their files: exit 0 complete, 2 incomplete", _acquire_arguments, acquire
    ),
    "sources list": Command(
        "list the known corpora: languages, licence, origin, and which files are present", _sources_arguments, sources
    ),
    "plan": Command("estimate what a build takes, or how many authors a benchmark needs", _plan_arguments, plan),
}
