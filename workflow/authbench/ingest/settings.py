"""Check the settings of ingestion."""

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import fields

from authbench.errors import InputError
from authbench.ingest.aliases import persons_file, read_aliases
from authbench.records import FIELDS_BESIDE_LABELS
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
    """Yield a problem for each field of `ingest.required` and `dedup.unique` that no source of its task type gives."""
    known: dict[str, set[str]] = {}
    labels: dict[str, set[str]] = {}
    for source in sources:
        ours, task = source.extraction.fields, source.extraction.task
        stated = {one.name for one in fields(ours) if one.name != "labels" and getattr(ours, one.name) is not None}
        known.setdefault(task, set()).update(stated, ours.labels)
        labels.setdefault(task, set()).update(stated & set(FIELDS_BESIDE_LABELS), ours.labels)
    yield from _not_given("ingest.required", config["ingest"]["required"], known, "so that every text would go")
    yield from _not_given("dedup.unique", config["dedup"]["unique"], labels, "so that no text would have a value")


def _not_given(
    setting: str, asked: Mapping[str, Sequence[str]], known: Mapping[str, set[str]], outcome: str
) -> Iterator[str]:
    for task, names in asked.items():
        found = known.get(task, set())
        given = ", ".join(sorted(found)) or ("nothing" if task in known else "nothing: no source is of this task type")
        for name in sorted(set(names) - found):
            yield f"{setting}.{task}: no source gives '{name}', {outcome}; they give {given}"
