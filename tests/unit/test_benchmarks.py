"""Benchmarks are scripts that no test runs; what they import of the library and of the tests exists."""

import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]
IMPORTING = """
import importlib, sys

for name in sys.argv[1:]:
    try:
        importlib.import_module(name)
    except ModuleNotFoundError as error:
        if error.name.partition(".")[0] in {"authbench", *sys.argv[1:]}:
            raise
"""


def test_what_benchmarks_import_exists():
    names = sorted(path.stem for path in (ROOT / "benchmarks").glob("*.py"))
    path = os.pathsep.join(map(str, (ROOT / "workflow", ROOT / "benchmarks", ROOT / "tests")))
    command = [sys.executable, "-c", IMPORTING, *names]
    done = subprocess.run(command, env={**os.environ, "PYTHONPATH": path}, capture_output=True, text=True, check=False)
    assert (len(names) > 30, done.returncode, done.stderr) == (True, 0, "")
