"""Folders of users who run the workflow as a module, by path or by github()."""

import json
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path

import warm_snakemake
from project import ROOT, Project, copy_project, stop, surroundings

from authbench import __version__
from authbench.core.vocabulary import find_vocabulary

AS_SNAKEDEPLOY_WRITES_IT = """
configfile: "config/config.yaml"

module authbench:
    snakefile: {snakefile}
    config: config

use rule * from authbench{names}
"""
VOCABULARY = {"TIKTOKEN_CACHE_DIR": str(find_vocabulary().resolve().parent)}


def deploy(folder, snakefile, settings=None, names=""):
    """Write what snakedeploy leaves in a user's folder: a Snakefile with one module, and a copy of config/.

    With settings, these are all that the folder configures.
    """
    (folder / "workflow").mkdir(parents=True)
    module = AS_SNAKEDEPLOY_WRITES_IT.format(snakefile=snakefile, names=names)
    (folder / "workflow/Snakefile").write_text(module, encoding="utf-8")
    if settings is None:
        shutil.copytree(ROOT / "config", folder / "config")
    else:
        (folder / "config").mkdir()
        (folder / "config/config.yaml").write_text(json.dumps(settings), encoding="utf-8")
    return Project(folder)


@dataclass(frozen=True)
class Installed:
    """The package as a wheel installs it, and Snakemake's cache of the repository that it was made of."""

    packages: Path
    cache: Path
    source: str

    def snakemake(self, user, *arguments, packages=None, env=None):
        """Run Snakemake in a process of its own, which imports the package from `packages`."""
        process = user.start(*arguments, env=self._environment(packages, env))
        try:
            printed, _ = process.communicate(timeout=1800)
        finally:
            stop(process)
        return process.returncode, printed

    def build(self, user, *arguments, packages=None, env=None):
        """Run Snakemake likewise; its many jobs are forks of one process that was started in that environment."""
        environment = surroundings(self._environment(packages, env))
        status, printed = warm_snakemake.run_as_started(arguments, user.folder, environment)
        assert status == 0, printed

    def _environment(self, packages, more):
        found = {"PYTHONPATH": str(packages or self.packages), "XDG_CACHE_HOME": str(self.cache)}
        return {**VOCABULARY, **found, **(more or {})}


def install(folder):
    """Tag a copy of the repository, cache it for Snakemake, and leave no checkout of it on the disk."""
    repository = copy_project(folder / "repository").folder
    shutil.copytree(repository / "workflow/authbench", folder / "packages/authbench")  # follows links, as a wheel does
    shutil.rmtree(repository / "resources/vocabulary")
    tag = f"v{__version__}"
    commit = ["-c", "user.name=test", "-c", "user.email=test@example.org", "commit", "--quiet", "--message", "all"]
    for arguments in (["init", "--quiet"], ["add", "--all"], commit, ["tag", tag]):
        subprocess.run(["git", *arguments], cwd=repository, check=True)
    cached = folder / "cache/snakemake/snakemake/source-cache/snakemake-git-cache/github.com/owner/authbench"
    subprocess.run(["git", "clone", "--quiet", "--bare", repository, cached], check=True)
    shutil.rmtree(repository)
    source = f'github("owner/authbench", path="workflow/Snakefile", tag="{tag}")'
    return Installed(folder / "packages", folder / "cache", source)
