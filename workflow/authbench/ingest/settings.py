"""Check the settings of ingestion."""

import os
from collections.abc import Iterator

from authbench.registry.entries import Settings


def ingest_problems(config: Settings) -> Iterator[str]:
    variable = config["ingest"]["author_key_env"]
    if variable and not os.environ.get(variable):
        yield f"ingest.author_key_env: the environment variable {variable} is not set"
