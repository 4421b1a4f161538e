"""Readers of foreign files take what a fuzzer finds, or refuse it by name: five minutes of it."""

import subprocess
import sys
from pathlib import Path

from extras import needs

FUZZ = Path(__file__).parents[2] / "benchmarks/fuzz.py"


@needs("atheris", "fuzz")
def test_no_file_that_a_fuzzer_makes_is_a_fault():
    done = subprocess.run([sys.executable, FUZZ, "--minutes", "5"], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
