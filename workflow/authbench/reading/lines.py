"""Cut a stream into lines of bounded length."""

from collections.abc import Callable, Iterator
from typing import Any, AnyStr

from authbench.storage.raw_files import CHUNK


def bounded_lines(
    read_on: Callable[[int], AnyStr], cut: Callable[[AnyStr], list[AnyStr]], limit: int
) -> Iterator[list[AnyStr | None]]:
    """Yield the lines of a stream in lists of about a megabyte; `None` replaces a line longer than `limit`.

    `cut` splits a piece of the stream into lines; the last part, which may be empty, continues in the next piece.
    Memory: a piece, and at most `limit` of an unfinished line.
    """
    begun: list[Any] = []
    size = 0
    while piece := read_on(CHUNK):
        *ended, rest = cut(piece)
        if ended:
            first = _joined([*begun, ended[0]]) if size + len(ended[0]) <= limit else None
            yield [first, *(line if len(line) <= limit else None for line in ended[1:])]
            begun, size = [], 0
        size += len(rest)
        begun = [*begun, rest] if size <= limit else []
    if size:
        yield [_joined(begun) if size <= limit else None]


def _joined(parts: list[Any]) -> Any:
    return parts[0][:0].join(parts)
