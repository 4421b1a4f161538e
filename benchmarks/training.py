"""What does training on a release's train split gain, on texts of authors that it has not seen?

    PYTHONPATH=workflow python benchmarks/training.py RELEASE_DIR --work DIR --out docs/measured/training.md

Trains a model once per seed (`authbench train`), scores the untuned and the tuned models beside the rows that see no
style and TF-IDF on the test split, and writes what each gains over the untuned model and over the best shortcut. A run
that is killed goes on where it was.
"""

import argparse
import resource
import statistics
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import polars as pl

from authbench.models.requested import load_model, sanity_rows
from authbench.train.planned import tuned_name
from authbench.train.records import read_curves

SCORES = ("auc_matched", "auc_topic", "s@5_other_work")
SETTINGS = ("seeds", "epochs", "batch", "learning-rate", "max-tokens", "evaluations")
BESIDE = "tfidf"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("release", type=Path)
    parser.add_argument("--work", type=Path, required=True, help="folder of models, scores and the leaderboard")
    parser.add_argument("--out", type=Path, required=True, help="the page")
    parser.add_argument("--model", default="all-minilm-l6-v2")
    for name, default in zip(SETTINGS, (3, 8, 32, 5e-5, 128, 2), strict=True):
        parser.add_argument(f"--{name}", type=type(default), default=default, help="(default: %(default)s)")
    arguments = parser.parse_args()
    tuned, scores = arguments.work / "tuned", arguments.work / "scores"
    options = [part for name in SETTINGS for part in (f"--{name}", str(getattr(arguments, name.replace("-", "_"))))]
    seconds = run("train", str(arguments.release), "--model", arguments.model, "--out", str(tuned), *options)
    name = load_model(arguments.model).name
    names = [tuned_name(name, seed) for seed in range(arguments.seeds)]
    models = [arguments.model, *(f"{tuned}/{one}.yaml" for one in names), BESIDE, *(row.name for row in sanity_rows())]
    run(
        "evaluate", str(arguments.release), *(part for one in models for part in ("--model", one)), "--out", str(scores)
    )
    run("leaderboard", str(scores), "--out", str(arguments.work / "leaderboard"))
    board = arguments.work / "leaderboard"
    rows = pl.read_csv(board / "headline.csv"), pl.read_csv(board / "pairwise.csv")
    said = f"`authbench train --model {arguments.model} {' '.join(options)}`"
    page = as_text(name, names, *rows, read_curves(tuned / "curves.csv"), said, seconds)
    arguments.out.parent.mkdir(parents=True, exist_ok=True)
    arguments.out.write_text(page, encoding="utf-8")
    print(page)


def run(*command: str) -> tuple[float, float]:
    """Run a subcommand in its own process. Raises CalledProcessError if it fails.

    Returns:
        Seconds of the wall clock and of processors that it took.
    """
    start, before = time.perf_counter(), processor_seconds()
    subprocess.run([sys.executable, "-m", "authbench", *command], check=True)
    return time.perf_counter() - start, processor_seconds() - before


def processor_seconds() -> float:
    """Return the processor seconds of all processes that this one has waited for."""
    ended = resource.getrusage(resource.RUSAGE_CHILDREN)
    return ended.ru_utime + ended.ru_stime


def as_text(
    model: str,
    tuned: list[str],
    headline: pl.DataFrame,
    pairwise: pl.DataFrame,
    curves: pl.DataFrame,
    command: str,
    seconds: tuple[float, float],
) -> str:
    """Return the page.

    Args:
        model: the untuned model.
        tuned: the tuned ones, one per seed.
        headline: headline.csv of the leaderboard.
        pairwise: pairwise.csv of the leaderboard.
        curves: the CURVES of the trainings.
        command: what was run.
        seconds: of the wall clock and of processors that training took.
    """
    table = [
        "| score | untuned | tuned, mean ± sd over seeds | each seed | tuned − untuned "
        "| gain of the untuned over the best shortcut | gain of the tuned over it, each seed |",
        "| --- | ---: | ---: | --- | --- | --- | --- |",
    ]
    for score in SCORES:
        rows = {row["model"]: row for row in headline.filter(pl.col("score") == score).iter_rows(named=True)}
        if model not in rows or any(name not in rows for name in tuned):
            continue
        values = [rows[name]["value"] for name in tuned]
        spread = f" ± {statistics.stdev(values):.3f}" if len(values) > 1 else ""
        table.append(
            f"| {score} | {rows[model]['value']:.3f} | {statistics.mean(values):.3f}{spread} "
            f"| {', '.join(f'{value:.3f}' for value in values)} "
            f"| {'; '.join(difference(pairwise, score, name, model) for name in tuned)} "
            f"| {gain(rows[model])} | {'; '.join(gain(rows[name]) for name in tuned)} |"
        )
    ends = curves.sort("seed", "step").group_by("seed", maintain_order=True)
    dev = [
        f"- seed {row['seed']}: S@5 {row['s@5 before']:.3f} → {row['s@5 after']:.3f}, "
        f"AUC matched {row['auc before']:.3f} → {row['auc after']:.3f} in {row['steps']} steps"
        for row in ends.agg(
            pl.col("success@5").first().alias("s@5 before"),
            pl.col("success@5").last().alias("s@5 after"),
            pl.col("auc_matched").first().alias("auc before"),
            pl.col("auc_matched").last().alias("auc after"),
            steps=pl.col("step").last(),
        ).iter_rows(named=True)
    ]
    return "\n".join(
        [
            "# What training gains",
            "",
            "Written by `benchmarks/training.py RELEASE --work DIR --out`. Scores are of the test split, whose authors",
            "are not in train; intervals and p are those of the leaderboard (95 %, over authors; Holm).",
            "",
            f"{command}: {seconds[0] / 60:.1f} minutes, {seconds[1] / 60:.1f} of processors, for {len(tuned)} seeds.",
            "",
            *table,
            "",
            "On dev, before and after:",
            "",
            *dev,
            "",
        ]
    )


def gain(row: dict[str, Any]) -> str:
    """Return the gain of a row of headline.csv over the shortcut that it names; a dash where there is none."""
    if row["gain_value"] is None:
        return "—"
    return f"{row['gain_value']:+.3f} [{row['gain_low']:+.3f}, {row['gain_high']:+.3f}] over {row['against']}"


def difference(pairwise: pl.DataFrame, score: str, one: str, other: str) -> str:
    """Return what the first model scores above the second, and p; a dash where they were not compared."""
    for row in pairwise.filter(pl.col("metric") == score).iter_rows(named=True):
        if {row["model"], row["other"]} == {one, other}:
            sign = 1 if row["model"] == one else -1
            return f"{sign * row['difference']:+.3f} (p {row['p_holm']:.2g})"
    return "—"


if __name__ == "__main__":
    main()
