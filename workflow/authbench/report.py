"""Where did every document go, and what should a reader know before trusting the result?"""

from collections.abc import Mapping
from typing import Any

import polars as pl


def warnings(
    facts: Mapping[str, Any], documents: pl.DataFrame, queries: pl.DataFrame, sources: Mapping[str, Mapping[str, Any]]
) -> list[str]:
    return []
