"""Read aliases of persons: pen names, transliterations and spellings of public figures (config/persons.yaml)."""

from collections.abc import Iterator, Mapping
from functools import lru_cache
from pathlib import Path

from authbench.build.ingest.persons import PersonalName, canonical_name
from authbench.config.registry.entries import read_yaml
from authbench.core.author_labels import folded
from authbench.core.errors import InputError
from authbench.core.records import LANGUAGES
from authbench.core.shipped import shipped
from authbench.core.words import did_you_mean

FILE = "config/persons.yaml"
Aliases = Mapping[str, Mapping[str, PersonalName]]  # by language and full name: the name that replaces it


def persons_file(base: Path = Path()) -> Path:
    """Return the file of aliases: in the working directory, or else the shipped file."""
    own = base / FILE
    return own if own.is_file() else shipped(FILE)


@lru_cache(maxsize=4)
def read_aliases(path: Path) -> Aliases:
    """Return the aliases of a file. Raises InputError listing all its problems."""
    content = read_yaml(path)
    if problems := list(_problems(content)):
        raise InputError("\n".join(f"{path}: {problem}" for problem in problems))
    return {lang: dict(_by_alias(lang, people)) for lang, people in content.items()}


def _by_alias(lang: str, people: Mapping[str, list[str]]) -> Iterator[tuple[str, PersonalName]]:
    for main, others in people.items():
        name = canonical_name(folded(main), lang)
        for other in others:
            alias = canonical_name(folded(other), lang)
            if name and alias:
                yield alias.whole, name


def _problems(content: Mapping[str, object]) -> Iterator[str]:
    """Yield the problems of a file: languages, invalid names, and names of two persons."""
    for lang, people in content.items():
        if lang not in LANGUAGES:
            yield f"{lang}: expected a language{did_you_mean(str(lang), LANGUAGES)}"
        elif not isinstance(people, dict):
            yield f"{lang}: expected main names, each with a list of aliases"
        else:
            yield from _problems_of_language(lang, people)


def _problems_of_language(lang: str, people: Mapping[object, object]) -> Iterator[str]:
    mains: dict[str, str] = {}
    for main in people:
        whole = _whole(main, lang)
        if not whole:
            yield f"{lang}: '{main}' is no name; expected a person's, in quotes if YAML takes it for another value"
        elif whole in mains:
            yield f"{lang}: '{mains[whole]}' and '{main}' are one name; join their aliases"
        else:
            mains[whole] = str(main)
    owner: dict[str, str] = {}
    for main, others in people.items():
        if not isinstance(others, list) or not others:
            yield f"{lang}.{main}: expected a list of at least one alias, found {others!r}"
            continue
        for other in others:
            whole = _whole(other, lang)
            if not whole:
                yield f"{lang}.{main}: '{other}' is no name; expected another name of that person"
            elif whole == _whole(main, lang):
                yield f"{lang}.{main}: '{other}' is that name itself (case, titles and order do not count); take it out"
            elif whole in mains:
                yield from _of_main(lang, str(main), mains[whole], people)
            elif whole in owner:
                both = "twice" if owner[whole] == main else f"for '{owner[whole]}' too"
                yield f"{lang}.{main}: the alias '{other}' stands there {both}; leave one"
            owner.setdefault(whole, str(main))


def _of_main(lang: str, main: str, other: str, people: Mapping[object, object]) -> Iterator[str]:
    """Yield why an alias may not be the main name of another person."""
    others = people.get(other)
    back = {_whole(alias, lang) for alias in others} if isinstance(others, list) else set()
    if _whole(main, lang) in back:
        if main < other:
            yield f"{lang}: '{main}' and '{other}' are each the other's alias, a cycle; keep one as the main name"
    else:
        yield f"{lang}.{main}: the alias '{other}' is a main name itself; move its aliases to '{main}', and take it out"


def _whole(name: object, lang: str) -> str:
    found = canonical_name(folded(name), lang) if isinstance(name, str) else None
    return found.whole if found else ""
