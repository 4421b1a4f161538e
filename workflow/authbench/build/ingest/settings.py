"""Check the settings of ingestion, and the languages and genres that sources' entries state."""

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import fields
from difflib import get_close_matches

from authbench.build.ingest.aliases import persons_file, read_aliases
from authbench.config.languages import languages
from authbench.config.registry.checks import unknown_genre
from authbench.config.registry.expressions import Expression
from authbench.config.registry.source_entry import Source
from authbench.config.registry.values import shown
from authbench.config.settings.config import Config
from authbench.core.errors import InputError
from authbench.core.records import FIELDS_BESIDE_LABELS, GENRE, LANGUAGES, OTHER, PRIMARY_GENRES, is_language_code
from authbench.core.words import did_you_mean

_CHANGING = ("date", "hash")  # operations after a mapping


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


def unusable_values(config: Config, source: Source) -> Iterator[str]:
    """Yield a problem for each impossible language or genre of an entry, as "key: problem"."""
    fields, own = source.extraction.fields, config["ingest"]["genres"]
    no_codes = {
        place: value
        for place, value in stated_values(fields.lang, "fields.lang")
        if value != OTHER and not is_language_code(str(value))
    }
    for place, value in no_codes.items():
        yield f"{place}: {shown(value)} is not the code of a language{_meant(str(value))}"
    possible = None if no_codes else source.languages
    if config["ingest"]["other_languages"] == "drop" and possible and not possible & set(LANGUAGES):
        yield (
            f"fields.lang: all texts would be dropped: {', '.join(sorted(map(str, possible)))} is none of "
            f"{', '.join(LANGUAGES)}; ingest.other_languages=keep keeps texts in other languages"
        )
    genres = [("fields.genre", fields.genre)]
    if config["ingest"]["fine_genres"] and fields.fine_genre is not None:
        genres.append(("fields.fine_genre", fields.fine_genre))
    for key, expression in genres:
        for place, value in stated_values(expression, key):
            if GENRE.fullmatch(str(value)):
                yield from unknown_genre(place, str(value), own)
            else:
                meant = did_you_mean(str(value).lower(), (*PRIMARY_GENRES, *own))
                yield f"{place}: {shown(value)} is not a genre, or genre/sub-genre, in small letters{meant}"


def stated_values(expression: Expression, place: str) -> Iterator[tuple[str, object]]:
    """Yield the key and value of each constant of an expression and each value of its mappings."""
    if isinstance(expression, str) or any(operation in expression for operation in _CHANGING):
        return
    if "map" in expression:
        yield from ((f"{place}.map.{old}", new) for old, new in expression["map"].items() if new is not None)
    elif set(expression) == {"const"} and expression["const"] is not None:
        yield f"{place}.const", expression["const"]
    elif set(expression) == {"any"}:
        for number, one in enumerate(expression["any"]):
            yield from stated_values(one, f"{place}.any.{number}")


def _meant(written: str) -> str:
    """Return the end of a message on an invalid language code: the code of the language it names."""
    codes = {language.name.casefold(): code for code, language in languages().items()} | {one: one for one in LANGUAGES}
    close = get_close_matches(written.strip().casefold(), codes, 1)
    return f"; did you mean '{codes[close[0]]}'?" if close else "; expected two or three small letters, such as en"
