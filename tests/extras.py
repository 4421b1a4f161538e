"""Tests that need an extra: marked without importing it, as every process of the tests reads every module."""

from importlib.util import find_spec

import pytest


def needs(package, extra):
    """Return a mark that skips tests where a package of an extra is not installed."""
    reason = f'{package} is not installed: pip install "authbench[{extra}]"'
    return pytest.mark.skipif(find_spec(package) is None, reason=reason)
