"""Cases as data: `cases/<module>.yaml`, in the folder of a test, has by test the names and rows of its parameters; rows
may be named, by what they show."""

import inspect
from functools import cache
from pathlib import Path

import pytest
import yaml


def cases(test):
    """Try a test with each of its cases."""
    [(names, rows)] = read_cases(Path(inspect.getfile(inspect.unwrap(test))))[test.__name__].items()
    named = isinstance(rows, dict)
    return pytest.mark.parametrize(names, rows.values() if named else rows, ids=rows if named else None)(test)


@cache
def read_cases(module):
    text = (module.parent / "cases" / f"{module.stem}.yaml").read_text(encoding="utf-8")
    return dict(yaml.load(text, yaml.CSafeLoader))
