"""How are verifiers tried: on PAN's task, and on topics that are least alike?"""

import argparse
import sys
from pathlib import Path

from authbench.cli.command import Command, share


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
    from authbench.raven.command import run
    from authbench.raven.settings import of_arguments, verifiers_of

    settings = of_arguments(vars(arguments))
    print(run(settings, verifiers_of(settings, Path()).values(), MODELS, arguments.seed, arguments.out))
    print(f"All tables: {arguments.out}/report/index.html")
    return 0


COMMANDS = {
    "pan-evaluate": Command("score answers to PAN's verification task", pan_evaluate_arguments, pan_evaluate),
    "pan-pairs": Command("make pairs in PAN's format from documents", pan_pairs_arguments, pan_pairs),
    "pan-run": Command("let verifiers learn from pairs and answer others", pan_run_arguments, pan_run),
    "raven": Command("which verifiers lean on topics: HITS, random subsets, folds, tables", raven_arguments, raven),
}
