"""Settings that nobody should write: values of every kind, at every key of the configuration."""

from collections.abc import Mapping
from datetime import date

from hypothesis import strategies as st

# The values are drawn equally often, whatever their kind.
NUMBERS = [0, -1, 1, 2, 100, 2**31, 2**63 - 1, 2**63, -(2**63) - 1, 10**400, 0.5, 800.0, 1e308, 5e-324]
NOT_FINITE = [float("nan"), float("inf"), float("-inf")]
TEXTS = [
    "",
    "1e5",
    "nan",
    ".inf",
    "null",
    "no",
    "{y}",
    "a\0b",
    "\ud800",
    "a\n",
    "x" * 300,
    "../up",
    "a/b",
    "2020-13-45",
    "٣",
]
OTHERS = [None, True, False, date(2020, 1, 1), b"bytes", [], {}, [[]], [None], {1: 2}, {None: 1}, {"x": float("nan")}]
ODD = st.sampled_from([*NUMBERS, *NOT_FINITE, *TEXTS, *OTHERS])


def keys_of(section, place=()):
    """Yield the places of all values, also of those that hold others."""
    for key, value in section.items():
        yield (*place, key)
        if isinstance(value, Mapping):
            yield from keys_of(value, (*place, key))


def setting(place, value):
    """Return the configuration that gives one setting this value."""
    for key in reversed(place):
        value = {key: value}
    return value


def hostile(defaults):
    """Return configurations with one odd value: a setting itself, an entry of a list, or one beside others."""
    places = st.sampled_from(sorted(keys_of(defaults)))
    keys = st.sampled_from([*TEXTS, "en", "train"])
    lists, mappings = st.lists(ODD, max_size=2), st.dictionaries(keys, ODD, max_size=2)
    return st.builds(setting, places, st.one_of(ODD, lists, mappings))
