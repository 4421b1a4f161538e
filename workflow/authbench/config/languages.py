"""Read the table of languages (config/languages.yaml): names, order, and the scripts in which they are written."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache, lru_cache
from pathlib import Path

from authbench.config.registry.entries import read_yaml
from authbench.core.errors import InputError
from authbench.core.records import LANGUAGES, OTHER, is_language_code
from authbench.core.shipped import shipped

FILE = "config/languages.yaml"
SCRIPTS = ("Latin", "Cyrillic", "Arabic", "Devanagari", "Han", "Bopomofo", "Hiragana", "Katakana", "Hangul")
ALL = "all"
NOT_ONE_LANGUAGE = {OTHER: "Other languages", ALL: "All"}
_EXPECTED = "expected `code: {name: English name, scripts: [Latin]}`, with scripts of " + ", ".join(SCRIPTS)


@dataclass(frozen=True)
class Language:
    """Describe a language; without scripts, its texts are not checked for scripts."""

    name: str
    scripts: tuple[str, ...] = ()


def languages_file(base: Path = Path()) -> Path:
    """Return the table: the working directory's, or the shipped table."""
    own = base / FILE
    return own.resolve() if own.is_file() else shipped(FILE)


@lru_cache(maxsize=4)
def read_languages(path: Path) -> Mapping[str, Language]:
    """Return the languages of a table by code.

    Raises:
        InputError: an entry (its code is reported) is malformed, or any of the ten languages is missing.
    """
    content = read_yaml(path)
    found = {}
    for code, entry in content.items():
        if not is_language_code(str(code)) or str(code) == OTHER:
            raise InputError(f"{path}: {code!r} is no code of two or three small letters; {_EXPECTED}.")
        if not isinstance(entry, Mapping) or not isinstance(entry.get("name"), str) or set(entry) - {"name", "scripts"}:
            raise InputError(f"{path}: {code}: {_EXPECTED}, found {entry!r:.80}.")
        scripts = entry.get("scripts", [])
        if not isinstance(scripts, list) or not set(map(str, scripts)) <= set(SCRIPTS):
            raise InputError(f"{path}: {code}: {_EXPECTED}, found {scripts!r:.80}.")
        found[str(code)] = Language(entry["name"], tuple(scripts))
    if missing := [lang for lang in LANGUAGES if not found.get(lang, Language("")).scripts]:
        raise InputError(f"{path}: lacks {', '.join(missing)} with their scripts; {_EXPECTED}.")
    return found


@cache
def languages() -> Mapping[str, Language]:
    """Return the table in effect in the working directory, read once."""
    return read_languages(languages_file())


def language_name(language: str) -> str:
    """Return the English name of a language code; an unknown code is returned unchanged."""
    known = languages().get(language)
    return known.name if known else NOT_ONE_LANGUAGE.get(language, language)


def ordered(names: Iterable[str]) -> list[str]:
    """Return distinct names alphabetically (languages by their English name), `all` last."""
    return sorted(set(names), key=lambda name: (name == ALL, language_name(name), name))
