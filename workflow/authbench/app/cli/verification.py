"""Subcommands that evaluate verifiers: on PAN's task, and on topics that are least alike."""

import argparse
import sys
from pathlib import Path

from authbench.app.cli import command
from authbench.config.registry.entries import default_settings
from authbench.config.registry.typed_schema import part_for
from authbench.config.settings.evaluate import Pairs
from authbench.release.format.columns import POOLS
from authbench.suites.pan.pairs import SETTINGS, YEARS


def _pan_evaluate_arguments(parser: argparse.ArgumentParser) -> None:
    command.path(parser, "--truth FILE", "truth.jsonl, or its folder", required=True)
    command.many(parser, "--answers FILE", "answers.jsonl of a system, or its folder", type=Path, required=True)
    parser.add_argument("--json", action="store_true", help="print one JSON object: system -> measures")
    command.path(parser, "--out DIR", "output directory for tables, figures and index.html", replaced=True)
    parser.add_argument(
        "--year",
        type=int,
        choices=YEARS,
        help="year of PAN whose evaluator is followed: 2020 omits Brier from Overall; 2024 and 2025 "
        "detect machine-written texts (default: from the truth, 2021 if it says `same`)",
    )
    parser.add_argument(
        "--published-2020",
        action="store_true",
        help='count a score of 0.5 as "same author" in F0.5u, as the tables of PAN 2020 do; with --year 2020',
    )
    parser.add_argument("--holm", action="store_true", help="correct significance for the number of pairs of systems")
    parser.add_argument(
        "--compare",
        action="append",
        choices=("f1", "auc", "brier", "overall"),
        help="measure whose differences are tested on the terminal; may be repeated (default: f1)",
    )
    command.many(parser, "--baseline SYSTEM", "baseline, which other systems are compared with; may be repeated")
    command.many(parser, "--subset SYSTEM", "add a table of the problems that this system answers; may be repeated")
    command.path(parser, "--pairs FILE", "pairs.jsonl, to show whether answers follow topics")
    command.path(parser, "--train FILE", "pairs.jsonl to learn topics from (default: --pairs)")
    parser.add_argument(
        "--topics",
        type=command.whole_number,
        default=default_settings()["pan"]["topic_model"],
        metavar="N",
        help="topics of the topic model (default: %(default)s)",
    )
    command.many(parser, "--beside DIR", "output directory for another data set, for a table by data set", type=Path)
    parser.add_argument("--seed", type=command.seed, default=0, help="random seed (default: 0)")


def _pan_evaluate(arguments: argparse.Namespace) -> int:
    from authbench.core.presentation.tables import as_text
    from authbench.release.format.pan import form_of
    from authbench.suites.pan.compare import COMPARED, bounds_of, compare_all, matrix, scores_table, with_meta
    from authbench.suites.pan.page import measure_table
    from authbench.suites.pan.run import (
        HEADINGS,
        Texts,
        as_json,
        name_systems,
        read_systems,
        scores_with_chance,
        write_report,
    )

    command.expect_with(arguments, "--out", "--subset", "--pairs", "--beside")
    command.expect_with(arguments, "--pairs", "--train", "--topics", "--seed")
    command.expect_without(arguments, "--json", "--compare", "--holm")
    command.expect_with(arguments, "--year 2020", "--published-2020")
    truth: Path = arguments.truth
    answers = name_systems(arguments.answers, {"--baseline": arguments.baseline, "--subset": arguments.subset})
    year = arguments.year or form_of(truth / "truth.jsonl" if truth.is_dir() else truth)
    systems, notes = read_systems(truth, answers, arguments.baseline, arguments.published_2020, year)
    for note in notes:
        print(f"authbench: {note}", file=sys.stderr)
    table = scores_table(systems, year)
    if arguments.json:
        sys.stdout.write(as_json(table, bounds_of(systems, year)))
    else:
        sys.stdout.write(as_text(scores_with_chance(with_meta(systems), table, year, {})))
        if table.height > 1:
            ordered = systems.only(table["system"]).scores
            measures = arguments.compare or COMPARED[:1]
            pairs = compare_all(systems.truth, ordered, arguments.published_2020, year, measures)
            for measure in measures:
                shown = measure_table(measure, measure, matrix(pairs, arguments.holm, measure))
                sys.stdout.write(f"\n{HEADINGS[measure]}\n" + as_text(shown))
    if arguments.out:
        name = (truth if truth.is_dir() else truth.parent).resolve().name
        pairs, topics, seed, train = arguments.pairs, arguments.topics, arguments.seed, arguments.train
        texts = Texts(pairs, topics, seed, train) if pairs else None
        write_report(systems, arguments.out, name, year, arguments.subset, arguments.beside, texts)
        print(f"The evaluation: {arguments.out}/index.html", file=sys.stderr)
    return 0


def _pan_pairs_arguments(parser: argparse.ArgumentParser) -> None:
    usual: dict[str, object] = {**default_settings()["pan"]}
    command.path(parser, "documents RELEASE_OR_TABLE", "documents with authors, topics and texts")
    command.path(
        parser, "--out DIR", "output directory for train-large, train-small and test", required=True, replaced=True
    )
    parser.add_argument(
        "--setting",
        choices=SETTINGS,
        default=usual["setting"],
        help="open: authors and topics of the test set are not in train; closed: all are; the others: pairs that a "
        "release states, of that pool (default: %(default)s)",
    )
    command.option(parser, "--topics COLUMN", "column of topics (default: %(default)s)", default=usual["topics"])
    for name, about in (
        ("test", "share of authors in the test set"),
        ("same", "share of pairs by one author"),
        ("small", "size of train-small as a share of train-large"),
    ):
        default = usual[name]
        command.option(parser, f"--{name} SHARE", f"{about} (default: {default})", type=command.share, default=default)
    parser.add_argument("--seed", type=command.seed, default=0, help="random seed (default: 0)")
    command.unverified_argument(parser)


def _pan_pairs(arguments: argparse.Namespace) -> int:
    from authbench.release.format.hub import SCHEME
    from authbench.suites.pan.build import write_sets

    for pool in POOLS:
        command.expect_without(arguments, f"--setting {pool}", "--test")
    documents = arguments.documents
    if documents.is_dir() or str(documents).startswith(SCHEME):
        documents = command.verified(documents, arguments)
    settings = part_for(Pairs, vars(arguments))
    facts = write_sets(documents, arguments.out, settings, arguments.topics, arguments.seed)
    for name, counts in facts["sets"].items():
        print(f"{arguments.out / name}: " + ", ".join(f"{count:,} {what}" for what, count in counts.items()))
    return 0


def _pan_run_arguments(parser: argparse.ArgumentParser) -> None:
    command.path(parser, "--train DIR", "directory with pairs.jsonl and truth.jsonl", required=True)
    command.path(
        parser, "--calibrate DIR", "directory with the pairs and truth on which thresholds are set (default: --train)"
    )
    command.path(parser, "--test FILE", "pairs.jsonl to answer, or its directory", required=True)
    command.path(
        parser,
        "--likelihood-ratios DIR",
        "directory with further pairs and truth: also write likelihood_ratios.jsonl, decimal logarithms, from a "
        "logistic regression on the scores of these pairs",
    )
    command.many(
        parser,
        "--verifier NAME",
        "verifier: a name of config/verifiers, the path of an entry, or any model (a folder, owner/name, "
        "module:function, vectors=FILE with the SHA-256 of texts as ids), whose cosine decides; may be repeated",
        required=True,
    )
    command.path(parser, "--out DIR", "output directory; answers in <verifier>/answers.jsonl", required=True)
    parser.add_argument("--seed", type=command.seed, default=0, help="random seed (default: 0)")
    command.cache_arguments(parser)


def _pan_run(arguments: argparse.Namespace) -> int:
    from authbench.scoring.verifiers.requested import load_verifiers
    from authbench.suites.pan.answers import write_run

    cache = command.cache_of(arguments)
    for verifier in load_verifiers(arguments.verifier):
        out = arguments.out / verifier.name
        folders = arguments.train, arguments.calibrate, arguments.test, out
        answers = write_run(verifier, *folders, arguments.seed, cache, arguments.likelihood_ratios)
        print(f"{out}/answers.jsonl: {answers.height:,} answers", flush=True)
    return 0


def _pan_ratios_arguments(parser: argparse.ArgumentParser) -> None:
    command.path(parser, "evaluations DIR", "directory with the evaluation of each model")
    parser.add_argument("--pool", choices=POOLS, default=POOLS[0], help="pool of pairs (default: %(default)s)")
    command.path(parser, "--out DIR", "output directory for tables and figures", required=True, replaced=True)


def _pan_ratios(arguments: argparse.Namespace) -> int:
    from authbench.core.presentation.tables import as_text
    from authbench.suites.pan.forensic import write_ratios

    sys.stdout.write(as_text(write_ratios(arguments.evaluations, arguments.pool, arguments.out)))
    return 0


def _raven_arguments(parser: argparse.ArgumentParser) -> None:
    usual = default_settings()["raven"]
    parser.add_argument(
        "documents", nargs="?", default=usual["documents"], metavar="DOCUMENTS",
        help="a release, a directory with PAN's pairs and truth, or a table with author, topic and text "
        "(default: %(default)s, a made-up corpus)",
    )  # fmt: skip
    command.path(parser, "--out DIR", "output directory; tables in report", required=True)
    parser.add_argument(
        "--verifier",
        action="append",
        metavar="NAME",
        help=f"verifier, as authbench pan run takes it; may be repeated (default: {', '.join(usual['verifiers'])})",
    )
    parser.add_argument(
        "--encoder",
        action="append",
        metavar="NAME",
        help="what gives topics their vectors: any model (as authbench evaluate takes it), nmf or lda; may be "
        f"repeated, HITS goes by the first (default: {', '.join(usual['encoders'])})",
    )
    for name, letter, default, about in (
        ("topics", "M", usual["topics"], "topics of a subset"),
        ("folds", "K", usual["folds"], "cross-validation folds, by topic"),
        ("seeds", "R", usual["seeds"], "random subsets of as many topics"),
        ("min-documents", "N", usual["min_documents"], "leave out topics with fewer documents"),
    ):
        parser.add_argument(f"--{name}", type=int, metavar=letter, help=f"{about} (default: {default})")
    sizes = ", ".join(map(str, usual["sizes"]))
    command.option(parser, "--sizes M", f"other numbers of topics for HITS (default: {sizes})", type=int, nargs="*")
    parser.add_argument("--seed", type=command.seed, default=0, help="random seed (default: 0)")
    command.cache_arguments(parser)
    command.unverified_argument(parser)


def raven(arguments: argparse.Namespace) -> int:
    from authbench.core.storage.json_files import read_json
    from authbench.suites.raven.checks import from_arguments
    from authbench.suites.raven.command import run
    from authbench.suites.raven.documents import VERIFICATION

    settings, cache = from_arguments(vars(arguments)), command.cache_of(arguments)
    print(run(settings, arguments.seed, arguments.out, arguments.unverified, cache))
    command.warn_unverified(Path(arguments.documents), read_json(arguments.out / VERIFICATION).get("reason", ""))
    print(f"All tables: {arguments.out}/report/index.html")
    return 0


def _raven_folds_arguments(parser: argparse.ArgumentParser) -> None:
    command.path(parser, "folder RUN", "output directory of authbench raven run, or the graph's raven")
    command.path(parser, "--out DIR", "output directory; must not exist", required=True)
    parser.add_argument(
        "--subset", default="hits", metavar="NAME", help="folds to write: hits, random-0, ... (default: %(default)s)"
    )


def _raven_folds(arguments: argparse.Namespace) -> int:
    from authbench.suites.raven.answers import write_folds

    for line in write_folds(arguments.folder, arguments.subset, arguments.out):
        print(line)
    print(f"The folds: {arguments.out}")
    return 0


COMMANDS = {
    "pan evaluate": command.Command("score answers to PAN's verification task", _pan_evaluate_arguments, _pan_evaluate),
    "pan pairs": command.Command("make pairs in PAN's format from documents", _pan_pairs_arguments, _pan_pairs),
    "pan ratios": command.Command(
        "likelihood ratios of evaluated models on a release's pairs", _pan_ratios_arguments, _pan_ratios
    ),
    "pan run": command.Command("train verifiers on pairs and answer others with them", _pan_run_arguments, _pan_run),
    "raven run": command.Command("measure how far verifiers rely on topics (RAVEN)", _raven_arguments, raven),
    "raven folds": command.Command("write the folds of RAVEN as PAN's files", _raven_folds_arguments, _raven_folds),
}
