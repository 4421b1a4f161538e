"""Random walks over one folder of results: whatever happened to it, does the last build equal a clean one?

    python benchmarks/walks.py [--walks 200] [--first 0] [--steps 6] [--resume FILE] [--minutes N] [--table]

Each walk starts from a finished build, every fourth from nothing, and takes random steps over a corpus of a few dozen
texts (tests/pipeline/tiny.py): edit a setting, add or edit a raw file, touch, lose or damage files, kill a run, build,
run another name, dry run, take an author down, compare releases, export and rebuild. Then it builds once more, deletes
what a message asks it to delete, and every file of the release, the list of removed documents and the check must be
those of a clean build with the same settings and raw files, byte for byte. A walk is known by its number: the same
number takes the same steps, but a kill comes when the machine lets it. FILE (JSON lines) keeps a line for each walk:
those that it has are not run again; two processes may share it, with other `--first`. `--table` prints the counts of
FILE, those of the default one also into docs/measured/faults.md.
"""

import argparse
import hashlib
import json
import os
import random
import re
import shutil
import signal
import tempfile
import time
import traceback
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from contextlib import chdir, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import resumed
from forked import CURRENT, Server, run_request
from machine import ROOT, heading
from tiny import ESSAYS, NAME, RECIPE, Project, csv_text, lines_text, make_tiny, rows

KEPT = ROOT / "docs/measured/walks.jsonl"
PAGE = ROOT / "docs/measured/faults.md"
CHOICES: tuple[tuple[str, str, tuple[Any, ...]], ...] = (
    ("safety", "threshold", (0.8, 0.05)),
    ("filter", "symbols", (0.7, 0.05)),
    ("dedup", "threshold", (0.8, 0.85)),
    ("split", "leak_threshold", (0.7, 0.5)),
    ("release", "queries_per_author", ("all", 2)),
    ("release", "queries_in_candidates", (True, False)),
    ("chunk", "max_tokens", (500, 200)),
    ("normalize", "quotes", ("keep", "straight")),
    ("sample", "max_documents_per_author", (8, 3)),
    ("", "seed", (20260101, 7)),
    ("", "shards", (1, 2)),
)
DAMAGED = re.compile(r"(results/\S+) is not as it was written")
FILES = ("check.json", "dirty_docs.log")


class Wrong(Exception):
    """What a walk found that must not be."""


@dataclass
class State:
    """All that a clean build depends on: settings, raw files, and who is taken down."""

    settings: dict[str, dict[str, Any]] = field(default_factory=dict)
    parts: dict[str, int] = field(default_factory=lambda: {"letters": 1, "essays": 1})
    left_out: int = 0  # the last rows of the first file of letters
    genre: str = "news"
    takedown: str = ""

    def recipe(self) -> dict[str, Any]:
        merged = {**RECIPE, "shards": 1}
        for section, values in self.settings.items():
            merged |= values if not section else {section: {**merged.get(section, {}), **values}}
        if self.takedown:
            merged["release"] = {**merged.get("release", {}), "takedown": "takedown.txt"}
        return merged

    def key(self) -> str:
        known = {**self.recipe(), "shards": 1, "parts": self.parts, "out": self.left_out, "genre": self.genre}
        return hashlib.sha256(json.dumps([known, self.takedown], sort_keys=True).encode()).hexdigest()[:16]

    def write(self, folder: Path) -> None:
        """Write what differs from what a folder has: sources, raw files, the list of who is taken down."""
        wanted = {"essays.yaml": ESSAYS.replace("const: news", f"const: {self.genre}")}
        for part in range(2):
            letters, essays = list(rows("en", part)), list(rows("de", part))
            letters = letters[: len(letters) - self.left_out] if part == 0 else letters
            wanted[f"raw/letters/part{part}.csv"] = csv_text(letters) if part < self.parts["letters"] else ""
            wanted[f"raw/essays/part{part}.jsonl"] = lines_text(essays) if part < self.parts["essays"] else ""
        wanted["takedown.txt"] = f"{self.takedown}\n" if self.takedown else ""
        for name, text in wanted.items():
            path = folder / name
            if not text:
                path.unlink(missing_ok=True)
            elif not path.exists() or path.read_text(encoding="utf-8") != text:
                path.write_text(text, encoding="utf-8")


@dataclass
class Bench:
    """The server, the project that is copied, clean builds by state, and where walks are."""

    server: Server
    base: Project
    folder: Path
    clean: dict[str, dict[str, str]] = field(default_factory=dict)

    def clean_build(self, state: State) -> Mapping[str, str]:
        """Return the digests of a clean build of a state, built where they are not known yet."""
        key = state.key()
        if key not in self.clean:
            project = self.base.copy(self.folder / "clean", with_results=False)
            state.write(project.folder)
            status, said = build(self.server, project, state)
            if status:
                raise Wrong(f"a clean build ends with {status}: {said[-2000:]}")
            self.clean[key] = digests(project)
            shutil.rmtree(project.folder)
        return self.clean[key]


def open_bench(folder: Path) -> Bench:
    """Make the project that walks copy, build it once, and start the server of its package."""
    base = folder / "base"
    base.mkdir(parents=True)
    project, state = make_tiny(base), State()
    state.write(base)
    server = Server(base / "workflow")
    status, said = build(server, project, state)  # leaves compiled kernels and parsed code, too
    server.close()
    assert status == 0, said
    return Bench(Server(base / "workflow", warm=True), project, folder, {state.key(): digests(project)})


def build(server: Server, project: Project, state: State, *more: str) -> tuple[int, str]:
    return server.snakemake(["--cores", "1", "release", *more, *project.recipe(state.recipe())], project.folder)


def digests(project: Project) -> dict[str, str]:
    """Return the SHA-256 of the files of a release, and of what is written beside it for people."""
    results = project.folder / "results" / NAME
    files = [path for path in (results / "release").rglob("*") if path.is_file()]
    files += [results / name for name in FILES]
    return {path.relative_to(results).as_posix(): hashlib.sha256(path.read_bytes()).hexdigest() for path in files}


@dataclass
class Walk:
    """One walk: its folder, its chance, and what a clean build would be made of now."""

    bench: Bench
    project: Project
    chance: random.Random
    state: State = field(default_factory=State)
    log: list[str] = field(default_factory=list)
    built: bool = False  # the release is that of the state

    @property
    def results(self) -> Path:
        return self.project.folder / "results" / NAME

    def stage_files(self) -> list[Path]:
        """Return the files that stages leave for each other."""
        own = [path for path in sorted(self.results.rglob("*")) if path.suffix in (".parquet", ".json")]
        return [path for path in own if path.relative_to(self.results).parts[0] not in ("release", "draft", "logs")]

    def finish(self) -> None:
        """Build until nothing is wrong, doing what messages ask for."""
        self.state.write(self.project.folder)
        for _ in range(8):
            status, said = build(self.bench.server, self.project, self.state)
            if not status:
                self.built = True
                return
            if found := DAMAGED.search(said):
                self.log.append(f"deleted {found[1]}")
                (self.project.folder / found[1]).unlink()
            elif "is not as it was published" in said:
                self.log.append("deleted the release")
                shutil.rmtree(self.results / "release")
            else:
                raise Wrong(f"a build ends with {status}: {said[-3000:]}")
        raise Wrong("eight builds did not end well")

    def compare(self) -> None:
        """Hold the build to a clean one."""
        found, wanted = digests(self.project), self.bench.clean_build(self.state)
        if found != wanted:
            apart = sorted(name for name in {*found, *wanted} if found.get(name) != wanted.get(name))
            raise Wrong(f"not what a clean build gives: {', '.join(apart)}")

    def edit_setting(self) -> None:
        section, name, values = self.chance.choice(CHOICES)
        value = self.chance.choice(values)
        self.state.settings.setdefault(section, {})[name] = value
        self.changed(f"{section}.{name}={value}")

    def add_file(self) -> None:
        tag = self.chance.choice(("letters", "essays"))
        self.state.parts[tag] = 3 - self.state.parts[tag]
        self.changed(f"{tag}: {self.state.parts[tag]} files")

    def edit_file(self) -> None:
        self.state.left_out = self.chance.choice((0, 1, 2))
        self.changed(f"{self.state.left_out} rows left out")

    def edit_source(self) -> None:
        self.state.genre = self.chance.choice(("news", "literature/prose"))
        self.changed(f"genre {self.state.genre}")

    def changed(self, what: str) -> None:
        self.log.append(what)
        self.built = False

    def touch(self) -> None:
        for path in self.chance.choice((sorted(self.project.folder.glob("raw/*/*")), self.stage_files())):
            if self.chance.random() < 0.5:
                path.touch()
                self.built = False

    def lose(self) -> None:
        """Delete a file that a stage left, or the whole release."""
        self.built = False
        files = self.stage_files()
        if files and self.chance.random() < 0.8:
            path = self.chance.choice(files)
            self.log.append(f"lost {path.relative_to(self.results)}")
            path.unlink()
        else:
            shutil.rmtree(self.results / "release", ignore_errors=True)

    def damage(self) -> None:
        """Change a byte of a file or cut it, with or without a new time; of the release, too."""
        released = [path for path in sorted((self.results / "release").rglob("*")) if path.is_file()]
        files = self.stage_files() if self.chance.random() < 0.8 else released
        files = [path for path in files if path.stat().st_size]
        if not files:
            return
        self.built = False
        path = self.chance.choice(files)
        times, content = path.stat(), path.read_bytes()
        place = self.chance.randrange(len(content))
        flipped = content[:place] + bytes([content[place] ^ 1]) + content[place + 1 :]
        path.write_bytes(flipped if self.chance.random() < 0.6 else content[: len(content) * 2 // 3])
        if self.chance.random() < 0.5:
            os.utime(path, ns=(times.st_atime_ns, times.st_mtime_ns))
        self.log.append(f"damaged {path.relative_to(self.results)}")

    def build(self) -> None:
        self.finish()
        if self.state.key() in self.bench.clean:
            self.compare()

    def kill(self) -> None:
        """Start a build and kill it, or its job, after some jobs."""
        self.state.write(self.project.folder)
        self.built = False
        arguments = ["--cores", "1", "release", *self.project.recipe(self.state.recipe())]
        steps, wait = self.chance.randrange(20), self.chance.uniform(0, 0.5)
        way = self.chance.choice(("all", "snakemake", "job"))
        self.log.append(f"{way} after {steps} jobs")
        with tempfile.NamedTemporaryFile() as said:
            leader = self.bench.server.start(run_request(arguments, self.project.folder, Path(said.name)))
            end = time.monotonic() + 1800
            while time.monotonic() < end and not ended(leader):
                done = re.findall(rb"\((\d+) of \d+ jobs", Path(said.name).read_bytes())
                if done and int(done[-1]) >= steps or not steps:
                    break
                time.sleep(0.02)
            time.sleep(wait)
            with suppress(ProcessLookupError, OSError, ValueError):
                if way == "all":
                    os.killpg(leader, signal.SIGKILL)
                elif way == "snakemake":
                    os.kill(leader, signal.SIGKILL)
                else:
                    job = self.project.folder / CURRENT
                    os.kill(int(job.read_text(encoding="ascii")), signal.SIGKILL)
            self.bench.server.status()
        shutil.rmtree(self.project.folder / ".snakemake/locks", ignore_errors=True)

    def run_another_name(self) -> None:
        self.state.write(self.project.folder)
        recipe = self.project.recipe({**self.state.recipe(), "name": "other"})
        before = times_of(self.results)
        until = self.chance.choice(("ingest_source", "chunk_documents"))
        status, said = self.bench.server.snakemake(["--cores", "1", "--until", until, *recipe], self.project.folder)
        if status and not DAMAGED.search(said):
            raise Wrong(f"a build of another name ends with {status}: {said[-2000:]}")
        if times_of(self.results) != before:
            raise Wrong("a build of another name changed files")

    def dry_run(self) -> None:
        self.state.write(self.project.folder)
        other = State(**{**vars(self.state), "settings": {**self.state.settings, "": {"seed": 11}}})
        before = times_of(self.results)
        status, said = build(self.bench.server, self.project, other, "--dry-run")
        if status and "is not as it was published" not in said:
            raise Wrong(f"a dry run ends with {status}: {said[-2000:]}")
        if times_of(self.results) != before:
            raise Wrong(f"a dry run changed {sorted(set(times_of(self.results).items()) ^ set(before.items()))}")

    def take_down(self) -> None:
        if self.state.takedown:
            self.state.takedown = ""
        else:
            self.finish()
            import polars as pl

            authors = pl.read_parquet(self.results / "release/provenance.parquet")["author_id"].unique().sort()
            self.state.takedown = self.chance.choice(authors.to_list())
        self.changed(f"takedown {self.state.takedown[:8]}")

    def diff(self) -> None:
        """Compare the release with itself and with that of before a change of settings."""
        self.finish()
        before = self.project.folder / "before"
        shutil.rmtree(before, ignore_errors=True)
        shutil.copytree(self.results / "release", before)
        self.edit_setting()
        self.finish()
        for other, same in ((self.results / "release", True), (before, sums(before) == sums(self.results / "release"))):
            if (authbench("release", "diff", str(other), str(self.results / "release"))[0] == 0) < same:
                raise Wrong("diff finds a difference between equal releases")

    def export_and_rebuild(self) -> None:
        """Make the public bundle, and the complete release of it and of the raw files."""
        self.finish()
        folder = self.project.folder
        for name in ("bundle", "rebuilt", "entries"):
            shutil.rmtree(folder / name, ignore_errors=True)
        entries = folder / "entries/config/sources"
        entries.mkdir(parents=True)
        for name in ("letters.yaml", "essays.yaml"):
            shutil.copy(folder / name, entries)
        release = str(self.results / "release")
        steps = (
            ("release", "export", release, "--form", "public", "--out", str(folder / "bundle")),
            (
                "release",
                "rebuild",
                str(folder / "bundle"),
                "--raw",
                str(folder / "raw"),
                "--out",
                str(folder / "rebuilt"),
            ),
        )
        for arguments in steps:
            with chdir(folder / "entries"):
                status, said = authbench(*arguments)
            if status:
                raise Wrong(f"{arguments[0]} ends with {status}: {said[-1500:]}")
        if sums(folder / "rebuilt") != sums(self.results / "release"):
            raise Wrong("rebuilt is another release")


STEPS: tuple[Callable[[Walk], None], ...] = (
    Walk.edit_setting, Walk.edit_setting, Walk.add_file, Walk.edit_file, Walk.edit_source, Walk.touch, Walk.lose,
    Walk.damage, Walk.damage, Walk.build, Walk.kill, Walk.kill, Walk.kill, Walk.run_another_name, Walk.dry_run,
    Walk.take_down, Walk.diff, Walk.export_and_rebuild,
)  # fmt: skip


def ended(process: int) -> bool:
    """Whether a process is gone, or waits to be waited for."""
    try:
        return Path(f"/proc/{process}/stat").read_text(encoding="ascii").rpartition(")")[2].split()[0] == "Z"
    except OSError:
        return True


def times_of(folder: Path) -> dict[str, int]:
    return {str(path): path.stat().st_mtime_ns for path in folder.rglob("*") if path.is_file()}


def sums(release: Path) -> bytes:
    return (release / "SHA256SUMS").read_bytes()


def authbench(*arguments: str) -> tuple[int, str]:
    """Run a command; return its exit status and all that it printed."""
    from contextlib import redirect_stderr, redirect_stdout
    from io import StringIO

    from authbench.app.cli import main

    said = StringIO()
    with redirect_stdout(said), redirect_stderr(said):
        return main(list(arguments)), said.getvalue()


def walk(bench: Bench, number: int, steps: int) -> dict[str, Any]:
    """Take a walk; return its steps, what happened, and what was wrong, if anything."""
    folder = bench.folder / "walk"  # the same for all, so that rules are translated once
    shutil.rmtree(folder, ignore_errors=True)
    one = Walk(bench, bench.base.copy(folder, with_results=number % 4 > 0), random.Random(number))
    taken, wrong = [], ""
    began, worked = time.monotonic(), bench.server.cpu_seconds() + time.process_time()
    try:
        for _ in range(steps):
            step = one.chance.choice(STEPS)
            taken.append(step.__name__)
            one.log.append(f"{step.__name__}:")
            step(one)
        one.finish()
        one.compare()
        shutil.rmtree(folder)
    except Wrong as found:
        wrong = str(found)
    except Exception:
        wrong = traceback.format_exc()
    if wrong:
        shutil.move(folder, bench.folder / f"walk {number}")
    seconds = round(time.monotonic() - began)
    cpu = round(bench.server.cpu_seconds() + time.process_time() - worked, 1)
    return {"walk": number, "steps": taken, "log": one.log, "wrong": wrong, "seconds": seconds, "cpu": cpu}


def table(lines: Sequence[Mapping[str, Any]]) -> str:
    """Return the counts of walks, of their steps, and of wrong results."""
    steps = Counter(step for line in lines for step in line["steps"])
    wrong = sum(bool(line["wrong"]) for line in lines)
    counts = ", ".join(f"{name.replace('_', ' ')} {number}" for name, number in sorted(steps.items()))
    return f"{len(lines)} walks, {sum(steps.values())} steps, {wrong} wrong results. Steps: {counts}."


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--walks", type=int, default=200, help="numbers of walks: 0 to this, default %(default)s")
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--steps", type=int, default=6)
    parser.add_argument("--folder", type=Path, help="where to work; kept where something is wrong")
    resumed.add_options(parser, KEPT, "walk")
    asked = parser.parse_args()
    if asked.table:
        resumed.print_table(asked.resume, KEPT, PAGE, "walks", table)
        return

    def known() -> set[int]:
        return {line["walk"] for line in resumed.read_lines(asked.resume)}

    bench = open_bench(asked.folder or Path(tempfile.mkdtemp(prefix="walks")))
    print(heading(), bench.folder, sep="\n", flush=True)
    wanted = (number for number in range(asked.first, asked.walks) if number not in known())
    resumed.run(wanted, lambda number: walk(bench, number, asked.steps), asked.resume, asked.minutes)
    bench.server.close()
    resumed.end_with(resumed.read_lines(asked.resume), table)
    shutil.rmtree(bench.folder)


if __name__ == "__main__":
    main()
