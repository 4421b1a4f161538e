"""What does training on a release's train split gain, on texts of authors that it has not seen?

    PYTHONPATH=workflow python benchmarks/training.py RELEASE_DIR --work DIR --out docs/measured/training.md
        [--read-tokens N]

Trains a model once per seed (`authbench train`), scores the untuned and the tuned models beside the rows that see no
style and TF-IDF on the test split, and writes what each gains over the untuned model and over the best shortcut. Seed 0
is trained once more, killed after its first checkpoint and resumed; the page says whether the weights are the same.
A run that is stopped goes on where it was; its seconds are those of all its parts, but for one ended by SIGKILL.
--read-tokens lowers the tokens of a text that the model reads, in training and in scoring, for speed.
"""

import argparse
import json
import resource
import signal
import statistics
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

import polars as pl
import yaml

from authbench.core.storage.atomic import sha256_of_file
from authbench.models.entries import ModelEntry
from authbench.models.parameters import TransformerParameters
from authbench.models.requested import load_model, sanity_rows
from authbench.release.format.release import open_release
from authbench.scoring.evaluation.gain import OVERALL, Scored, compare
from authbench.scoring.train.planned import tuned_name
from authbench.scoring.train.records import read_curves

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
    parser.add_argument("--read-tokens", type=int, help="tokens of a text that are read (default: the entry's)")
    arguments = parser.parse_args()
    arguments.work.mkdir(parents=True, exist_ok=True)
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))  # so that the seconds of this part are kept
    tuned, scores, board = (arguments.work / name for name in ("tuned", "scores", "leaderboard"))
    options = [part for name in SETTINGS for part in (f"--{name}", str(getattr(arguments, name.replace("-", "_"))))]
    entry = load_model(arguments.model)
    model = arguments.model
    if arguments.read_tokens:
        model = str(with_fewer_tokens(entry, arguments.read_tokens, arguments.work))
    train = ["train", str(arguments.release), "--model", model]
    seconds = timed(arguments.work / "seconds.json", *train, "--out", str(tuned), *options)
    same = same_after_a_kill(
        [*train, "--out", str(arguments.work / "killed"), *options, "--seeds", "1"], tuned, entry.name
    )
    names = [tuned_name(entry.name, seed) for seed in range(arguments.seeds)]
    models = [model, *(f"{tuned}/{one}.yaml" for one in names), BESIDE, *(row.name for row in sanity_rows())]
    scored = [part for one in models for part in ("--model", one)]
    run("evaluate", str(arguments.release), *scored, "--out", str(scores))
    run("leaderboard", str(scores), "--out", str(board))
    rows = pl.read_csv(board / "headline.csv"), pl.read_csv(board / "pairwise.csv")
    said = f"`authbench train --model {entry.name} {' '.join(options)}`"
    gained = gains_over(scores, entry.name, names)
    page = as_text(entry.name, names, *rows, gained, read_curves(tuned / "curves.csv"), said, seconds)
    notes = [of_release(arguments.release, arguments.read_tokens), as_said(same)]
    arguments.out.parent.mkdir(parents=True, exist_ok=True)
    arguments.out.write_text("\n".join([page, *notes, ""]), encoding="utf-8")
    print(page)


def with_fewer_tokens(entry: ModelEntry, tokens: int, folder: Path) -> Path:
    """Write the entry of a transformer that reads fewer tokens of a text, and return its path."""
    assert isinstance(entry.parameters, TransformerParameters)
    title = f"{entry.title}, {tokens} tokens of a text"
    changed = replace(entry, title=title, parameters=replace(entry.parameters, max_tokens=tokens)).as_dict()
    plain = {key: value for key, value in changed.items() if key not in ("name", "assumed")}
    path = folder / f"{entry.name}.yaml"
    path.write_text(yaml.safe_dump(plain, allow_unicode=True, sort_keys=False), encoding="utf-8")
    return path


def of_release(release: Path, tokens: int | None) -> str:
    """Return what was trained and tested on: names, sizes and the checksum of all files of a release."""
    opened = open_release(release)
    splits = opened.manifest["counts"]
    sizes = ", ".join(
        f"{name} {split['documents']:,} texts of {split['authors']:,} authors" for name, split in splits.items()
    )
    read = "" if tokens is None else f" The models read {tokens} tokens of a text, in training and in scoring."
    digest = sha256_of_file(release / "SHA256SUMS")
    return f"Release `{opened.manifest['name']}` (SHA-256 of its SHA256SUMS `{digest[:16]}…`): {sizes}.{read}"


def as_said(same: tuple[int, bool, str]) -> str:
    """Return what came of the training that was killed."""
    step, equal, digest = same
    outcome = f"the same weights and curve (SHA-256 `{digest[:16]}…`)" if equal else "OTHER weights or another curve"
    return f"\nSeed 0 once more, killed (SIGKILL) after the checkpoint of step {step} and resumed: {outcome}."


def same_after_a_kill(command: list[str], tuned: Path, model: str) -> tuple[int, bool, str]:
    """Train seed 0 again, kill it after its first checkpoint, resume it and compare it with the one never killed.

    Returns:
        The step of the checkpoint, whether weights and curve are the same, and the SHA-256 of the weights.
    """
    name = tuned_name(model, 0)
    folder = Path(command[command.index("--out") + 1])
    unfinished, stated = folder / f"{name}.unfinished", folder / "killed_at.json"
    if not stated.is_file():
        training = subprocess.Popen([sys.executable, "-m", "authbench", *command])
        try:
            while not (steps := sorted(unfinished.glob("checkpoint-*/trainer_state.json"))):
                if training.poll() is not None:
                    raise SystemExit("The training ended before it could be killed. Set more --evaluations.")
                time.sleep(0.2)
        finally:
            training.kill()
            training.wait()
        stated.write_text(json.dumps({"step": int(steps[0].parent.name.removeprefix("checkpoint-"))}), encoding="utf-8")
    run(*command)
    weights = [sha256_of_file(one / name / "model.safetensors") for one in (tuned, folder)]
    curves = [json.loads((one / f"{name}.json").read_text(encoding="utf-8"))["curve"] for one in (tuned, folder)]
    step = json.loads(stated.read_text(encoding="utf-8"))["step"]
    return step, weights[0] == weights[1] and curves[0] == curves[1], weights[0]


def timed(path: Path, *command: str) -> tuple[float, float]:
    """Run a subcommand and return the seconds of it and of its parts before, which were stopped.

    Args:
        path: where the seconds of each part are kept.

    Returns:
        Seconds of the wall clock and of processors.
    """
    before = json.loads(path.read_text(encoding="utf-8")) if path.is_file() else [0.0, 0.0]
    start, used = time.perf_counter(), processor_seconds()
    total = before
    training = subprocess.Popen([sys.executable, "-m", "authbench", *command])
    try:
        status = training.wait()
    finally:
        training.terminate()
        training.wait()
        total = [before[0] + time.perf_counter() - start, before[1] + processor_seconds() - used]
        path.write_text(json.dumps(total), encoding="utf-8")
    if status:
        raise subprocess.CalledProcessError(status, command)
    return total[0], total[1]


def run(*command: str) -> None:
    """Run a subcommand in its own process. Raises CalledProcessError if it fails."""
    subprocess.run([sys.executable, "-m", "authbench", *command], check=True)


def processor_seconds() -> float:
    """Return the processor seconds of all processes that this one has waited for."""
    ended = resource.getrusage(resource.RUSAGE_CHILDREN)
    return ended.ru_utime + ended.ru_stime


def as_text(
    model: str,
    tuned: list[str],
    headline: pl.DataFrame,
    pairwise: pl.DataFrame,
    gained: pl.DataFrame,
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
        gained: what the tuned models gain over the untuned one (`evaluation.gain.GAINS`).
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
            f"| {'; '.join(difference(pairwise, gained, score, name, model) for name in tuned)} "
            f"| {gain(rows[model])} | {'; '.join(gain(rows[name]) for name in tuned)} |"
        )
    ends = curves.filter(split="dev", facet="overall").sort("seed", "step").group_by("seed", maintain_order=True)
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


def gains_over(scores: Path, model: str, tuned: list[str]) -> pl.DataFrame:
    """Return what models gain over another on the same queries, by score, with bootstrap intervals over authors."""
    tables = {name: pl.read_parquet(scores / name / "queries.parquet").sort("id") for name in (model, *tuned)}
    stated = json.loads((scores / model / "scores.json").read_text(encoding="utf-8"))
    models = [Scored(name, name == model, table, {}) for name, table in tables.items()]
    compared = compare(models, stated["benchmark"].get("pool_authors", {}), stated["settings"]["seed"])
    return compared.gains.filter(pl.col("facet") == OVERALL[0], pl.col("against") == model)


def difference(pairwise: pl.DataFrame, gained: pl.DataFrame, score: str, one: str, other: str) -> str:
    """Return what the first model scores above the second, its interval and p; a dash where they were not compared."""
    intervals = {(row["model"], row["score"]): row for row in gained.iter_rows(named=True)}
    for row in pairwise.filter(pl.col("metric") == score).iter_rows(named=True):
        if {row["model"], row["other"]} == {one, other}:
            sign = 1 if row["model"] == one else -1
            known = intervals.get((one, score))
            shown = "" if known is None or known["low"] is None else f"[{known['low']:+.3f}, {known['high']:+.3f}], "
            return f"{sign * row['difference']:+.3f} ({shown}p {row['p_holm']:.2g})"
    return "—"


if __name__ == "__main__":
    main()
