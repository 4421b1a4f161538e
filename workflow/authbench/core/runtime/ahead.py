"""Compile kernels ahead of the jobs that need them, in a process that a run starts together with its first jobs.

In a small run the later jobs follow one another, and each waits for its kernels to compile while other cores are idle.
`kernels.yaml` (written by benchmarks/kernels.py) lists the kernels of these jobs with the types of their arguments.
"""

import atexit
import subprocess
import sys
from contextlib import suppress
from importlib import import_module
from typing import Any

import yaml

from authbench.core.runtime.caches import compiled_code
from authbench.core.shipped import shipped


def start_compiling(cores: int | None) -> bool:
    """Start the process, which ends with this one at the latest; return whether it was started.

    It is not if the run may use only one core, or has compiled anything before.
    """
    if not cores or cores < 2 or next(compiled_code().glob("*/*"), None):
        return False
    beside = subprocess.Popen([sys.executable, "-m", __name__], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    atexit.register(beside.kill)
    return True


def compile_listed() -> None:
    """Compile the listed kernels; a kernel that does not accept the listed types is left to its job."""
    from numba.core.errors import NumbaError

    for module, kernels in yaml.safe_load(shipped("kernels.yaml").read_text(encoding="utf-8")).items():
        loaded = import_module(module)
        for name, arguments in kernels.items():
            with suppress(NumbaError, AttributeError, KeyError, TypeError):
                kernel = getattr(loaded, name)
                kernel.compile(tuple(_type(argument, kernel.py_func.__globals__) for argument in arguments))


def _type(stated: Any, names: dict[str, object]) -> object:
    """Return numba's type of `int64`, `readonly uint8 1` (an array of one dimension), [...] or {name: [...]}."""
    import numba

    types: Any = numba.types
    if isinstance(stated, list):
        return types.Tuple([_type(part, names) for part in stated])
    if isinstance(stated, dict):
        ((name, parts),) = stated.items()
        return types.NamedTuple([_type(part, names) for part in parts], names[name])
    rest = stated.removeprefix("readonly ")
    scalar, _, dimensions = rest.partition(" ")
    found = types.boolean if scalar == "bool" else getattr(types, scalar)
    return types.Array(found, int(dimensions), "C", readonly=stated != rest) if dimensions else found


if __name__ == "__main__":
    compile_listed()
