"""Check the settings of ingestion."""

import os
from collections.abc import Iterable, Iterator
from dataclasses import fields

from authbench.errors import InputError
from authbench.ingest.aliases import persons_file, read_aliases
from authbench.registry.source_entry import Source
from authbench.settings.config import Config


def ingest_problems(config: Config) -> Iterator[str]:
    variable = config["ingest"]["author_key_env"]
    if variable and not os.environ.get(variable):
        yield f"ingest.author_key_env: the environment variable {variable} is not set"
    try:
        read_aliases(persons_file())
    except InputError as problem:
        yield from str(problem).split("\n")


def unknown_requirements(config: Config, sources: Iterable[Source]) -> Iterator[str]:
    """Yield a problem for each field of `ingest.required` that no source of its task type gives."""
    known: dict[str, set[str]] = {}
    for source in sources:
        ours = source.extraction.fields
        stated = {one.name for one in fields(ours) if one.name != "labels" and getattr(ours, one.name) is not None}
        known.setdefault(source.extraction.task, set()).update(stated, ours.labels)
    for task, names in config["ingest"]["required"].items():
        given = ", ".join(sorted(known.get(task, ()))) or "nothing: no source is of this task type"
        for name in sorted(set(names) - known.get(task, set())):
            yield f"ingest.required.{task}: no source gives '{name}', so that every text would go; they give {given}"
