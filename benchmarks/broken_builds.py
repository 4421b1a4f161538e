"""Let a call of one job of a whole build fail: does the build end right, then or when it is run again?

    python benchmarks/broken_builds.py [--builds 40] [--resume FILE] [--minutes N] [--table]

Faults are those of benchmarks/faults.py, spread over kinds of calls, jobs and the calls of a job. Each meets a build
from nothing of a few dozen texts (tests/pipeline/tiny.py), by Snakemake, in a folder of its own. A build is wrong if

- it ends well and a file of the results is other than that of a clean build,
- it ends badly and the job does not say why in one message, or a traceback is printed,
- it ends badly and a file under a final name is other than that of a clean build, or a temporary file is left,
- the same command, run again without a fault, does not end well with the bytes of a clean build.

FILE (JSON lines) keeps each build: those that it has are not tried again.
"""

import argparse
import shutil
import tempfile
from collections import defaultdict
from collections.abc import Sequence
from itertools import islice
from pathlib import Path
from typing import Any

import faults
import resumed
from faults import ENDED_BY_LIBC, Point, call_of
from forked import COUNTS, fault_in
from machine import ROOT, heading
from tiny import NAME, RECIPE, Project

KEPT = ROOT / "docs/measured/broken_builds.jsonl"
PAGE = ROOT / "docs/measured/faults.md"
OF_THE_RUN = "/index.html"  # which says how the run ended
SCORED = "sample/scores.parquet.parts/"  # batches that were scored: kept for the next run, removed at the end of one


class Builds:
    """Whole builds of a project, one fault each, and what a clean one gives."""

    def __init__(self, bench: faults.Bench, folder: Path) -> None:
        """Take the build that `bench` made as the clean one; none of its jobs was run again yet."""
        self.bench, self.folder, self.right = bench, folder, digests(bench.project)

    def build(self, project: Project, point: Point | None = None) -> tuple[int, str]:
        """Build, with the fault of a point if there is one; return the exit status and all that was printed."""
        env = fault_in(point.job, call_of(point)) if point else {}
        arguments = ["--cores", "1", "release", *project.recipe(RECIPE)]
        return self.bench.server.snakemake(arguments, project.folder, env)

    def attempt(self, point: Point) -> dict[str, Any]:
        """Return what came of a build with a fault, and of the same build run again."""
        project = self.bench.project.copy(self.folder / "broken", with_results=False)
        status, said = self.build(project, point)
        wrong = self.wrong_with(project, point, status, said)
        if status and not wrong:
            again, complaint = self.build(project)
            if again or digests(project) != self.right or temporary_files(project):
                wrong = f"run again it ends with {again}: {complaint[-1500:]}"
        shutil.rmtree(project.folder)
        counted = COUNTS.search(said)  # none where the process of the job ended at once
        fired = int(counted[1].split()[-2]) if counted else 1
        found = {**point._asdict(), "status": status, "fired": fired, "wrong": wrong}
        return found | ({"said": said[-3000:]} if wrong else {})

    def wrong_with(self, project: Project, point: Point, status: int, said: str) -> str:
        """Return what is wrong with the end of a build; nothing if it ended well, or badly in a way that is clear."""
        found = digests(project)
        if not status:
            return "" if found == self.right else f"not as they must be: {apart(found, self.right)}"
        apart_from = sorted(name for name in found if self.right.get(name) != found[name])
        false = [name for name in apart_from if not name.endswith(OF_THE_RUN) and SCORED not in name]
        if false:
            return f"false under a final name: {', '.join(false)}"
        if "Traceback (most recent" in said:
            return "it prints a traceback"
        ended_by_libc = f"status {ENDED_BY_LIBC}" in said
        if not ended_by_libc and f"\n{point.job.replace('/', ' ')}: " not in said:
            return f"{point.job} does not say why"
        left = temporary_files(project)
        return f"left: {left}" if left and not ended_by_libc else ""


def digests(project: Project) -> dict[str, str]:
    """Return the digests of the files of results, by path."""
    results = project.folder / "results" / NAME
    places = [path for path in results.glob("*") if path.name != "logs"]  # messages with times
    return faults.digests(places, project.folder)


def temporary_files(project: Project) -> list[str]:
    return [path.name for path in (project.folder / "results").rglob(".*") if faults.LEFT.fullmatch(path.name)]


def apart(one: dict[str, str], other: dict[str, str]) -> str:
    return ", ".join(sorted(name for name in {*one, *other} if one.get(name) != other.get(name)))


def table(lines: Sequence[dict[str, Any]]) -> str:
    """Return the counts of builds by kind of fault, without those whose call did not come."""
    of = defaultdict(list)
    for line in lines:
        if line["fired"]:
            of[line["fault"]].append(line)
    fired = [line for some in of.values() for line in some]
    wrong = sum(bool(line["wrong"]) for line in fired)
    rows = [
        f"{len(fired)} builds with a fault in one of {len({line['job'] for line in fired})} jobs, {wrong} wrong results"
    ]
    rows += ["", "| fault | of | builds | ended well | ended well when run again | wrong |"]
    rows += ["| --- | --- | ---: | ---: | ---: | ---: |"]
    for fault, some in sorted(of.items()):
        kinds = ", ".join(sorted({line["kind"] for line in some}))
        bad = sum(bool(line["wrong"]) for line in some)
        well = sum(not line["wrong"] and not line["status"] for line in some)
        rows.append(f"| {fault} | {kinds} | {len(some)} | {well} | {len(some) - well - bad} | {bad} |")
    return "\n".join(rows)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--builds", type=int, default=40, help="builds with a fault, default %(default)s")
    resumed.add_options(parser, KEPT, "build")
    asked = parser.parse_args()
    if asked.table:
        resumed.print_table(asked.resume, KEPT, PAGE, "builds", table)
        return
    lines = resumed.read_lines(asked.resume)
    known = {(line["job"], line["kind"], line["number"], line["fault"]) for line in lines}
    with tempfile.TemporaryDirectory(prefix="builds") as folder:
        bench = faults.Bench(Path(folder), warm=True)
        builds = Builds(bench, Path(folder))
        for job in bench.jobs.values():
            bench.learn(job)
        print(heading(), f"a clean build has {len(builds.right)} files", sep="\n", flush=True)
        wanted = islice((point for point in bench.points() if tuple(point) not in known), asked.builds - len(lines))
        resumed.run(wanted, builds.attempt, asked.resume, asked.minutes)
        bench.server.close()
    resumed.end_with(resumed.read_lines(asked.resume), table)


if __name__ == "__main__":
    main()
