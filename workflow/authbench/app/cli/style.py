"""Subcommands of writing style: the suite of STEB by two protocols, and a leaderboard of results in STEB's layout."""

import argparse

from authbench.app.cli import command
from authbench.app.cli.command import Command, cache_arguments, cache_of, many, path, unverified_argument, verified

CHANCE = "random"  # a row of every table, whatever is requested


def _style_arguments(parser: argparse.ArgumentParser) -> None:
    path(parser, "data DATA_DIR", "folder with the folders of the datasets")
    many(
        parser,
        "--model MODEL",
        "model, as authbench evaluate takes it, or vectors=FILE, whose ids are the SHA-256 of texts; may be repeated",
    )
    parser.add_argument(
        "--dataset",
        action="append",
        metavar="NAME",
        help="dataset, a name of config/style or the path of your own entry; may be repeated (default: all)",
    )
    path(parser, "--out DIR", "output directory; one subdirectory per model, and report", required=True)
    path(parser, "--release RELEASE_DIR", "release to score author retrieval on, too")
    parser.add_argument(
        "--missing",
        choices=("skip", "error"),
        default="skip",
        help="what to do with datasets without files (default: skip)",
    )
    parser.add_argument(
        "--protocol",
        action="append",
        choices=("strict", "steb"),
        metavar="NAME",
        help="strict (our own) or steb (as its code does); may be repeated (default: both)",
    )
    parser.add_argument(
        "--long-texts",
        choices=("chunk_and_pool", "truncate", "both"),
        default="chunk_and_pool",
        help="how transformers read texts longer than their limit (default: chunk_and_pool)",
    )
    path(parser, "--clusters FILE", "clusters.json of an earlier report, whose redundancy clusters stay")
    cache_arguments(parser, "vectors and scores")
    parser.add_argument("--seed", type=command.seed, default=0, help="random seed of k-means (default: 0)")
    unverified_argument(parser)


def style(arguments: argparse.Namespace) -> int:
    from authbench.models.entries import expect_vectors
    from authbench.models.requested import load_models
    from authbench.suites.style.datasets import find_datasets, with_release
    from authbench.suites.style.entries import PROTOCOLS
    from authbench.suites.style.redundancy import read_clusters
    from authbench.suites.style.run import Chosen, read_all, run
    from authbench.suites.style.vectors import LONG_TEXTS
    from authbench.suites.style.write import write_report

    command.expect_with(arguments, "--model", "--protocol", "--long-texts", "--missing", "--seed")
    if arguments.clusters:
        read_clusters(arguments.clusters)
    asked = arguments.model
    models = load_models([*asked, *([CHANCE] if asked and CHANCE not in asked else [])])
    for model in models:
        expect_vectors(model)
    release = verified(arguments.release, arguments) if arguments.release else None
    datasets = with_release(find_datasets(arguments.dataset or ["all"]), release.folder if release else None)
    cache = cache_of(arguments)
    protocols = arguments.protocol or PROTOCOLS
    if models:
        rows, absent = read_all(datasets, arguments.data, arguments.missing, protocols)
    for model in models:
        for long_texts in (name for name in LONG_TEXTS if arguments.long_texts in (name, "both")):
            chosen = Chosen(long_texts, arguments.seed, protocols)
            run(model, datasets, rows, absent, arguments.out, cache, chosen, release)
    print(write_report([arguments.out], arguments.out / "report", datasets, arguments.clusters))
    print(f"The report: {arguments.out / 'report'}/index.html")
    return 0


def _steb_arguments(parser: argparse.ArgumentParser) -> None:
    path(
        parser,
        "results RESULTS_DIR",
        "folder with <dataset>/<model>/<episode>/<task>/metrics.json; of one result in several the first counts",
        nargs="+",
    )
    path(parser, "--out DIR", "output directory", required=True, replaced=True)


def steb(arguments: argparse.Namespace) -> int:
    from authbench.suites.style.datasets import find_datasets
    from authbench.suites.style.steb.report import write_board

    print(write_board(arguments.results, arguments.out, find_datasets(["all"])))
    print(f"The tables: {arguments.out}   In the form of their page: {arguments.out}/leaderboard_data.json")
    return 0


COMMANDS = {
    "style steb": Command("summarise results in STEB's layout as its leaderboard does", _steb_arguments, steb),
    "style run": Command("score models on datasets of writing style", _style_arguments, style),
}
