"""Copies of the project in other folders, and ways to run and change them."""

import contextlib
import json
import os
import re
import shutil
import signal
import subprocess
import sys
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import warm_snakemake

ROOT = Path(__file__).resolve().parents[2]
PARSED_CODE = ".snakemake/parsed_code.json"


@dataclass(frozen=True)
class Job:
    """A job of a dry run: its rule, wildcards as text, and why it would run."""

    rule: str
    wildcards: str
    reason: str

    @property
    def first(self):
        """Whether the job would run for a reason of its own, not as a job before it runs."""
        return "params" in self.reason or "Params" in self.reason


@dataclass(frozen=True)
class Project:
    """A copy of the project in a folder of its own."""

    folder: Path
    name: str = "demo"

    @property
    def results(self):
        return self.folder / "results" / self.name

    @property
    def release(self):
        return self.results / "release"

    def start(self, *arguments, env=None, program=("-m", "snakemake")):
        """Snakemake in this project, in a process group of its own."""
        return subprocess.Popen(
            [sys.executable, *program, *arguments],
            cwd=self.folder,
            env=surroundings(env),
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            start_new_session=True,
        )

    def snakemake(self, *arguments, env=None):
        """The exit status of a run, and all that it said."""
        return warm_snakemake.run(arguments, self.folder, surroundings(env))

    def build(self, *arguments, cores=2, env=None):
        status, said = self.snakemake("--cores", str(cores), *arguments, env=env)
        assert status == 0, said
        return said

    def plan(self, *arguments, env=None):
        """The jobs that a run would have, from a dry run."""
        status, said = self.snakemake(*arguments, "--dry-run", "--quiet", "host", env=env)
        assert status == 0, said
        jobs = jobs_of(said)
        assert jobs or "Nothing to be done" in said or re.search(r"^total +0$", said, re.MULTILINE), said
        return jobs

    def refusal(self, *arguments, env=None):
        """What a run that must not start says."""
        status, said = self.snakemake("--dry-run", *arguments, env=env)
        assert status != 0, f"accepted {arguments}"
        return said

    def recipe(self, settings):
        """The arguments of a run with these settings over the defaults."""
        path = self.folder / "recipe.yaml"
        path.write_text(json.dumps(settings), encoding="utf-8")
        return "--configfile", str(path)

    def copy(self, folder, with_results=True):
        """The project, with all results and what Snakemake knows of them or without."""
        left = shutil.ignore_patterns(*([] if with_results else ["results", ".snakemake"]))
        shutil.copytree(self.folder, folder, symlinks=True, dirs_exist_ok=True, ignore=left)
        if (parsed := self.folder / PARSED_CODE).exists():  # of the same sources, so that no run parses them again
            (folder / PARSED_CODE).parent.mkdir(exist_ok=True)
            shutil.copyfile(parsed, folder / PARSED_CODE)
        return Project(folder, self.name)

    @contextmanager
    def changed(self, path, change):
        """Text of a file changed for a while."""
        file = self.folder / path
        before = file.read_text(encoding="utf-8")
        after = change(before)
        assert after != before, f"nothing to change in {path}"
        file.write_text(after, encoding="utf-8")
        try:
            yield
        finally:
            file.write_text(before, encoding="utf-8")


def surroundings(more=None):
    """The environment of a run: nothing of the tests' own Python path."""
    env = {name: value for name, value in os.environ.items() if name not in ("PYTHONPATH", "SNAKEMAKE_PROFILE")}
    env["PATH"] = f"{Path(sys.executable).parent}{os.pathsep}{env['PATH']}"
    return {**env, **(more or {})}


def jobs_of(said):
    """The jobs that Snakemake announces."""
    jobs = []
    for block in re.split(r"\n(?=(?:local)?(?:rule|checkpoint) \w+:\n)", said)[1:]:
        rule = re.match(r"(?:local)?(?:rule|checkpoint) (\w+):", block)
        assert rule
        fields = dict(re.findall(r"^    (wildcards|reason): (.*)$", block, flags=re.MULTILINE))
        jobs.append(Job(rule[1], fields.get("wildcards", ""), fields.get("reason", "")))
    return jobs


def rules_of(jobs):
    return {job.rule for job in jobs}


def project_files():
    """What a commit of everything would hold: tracked files and new ones that are not ignored."""
    listed = subprocess.run(
        ["git", "ls-files", "--cached", "--others", "--exclude-standard", "-z"],
        cwd=ROOT,
        check=True,
        capture_output=True,
        text=True,
    ).stdout.split("\0")
    needed = (
        "Snakefile",
        "workflow/",
        "config/",
        "profiles/",
        "resources/",
        "envs/",
        "pyproject.toml",
        "benchmarks/rates",
    )
    return [name for name in listed if name.startswith(needed) and (ROOT / name).exists()]


def copy_project(folder):
    """The project without results, or over one that has some."""
    for name in project_files():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).unlink(missing_ok=True)
        shutil.copyfile(ROOT / name, folder / name, follow_symlinks=False)
    (folder / "resources/vocabulary").mkdir(parents=True, exist_ok=True)
    for vocabulary in (ROOT / "resources/vocabulary").glob("*"):
        link = folder / "resources/vocabulary" / vocabulary.name
        link.unlink(missing_ok=True)
        link.symlink_to(vocabulary)
    return Project(folder)


def stop(process):
    """End a run with its jobs."""
    with contextlib.suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()
