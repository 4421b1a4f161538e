"""What can one do with AuthBench from a shell, beside building?"""

import argparse
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import orjson

from authbench.errors import InputError


@dataclass(frozen=True)
class Command:
    """A subcommand: what `--help` says, its arguments, and what it does (the exit status is returned)."""

    about: str
    arguments: Callable[[argparse.ArgumentParser], None]
    run: Callable[[argparse.Namespace], int]


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


def acquire_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("sources", nargs="*", metavar="SOURCE", help="of config/sources (default: all)")
    raw_argument(parser)


def acquire(arguments: argparse.Namespace) -> int:
    """0: all is here and verified; 2: some is not, and the messages say which and why."""
    from authbench.acquire import acquire_source
    from authbench.catalogue import find_sources

    missing = []
    for tag, page in find_sources(arguments.sources).items():
        try:
            print(acquire_source(tag, page, arguments.raw), flush=True)
        except InputError as problem:
            missing.append(tag)
            print(f"authbench: {problem}", file=sys.stderr, flush=True)
    if missing:
        print(f"authbench: not here: {', '.join(missing)}", file=sys.stderr)
    return 2 if missing else 0


def raw_argument(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--raw", type=Path, default=Path("resources/raw"), metavar="DIR", help="raw_dir (default: resources/raw)"
    )


def sources_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--markdown", action="store_true", help="print the page docs/sources.md")
    raw_argument(parser)


def sources(arguments: argparse.Namespace) -> int:
    from authbench.acquire.lock import lock_path, read_lock
    from authbench.acquire.state import state
    from authbench.catalogue import as_markdown, as_text, read_sources

    known = read_sources()
    if arguments.markdown:
        sys.stdout.write(as_markdown(known))
        return 0
    locked = read_lock(lock_path(arguments.raw))
    states = {tag: state(tag, page, arguments.raw, locked.get(tag)) for tag, page in known.items()}
    sys.stdout.write(as_text(known, states))
    return 0


def evaluate_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("release", type=Path, metavar="RELEASE_DIR", help="folder with a folder per split")
    parser.add_argument("--split", default="test", help="which split asks (default: test)")
    parser.add_argument(
        "--model", action="append", required=True, metavar="NAME", help="of config/models, or a page of your own"
    )
    parser.add_argument("--out", type=Path, required=True, metavar="DIR", help="gets a folder per model")
    parser.add_argument("--cache", type=Path, metavar="DIR", help="keeps vectors (default: embeddings in --out)")
    parser.add_argument("--half", action="store_true", help="keep vectors in 16 bits")
    parser.add_argument("--seed", type=int, default=0, help="of drawn negatives and intervals (default: 0)")


def evaluate(arguments: argparse.Namespace) -> int:
    from authbench.evaluate.run import evaluate, line
    from authbench.evaluate.split import read_split
    from authbench.models.registry import expect_names_apart, find_model

    models = [find_model(name) for name in dict.fromkeys(arguments.model)]
    expect_names_apart(models)
    split = read_split(arguments.release, arguments.split)
    cache = arguments.cache or arguments.out / "embeddings"
    for model in models:
        result = evaluate(model, split, arguments.seed, arguments.out, cache, arguments.half)
        print(line(model.name, result), flush=True)
    print(f"Scores: {arguments.out}/<model>/scores.json   Compare: authbench leaderboard {arguments.out}")
    return 0


def leaderboard_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("results", nargs="+", type=Path, metavar="DIR", help="what authbench evaluate wrote")
    parser.add_argument(
        "--out", type=Path, metavar="DIR", help="gets the tables (default: leaderboard in the first DIR)"
    )


def leaderboard(arguments: argparse.Namespace) -> int:
    from authbench.leaderboard.write import write_leaderboard

    out = arguments.out or arguments.results[0] / "leaderboard"
    print(write_leaderboard(arguments.results, out))
    print(f"The leaderboard: {out}/index.html")
    return 0


def plan_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--documents", type=amount, required=True, metavar="N", help="documents of the corpus, e.g. 1e8"
    )
    parser.add_argument("--mean-chars", type=amount, required=True, metavar="N", help="their mean length in characters")
    parser.add_argument("--cores", type=int, required=True, metavar="N", help="jobs at a time")
    parser.add_argument(
        "--release", type=amount, default=300_000, metavar="N", help="documents released (default: 300000)"
    )


def plan(arguments: argparse.Namespace) -> int:
    from authbench.plan import Corpus, as_text, make_plan, read_rates

    if arguments.cores < 1:
        raise InputError(f"--cores: expected 1 or more, found {arguments.cores}")
    rates = read_rates()
    corpus = Corpus(arguments.documents, arguments.mean_chars, arguments.release, arguments.cores)
    sys.stdout.write(as_text(make_plan(corpus, rates), rates))
    return 0


def whole_number(text: str) -> int:
    """A number of things, at least one."""
    number = int(text)
    if number < 1:
        raise argparse.ArgumentTypeError(f"expected 1 or more, found {text}")
    return number


def amount(text: str) -> float:
    """A number of things, which may be written 1e8."""
    amount = float(text)
    if not 0 < amount < float("inf"):
        raise argparse.ArgumentTypeError(f"expected a number above 0, found {text}")
    return amount


def train_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("release", type=Path, metavar="RELEASE_DIR", help="folder with a folder per split")
    parser.add_argument("--model", required=True, metavar="NAME", help="where to begin: of config/models, or your own")
    parser.add_argument("--out", type=Path, required=True, metavar="DIR", help="gets models, their pages and curves")
    parser.add_argument(
        "--seeds", type=whole_number, default=3, help="trainings, each with a seed of its own (default: 3)"
    )
    parser.add_argument("--epochs", type=whole_number, default=1, help="pairs of each author (default: 1)")
    parser.add_argument("--batch", type=whole_number, default=32, help="pairs at a time (default: 32)")
    parser.add_argument("--learning-rate", type=amount, default=2e-5, metavar="RATE", help="(default: 2e-5)")
    parser.add_argument("--evaluations", type=whole_number, default=10, help="scores on the dev split (default: 10)")
    parser.add_argument("--from", dest="learnt", default="train", metavar="SPLIT", help="(default: train)")
    parser.add_argument("--dev", default="dev", metavar="SPLIT", help="(default: dev)")


def train(arguments: argparse.Namespace) -> int:
    from authbench.evaluate.split import read_split
    from authbench.models.registry import find_model
    from authbench.train.run import last_line, train
    from authbench.train.tune import TrainSettings

    model = find_model(arguments.model)
    settings = TrainSettings(arguments.epochs, arguments.batch, arguments.learning_rate, arguments.evaluations)
    learnt, dev = (read_split(arguments.release, name) for name in (arguments.learnt, arguments.dev))
    print(last_line(train(model, learnt, dev, settings, range(arguments.seeds), arguments.out)))
    print(f"Curves: {arguments.out}/curves.svg   Evaluate: authbench evaluate --model {arguments.out}/<model>.yaml")
    return 0


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
    from authbench.catalogue import read_sources
    from authbench.export.publication import read_publication
    from authbench.export.run import PUBLIC, export, export_public

    about = read_publication(arguments.config)
    if arguments.form == PUBLIC:
        export_public(arguments.release, arguments.out, about, read_sources())
    else:
        export(arguments.release, arguments.form, arguments.out, about, arguments.with_tier_b, arguments.runs)
    print(f"In the form {arguments.form}: {arguments.out}/   What it is: {arguments.out}/README.md")
    return 0


def pan_evaluate_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--truth", type=Path, required=True, metavar="FILE", help="truth.jsonl, or its folder")
    parser.add_argument(
        "--answers",
        type=Path,
        action="append",
        required=True,
        metavar="FILE",
        help="answers.jsonl of a system, or its folder",
    )
    parser.add_argument("--json", action="store_true", help="print one JSON object: system -> measures")
    parser.add_argument("--out", type=Path, metavar="DIR", help="gets tables, figures and index.html")
    parser.add_argument(
        "--year", type=int, choices=(2020, 2021), default=2021, help="whose mean is Overall (default: 2021)"
    )
    parser.add_argument("--holm", action="store_true", help="correct the significance of F1 for the number of pairs")
    parser.add_argument("--baseline", action="append", default=[], metavar="SYSTEM", help="which others must beat")
    parser.add_argument(
        "--subset", action="append", default=[], metavar="SYSTEM", help="a table where this one answers"
    )
    parser.add_argument("--pairs", type=Path, metavar="FILE", help="pairs.jsonl: do answers follow topics?")
    parser.add_argument("--topics", type=int, default=150, metavar="N", help="of that model (default: 150)")
    parser.add_argument(
        "--beside", type=Path, action="append", default=[], metavar="DIR", help="--out of another data set"
    )
    parser.add_argument("--seed", type=int, default=0, help="of all chance (default: 0)")


def pan_evaluate(arguments: argparse.Namespace) -> int:
    from authbench.pan.compare import scores_table
    from authbench.pan.page import as_text
    from authbench.pan.run import as_json, headed, read_systems, write_report
    from authbench.pan.significance import compare_all, matrix

    truth: Path = arguments.truth
    systems, notes = read_systems(truth, arguments.answers, arguments.baseline)
    for note in notes:
        print(f"authbench: {note}", file=sys.stderr)
    table = scores_table(systems, arguments.year)
    if arguments.json:
        sys.stdout.write(as_json(table))
    else:
        sys.stdout.write(as_text(headed(table)))
        if table.height > 1:
            pairs = compare_all(systems.truth, systems.only(table["system"]).scores, arguments.seed)
            sys.stdout.write("\n" + as_text(matrix(pairs, arguments.holm)))
    if arguments.out:
        name = (truth if truth.is_dir() else truth.parent).resolve().name
        write_report(
            systems,
            arguments.out,
            name,
            arguments.year,
            arguments.seed,
            arguments.subset,
            arguments.beside,
            arguments.pairs,
            arguments.topics,
        )
        print(f"The evaluation: {arguments.out}/index.html", file=sys.stderr)
    return 0


def style_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("data", type=Path, metavar="DATA_DIR", help="folder with the folders of the datasets")
    parser.add_argument(
        "--model", action="append", default=[], metavar="NAME", help="of config/models, or your own page"
    )
    parser.add_argument(
        "--dataset", action="append", metavar="NAME", help="of config/style, or your own page (default: all)"
    )
    parser.add_argument("--out", type=Path, required=True, metavar="DIR", help="gets a folder per model, and report/")
    parser.add_argument("--release", type=Path, metavar="RELEASE_DIR", help="take author retrieval from this release")
    parser.add_argument("--missing", choices=("skip", "error"), default="skip", help="datasets without files")
    parser.add_argument(
        "--long-texts", choices=("chunk_and_pool", "truncate", "both"), default="chunk_and_pool", help="of encoders"
    )
    parser.add_argument("--clusters", type=Path, metavar="FILE", help="frozen redundancy clusters (a clusters.json)")
    parser.add_argument("--cache", type=Path, metavar="DIR", help="keeps vectors (default: embeddings in --out)")
    parser.add_argument("--half", action="store_true", help="keep vectors in 16 bits")
    parser.add_argument("--seed", type=int, default=0, help="of k-means (default: 0)")


def style(arguments: argparse.Namespace) -> int:
    from authbench.models.registry import find_model
    from authbench.style.datasets import find_datasets, of_release
    from authbench.style.run import read_all, run
    from authbench.style.vectors import LONG_TEXTS
    from authbench.style.write import write_report

    models = [find_model(name) for name in arguments.model]
    datasets = of_release(find_datasets(arguments.dataset or ["all"]), arguments.release)
    cache = arguments.cache or arguments.out / "embeddings"
    if models:
        rows, absent = read_all(datasets, arguments.data, arguments.missing)
    for model in models:
        for long_texts in LONG_TEXTS if arguments.long_texts == "both" else [arguments.long_texts]:
            run(model, datasets, rows, absent, arguments.out, cache, long_texts, arguments.seed, arguments.half)
    print(write_report([arguments.out], arguments.out / "report", datasets, arguments.clusters))
    print(f"The report: {arguments.out / 'report'}/index.html")
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


def pan_pairs_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("documents", type=Path, metavar="RELEASE_OR_TABLE", help="with authors, topics and texts")
    parser.add_argument("--out", type=Path, required=True, metavar="DIR", help="gets train-large, train-small, test")
    parser.add_argument(
        "--setting", choices=("open", "closed"), default="open", help="are test authors and topics new?"
    )
    parser.add_argument("--topics", default="topic", metavar="COLUMN", help="what tells topics (default: topic)")
    parser.add_argument("--test", type=share, default=0.2, metavar="SHARE", help="of authors tested on (default: 0.2)")
    parser.add_argument(
        "--same", type=share, default=0.5, metavar="SHARE", help="of pairs by one author (default: 0.5)"
    )
    parser.add_argument("--small", type=share, default=0.2, metavar="SHARE", help="of train-large (default: 0.2)")
    parser.add_argument("--seed", type=int, default=0, help="of all chance (default: 0)")


def pan_pairs(arguments: argparse.Namespace) -> int:
    from authbench.pan.build import write_sets
    from authbench.pan.pairs import PairSettings

    settings = PairSettings(arguments.setting, arguments.test, arguments.same, arguments.small)
    facts = write_sets(arguments.documents, arguments.out, settings, arguments.topics, arguments.seed)
    for name, told in facts["sets"].items():
        print(f"{arguments.out / name}: " + ", ".join(f"{count:,} {what}" for what, count in told.items()))
    return 0


def share(text: str) -> float:
    """A number between 0 and 1."""
    value = float(text)
    if not 0 < value < 1:
        raise argparse.ArgumentTypeError(f"expected a number between 0 and 1, found {text}")
    return value


def pan_run_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--train", type=Path, required=True, metavar="DIR", help="pairs.jsonl and truth.jsonl")
    parser.add_argument("--calibrate", type=Path, metavar="DIR", help="likewise, for thresholds (default: --train)")
    parser.add_argument("--test", type=Path, required=True, metavar="FILE", help="pairs.jsonl, or its folder")
    parser.add_argument(
        "--verifier", action="append", required=True, metavar="NAME", help="of config/verifiers, or a page of your own"
    )
    parser.add_argument("--out", type=Path, required=True, metavar="DIR", help="gets <verifier>/answers.jsonl")
    parser.add_argument("--seed", type=int, default=0, help="of all chance (default: 0)")


def pan_run(arguments: argparse.Namespace) -> int:
    from authbench.pan.build import write_run
    from authbench.verifiers.registry import find_verifier

    for verifier in [find_verifier(name) for name in arguments.verifier]:
        out = arguments.out / verifier.name
        answers = write_run(verifier, arguments.train, arguments.calibrate, arguments.test, out, arguments.seed)
        print(f"{out}/answers.jsonl: {answers.height:,} answers", flush=True)
    return 0


def diff_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("a", type=Path, metavar="A", help="a release, or its public bundle")
    parser.add_argument("b", type=Path, metavar="B", help="a later one")
    parser.add_argument("--json", action="store_true", help="print one JSON object, with every document")


def diff(arguments: argparse.Namespace) -> int:
    """0: the same; 1: they differ, and it is said in what and why."""
    from authbench.diff.releases import read_release
    from authbench.diff.told import difference, in_words, same

    told = difference(read_release(arguments.a), read_release(arguments.b))
    if arguments.json:
        sys.stdout.write(orjson.dumps(told, option=orjson.OPT_INDENT_2 | orjson.OPT_APPEND_NEWLINE).decode())
    else:
        sys.stdout.write(in_words(told))
    return 0 if same(told) else 1


def raven_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "documents", nargs="?", default="planted", metavar="DOCUMENTS",
        help="a release, a folder with PAN's pairs and truth, or a table with author, topic and text "
        "(default: planted, a made-up corpus)",
    )  # fmt: skip
    parser.add_argument("--out", type=Path, required=True, metavar="DIR", help="gets everything; the page is in report")
    parser.add_argument("--verifier", action="append", metavar="NAME", help="of config/verifiers, or your own page")
    parser.add_argument("--encoder", action="append", metavar="NAME", help="of config/models, nmf, lda; first for HITS")
    parser.add_argument("--topics", type=int, metavar="M", help="of a subset (default: 70)")
    parser.add_argument("--folds", type=int, metavar="K", help="by topic (default: 10)")
    parser.add_argument("--seeds", type=int, metavar="R", help="random subsets (default: 5)")
    parser.add_argument("--sizes", type=int, nargs="*", metavar="M", help="other numbers of topics for HITS")
    parser.add_argument("--min-documents", type=int, metavar="N", help="a topic with fewer is left out (default: 5)")
    parser.add_argument("--seed", type=int, default=0, help="of all chance (default: 0)")


def raven(arguments: argparse.Namespace) -> int:
    from authbench.models.registry import MODELS
    from authbench.raven.run import run
    from authbench.raven.settings import of_arguments, verifiers_of

    settings = of_arguments(vars(arguments))
    print(run(settings, verifiers_of(settings, Path()).values(), MODELS, arguments.seed, arguments.out))
    print(f"All tables: {arguments.out}/report/index.html")
    return 0


COMMANDS = {
    "acquire": Command("fetch corpora, and verify what is here", acquire_arguments, acquire),
    "check": Command("check a release: exit 0 sound, 1 violations, 2 cannot be read", check_arguments, check),
    "diff": Command("what changed between two releases, and why: exit 0 nothing, 1 something", diff_arguments, diff),
    "evaluate": Command("score models on a split of a release", evaluate_arguments, evaluate),
    "export": Command("write a release in a form that others use", export_arguments, export),
    "leaderboard": Command("compare results of evaluate", leaderboard_arguments, leaderboard),
    "pan-evaluate": Command("score answers to PAN's verification task", pan_evaluate_arguments, pan_evaluate),
    "pan-pairs": Command("make pairs in PAN's format from documents", pan_pairs_arguments, pan_pairs),
    "pan-run": Command("let verifiers learn from pairs and answer others", pan_run_arguments, pan_run),
    "plan": Command("what a corpus of a given size takes: jobs, hours, memory, disk", plan_arguments, plan),
    "rebuild": Command(
        "make a release whole again of raw corpora: exit 0 done, 1 texts changed", rebuild_arguments, rebuild
    ),
    "raven": Command("which verifiers lean on topics: HITS, random subsets, folds, tables", raven_arguments, raven),
    "sources": Command(
        "list the known corpora: terms, where to get them, and what is here", sources_arguments, sources
    ),
    "style": Command("score models on datasets of style", style_arguments, style),
    "train": Command("tune a model on a release", train_arguments, train),
}


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


if __name__ == "__main__":
    sys.exit(main())
