"""Is making a release of tier B again as cheap as reading its corpora was? Whole processes, as a user starts them.

    PYTHONPATH=workflow:benchmarks python benchmarks/rebuild.py [--documents 100000] [--turns 5]

Raw files of three formats with so many rows are ingested, released as tier B altogether, and bundled (as in
benchmarks/export.py). Then in turns, after one of each that does not count: `snakemake --until ingest_source` in a
clean copy of the project, and `authbench release rebuild` of the bundle. CPU seconds are user and system time of a
process and all that it started; those of the jobs alone are told by benchmarks/watch. Given are medians.
"""

import argparse
import os
import shutil
import statistics
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

import yaml
from build import read_told
from corpus import make_corpus
from export import TERMS, ingest, release_of, step, write_bundle
from machine import ROOT, heading

from authbench.core.runtime.inventory import fitting_shards

sys.path.append(str(ROOT / "tests/pipeline"))
from project import Project, copy_project, surroundings  # noqa: E402

Cost = tuple[float, float]  # CPU seconds, wall seconds


def make_bundle(folder: Path, documents: int) -> None:
    """`raw`, `sources`, `release` and `public` in the folder."""
    make_corpus(folder, documents)
    pages = {path.stem: yaml.safe_load(path.read_text()) for path in sorted((folder / "sources").glob("*.yaml"))}
    for page in pages.values():
        page["license"] = TERMS["B"]
    step(ingest, folder / "raw", folder / "ingested", pages, fitting_shards(documents * 600, 2))
    step(release_of, folder / "ingested", folder / "release", pages)
    write_bundle(folder / "release", folder / "public", pages)


def timed(command: Sequence[str], folder: Path, env: Mapping[str, str]) -> Cost:
    began = time.monotonic()
    with TemporaryDirectory() as aside, (Path(aside) / "said").open("w+") as said:
        process = subprocess.Popen(command, cwd=folder, env=env, stdout=said, stderr=said)
        _, status, used = os.wait4(process.pid, 0)
        if status:
            raise SystemExit((Path(aside) / "said").read_text())
    return used.ru_utime + used.ru_stime, time.monotonic() - began


def turn(project: Project, folder: Path) -> tuple[Cost, Cost, Cost]:
    """What Snakemake took to ingest, its jobs alone, and the rebuild."""
    for left in (project.folder / "results", project.folder / ".snakemake", folder / "again"):
        shutil.rmtree(left, ignore_errors=True)
    python = [sys.executable, "-m"]
    with TemporaryDirectory() as watched:
        env = surroundings({"PYTHONPATH": str(ROOT / "benchmarks/watch"), "WATCHED": watched})
        settings = ["--configfile", str(folder / "config.yaml"), "--config", f"raw_dir={folder / 'raw'}"]
        snakemake = timed(
            [*python, "snakemake", "--cores", "1", *settings, "--until", "ingest_source"], project.folder, env
        )
        jobs = [told for told in read_told(Path(watched)) if told.job]
    env = surroundings({"PYTHONPATH": str(project.folder / "workflow")})
    arguments = [str(folder / "public"), "--raw", str(folder / "raw"), "--out", str(folder / "again")]
    rebuild = timed([*python, "authbench", "release", "rebuild", *arguments], project.folder, env)
    assert (folder / "again/SHA256SUMS").read_bytes() == (folder / "release/SHA256SUMS").read_bytes()
    return snakemake, (sum(job.cpu for job in jobs), sum(job.end - job.start for job in jobs)), rebuild


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--documents", type=int, default=100_000)
    parser.add_argument("--turns", type=int, default=5)
    asked = parser.parse_args()
    with TemporaryDirectory() as place:
        folder = Path(place)
        make_bundle(folder, asked.documents)
        project = copy_project(folder / "project")
        for page in (folder / "sources").glob("*.yaml"):
            shutil.copy(page, project.folder / "config/sources")
        print(
            f"{heading()}\n\n| whole process | CPU s | least, most | wall s |\n| --- | ---: | ---: | ---: |", flush=True
        )
        turns = [turn(project, folder) for _ in range(asked.turns + 1)][1:]
    for name, costs in zip(
        ("`snakemake --until ingest_source`", "its jobs", "`authbench release rebuild`"),
        zip(*turns, strict=True),
        strict=True,
    ):
        cpu, wall = zip(*costs, strict=True)
        medians = statistics.median(cpu), statistics.median(wall)
        print(f"| {name} | {medians[0]:.1f} | {min(cpu):.1f}, {max(cpu):.1f} | {medians[1]:.1f} |", flush=True)


if __name__ == "__main__":
    main()
