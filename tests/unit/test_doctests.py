"""The examples in docstrings give what they say; tests/unit/test_api.py runs the ones of `authbench.app.api`."""

import doctest
import importlib
from pathlib import Path

import pytest

WORKFLOW = Path(__file__).parents[2] / "workflow"
MODULES = sorted(
    ".".join(path.relative_to(WORKFLOW).with_suffix("").parts)
    for path in (WORKFLOW / "authbench").rglob("*.py")
    if ">>> " in path.read_text(encoding="utf-8") and "shipped" not in path.parts and path.name != "api.py"
)


@pytest.mark.parametrize("module", MODULES)
def test_the_examples_of_a_module_hold(module):
    found = doctest.testmod(importlib.import_module(module), optionflags=doctest.NORMALIZE_WHITESPACE)
    assert found.attempted and not found.failed
