"""Subcommands that score, compare and tune models."""

import argparse
import sys
from typing import TYPE_CHECKING

from authbench.app.cli import command
from authbench.app.cli.audit import columns_of
from authbench.config.registry.entries import default_settings, section_problems
from authbench.config.registry.typed_schema import part_for
from authbench.config.settings.evaluate import Training
from authbench.config.settings.values import choices
from authbench.core.errors import InputError
from authbench.core.extras import absent

if TYPE_CHECKING:
    from authbench.models.entries import ModelEntry
    from authbench.release.format.release import Release
    from authbench.scoring.evaluation.split import Split


def _evaluate_arguments(parser: argparse.ArgumentParser) -> None:
    command.path(
        parser,
        "release RELEASE",
        f"{command.PLACE}: a release, or any dataset that authbench audit reads, whose queries are then drawn by a "
        "keyed hash",
    )
    parser.add_argument("--split", default="test", help="split to evaluate on (default: test)")
    command.many(
        parser, "--column OURS=THEIRS", "a table's own name of a column, as for audit, if the dataset is not a release"
    )
    command.many(
        parser,
        "--model MODEL",
        "model: a name of config/models, the path of an entry (.yaml), a folder of sentence-transformers or "
        "transformers, owner/name of Hugging Face, or module:function; may be repeated",
    )
    for kind, about in (
        ("vectors", "vectors by id that a model gave elsewhere (.npz, .parquet, .npy, .safetensors)"),
        ("run", "ranked candidates of each query, six columns as TREC has them"),
        ("pairs", "scores of the released pairs (.parquet or .csv: query_id, candidate_id, score)"),
    ):
        command.many(parser, f"--{kind} FILE", f"{about}; may be repeated", dest=f"given_{kind}")
    command.option(parser, "--name NAME", "name in the results of the only model given (default: of its file)")
    command.flag(parser, "--sanity", "also score the sanity rows, from which gains are measured")
    command.many(parser, "--metric NAME", "metric of an installed package (docs/plug-ins.md); may be repeated")
    command.option(parser, "--familiarity MODEL", "language model whose loss tells which texts it has read")
    command.path(parser, "--out DIR", "output directory; one subdirectory per model", required=True)
    command.cache_arguments(parser)
    parser.add_argument(
        "--dev",
        default="dev",
        metavar="SPLIT",
        help="split on which the shortcut to beat is chosen; without it, half of the authors (default: dev)",
    )
    for what in ("queries", "candidates"):
        parser.add_argument(
            f"--max-{what}",
            type=command.whole_number,
            nargs="+",
            default=[],
            metavar="N",
            help=f"most {what}, drawn by a keyed hash; of several numbers each gives a part of the split",
        )
    parser.add_argument(
        "--seed",
        type=command.seed,
        help="random seed for drawing negatives and bootstrap intervals (default: the release's, else 0)",
    )
    command.unverified_argument(parser)


def evaluate(arguments: argparse.Namespace) -> int:
    from authbench.config.plugins import load_metric
    from authbench.core.presentation.inert_csv import as_csv
    from authbench.core.storage.atomic import write_text
    from authbench.reports.leaderboard.tables import scores_of_pieces
    from authbench.scoring.evaluation.joined import comparable_results, join
    from authbench.scoring.evaluation.part import parts
    from authbench.scoring.evaluation.run import evaluate, expect_usable, line
    from authbench.scoring.evaluation.split import read_dev
    from authbench.scoring.evaluation.verification import draw_negatives

    models = _requested_models(arguments)
    metrics = [load_metric(name) for name in dict.fromkeys(arguments.metric)]
    release, split, seed = _open_split(arguments)
    command.warn_unverified(arguments.release, split.unverified)
    expect_usable(models, split)
    dev = read_dev(release, arguments.dev, split) if release and any(model.shortcut for model in models) else None
    cache, out = command.cache_of(arguments), arguments.out
    every = list(parts(split, arguments.max_queries, arguments.max_candidates, seed))
    for name, part in every:
        negatives = draw_negatives(part, seed)
        for model in models:
            result = evaluate(model, part, seed, out / name, cache, dev, negatives, metrics)
            print(line(f"{name} {model.name}".strip(), result), flush=True)
        join(comparable_results(out / name, models[-1].name))
    if every[0][0]:
        table = scores_of_pieces(out, [name for name, _ in every], [model.name for model in models])
        write_text(out / "parts.csv", as_csv(table))
        print(f"The scores of all parts: {out}/parts.csv")
        out = out / every[0][0]
    print(f"Scores: {out}/<model>/scores.json   Compare: authbench leaderboard {out}")
    return 0


def _open_split(arguments: argparse.Namespace) -> "tuple[Release | None, Split, int]":
    """Return as `auditing.scored.open_split` the split that the arguments name, with measured familiarity if asked."""
    from authbench.audit.auditing.scored import open_split
    from authbench.models.requested import load_model
    from authbench.release.reading.column_names import NAMES
    from authbench.scoring.evaluation.familiarity import measure_familiarity, with_familiarity

    columns = columns_of(arguments.column, NAMES)
    release, split, seed = open_split(arguments.release, arguments.split, arguments.seed, arguments.unverified, columns)
    if arguments.familiarity is not None:
        split = with_familiarity(split, measure_familiarity(split.documents, load_model(arguments.familiarity)))
    return release, split, seed


def _requested_models(arguments: argparse.Namespace) -> "list[ModelEntry]":
    """Return the models that the arguments name; print the assumptions about models without an entry."""
    from authbench.config.registry.checks import expect_distinct_names
    from authbench.models.requested import GIVEN, load_model, load_models, sanity_rows

    requested = list(arguments.model) + [
        f"{kind}={file}" for kind in GIVEN for file in getattr(arguments, f"given_{kind}")
    ]
    if not requested and not arguments.sanity:
        raise InputError("There is nothing to evaluate. Give --model, --vectors, --run, --pairs or --sanity.")
    if arguments.name is not None and len(requested) != 1:
        raise InputError(f"--name names one model, and {len(requested)} are given. Leave it out, or give one.")
    models = [load_model(requested[0], name=arguments.name)] if arguments.name is not None else load_models(requested)
    for model in models:
        for one in model.assumed:
            print(f"{model.name}: {one}", file=sys.stderr)
    names = [model.name for model in models]
    models += [row for row in sanity_rows() if row.name not in names] if arguments.sanity else []
    expect_distinct_names("--model", "models", (model.name for model in models))
    return models


def _leaderboard_arguments(parser: argparse.ArgumentParser) -> None:
    command.path(parser, "results DIR", command.SCORES, nargs="+")
    command.path(parser, "--out DIR", "output directory (default: leaderboard in the first DIR)")
    command.path(
        parser,
        "--release RELEASE",
        f"the release as it is now: {command.PLACE}; the page says if the scores were made on another version",
    )
    command.path(
        parser,
        "--people FILE",
        "people.json of a build (results/<name>/people): scores of people on the pairs that they judged",
    )
    parser.add_argument("--pdf", action="store_true", help="write each figure as a PDF too, for papers")
    parser.add_argument(
        "--hub-dataset",
        metavar="OWNER/NAME",
        help="id of the benchmark on the Hugging Face hub: also write eval_results/MODEL/.eval_results/, for the "
        "repositories of the models",
    )
    command.unverified_argument(parser)
    command.many(
        parser,
        "--metric KEY",
        "further column of the overall table, a key of scores.json such as roc_auc or eer_all; may be repeated",
    )


def leaderboard(arguments: argparse.Namespace) -> int:
    from authbench.reports.leaderboard.tables import metrics_of
    from authbench.reports.leaderboard.write import Edition, write_leaderboard

    first = arguments.results[0]
    out = arguments.out or (first.parent if first.is_file() else first) / "leaderboard"
    command.expect_kept(out, arguments)
    release = command.verified(arguments.release, arguments) if arguments.release else None
    board = write_leaderboard(
        arguments.results,
        out,
        arguments.pdf,
        people=arguments.people,
        edition=Edition(dataset=arguments.hub_dataset),
        extra=metrics_of(arguments.metric),
        release=release,
    )
    print(board)
    print(f"The leaderboard: {out}/index.html")
    return 0


def _explore_arguments(parser: argparse.ArgumentParser) -> None:
    command.path(parser, "scores SCORES", command.SCORES, nargs="+")
    command.path(
        parser, "--release RELEASE", f"the release that was evaluated, whose texts are then shown: {command.PLACE}"
    )
    command.path(parser, "--out DIR", "output directory; replaced if it exists", required=True, replaced=True)
    command.unverified_argument(parser)


def explore(arguments: argparse.Namespace) -> int:
    from authbench.reports.explorer.pages import write_explorer

    command.expect_with(arguments, "--release", "--unverified")
    release = command.verified(arguments.release, arguments) if arguments.release else None
    for line in write_explorer(arguments.scores, arguments.out, release):
        print(line)
    print(f"The explorer: {arguments.out}/index.html")
    return 0


def _train_arguments(parser: argparse.ArgumentParser) -> None:
    command.path(parser, "release RELEASE", command.PLACE)
    command.many(
        parser,
        "--model NAME",
        "model to tune: a name of config/models, the path of an entry, a folder or owner/name of Hugging Face; "
        "may be repeated",
        required=True,
    )
    command.path(parser, "--out DIR", "output directory for models, their config entries and curves", required=True)
    parser.add_argument(
        "--seeds",
        type=command.whole_number,
        default=default_settings()["train"]["seeds"],
        help="number of trainings, each with another random seed (default: %(default)s)",
    )
    defaults: dict[str, object] = {**default_settings()["train"]}
    for name, kind, about in (
        ("epochs", command.whole_number, "passes over the authors, a pair of texts of each"),
        ("batch", command.whole_number, "pairs per step; the other texts of a batch are the negatives"),
        ("learning-rate", command.amount, "peak learning rate"),
        ("evaluations", command.whole_number, "how often splits are scored, and a checkpoint written to go on from"),
        ("max-tokens", command.whole_number, "tokens of a text that are trained on; as many as the model's entry says"),
    ):
        default = defaults[name.replace("-", "_")]
        shown = about if default is None else f"{about} (default: {default})"
        parser.add_argument(f"--{name}", type=kind, default=default, help=shown)
    for name, about in (
        ("negatives", "matched: each pair has a text of somebody else that is like it in language, source, genre and "
         "length; batch: the texts of the batch alone"),
        ("precision", "what the forward pass is computed in, weights being in 32 bits; entry: the dtype of the model's "
         "entry"),
    ):  # fmt: skip
        shown = f"{about} (default: %(default)s)"
        parser.add_argument(f"--{name}", choices=choices(Training, name), default=defaults[name], help=shown)
    command.option(parser, "--from SPLIT", "split to train on (default: train)", dest="learnt", default="train")
    parser.add_argument(
        "--watch",
        nargs="+",
        default=defaults["watch"],
        metavar="SPLIT",
        help="splits to score during training, overall and by slice; no score decides anything (default: dev)",
    )
    command.flag(parser, "--tensorboard", "also write the curves for TensorBoard, to OUT/tensorboard")
    command.unverified_argument(parser)


def train(arguments: argparse.Namespace) -> int:
    from authbench.models.entries import expect_trainable
    from authbench.models.requested import load_models
    from authbench.scoring.evaluation.split import read_split
    from authbench.scoring.train.curves import write_curves
    from authbench.scoring.train.events import write_events
    from authbench.scoring.train.run import last_lines, train

    if arguments.tensorboard and (problem := absent("tensorboard")):
        raise problem

    models = load_models(arguments.model)
    for model in models:
        expect_trainable(model)
    settings = part_for(Training, vars(arguments))
    stated = {name: value for name, value in settings.items() if name != "watch"}  # splits of others have any name
    if problems := section_problems("train", {**stated, "seeds": arguments.seeds}):
        raise InputError("\n".join(problems))
    release = command.verified(arguments.release, arguments)
    learnt, *watched = (read_split(release, name) for name in (arguments.learnt, *dict.fromkeys(arguments.watch)))
    curves = train(models, learnt, watched, settings, range(arguments.seeds), release.seed, arguments.out)
    for line in last_lines(curves):
        print(line)
    write_curves(arguments.out / "curves.csv", arguments.out / "curves.svg")
    if arguments.tensorboard:
        write_events(curves, arguments.out / "tensorboard")
    print(f"Curves: {arguments.out}/curves.svg   Evaluate: authbench evaluate --model {arguments.out}/<model>.yaml")
    return 0


COMMANDS = {
    "evaluate": command.Command("score models on a split of a release", _evaluate_arguments, evaluate),
    "explore": command.Command("look at the errors of models that were evaluated", _explore_arguments, explore),
    "leaderboard": command.Command("compare models that were evaluated", _leaderboard_arguments, leaderboard),
    "train": command.Command("tune a model on a release", _train_arguments, train),
}
