"""Print on what was measured, the lines above every table: machine, versions, commit.

python benchmarks/machine.py
"""

import os
import platform
import subprocess
import sys
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path += [str(ROOT / "tests/pipeline"), str(ROOT / "workflow")]  # what benchmarks and tests share
LIBRARIES = ("snakemake", "polars", "numpy", "numba", "pyarrow", "tiktoken", "gigatoken", "datasketch", "langid")


def machine() -> str:
    """Processor, cores this process may use, memory, system."""
    described = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    model = next((line.partition(":")[2].strip() for line in described if line.startswith("model name")), "unknown")
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30
    return f"{model}, {len(os.sched_getaffinity(0))} cores, {memory:.0f} GiB, {platform.system()} {platform.release()}"


def versions() -> str:
    return ", ".join([f"Python {platform.python_version()}", *(f"{name} {_version(name)}" for name in LIBRARIES)])


def commit() -> str:
    """The commit that stands here, and whether files differ from it."""
    try:
        head = _git("rev-parse", "--short", "HEAD")
        return head + (" and uncommitted changes" if _git("status", "--porcelain", "--untracked-files=no") else "")
    except (OSError, subprocess.CalledProcessError):
        return "unknown"


def heading() -> str:
    load = os.getloadavg()[0]
    return f"Machine: {machine()}; load {load:.1f}\nVersions: {versions()}\nCommit: {commit()}"


def write_table(page: Path, name: str, text: str) -> None:
    """Put a text between the lines `<!-- NAME -->` and `<!-- /NAME -->` of a page."""
    before, _, rest = page.read_text(encoding="utf-8").partition(f"<!-- {name} -->\n")
    after = rest.partition(f"<!-- /{name} -->\n")[2]
    page.write_text(f"{before}<!-- {name} -->\n{text}\n<!-- /{name} -->\n{after}", encoding="utf-8")


def _version(name: str) -> str:
    try:
        return version(name)
    except PackageNotFoundError:
        return "missing"


def _git(*arguments: str) -> str:
    return subprocess.run(["git", *arguments], cwd=ROOT, check=True, capture_output=True, text=True).stdout.strip()


if __name__ == "__main__":
    print(heading())
