"""Cases as data: `cases/<module>.yaml`, in the folder of a test, has by test the names and rows of its parameters."""

import inspect
from functools import cache
from pathlib import Path

import pytest
import yaml


def cases(test):
    """Try a test with each of its cases."""
    [(names, rows)] = read_cases(Path(inspect.getfile(inspect.unwrap(test))))[test.__name__].items()
    return pytest.mark.parametrize(names, rows)(test)


@cache
def read_cases(module):
    text = (module.parent / "cases" / f"{module.stem}.yaml").read_text(encoding="utf-8")
    return dict(yaml.load(text, yaml.CSafeLoader))
