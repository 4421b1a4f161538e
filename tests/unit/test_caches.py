"""What is fetched or compiled once lies in the user's cache, or where a Snakemake run keeps it."""

import os
import subprocess
import sys
from pathlib import Path

from authbench.core.runtime.caches import compiled_code, user_cache

LIBRARY = Path(__file__).parents[2] / "workflow"
COMPILING = """
import numpy as np
from authbench.build.dedup.shingle_kernels import mix as kernel
kernel(np.uint64(3))
print(sum(kernel.stats.cache_hits.values()), kernel.stats.cache_path)
"""


def test_compiled_code_lies_in_the_users_cache_unless_a_run_has_its_own(monkeypatch):
    monkeypatch.delenv("NUMBA_CACHE_DIR", raising=False)
    assert compiled_code() == user_cache() / "compiled"
    monkeypatch.setenv("NUMBA_CACHE_DIR", "/run/compiled")
    assert compiled_code() == Path("/run/compiled")


def compiling(cache):
    env = {name: value for name, value in os.environ.items() if name != "NUMBA_CACHE_DIR"}
    env |= {"PYTHONPATH": str(LIBRARY), "XDG_CACHE_HOME": str(cache), "HOME": str(cache)}
    return subprocess.run([sys.executable, "-c", COMPILING], env=env, check=True, capture_output=True, text=True)


def test_a_second_process_takes_what_the_first_compiled(tmp_path):
    first, second = (compiling(tmp_path).stdout.split() for _ in range(2))
    assert (first[0], second[0]) == ("0", "1")
    assert Path(second[1]).is_relative_to(tmp_path)


def test_without_a_place_to_write_code_is_compiled_anew_and_that_is_said_once(tmp_path):
    (tmp_path / "cache").write_text("a file where a folder should be", encoding="utf-8")
    done = compiling(tmp_path / "cache")
    assert done.stdout.split() == ["0", "None"]
    assert done.stderr.count("compiled code is not cached") == 1
