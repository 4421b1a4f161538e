"""Let calls of jobs fail, one at a time: does every job end right, or with one clear message and nothing false?

    python benchmarks/faults.py [--points 1000] [--memory 30] [--resume FILE] [--minutes N] [--jobs NAME ...] [--table]

A corpus of a few dozen texts (tests/pipeline/tiny.py) is built once. Then each job of the build is run again alone,
with inputs and outputs where they were, in a process in which the n-th open, read, write, fsync or rename of a regular
file below `results/` fails (benchmarks/shim.c, loaded before libc): with EIO, ENOSPC (that call alone, or all from it
on) or EINTR, or only half of what was asked is read or written. Points are spread over kinds of calls, jobs and the
calls of a job. `--memory 30` runs each job with 30 limits of address space, from none beyond what it has at its start
to all that it takes. A point is wrong if

- the job takes more than a minute,
- a file under a final name is other than the right one, or a temporary file is left,
- the job says that it ended well and lacks an output,
- it ends badly and says nothing, or prints a traceback,
- the same job, run once more without a fault, does not end well with the right bytes.

FILE (JSON lines) keeps each point: those that it has are not tried again. `--table` prints its counts, and those of
the default FILE also into docs/measured/faults.md.
"""

import argparse
import errno
import hashlib
import pickle
import random
import re
import shutil
import subprocess
import tempfile
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import resumed
from forked import COUNTS, Server
from machine import ROOT, heading
from tiny import NAME, RECIPE, Project, make_tiny

KEPT = ROOT / "docs/measured/faults.jsonl"
PAGE = ROOT / "docs/measured/faults.md"
SHIM = Path(__file__).with_name("shim.c")
KINDS = ("open", "read", "write", "fsync", "rename")
FAULTS: Mapping[str, tuple[str, ...]] = {
    "open": ("EIO", "ENOSPC", "EINTR"),
    "read": ("EIO", "EINTR", "short"),
    "write": ("EIO", "ENOSPC", "ENOSPC from then on", "EINTR", "short"),
    "fsync": ("EIO", "ENOSPC"),
    "rename": ("EIO", "ENOSPC"),
}
LEFT = re.compile(r"\..+\.[0-9a-f]{32}")
SECONDS = 60.0
ENDED_BY_LIBC = 127  # without memory for data of a thread; as an abort, it leaves no time to remove a file
KEPT_BESIDE = {"select_documents": ("sample/scores.parquet", "sample/scores.parquet.parts")}


class Point(NamedTuple):
    """One fault: the job, the kind of call (or `memory`), its number (or MiB), and how it fails."""

    job: str
    kind: str
    number: int
    fault: str


@dataclass
class Job:
    """A job of the build: its script, its outputs with the digests of their files, and how often it calls what."""

    name: str
    script: Path
    outputs: list[Path]
    right: dict[str, str]
    counts: list[int]
    memory: int  # MiB of address space beyond those at its start


def compiled_shim(folder: Path) -> Path:
    """Compile the library that lets calls fail."""
    library = folder / "shim.so"
    command = ["cc", "-shared", "-fPIC", "-O1", "-o", str(library), str(SHIM), "-ldl"]
    subprocess.run(command, check=True)
    return library


def call_of(point: Point) -> str:
    """Return a point as `fault_arm` takes it."""
    name, _, all_on = point.fault.partition(" ")
    error = 0 if name == "short" else getattr(errno, name)
    return f"{KINDS.index(point.kind)} {point.number} {error} {int(bool(all_on))}"


def digests(outputs: Sequence[Path], folder: Path) -> dict[str, str]:
    """Return the digests of the files of outputs, by their paths below a folder."""
    files = [one for path in outputs for one in ([path] if path.is_file() else path.rglob("*")) if one.is_file()]
    files = [path for path in files if path.name != ".snakemake_timestamp"]
    names = (path.relative_to(folder).as_posix() for path in files)
    return {name: hashlib.sha256(path.read_bytes()).hexdigest() for name, path in zip(names, files, strict=True)}


class Bench:
    """The finished build, and its jobs, which are run again one at a time."""

    def __init__(self, folder: Path, warm: bool = False) -> None:
        base = folder / "base"
        base.mkdir(parents=True)
        self.project: Project = make_tiny(base)
        scripts = folder / "scripts"
        scripts.mkdir()
        library = compiled_shim(folder)
        self.server = Server(base / "workflow", library)
        arguments = ["--cores", "1", "release", *self.project.recipe(RECIPE)]
        status, said = self.server.snakemake(arguments, base, {"AUTHBENCH_TEST_SCRIPTS": str(scripts)})
        assert status == 0, said
        if warm:  # what the build compiled is loaded once; limits of memory would count it for nothing
            self.server.close()
            self.server = Server(base / "workflow", library, warm=True)
        self.jobs: dict[str, Job] = {}
        for script in sorted(scripts.iterdir(), key=lambda path: path.stat().st_mtime_ns):
            job = self._job(script)
            self.jobs[job.name] = job

    def _job(self, script: Path) -> Job:
        """Return the job of a script, without counts."""
        line = script.read_text(encoding="utf-8").splitlines()[1]
        found = re.search(r"pickle\.loads\((b(['\"]).*?\2)\);from snakemake", line)
        assert found, line[:200]
        asked = pickle.loads(eval(found[1]))
        name = asked.log[0].partition("/logs/")[2].removesuffix(".log")
        outputs = [self.project.folder / path for path in dict.fromkeys(map(str, asked.output))]
        return Job(name, script, outputs, self.digests(outputs), [], 0)

    def digests(self, outputs: Sequence[Path]) -> dict[str, str]:
        """Return the digests of the files of outputs, by path."""
        return digests(outputs, self.project.folder)

    def clear(self, job: Job) -> None:
        """Remove the outputs of a job, as Snakemake does before it runs one."""
        beside = KEPT_BESIDE.get(job.name, ())
        for path in [*job.outputs, *(self.project.folder / f"results/{NAME}" / one for one in beside)]:
            if path.is_dir():
                shutil.rmtree(path)
            else:
                path.unlink(missing_ok=True)

    def run(self, job: Job, fault: str = "0 0 0 0", memory: int = 0) -> tuple[int, str, list[int], int]:
        """Run a job; return its status, what it said, its counts of calls and of faults, and the MiB it took."""
        status, said = self.server.script(job.script, self.project.folder, fault, SECONDS, memory)
        counts, taken = [0] * (len(KINDS) + 1), 0
        if found := COUNTS.search(said):
            *counts, taken = map(int, found[1].split())
            said = said[: found.start()] + said[found.end() :]
        return status, said.strip(), counts, taken

    def learn(self, job: Job) -> None:
        """Count the calls of a job without a fault."""
        self.clear(job)
        status, said, counts, job.memory = self.run(job)
        found, of_the_build = self.digests(job.outputs), job.right
        assert status == 0 and found and found == {name: of_the_build.get(name) for name in found}, (job.name, said)
        job.right = found  # a later job may add to a folder: the report to the release
        job.counts = counts[: len(KINDS)]

    def try_point(self, point: Point) -> dict[str, Any]:
        """Return what came of a point: how it ended, what the job said, and what was wrong."""
        job = self.jobs[point.job]
        self.clear(job)
        if point.kind == "memory":
            status, said, counts, _ = self.run(job, memory=point.number << 20)
            fired = int(status != 0)
        else:
            status, said, counts, _ = self.run(job, call_of(point))
            fired = counts[-1] if status >= 0 else 1
        wrong = self.wrong_with(job, status, said)
        if status and not wrong:
            self.clear(job)
            again, complaint, *_ = self.run(job)
            if again or self.digests(job.outputs) != job.right or self.left():
                wrong = f"run again it ends with {again}: {self.left()} {complaint[-500:]}"
        elif wrong:
            self.restore(job)
        found = {**point._asdict(), "status": status, "fired": fired, "wrong": wrong}
        return found | ({"said": said[-1500:]} if wrong else {})

    def wrong_with(self, job: Job, status: int, said: str) -> str:
        """Return what is wrong with the end of a job; nothing if it ended well, or badly in a way that is clear."""
        found = self.digests(job.outputs)
        if status == -14:
            return "it hangs"
        if apart := sorted(name for name, digest in found.items() if job.right.get(name) != digest):
            return f"not as they must be: {', '.join(apart)}"
        if not status:
            return "" if found == job.right else f"lacks {sorted({*job.right} - {*found})}"
        if left := self.left():
            return f"left: {left}" if status > 0 and status != ENDED_BY_LIBC else ""
        if not said:
            return f"it ends with {status} and says nothing"
        return "it prints a traceback" if "Traceback (most recent" in said else ""

    def left(self) -> list[str]:
        """Return the names of temporary files."""
        return [path.name for path in self.project.results.parent.rglob(".*") if LEFT.fullmatch(path.name)]

    def restore(self, job: Job) -> None:
        """Make the outputs of a job as they must be."""
        for path in self.project.results.parent.rglob(".*"):
            if LEFT.fullmatch(path.name):
                shutil.rmtree(path) if path.is_dir() else path.unlink()
        self.clear(job)
        self.run(job)
        assert self.digests(job.outputs) == job.right, job.name

    def points(self) -> Iterator[Point]:
        """Yield all points, those of every job and kind of call in turn, in an order of chance."""
        groups: defaultdict[tuple[str, str], list[Point]] = defaultdict(list)
        for job in self.jobs.values():
            for kind, count in zip(KINDS, job.counts, strict=False):
                for number in range(1, count + 1):
                    groups[job.name, kind] += [Point(job.name, kind, number, fault) for fault in FAULTS[kind]]
        chance = random.Random(20260101)
        waiting = list(groups.values())
        chance.shuffle(waiting)
        for some in waiting:
            chance.shuffle(some)
        while waiting:
            for some in waiting:
                yield some.pop()
            waiting = [some for some in waiting if some]

    def memory_points(self, steps: int) -> Iterator[Point]:
        """Yield so many limits of each job, the first step of every job before the second of any."""
        for step in range(steps):
            for job in self.jobs.values():
                yield Point(job.name, "memory", max(1, job.memory * step // steps), f"{step} of {steps}")


def table(lines: Sequence[Mapping[str, Any]]) -> str:
    """Return the counts of points by fault, without those whose call did not come."""
    of = defaultdict(list)
    lines = [line for line in lines if line["fired"] or line["kind"] == "memory"]
    for line in lines:
        of[line["fault"] if line["kind"] != "memory" else "limit of address space"].append(line)
    jobs = len({line["job"] for line in lines})
    wrong = sum(bool(line["wrong"]) for line in lines)
    rows = [f"{len(lines)} points in {jobs} jobs, {wrong} wrong results", ""]
    rows += [
        "| fault | of | points | ended well | one message | wrong |",
        "| --- | --- | ---: | ---: | ---: | ---: |",
    ]
    for fault, some in sorted(of.items()):
        kinds = ", ".join(sorted({one["kind"] for one in some}))
        counts = Counter("wrong" if one["wrong"] else "message" if one["status"] else "well" for one in some)
        rows.append(f"| {fault} | {kinds} | {len(some)} | {counts['well']} | {counts['message']} | {counts['wrong']} |")
    return "\n".join(rows)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--points", type=int, default=1000, help="faults of calls, default %(default)s")
    parser.add_argument("--memory", type=int, default=30, help="limits of memory for each job, default %(default)s")
    parser.add_argument("--jobs", nargs="*", help="jobs whose names begin so; all if not given")
    resumed.add_options(parser, KEPT, "point")
    asked = parser.parse_args()
    if asked.table:
        resumed.print_table(asked.resume, KEPT, PAGE, "faults", table)
        return
    lines = resumed.read_lines(asked.resume)
    known = {(line["job"], line["kind"], line["number"], line["fault"]) for line in lines}
    with tempfile.TemporaryDirectory(prefix="faults") as folder:
        bench = Bench(Path(folder))
        if asked.jobs:
            bench.jobs = {name: job for name, job in bench.jobs.items() if name.startswith(tuple(asked.jobs))}
        for job in bench.jobs.values():
            bench.learn(job)
        calls = [sum(job.counts[kind] for job in bench.jobs.values()) for kind in range(len(KINDS))]
        print(heading(), f"{len(bench.jobs)} jobs call: {dict(zip(KINDS, calls, strict=True))}", sep="\n", flush=True)
        left = asked.points - sum(line["kind"] != "memory" for line in lines)
        wanted = [point for point in bench.points() if tuple(point) not in known][: max(left, 0)]
        wanted += [point for point in bench.memory_points(asked.memory) if tuple(point) not in known]
        resumed.run(wanted, bench.try_point, asked.resume, asked.minutes)
        bench.server.close()
    resumed.end_with(resumed.read_lines(asked.resume), table)


if __name__ == "__main__":
    main()
