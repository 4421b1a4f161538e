"""Check the languages and genres in a source's entry: its constants and mapping values."""

from collections.abc import Iterator
from difflib import get_close_matches
from typing import Any

from authbench.languages import languages
from authbench.records import GENRE, LANGUAGES, OTHER, PRIMARY_GENRES, is_language_code
from authbench.registry.checks import unknown_genre
from authbench.registry.expressions import Expression
from authbench.registry.source_entry import Source
from authbench.registry.values import did_you_mean, shown
from authbench.settings.config import Config

_CHANGING = ("date", "hash")  # operations after a mapping


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


def stated_values(expression: Expression, place: str) -> Iterator[tuple[str, Any]]:
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
