"""Check settings in ways that several stages share. A check yields every problem as "key: problem"."""

import unicodedata
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path

from authbench.core.errors import InputError
from authbench.core.records import PRIMARY_GENRES, primary_genre
from authbench.core.words import did_you_mean


def missing_folder(place: str, path: str | None) -> Iterator[str]:
    """Yield a problem if a path is set and its folder does not exist."""
    if path is not None and not Path(path).is_dir():
        yield f"{place}: there is no folder {path}"


def missing_file(place: str, path: str | None) -> Iterator[str]:
    """Yield a problem if a path is set and its file does not exist."""
    if path is not None and not Path(path).is_file():
        yield (
            f"{place}: {path} is a folder; expected a file"
            if Path(path).is_dir()
            else f"{place}: there is no file {path}"
        )


def unreadable_file(place: str, path: str | None, read: Callable[[str], object]) -> Iterator[str]:
    """Yield a problem if a path is set and its file does not exist or `read` rejects it (raises InputError)."""
    missing = list(missing_file(place, path))
    yield from missing
    if path is not None and not missing:
        try:
            read(path)
        except InputError as problem:
            yield f"{place}: {problem}"
        except OSError as problem:
            yield f"{place}: cannot read {path} ({problem.strerror})"


def same_names(place: str, things: str, names: Iterable[str]) -> Iterator[str]:
    """Yield a problem for each duplicate name, compared as file systems may: ignoring case and Unicode form."""
    known: dict[str, str] = {}
    for name in names:
        form = unicodedata.normalize("NFKC", name).casefold()
        if form in known:
            both = f"'{name}'" if name == known[form] else f"'{known[form]}' and '{name}', which differ too little"
            yield f"{place}: two {things} are called {both}; rename the file of one"
        known[form] = name


def expect_distinct_names(place: str, things: str, names: Iterable[str]) -> None:
    """Raise InputError for duplicate names, as `same_names`: their results would share a folder."""
    if problems := list(same_names(place, things, names)):
        raise InputError("\n".join(problems))


def unbalanced_shares(place: str, shares: Mapping[str, float]) -> Iterator[str]:
    """Yield a problem if shares in percent do not add up to 100."""
    if abs(sum(shares.values()) - 100) > 1e-6:
        yield f"{place}: the shares add up to {sum(shares.values()):g}, expected 100"


def unknown_genre(place: str, pattern: str, own: Sequence[str] = ()) -> Iterator[str]:
    """Yield a problem if a pattern matches neither PRIMARY_GENRES nor the user's genres."""
    known = (*PRIMARY_GENRES, *own)
    if primary_genre(pattern) not in known and pattern != "*":
        meant = did_you_mean(primary_genre(pattern), known)
        yield f"{place}: unknown genre '{pattern}'{meant} (ingest.genres names genres of your own)"
