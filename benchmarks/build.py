"""How fast does a raw corpus become a checked release, where does the time go, and what does it take in memory?

    python benchmarks/build.py [--documents 100000 1000000] [--corpora FOLDER] [--rates]
    python benchmarks/build.py --demo
    python benchmarks/build.py --recipe config/recipes/authbench-100k.yaml [--share 0.1] [--corpora FOLDER]

For each size: a corpus by benchmarks/corpus.py (kept in FOLDER and used again, if given), then `snakemake release` in
a clean copy of the project, asked for a tenth of the documents. A build of 2,000 documents comes first, in which the
kernels are compiled; the sizes asked for use what it compiled. With `--demo` the demo is built twice instead: with
nothing compiled, and again from the start.

With `--recipe` raw folders by benchmarks/raw_folders.py become the release of the recipe (scorer: word lists), its
leaderboard of the default models, tables and public bundle; beside what each rule took is what `authbench plan` says.
The project stays in FOLDER/project, if given: a build that was stopped is resumed, and what its runs took is summed.

Every process says at its end what it used (benchmarks/watch). What Snakemake and the start of processes take is wall
time less the time during which at least one job works, from the moment it opens its log, its imports done, to its end.
`--rates` writes what `authbench plan` computes from; it needs two sizes.
"""

import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import yaml
from corpus import make_corpus
from machine import ROOT, commit, heading, machine, versions
from raw_folders import PER_DOCUMENT, make_folders, parts_of
from stages import Job, documents_in, rule_of, table

sys.path += [str(ROOT / "tests/pipeline"), str(ROOT / "workflow")]
from project import Project, copy_project, surroundings  # noqa: E402

from authbench.app import plan, rates  # noqa: E402
from authbench.build.raw_facts import raw_mb  # noqa: E402
from authbench.config.registry.entries import default_settings  # noqa: E402
from authbench.core.runtime.inventory import total_bytes  # noqa: E402
from authbench.core.storage.raw_paths import FileSet  # noqa: E402
from authbench.release.checking.settings import merged, read_settings  # noqa: E402


@dataclass(frozen=True)
class Told:
    """What one process said at its end: its job (`rule/part`; none: Snakemake itself), when it started, began to work
    and ended, CPU seconds until it worked and in all, peak MiB."""

    job: str | None
    start: float
    begin: float
    end: float
    starting: float
    cpu: float
    peak: float


COMPILING = (
    0.005  # share of a recipe's documents in the build before the measured one, in which the kernels are compiled
)
Corpus = tuple[int, int, int, int, float]  # documents, characters, raw bytes, the same expanded, a guess of MB


@dataclass(frozen=True)
class Build:
    """A finished build: what it was asked, and what it took. Seconds; CPU seconds in all, of Snakemake (`own`) and of
    jobs until they work (`starting`); MiB; bytes by stage; `few`: with few queries from the splits on."""

    documents: int
    characters: int
    raw_bytes: int
    expanded_bytes: int
    text_mb: float
    shards: int
    wall: float
    working: float
    running: float
    cpu: float
    own: float
    starting: float
    peak: float
    jobs: list[Job]
    entered: dict[str, int]
    disk: dict[str, int]
    summary: str
    few: "Build | None" = None

    @property
    def overhead(self) -> float:
        """The share of wall time in which no job works."""
        return 1 - self.working / self.wall


def union(intervals: Iterable[tuple[float, float]]) -> float:
    """The time that at least one of the intervals covers."""
    covered, until = 0.0, float("-inf")
    for start, end in sorted(intervals):
        covered += max(0.0, end - max(start, until))
        until = max(until, end)
    return covered


def read_told(folder: Path) -> list[Told]:
    """What the processes of a build said, in the order of their end; of a job that ran again, the last time."""
    told = []
    for path in folder.glob("*.json"):
        said = json.loads(path.read_text(encoding="utf-8"))
        job = said["log"].partition("/logs/")[2].removesuffix(".log") if said["log"] else None
        cpu = said["cpu"] + (said["children"] if job else 0.0)
        begin, starting = said["begin"] or said["start"], said.get("starting", 0.0)
        told.append(Told(job, said["start"], begin, said["end"], starting, cpu, said["peak"]))
    told.sort(key=lambda one: one.end)
    last = {one.job: one for one in told if one.job}
    return [one for one in told if not one.job or last[one.job] is one]


def read_runs(folder: Path) -> list[list[float]]:
    """Wall and CPU seconds of each run of a build."""
    return [list(map(float, line.split())) for line in (folder / "runs.txt").read_text().splitlines()]


def bytes_below(folder: Path) -> int:
    return sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())


def build(project: Project, results: Path, arguments: Sequence[str], cores: int, corpus: Corpus) -> Build:
    """Build, or go on with a build that was stopped."""
    watched = project.folder / "watched" / results.name
    watched.mkdir(parents=True, exist_ok=True)
    env = surroundings({"PYTHONPATH": str(ROOT / "benchmarks/watch"), "WATCHED": str(watched)})
    command = [sys.executable, "-m", "snakemake", "--cores", str(cores), "--rerun-incomplete", *arguments]
    began = time.monotonic()
    with (project.folder / "said.txt").open("w") as said:
        process = subprocess.Popen(command, cwd=project.folder, env=env, stdout=said, stderr=subprocess.STDOUT)
        _, status, used = os.wait4(process.pid, 0)
    with (watched / "runs.txt").open("a") as runs:
        print(time.monotonic() - began, used.ru_utime + used.ru_stime, file=runs)
    if status:
        raise SystemExit((project.folder / "said.txt").read_text()[-4000:])
    return gathered(results, watched, corpus)


def gathered(results: Path, watched: Path, corpus: Corpus) -> Build:
    """What a finished build took in all its runs."""
    told = read_told(watched)
    wall, cpu = (sum(column) for column in zip(*read_runs(watched), strict=True))
    jobs = [one for one in told if one.job]
    return Build(
        *corpus,
        shards=len(list((results / "normalize").glob("*-of-*.parquet"))),
        wall=wall,
        working=union((one.begin, one.end) for one in jobs),
        running=union((one.start, one.end) for one in jobs),
        cpu=cpu,
        starting=sum(one.starting for one in jobs),
        own=sum(one.cpu for one in told if not one.job),
        peak=max(one.peak for one in told),
        jobs=[Job(rule_of(one.job or ""), one.end - one.start, one.cpu, one.peak) for one in jobs],
        entered=documents_in(results),
        disk={path.name: bytes_below(path) for path in sorted(results.iterdir()) if path.is_dir()},
        summary=json.loads((results / "check.json").read_text(encoding="utf-8"))["summary"],
    )


def build_from_the_start(
    project: Project, results: Path, arguments: Sequence[str], cores: int, corpus: Corpus
) -> Build:
    for folder in (results, project.folder / "watched" / results.name):
        shutil.rmtree(folder, ignore_errors=True)
    return build(project, results, arguments, cores, corpus)


def told_build(done: Build) -> str:
    """All of a build, in words and tables."""
    starting = done.running - done.working
    alone = done.wall - done.running
    ends = done.cpu - done.own - sum(job.cpu for job in done.jobs)
    disk = ", ".join(f"{stage} {size / 2**20:,.0f}" for stage, size in done.disk.items())
    return "\n".join(
        [
            f"{done.summary}",
            f"{done.documents / done.wall:,.0f} documents a second; {len(done.jobs)} jobs, {done.shards} shards",
            f"wall {done.wall:.1f} s, CPU {done.cpu:.1f} s (Snakemake itself {done.own:.1f} s, jobs until they work "
            f"{done.starting:.1f} s, their ends {ends:.1f} s), largest process {done.peak:,.0f} MiB",
            f"Snakemake and the start of processes: {done.overhead:.0%} of wall time: "
            f"{alone:.1f} s in which no job runs, {starting:.1f} s in which jobs only start (interpreter, imports)",
            f"MiB on disk: {disk}",
            "",
            table(done.jobs, done.entered),
        ]
    )


def totals(builds: Sequence[Build]) -> str:
    lines = [
        "| documents | raw MB | documents released | wall s | documents/s | CPU s | wall µs per document "
        "| largest process MiB | Snakemake and starts |",
        "|" + " ---: |" * 9,
    ]
    for done in builds:
        each = 1e6 * done.wall / done.documents
        released = done.entered["release"]
        lines.append(
            f"| {done.documents:,} | {done.raw_bytes / 1e6:,.1f} | {released:,} | {done.wall:.1f} "
            f"| {done.documents / done.wall:,.0f} | {done.cpu:.1f} | {each:,.1f} | {done.peak:,.0f} "
            f"| {done.overhead:.0%} |"
        )
    if len(builds) > 1 and builds[-1].documents > builds[-2].documents:
        one, other = builds[-2:]
        ratio = (other.wall / other.documents) / (one.wall / one.documents)
        lines.append(f"\nTime per document, {one.documents:,} → {other.documents:,}: {ratio:.2f} times")
    return "\n".join(lines)


def corpus_at(folder: Path, make: Callable[[Path], tuple[int, int]]) -> Corpus:
    """The corpus of the folder, made if it is not there, which gives its documents and characters."""
    noted, raw = folder / "made.json", folder / "raw"
    if not noted.exists():
        folder.mkdir(parents=True, exist_ok=True)
        noted.write_text(json.dumps(make(folder)))
    files = {
        source.name: {path.relative_to(source).as_posix(): "" for path in source.rglob("*") if path.is_file()}
        for source in raw.iterdir()
    }
    sets = {tag: FileSet(tag, ("**/*",)) for tag in files}
    documents, characters = json.loads(noted.read_text())
    guessed = sum(raw_mb(raw, sets, files).values())
    return documents, characters, bytes_below(raw), total_bytes(raw, sets, files), guessed


FEW_QUERIES = {"split": {"splits": {"train": 80, "dev": 10, "test": 10}}, "release": {"queries_per_author": 1}}


def with_few_queries(done: Build, project: Project, results: Path, config: Path, cores: int, corpus: Corpus) -> Build:
    """The build and the costs of another release of its texts, with few queries."""
    settings = project.folder / "few_queries.yaml"
    settings.write_text(yaml.safe_dump(FEW_QUERIES), encoding="utf-8")
    few = build(project, results, ["release", "--configfile", str(config), settings.name], cores, corpus)
    return replace(done, few=few)


def build_corpora(sizes: Sequence[int], corpora: Path, cores: int, few: bool) -> list[Build]:
    builds = []
    with tempfile.TemporaryDirectory() as folder:
        project = copy_project(Path(folder) / "project")
        for size in [2_000, *sizes]:
            corpus = corpora / f"{size}"
            given = corpus_at(corpus, lambda folder, size=size: (size, make_corpus(folder, size)))
            for page in (corpus / "sources").glob("*.yaml"):
                shutil.copy(page, project.folder / "config/sources")
            results = project.folder / "results/bench"
            config = corpus / "config.yaml"
            done = build_from_the_start(project, results, ["release", "--configfile", str(config)], cores, given)
            if few:
                done = with_few_queries(done, project, results, config, cores, given)
            builds.append(done)
            note = ", with compilation" if size == 2_000 else ""
            print(f"\n## {size:,} documents{note}\n\n{told_build(done)}", flush=True)
    return builds


def build_recipe(recipe: Path, share: float, corpora: Path, cores: int) -> None:
    """Build the recipe, asked for a share of its documents, from raw files to the bundle; a small one before the
    first of a project, in which kernels are compiled."""
    project = copy_project(corpora / "project")
    compiled = any(project.folder.glob("results/*/check.json"))
    for part in (share,) if compiled else (COMPILING, share):
        asked = dict(read_settings(recipe))
        corpus = corpora / f"{asked['name']}-{part:g}"
        given = corpus_at(
            corpus, lambda folder, asked=asked, part=part: make_folders(folder / "raw", asked, part, PER_DOCUMENT)
        )
        kinds = [(one.documents, one.mean_chars) for one in parts_of(asked, part, PER_DOCUMENT)]
        documents = round(asked["sample"]["documents"] * part)
        asked |= {"name": corpus.name, "raw_dir": str((corpus / "raw").resolve()), "safety": {"scorers": ["wordlist"]}}
        asked["sample"] = {**asked["sample"], "documents": documents}
        settings = project.folder / f"{corpus.name}.yaml"
        settings.write_text(yaml.safe_dump(asked, sort_keys=False), encoding="utf-8")
        public = f"results/{corpus.name}/publish/public"
        targets = ["all", "tables", public, "--configfile", settings.name]
        done = build(project, project.folder / "results" / corpus.name, targets, cores, given)
        note = "" if part == share else ", with compilation"
        print(f"\n## {corpus.name}: {documents:,} documents{note}\n\n{told_build(done)}", flush=True)
    print(f"\n{compared(done, kinds, cores, merged(default_settings(), asked))}")


def compared(done: Build, kinds: Sequence[tuple[float, float]], cores: int, settings: Any) -> str:
    """What the plan of a build says, beside what was measured; rules and folders that its settings leave out are not
    counted, nor those that no plan has."""
    made = plan.make_plan(plan.Corpus(kinds, done.entered["release"], cores, settings), rates.read_rates())
    lines = ["| rule | CPU s planned | measured | peak MiB planned | measured |", "| --- |" + " ---: |" * 4]
    sums = [0.0, 0.0]
    for stage in made.stages:
        jobs = [job for job in done.jobs if job.rule == stage.rule]
        if not jobs:
            continue
        cpu, peak = sum(job.cpu for job in jobs), max(job.peak for job in jobs)
        sums = [sums[0] + stage.cpu, sums[1] + cpu]
        lines.append(f"| {stage.rule} | {stage.cpu:.1f} | {cpu:.1f} | {stage.peak:,.0f} | {peak:,.0f} |")
    lines.append(f"| all | {sums[0]:.1f} | {sums[1]:.1f} | | |")
    lines += ["", "| MB on disk | planned | measured |", "| --- | ---: | ---: |"]
    disk = {"raw files": (made.raw_bytes, done.raw_bytes)} | {
        folder: (size, done.disk.get(folder, 0)) for folder, size in made.disk.items()
    }
    disk["all"] = (sum(size for size, _ in disk.values()), sum(size for _, size in disk.values()))
    lines += [f"| {name} | {one / 1e6:,.1f} | {other / 1e6:,.1f} |" for name, (one, other) in disk.items()]
    return "\n".join(lines)


def build_demo(cores: int, arguments: Sequence[str] = ()) -> list[Build]:
    builds = []
    with tempfile.TemporaryDirectory() as folder:
        project = copy_project(Path(folder) / "project")
        raw = bytes_below(project.folder / "resources/demo/raw")
        for note in ("nothing compiled yet", "again"):
            results = project.folder / "results/demo"
            done = build_from_the_start(project, results, arguments, cores, (2074, 0, raw, raw, 0.0))
            builds.append(done)
            print(f"\n## The demo, {note}\n\n{told_build(done)}", flush=True)
    return builds


def rates_of(jobs: Iterable[Job]) -> dict[str, dict[str, float]]:
    """The rules' jobs, CPU and wall seconds, peak MiB."""
    rules: dict[str, dict[str, float]] = {}
    for job in jobs:
        rule = rules.setdefault(job.rule, {"jobs": 0, "cpu_s": 0.0, "wall_s": 0.0, "peak_mib": 0.0})
        rule["jobs"] += 1
        rule["cpu_s"] = round(rule["cpu_s"] + job.cpu, 2)
        rule["wall_s"] = round(rule["wall_s"] + job.wall, 2)
        rule["peak_mib"] = round(max(rule["peak_mib"], job.peak))
    return rules


def as_rates(builds: Sequence[Build], cores: int, at: str) -> dict[str, Any]:
    """What `authbench plan` reads: rates and bytes on disk per size, and of its release with few queries."""
    sizes = []
    many = default_settings()
    for done in builds:
        assert done.few, "the build with few queries was not measured"
        few = {
            "scored": round(rates.scored_share(merged(many, FEW_QUERIES)), 4),
            "rules": rates_of(job for job in done.few.jobs if plan.RULES.get(job.rule) == plan.RELEASE),
            "disk_bytes": {name: size for name, size in done.few.disk.items() if name in ("split", "draft", "release")},
        }
        sizes.append(
            {
                "documents": done.documents,
                "characters": done.characters,
                "released": done.entered["release"],
                "raw_bytes": done.raw_bytes,
                "expanded_bytes": done.expanded_bytes,
                "text_mb": round(done.text_mb),
                "shards": done.shards,
                "wall_s": round(done.wall, 1),
                "rules": rates_of(done.jobs),
                "disk_bytes": done.disk,
                "scored": rates.scored_share(many),
                "few": few,
            }
        )
    return {"machine": machine(), "versions": versions(), "commit": at, "cores": cores, "sizes": sizes}


def write_rates(measured: dict[str, Any]) -> None:
    """Replace the measured rates in benchmarks/rates.yaml and keep the others."""
    known = {**yaml.safe_load(rates.RATES.read_text(encoding="utf-8")), **measured}
    head = "# Written by benchmarks/build.py, and `detoxify` by toxicity.py: what `authbench plan` computes from.\n"
    rates.RATES.write_text(head + yaml.safe_dump(known, sort_keys=False), encoding="utf-8")


def main() -> None:
    parser = argparse.ArgumentParser(description="Measure whole builds.")
    parser.add_argument("--documents", type=int, nargs="+", default=[100_000, 1_000_000])
    parser.add_argument("--corpora", type=Path, help="where corpora are kept; a temporary folder if not given")
    parser.add_argument("--cores", type=int, default=2)
    parser.add_argument("--demo", action="store_true", help="build the demo instead")
    parser.add_argument("--recipe", type=Path, help="build this recipe instead, from raw folders of its sources")
    parser.add_argument("--share", type=float, default=1.0, help="of the documents that the recipe asks for")
    parser.add_argument("--rates", action="store_true", help="write benchmarks/rates.yaml")
    asked = parser.parse_args()
    print(heading(), flush=True)
    at = commit()  # of what is copied and built, whatever is committed meanwhile
    if asked.demo:
        print(f"\n{totals(build_demo(asked.cores))}")
        return
    with tempfile.TemporaryDirectory() as folder:
        if asked.recipe:
            build_recipe(asked.recipe, asked.share, asked.corpora or Path(folder), asked.cores)
            return
        builds = build_corpora(asked.documents, asked.corpora or Path(folder), asked.cores, asked.rates)
    print(f"\n{totals(builds)}")
    if asked.rates:
        write_rates(as_rates(builds[1:], asked.cores, at))


if __name__ == "__main__":
    main()
