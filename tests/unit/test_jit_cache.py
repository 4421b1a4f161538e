"""Compiled code in one folder is safe from processes that compile at the same time."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

pytest.importorskip("numba")

from authbench.core.runtime.jit_cache import FilesByContent, _locked  # noqa: E402

LIBRARY = Path(__file__).parents[2] / "workflow"
COMPILING = """
import sys
import numba, numpy as np
sys.path.insert(0, sys.argv[1])
from doubled import twice
kinds = {"int": np.arange(5), "float": np.arange(5.0)}
for kind in sys.argv[2:]:
    assert twice(kinds[kind]) == 20, kind
print(sum(twice.stats.cache_hits.values()))
"""
TOGETHER = """
import sys, time
import numba, numpy as np
from pathlib import Path
sys.path.insert(0, sys.argv[1])
from doubled import twice
Path(sys.argv[1], sys.argv[2]).touch()
last = time.monotonic() + 60
while not all(Path(sys.argv[1], name).exists() for name in sys.argv[2:4]) and time.monotonic() < last:
    time.sleep(0.001)
assert twice(np.arange(5)) == 20
print(sum(twice.stats.cache_hits.values()))
"""
DOUBLED = """
import numba
from authbench.core.runtime.jit_cache import cache_on_disk

def twice(values):
    total = values[0]
    for value in values:
        total += value + value
    return total

twice = cache_on_disk(numba.njit(twice))
"""


def test_nothing_is_compiled_in_another_way():
    compiling = {
        path.name for path in (LIBRARY / "authbench").rglob("*.py") if "njit" in path.read_text(encoding="utf-8")
    }
    assert compiling == {"jit.py"}


@pytest.fixture
def env(tmp_path):
    """The environment of processes that import `doubled` from the folder, and keep what they compile there."""
    (tmp_path / "doubled.py").write_text(DOUBLED, encoding="utf-8")
    return {**os.environ, "NUMBA_CACHE_DIR": str(tmp_path / "kept"), "PYTHONPATH": str(LIBRARY)}


def interleaved(folder):
    """What two processes find that saved at once, neither having seen the other: the first writes within the second."""
    first, second, later = (FilesByContent(str(folder), "twice", "stamp") for _ in range(3))
    first._load_index = second._load_index = dict  # an index of nothing yet
    save_index = second._save_index

    def and_then_the_first(overloads):
        save_index(overloads)
        first.save("one processor", "code of the one")

    second._save_index = and_then_the_first
    second.save("another processor", "code of the other")
    return later.load("one processor"), later.load("another processor")


def test_two_nodes_that_save_at_once_never_find_the_code_of_the_other(tmp_path):
    one, another = interleaved(tmp_path)
    assert one in ("code of the one", None)
    assert another in ("code of the other", None)


def test_processes_that_compile_at_once_compute_the_same_and_leave_a_cache(tmp_path, env):
    def compiling(*kinds):
        command = [sys.executable, "-c", COMPILING, str(tmp_path), *kinds]
        return subprocess.Popen(command, env=env, stdout=subprocess.PIPE, text=True)

    at_once = [compiling("int", "float"), compiling("float", "int")]
    assert [process.wait(timeout=120) for process in at_once] == [0, 0]
    for process in at_once:
        process.communicate()
    for _ in range(2):  # what one index forgot of the other is compiled here, and is then there
        later = compiling("int", "float")
        hits, _ = later.communicate(timeout=120)
        assert later.returncode == 0
    assert int(hits) == 2


def test_processes_that_need_a_function_at_once_compile_it_once(tmp_path, env):
    names = ("one", "another")
    processes = [
        subprocess.Popen(
            [sys.executable, "-c", TOGETHER, str(tmp_path), *order], env=env, stdout=subprocess.PIPE, text=True
        )
        for order in (names, names[::-1])
    ]
    hits = sorted(int(process.communicate(timeout=180)[0]) for process in processes)
    assert hits == [0, 1]


def test_who_dies_while_compiling_stops_nobody(tmp_path, env):
    (tmp_path / "doubled.py").write_text(DOUBLED.replace("total = values[0]", "total = nothing_of_this_name"), "utf-8")
    command = [sys.executable, "-c", COMPILING, str(tmp_path), "int"]
    for _ in range(2):
        failed = subprocess.run(command, env=env, capture_output=True, text=True, timeout=100)
        assert failed.returncode and "nothing_of_this_name" in failed.stderr


def test_without_a_lock_a_function_is_compiled_all_the_same(tmp_path):
    assert _locked(tmp_path / "file" / "name.lock") is not None
    (tmp_path / "taken").write_text("no folder", encoding="utf-8")
    assert _locked(tmp_path / "taken" / "name.lock") is None


def test_what_was_compiled_serves_a_copy_of_its_source(tmp_path, env):
    def hits(folder, source, written):
        folder.mkdir(exist_ok=True)
        (folder / "doubled.py").write_text(source, encoding="utf-8")
        os.utime(folder / "doubled.py", (written, written))
        command = [sys.executable, "-c", COMPILING, str(folder), "int"]
        return int(subprocess.run(command, env=env, check=True, capture_output=True, text=True).stdout)

    place, moved = tmp_path / "one/package", tmp_path / "two/package"
    place.parent.mkdir()
    moved.parent.mkdir()
    assert hits(place, DOUBLED, 1_000_000_000) == 0
    assert hits(moved, DOUBLED, 1_100_000_000) == 1
    assert hits(moved, DOUBLED.replace("total += value + value", "total += 2 * value"), 1_100_000_000) == 0


def test_a_job_runs_code_that_was_compiled_before_without_setting_up_the_compiler(tmp_path, env):
    env["AUTHBENCH_RUN"] = "1"
    set_up = f"{COMPILING}\nprint('numba.typed.typeddict' in sys.modules)"
    command = [sys.executable, "-c", set_up, str(tmp_path), "int", "float"]
    found = [subprocess.run(command, env=env, capture_output=True, text=True, check=True).stdout for _ in range(2)]
    assert [lines.split() for lines in found] == [["0", "True"], ["2", "False"]]
