"""The sources that come with AuthBench, read once in a process."""

from functools import cache
from types import MappingProxyType

from authbench.config.registry.sources import find_sources


@cache
def shipped_sources():
    return MappingProxyType(find_sources())
