"""Check the settings of ingestion."""

import os
from collections.abc import Iterator

from authbench.errors import InputError
from authbench.ingest.aliases import persons_file, read_aliases
from authbench.registry.entries import Settings


def ingest_problems(config: Settings) -> Iterator[str]:
    variable = config["ingest"]["author_key_env"]
    if variable and not os.environ.get(variable):
        yield f"ingest.author_key_env: the environment variable {variable} is not set"
    try:
        read_aliases(persons_file())
    except InputError as problem:
        yield from str(problem).split("\n")
