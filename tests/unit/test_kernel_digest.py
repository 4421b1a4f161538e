"""An edit compiles again what it changes, and nothing else."""

import importlib
import sys
from pathlib import Path

import pytest
from cases import cases

pytest.importorskip("numba")

from authbench.core.runtime.jit_cache import digest_of_kernels

DEEP = """
from authbench.core.runtime.jit import compiled

@compiled
def one_more(value):
    return value + 1
"""
LIMITS = "import numpy as np\n\nMOST = 7\nSTEPS = np.arange(5)\nPAIR = (1, 2)\n\ndef told():\n    return 1\n"
KERNELS = """
from limits import MOST, PAIR, STEPS, told
from deep import one_more
from authbench.core.runtime.jit import compiled

@compiled
def first(value):
    return one_more(value) + MOST + STEPS[0] + PAIR[0]

@compiled
def second(value):
    return first(value)
"""


@pytest.fixture
def written(tmp_path, monkeypatch):
    """Write three modules, changed as asked, into a folder of their own, and import the one with kernels."""
    names = ("limits", "deep", "kernels")

    def write(folder, **changed):
        (tmp_path / folder).mkdir()
        for name, source in zip(names, (LIMITS, DEEP, KERNELS), strict=True):
            (tmp_path / folder / f"{name}.py").write_text(changed.get(name, source), encoding="utf-8")
            monkeypatch.delitem(sys.modules, name, raising=False)
        with monkeypatch.context() as here:
            here.syspath_prepend(tmp_path / folder)
            return importlib.import_module("kernels")

    yield write
    for name in names:
        sys.modules.pop(name, None)


def digests(module):
    return {digest_of_kernels(module.first.py_func), digest_of_kernels(module.second.py_func)}


def test_kernels_of_a_module_have_one_digest_in_every_copy(written):
    one, other = digests(written("one")), digests(written("other"))
    assert len(one) == 1
    assert one == other


@cases
def test_what_compiled_code_would_hold_changes_the_digest(written, changed, before, after):
    source = {"kernels": KERNELS, "deep": DEEP, "limits": LIMITS}[changed]
    assert before in source
    assert digests(written("one")) != digests(written("other", **{changed: source.replace(before, after)}))


def test_an_edit_beside_the_kernels_compiles_nothing_again(written):
    edited = LIMITS.replace("return 1", "return 2") + "\nUNUSED = 3\n"
    assert digests(written("one")) == digests(written("other", limits=edited))


def test_a_compiled_module_names_the_folder_of_its_code(written):
    module = written("one")
    (digest,) = digests(module)
    assert Path(module.first.stats.cache_path).parts[-2:] == ("one", f"kernels-{digest}")
