"""Read lists of function words, a list per language."""

from collections.abc import Mapping, Sequence
from functools import cache

import yaml

from authbench.core.shipped import shipped
from authbench.core.storage.yaml_loader import FAST_LOADER

LISTS = shipped("text/function_words.yaml")


@cache
def read_function_words() -> Mapping[str, Sequence[str]]:
    """Return the function words of each language; an entry that begins with `-` is an ending."""
    lists: Mapping[str, Sequence[str]] = yaml.load(LISTS.read_text(encoding="utf-8"), FAST_LOADER)
    return lists
