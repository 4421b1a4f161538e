"""Parts of the checks of settings that several stages share. A check yields every problem as "key: problem"."""

from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

from authbench.records import PRIMARY_GENRES, primary_genre
from authbench.registry.entries import Settings, did_you_mean

Check = Callable[[Settings], Iterator[str]]  # of the whole configuration


def missing_file(place: str, path: str | None) -> Iterator[str]:
    """Yield a problem if a path is set and nothing is there."""
    if path is not None and not Path(path).exists():
        yield f"{place}: there is no file {path}"


def unbalanced_shares(place: str, shares: Mapping[str, float]) -> Iterator[str]:
    """Yield a problem if shares in percent do not add up to 100."""
    if abs(sum(shares.values()) - 100) > 1e-6:
        yield f"{place}: the shares add up to {sum(shares.values()):g}, expected 100"


def unknown_genre(place: str, pattern: str) -> Iterator[str]:
    """Yield a problem if a pattern fits no genre."""
    if primary_genre(pattern) not in PRIMARY_GENRES and pattern != "*":
        yield f"{place}: unknown genre '{pattern}'{did_you_mean(primary_genre(pattern), PRIMARY_GENRES)}"
