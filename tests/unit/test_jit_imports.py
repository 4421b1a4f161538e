"""What numba imports at a kernel's first call."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

LIBRARY = str(Path(__file__).parents[2] / "workflow")
SIGNING = """
import sys
import numpy as np
import polars as pl
from authbench.build.dedup.minhash import signatures
factors, terms = np.array([1, 3, 5, 7], np.uint32), np.array([2, 4, 6, 8], np.uint32)
values, sizes = signatures(pl.Series(["the same text in every process"]), (factors, terms), 5)
print(values.tolist(), sizes.tolist(), "scipy.linalg" in sys.modules, "awkward" in sys.modules)
"""


def signing(**env):
    surroundings = {key: value for key, value in os.environ.items() if key != "AUTHBENCH_RUN"}
    found = subprocess.run(
        [sys.executable, "-c", SIGNING],
        env={**surroundings, "PYTHONPATH": LIBRARY, **env},
        capture_output=True,
        text=True,
        check=True,
    )
    return found.stdout.rsplit(maxsplit=2)


def test_a_job_of_a_run_imports_neither_blas_nor_extensions_and_computes_the_same():
    pytest.importorskip("numba")
    usual, in_a_run = signing(), signing(AUTHBENCH_RUN="1")
    assert usual[1:] == ["True", "True"]
    assert in_a_run == [usual[0], "False", "False"]
