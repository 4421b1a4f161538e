"""List the kernels that a run compiled for the jobs from selection on, for `authbench.core.runtime.ahead`.

    rm -rf .snakemake results/demo && snakemake --cores 1 && python benchmarks/kernels.py > resources/kernels.yaml

With one core the run itself compiles everything, so the list holds what its jobs used.
"""

import pickle
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from typing import Any

import yaml
from numba import types

COMPILED = Path(".snakemake/compiled")
MODULES = (  # in the order in which the jobs of the demo need them
    "build.sample.authors",
    "build.dedup.overlaps",
    "core.product_kernels",
    "build.release.pool_kernels",
    "release.checking.similar_kernels",
    "release.checking.contained_kernels",
    "release.checking.pool_kernels",
    "scoring.evaluation.retrieval_kernels",
    "scoring.metrics.error_rate_kernels",
)


def listed(compiled: Path) -> dict[str, dict[str, list[Any]]]:
    """Return the types of the arguments of each kernel that Python calls, by module and kernel."""
    names = [f"authbench.{name}" for name in MODULES]
    return {name: dict(sorted(_called(compiled, name))) for name in names}


def _called(compiled: Path, name: str) -> Iterator[tuple[str, list[Any]]]:
    module = import_module(name)
    kernels = {key: value for key, value in vars(module).items() if hasattr(value, "py_func")}
    inner = {called for kernel in kernels.values() for called in kernel.py_func.__code__.co_names}
    _, package, stem = name.rsplit(".", 2)
    for index in compiled.glob(f"{package}/{stem}-*/*.nbi"):
        kernel = index.name.split(".")[1].rpartition("-")[0]
        with index.open("rb") as file:
            pickle.load(file)  # the version of numba, then a stamp and the compiled forms
            _, forms = pickle.loads(file.read())
        for signature, *_ in forms:
            if kernel not in inner:
                yield kernel, [stated(argument) for argument in signature]


def stated(found: Any) -> Any:
    """Return the statement of a type, as `ahead` reads it."""
    if isinstance(found, types.NamedTuple):
        return {found.instance_class.__name__: [stated(part) for part in found.types]}
    if isinstance(found, types.BaseTuple):
        return [stated(part) for part in found]
    if isinstance(found, types.Array):
        return f"{'' if found.mutable else 'readonly '}{found.dtype} {found.ndim}"
    return str(found)


if __name__ == "__main__":
    print("# Kernels that jobs from selection on compile, and the types of their arguments; by benchmarks/kernels.py.")
    print(yaml.safe_dump(listed(COMPILED), sort_keys=False, width=120, default_flow_style=None), end="")
