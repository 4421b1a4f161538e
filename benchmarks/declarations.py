"""Count in how many modules of the library a thing is declared that should be declared once.

    python benchmarks/declarations.py [LIBRARY]

LIBRARY is the folder `workflow/authbench` of this checkout or of another one. The rules look at the syntax trees alone:

- release format: constants of the module name both the columns `candidate_id` and `positive_ids`;
- loader of a registry: a function tells names from paths, by the ending `.yaml` or `is_path`, and looks for the file;
- ROC area: a function is named for it (auc, auroc), or gives such a name the value of a calculation, not of a call;
- bytes of texts: a function is named `utf8`;
- p by randomisation: a function takes `rounds` and counts `as_far`;
- interval: a function takes quantiles of `replicates`.

Prints a Markdown table: what, in how many modules, and which.
"""

import argparse
import ast
from collections.abc import Callable, Iterator, Mapping
from functools import cache
from pathlib import Path

LIBRARY = Path(__file__).resolve().parents[1] / "workflow/authbench"
COLUMNS = {"candidate_id", "positive_ids"}
AREAS = {"auc", "auroc"}
ENDING = ".yaml"
CALCULATIONS = (ast.BinOp, ast.IfExp)
Rule = Callable[[ast.Module], bool]


def strings_of(node: ast.AST) -> set[str]:
    """Return all string constants below a node."""
    return {one.value for one in ast.walk(node) if isinstance(one, ast.Constant) and isinstance(one.value, str)}


def calls_of(node: ast.AST) -> Iterator[tuple[str, ast.Call]]:
    """Yield each call below a node with the last part of the called name."""
    for one in ast.walk(node):
        if isinstance(one, ast.Call):
            yield getattr(one.func, "attr", getattr(one.func, "id", "")), one


@cache  # for every rule
def functions_of(module: ast.Module) -> list[ast.FunctionDef]:
    """Return all functions of a module, however deep."""
    return [node for node in ast.walk(module) if isinstance(node, ast.FunctionDef)]


def declares_the_format(module: ast.Module) -> bool:
    """Whether constants of the module name the columns of candidates and of the ground truth."""
    constants = [node for node in module.body if isinstance(node, ast.Assign | ast.AnnAssign)]
    return set().union(*map(strings_of, constants)) >= COLUMNS


def loads_entries(module: ast.Module) -> bool:
    """Whether a function tells a name from a path, by its ending or `is_path`, and looks for the file."""

    def loads(function: ast.FunctionDef) -> bool:
        called = {name for name, _ in calls_of(function)}
        return "is_file" in called and ("is_path" in called or "endswith" in called and ENDING in strings_of(function))

    return any(map(loads, functions_of(module)))


def computes_an_area(module: ast.Module) -> bool:
    """Whether a function is named for the ROC area, or calculates a value of such a name."""
    if any(function.name.removeprefix("_") in AREAS for function in functions_of(module)):
        return True
    assigned = [node for node in ast.walk(module) if isinstance(node, ast.Assign)]
    return any(
        isinstance(target, ast.Name) and target.id in AREAS and isinstance(node.value, CALCULATIONS)
        for node in assigned
        for target in node.targets
    )


def gives_the_bytes_of_texts(module: ast.Module) -> bool:
    """Whether a function is named `utf8`."""
    return any(function.name == "utf8" for function in functions_of(module))


def randomises(module: ast.Module) -> bool:
    """Whether a function takes `rounds` and counts those that are as far, `as_far`."""
    return any(
        "rounds" in {argument.arg for argument in function.args.args}
        and any(isinstance(node, ast.Name) and node.id == "as_far" for node in ast.walk(function))
        for function in functions_of(module)
    )


def gives_an_interval(module: ast.Module) -> bool:
    """Whether a function takes quantiles of `replicates`."""
    return any(
        "replicates" in {argument.arg for argument in function.args.args}
        and any(name == "quantile" for name, _ in calls_of(function))
        for function in functions_of(module)
    )


RULES: Mapping[str, Rule] = {
    "release format": declares_the_format,
    "loader of a registry": loads_entries,
    "ROC area": computes_an_area,
    "bytes of texts": gives_the_bytes_of_texts,
    "p by randomisation": randomises,
    "interval": gives_an_interval,
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("library", type=Path, nargs="?", default=LIBRARY)
    library = parser.parse_args().library
    modules = {
        path.relative_to(library).as_posix(): ast.parse(path.read_text(encoding="utf-8"))
        for path in sorted(library.rglob("*.py"))
    }
    print("| declared | modules | which |\n| --- | ---: | --- |")
    for declared, rule in RULES.items():
        found = [name for name, module in modules.items() if rule(module)]
        print(f"| {declared} | {len(found)} | {', '.join(f'`{name}`' for name in found)} |")


if __name__ == "__main__":
    main()
