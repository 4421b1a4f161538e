"""What a run compiles ahead is what its later jobs would compile."""

import os
import subprocess
import sys

import pytest
import yaml

from authbench.core.runtime.ahead import start_compiling
from authbench.core.shipped import shipped


def test_kernels_compiled_ahead_are_complete_for_a_check(demo, tmp_path):
    env = {
        **os.environ,
        "NUMBA_CACHE_DIR": str(tmp_path),
        "AUTHBENCH_RUN": "1",
        "PYTHONPATH": os.pathsep.join(sys.path),
    }
    subprocess.run([sys.executable, "-m", "authbench.core.runtime.ahead"], env=env, check=True)
    compiled = {path.name.split("-")[0] for path in tmp_path.rglob("*.nbi")}
    listed = yaml.safe_load(shipped("kernels.yaml").read_text(encoding="utf-8"))
    assert {f"{module.rpartition('.')[2]}.{name}" for module, names in listed.items() for name in names} <= compiled
    before = set(tmp_path.rglob("*.nbc"))
    check = [sys.executable, "-m", "authbench", "check", str(demo.folder / "results/demo/release")]
    subprocess.run(check, env=env, check=True)
    assert set(tmp_path.rglob("*.nbc")) == before


@pytest.mark.parametrize("cores", [None, 1])
def test_a_run_on_one_core_compiles_in_its_jobs(cores, tmp_path, monkeypatch):
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path))
    assert not start_compiling(cores)


def test_a_run_that_has_compiled_starts_no_process(tmp_path, monkeypatch):
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path))
    (tmp_path / "checking/similar_kernels-0").mkdir(parents=True)
    assert not start_compiling(2)
