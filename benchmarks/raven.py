"""What does it take to find topics that are unlike, and to run RAVEN?

    PYTHONPATH=workflow:benchmarks python benchmarks/raven.py [--selection] [--stages] [--graph] [--blogs] [--seeds 5]

Selection: m = 100 of 4,000 topics x 384 dimensions, random numbers. Stages: every step on the planted corpus in one
process, m = 70, ten folds, ten verifiers, CPU seconds of each and the peak memory. Graph: the same by
`snakemake --cores 2 raven` in a copy of the project, CPU seconds of all jobs with their starts. Blogs: the table of
RAVEN on the Blog Authorship Corpus in the shared folder, up to six texts of 1,000 characters of each blogger, whose
industry is the topic; m = 12, three folds, four verifiers. Without an option, all.
"""

import argparse
import os
import resource
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, cast

import numpy as np
import polars as pl

from authbench.app.cli import main as run_command
from authbench.config.registry.entries import default_settings
from authbench.config.settings.evaluate import Raven
from authbench.scoring.verifiers import Bench
from authbench.suites.raven.answers import write_answers
from authbench.suites.raven.checks import load_verifiers
from authbench.suites.raven.documents import write_documents
from authbench.suites.raven.encoders import load_encoder
from authbench.suites.raven.layout import write_subsets
from authbench.suites.raven.page import write_report
from authbench.suites.raven.results import read_run
from authbench.suites.raven.subsets import fold_parts, plan, select_topics
from authbench.suites.raven.vectors import write_topics

sys.path[:0] = [str(Path(__file__).parents[1] / folder) for folder in ("tests/pipeline", "tests")]
from project import copy_project  # noqa: E402
from real_blogs import posts  # noqa: E402

SHORT: dict[str, Any] = {"sizes": [], "group": False, "encoders": ["tfidf"]}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    for part in ("selection", "stages", "graph", "blogs"):
        parser.add_argument(f"--{part}", action="store_true")
    parser.add_argument("--seeds", type=int, default=5, help="random subsets (default: 5)")
    asked = vars(parser.parse_args())
    SHORT["seeds"] = asked.pop("seeds")
    print("| step | CPU s | wall s |\n| --- | ---: | ---: |")
    for name, measure in (("selection", selection), ("stages", stages), ("graph", graph), ("blogs", blogs)):
        if asked[name] or not any(asked.values()):
            measure()
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(f"\nload {os.getloadavg()[0]:.0f}; peak memory of this process {peak:,.0f} MiB")


@contextmanager
def told(step: str, who: int = resource.RUSAGE_SELF) -> Iterator[None]:
    """Print the CPU and wall seconds of a block, of this process or of its children."""
    wall, used = time.perf_counter(), cpu(who)
    yield
    print(f"| {step} | {cpu(who) - used:,.1f} | {time.perf_counter() - wall:,.1f} |", flush=True)


def cpu(who: int) -> float:
    usage = resource.getrusage(who)
    return usage.ru_utime + usage.ru_stime


def selection() -> None:
    vectors = np.random.default_rng(0).normal(size=(4_000, 384))
    with told("select 100 of 4,000 topics x 384"):
        select_topics(vectors, 100)


def stages() -> None:
    settings = cast(Raven, {**default_settings()["raven"], **SHORT})
    verifiers = load_verifiers(settings)
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder)
        documents, topics, facts, pairs = (out / name for name in ("d.parquet", "t.parquet", "s.json", "pairs"))
        with told("documents"):
            write_documents("planted", documents, 0)
        with told("topics by tfidf"):
            write_topics(documents, load_encoder("tfidf"), settings, 0, topics)
        with told("subsets, folds, pairs"):
            write_subsets(documents, {"tfidf": topics}, settings, settings, 0, facts, pairs)
        for name, verifier in verifiers.items():
            drawn = [pairs / f"{subset.name}.parquet" for subset in plan(settings) if subset.trained]
            with told(f"{name}: {len(drawn)} subsets of {settings['folds']} folds"):
                for part, folds in fold_parts(settings).items():
                    path = out / "answers/all" / name / f"{part}.parquet"
                    write_answers(documents, facts, drawn, verifier, folds, Bench(0, out), path)
        with told("scores, tables, page"):
            answers = sorted((out / "answers").glob("*/*/*.parquet"))
            run = read_run(facts, pairs, answers, list(verifiers))
            write_report(run, settings, out / "report", {})


def graph() -> None:
    with tempfile.TemporaryDirectory() as folder:
        project = copy_project(Path(folder))
        with told("snakemake --cores 2 raven, whole", resource.RUSAGE_CHILDREN):
            project.build("raven", "run", *project.recipe({"raven": SHORT}))


def blogs() -> None:
    texts: dict[tuple[str, str], str] = {}
    for stem, author, _, text in posts():
        texts[stem, author] = f"{texts.get((stem, author), '')} {text}".lstrip()
    rows = [
        (author, industry, "en", text[start : start + 1_000])
        for (stem, author), text in texts.items()
        if (industry := stem.split(".")[3]) != "indUnk"
        for start in range(0, min(6_000, len(text) - 999), 1_000)
    ]
    chosen = [part for name in ("naive", "topicfit", "masked", "punctuation") for part in ("--verifier", name)]
    sizes = ["--topics", "12", "--folds", "3", "--seeds", str(SHORT["seeds"]), "--sizes", "--encoder", "tfidf"]
    with (
        tempfile.TemporaryDirectory() as folder,
        told(f"{len(rows):,} texts of blogs by {len({row[0] for row in rows})} bloggers"),
    ):
        table = pl.DataFrame(rows, schema=["author", "topic", "lang", "text"], orient="row")
        table.write_parquet(Path(folder) / "blogs.parquet")
        run_command(["raven", "run", f"{folder}/blogs.parquet", "--out", f"{folder}/out", *sizes, *chosen])


if __name__ == "__main__":
    main()
