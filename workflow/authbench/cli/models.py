"""How are models scored, compared and tuned?"""

import argparse
from pathlib import Path

from authbench.cli.command import Command, amount, whole_number


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
    parser.add_argument(
        "--cache", type=Path, metavar="DIR", help="keeps vectors, scores (default: embeddings in --out)"
    )
    parser.add_argument("--half", action="store_true", help="keep vectors in 16 bits")
    parser.add_argument("--seed", type=int, default=0, help="of k-means (default: 0)")


def style(arguments: argparse.Namespace) -> int:
    from authbench.models.registry import expect_vectors, find_model
    from authbench.style.datasets import find_datasets, of_release
    from authbench.style.run import read_all, run
    from authbench.style.vectors import LONG_TEXTS
    from authbench.style.write import write_report

    models = [find_model(name) for name in arguments.model]
    for model in models:
        expect_vectors(model)
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
    from authbench.models.registry import expect_trainable, find_model
    from authbench.train.curves import write_curves
    from authbench.train.run import last_line, train
    from authbench.train.settings import TrainSettings

    model = find_model(arguments.model)
    expect_trainable(model)
    settings = TrainSettings(arguments.epochs, arguments.batch, arguments.learning_rate, arguments.evaluations)
    learnt, dev = (read_split(arguments.release, name) for name in (arguments.learnt, arguments.dev))
    print(last_line(train(model, learnt, dev, settings, range(arguments.seeds), arguments.out)))
    write_curves(arguments.out / "curves.csv", model.name, arguments.out / "curves.svg")
    print(f"Curves: {arguments.out}/curves.svg   Evaluate: authbench evaluate --model {arguments.out}/<model>.yaml")
    return 0


COMMANDS = {
    "evaluate": Command("score models on a split of a release", evaluate_arguments, evaluate),
    "leaderboard": Command("compare results of evaluate", leaderboard_arguments, leaderboard),
    "style": Command("score models on datasets of style", style_arguments, style),
    "train": Command("tune a model on a release", train_arguments, train),
}
