"""The sources that come with AuthBench, read once in a process."""

from collections.abc import Mapping
from functools import cache
from types import MappingProxyType

from authbench.config.registry.source_entry import Source
from authbench.config.registry.sources import find_sources


@cache
def shipped_sources() -> Mapping[str, Source]:
    return MappingProxyType(find_sources())
