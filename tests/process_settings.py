"""The settings of this process that a library must leave as they are."""

import csv
import gc
import locale
import logging
import os
import socket
import sys
import warnings
from dataclasses import dataclass
from pathlib import Path

import numpy as np


@dataclass(frozen=True)
class Settings:
    """The settings by name, and the modules that were imported when they were read."""

    values: dict[str, object]
    modules: frozenset[str]

    @property
    def libraries(self):
        """The modules of other libraries."""
        return frozenset(name for name in self.modules if not name.startswith("authbench"))


def process_settings():
    """Return the settings as they are now."""
    ours = logging.getLogger("authbench")
    return Settings(
        {
            **{f"os.environ[{name!r}]": value for name, value in os.environ.items() if name != "PYTEST_CURRENT_TEST"},
            **{f"numpy.geterr()[{kind!r}]": value for kind, value in np.geterr().items()},
            **{f"sys.path: {folder}": True for folder in sys.path},
            **{f"warnings.filters: {entry}": True for entry in warnings.filters},
            "csv.field_size_limit": csv.field_size_limit(),
            "working directory": Path.cwd(),
            "umask": _umask(),
            "sys.excepthook": sys.excepthook,
            "recursion limit": sys.getrecursionlimit(),
            "locale": locale.setlocale(locale.LC_ALL),
            "gc.isenabled": gc.isenabled(),
            "socket.getdefaulttimeout": socket.getdefaulttimeout(),
            "logging.raiseExceptions": logging.raiseExceptions,
            "logging.disable": logging.root.manager.disable,
            "logging.root.level": logging.root.level,
            "logging of authbench": (ours.level, ours.propagate, ours.disabled, tuple(ours.handlers)),
        },
        frozenset(sys.modules),
    )


def changes(before, after):
    """Return the settings that differ, each as it was and as it is, None where it is missing.

    Other libraries set variables and filters of their own when they are first imported: then additions do not count.
    """
    if before.values == after.values:  # nearly always, and soon said
        return {}
    names = before.values.keys() if after.libraries - before.libraries else before.values.keys() | after.values.keys()
    pairs = {name: (before.values.get(name), after.values.get(name)) for name in sorted(names)}
    return {name: pair for name, pair in pairs.items() if pair[0] != pair[1]}


def _umask():
    mask = os.umask(0)
    os.umask(mask)
    return mask
