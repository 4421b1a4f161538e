"""The wheel in an environment that holds what it declares, and nothing else."""

import importlib
import os
import shutil
import subprocess
import sys
from contextlib import suppress
from dataclasses import dataclass
from importlib.metadata import Distribution, distribution
from pathlib import Path

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from authbench.core.vocabulary import find_vocabulary

ROOT = Path(__file__).parents[2]
COMPILED_ANEW = "evaluation"  # the package whose kernels an environment compiles; it has those of others ready


@dataclass(frozen=True)
class Installed:
    """An environment with the package, and an empty folder to run its commands from."""

    python: Path
    here: Path
    cache: Path

    def run(self, *arguments):
        """`authbench` with these arguments, in the folder, with a user's cache of its own."""
        return self._start(self.python.with_name("authbench"), *arguments)

    def script(self, code):
        """What Python code that must succeed prints."""
        done = self._start(self.python, "-c", code)
        assert done.returncode == 0, f"{done.stdout}\n{done.stderr}"
        return done.stdout

    def _start(self, *command):
        env = {name: os.environ[name] for name in ("PATH", "LANG", "TMPDIR") if name in os.environ}
        return subprocess.run(
            command,
            cwd=self.here,
            env={**env, "HOME": str(self.cache), "XDG_CACHE_HOME": str(self.cache), "HF_HUB_OFFLINE": "1"},
            capture_output=True,
            text=True,
            timeout=600,
        )

    def told(self, *arguments):
        """What a command that must succeed prints."""
        done = self.run(*arguments)
        assert done.returncode == 0, f"{arguments}\n{done.stdout}\n{done.stderr}"
        return done.stdout

    def refusal(self, *arguments):
        """The one line by which a command that cannot run says why."""
        done = self.run(*arguments)
        lines = done.stderr.splitlines()
        assert (done.returncode, len(lines)) == (2, 1), f"{arguments}\n{done.stdout}\n{done.stderr}"
        return lines[0]


def build_wheel(folder):
    """A wheel of the committed and new files, without what else lies in the checkout."""
    listed = subprocess.run(
        ["git", "ls-files", "--cached", "--others", "--exclude-standard", "-z"],
        cwd=ROOT,
        check=True,
        capture_output=True,
    ).stdout
    subprocess.run(
        ["xargs", "--null", "cp", "--archive", "--parents", "--target-directory", folder],
        input=listed,
        cwd=ROOT,
        check=True,
    )
    pip = [sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", "--no-build-isolation"]
    subprocess.run([*pip, "--wheel-dir", folder / "wheel", folder], check=True, env=outside_environment())
    (wheel,) = (folder / "wheel").glob("*.whl")
    return wheel


def install(wheel, folder, *extras):
    """Install the wheel next to links to the distributions that it and its extras require, found where tests run."""
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", folder / "environment"], check=True)
    python = folder / "environment/bin/python"
    pip = [sys.executable, "-m", "pip", "--python", python, "install", "--quiet", "--no-deps", "--no-index", wheel]
    subprocess.run(pip, check=True, env=outside_environment())
    (packages,) = (folder / "environment/lib").glob("python*/site-packages")
    (package,) = packages.glob("authbench-*.dist-info")
    for one in required(Distribution.at(package), extras):
        link(one, packages)
    (folder / "cache/authbench/vocabulary").mkdir(parents=True)
    vocabulary = find_vocabulary().resolve()
    (folder / "cache/authbench/vocabulary" / vocabulary.name).symlink_to(vocabulary)
    for compiled in compiled_before():
        with suppress(OSError, shutil.Error):  # none yet, or another process of the tests just replaced one
            other = folder / "cache/authbench/compiled" / compiled.parent.name / compiled.name
            shutil.copytree(compiled, other, ignore=shutil.ignore_patterns("*.lock"))
    (folder / "here").mkdir()
    return Installed(python, folder / "here", folder / "cache")


def compiled_before():
    """Return the folders of what the checkout's kernels were compiled to, all but those of COMPILED_ANEW."""
    library = ROOT / "workflow"
    sources = (library / "authbench").rglob("*.py")
    with_kernels = [
        path for path in sources if "from authbench.core.runtime.jit import compiled" in path.read_text("utf-8")
    ]
    names = [".".join(path.relative_to(library).with_suffix("").parts) for path in with_kernels]
    values = [value for name in names for value in vars(importlib.import_module(name)).values()]
    places = {Path(value.stats.cache_path) for value in values if hasattr(value, "py_func") and value.stats.cache_path}
    return {place for place in places if place.parent.name != COMPILED_ANEW}


def outside_environment():
    return {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}


def required(package, extras=()):
    """All distributions that a package with these extras needs."""
    met, waiting = set(), [(Requirement(one), extra) for one in package.requires or [] for extra in ("", *extras)]
    while waiting:
        one, extra = waiting.pop()
        if one.marker and not one.marker.evaluate({"extra": extra}):
            continue
        found = distribution(one.name)
        for wanted in ("", *one.extras):
            if (canonicalize_name(one.name), wanted) not in met:
                met.add((canonicalize_name(one.name), wanted))
                waiting += [(Requirement(needed), wanted) for needed in found.requires or []]
                yield found


def link(one, packages):
    """Let the top-level modules and metadata of a distribution be found in another folder of packages."""
    for name in {file.parts[0] for file in one.files or [] if file.parts[0] not in ("..", "__pycache__")}:
        if not (packages / name).exists():
            (packages / name).symlink_to(Path(str(one.locate_file(name))))
