"""Render the clauses of the paper and its processing plan, with what keeps each, as a page."""

import json
from collections.abc import Sequence
from typing import Any

from authbench.config.registry.entries import default_settings, read_yaml
from authbench.core.json_values import JsonMapping
from authbench.core.shipped import shipped

Clause = JsonMapping
_HEAD = """# The paper and its plan, clause by clause

Each clause works, or a setting switches to it (`fidelity: plan`, `fidelity: paper`). P is the plan;
numbers, letters, T and F are the paper's sections, appendices, tables and figures.

| where | clause | state | kept by | ours | plan | paper |
| --- | --- | --- | --- | --- | --- | --- |
"""


def clauses() -> Sequence[Clause]:
    """Return the clauses, as resources/clauses.yaml states them."""
    return list(read_yaml(shipped("clauses.yaml"))["clauses"])


def default_of(setting: str) -> object:
    """Return the default of a setting such as `seed` or `sample.lengths`."""
    found: Any = default_settings()
    for key in setting.split("."):
        found = found[key]
    return found


def state_of(clause: Clause) -> str:
    """Return `works`, or `switch` if the plan or the paper has another value than the default."""
    kind, name = clause["by"].split(" ", 1)
    stated = [clause[source] for source in ("plan", "paper") if source in clause]
    differs = kind == "setting" and any(value != default_of(name) for value in stated)
    return "switch" if differs else "works"


def page() -> str:
    """Return the clauses as Markdown."""
    rows = []
    for clause in clauses():
        kind, name = clause["by"].split(" ", 1)
        text = clause["clause"] + (f". Reveals: {clause['reveals']}" if "reveals" in clause else "")
        values = {"ours": default_of(name), **clause} if kind == "setting" else {}
        shown = [f"`{json.dumps(values[key])}`" if key in values else "" for key in ("ours", "plan", "paper")]
        rows.append(" | ".join([clause["where"], text, state_of(clause), f"{kind} `{name}`", *shown]))
    return _HEAD + "".join(f"| {row} |\n" for row in rows)
