"""Find texts in a source whose files or records have changed since they were read.

A corpus that is crawled or packed again has other files, and records at other places, but most texts are unchanged.
Each text of the source is normalised and looked up by its SHA-256; in a long text every wanted span is tried.
"""

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from authbench.identity import sha256_of_text
from authbench.rebuild.match import Wanted, as_released, whole_forms

ALL_TRIED = 2_000_000  # spans; beyond, only spans that begin and end at a sentence, line or word are tried
_BREAKS = np.array(sorted(map(ord, ' \n.!?…。！？；;:,，、"”’」』）)]')), np.uint32)


class _Sought:
    """Hold the texts that are still sought. Memory: some 300 bytes for each."""

    def __init__(self, wanted: Iterable[Wanted]) -> None:
        self.whole: defaultdict[str, list[Wanted]] = defaultdict(list)
        self.parts: list[Wanted] = []
        for one in wanted:
            if one.start is None:
                self.whole[one.sha256].append(one)
            else:
                self.parts.append(one)
        self._index()
        self.tried = 0

    def __bool__(self) -> bool:
        return bool(self.whole or self.parts)

    def langs(self) -> list[str]:
        return sorted({one.lang for some in self.whole.values() for one in some} | {one.lang for one in self.parts})

    def take_whole(self, content: str) -> dict[int, str]:
        """Return the rows whose whole text is this text, and stop seeking them."""
        for text in whole_forms(content):
            if found := self.whole.pop(sha256_of_text(text), None):
                return dict.fromkeys((one.row for one in found), text)
        return {}

    def take_parts(self, content: str) -> dict[int, str]:
        """Return the rows whose texts are spans of this text, and stop seeking them."""
        found = {}
        for place in self._fitting(content).tolist():
            text = as_released(content, self.parts[place])
            if text is not None:
                found[self.parts[place].row] = text
        if found:
            self.parts = [one for one in self.parts if one.row not in found]
            self._index()
        return found

    def _index(self) -> None:
        self.starts = np.array([one.start for one in self.parts], np.int64)
        self.ends = np.array([one.end for one in self.parts], np.int64)

    def _fitting(self, content: str) -> NDArray[np.int64]:
        """Return the places of the spans to try in a text."""
        places = np.flatnonzero(self.ends <= len(content))
        self.tried += len(places)
        if self.tried <= ALL_TRIED or not len(places):
            return places
        letters = np.frombuffer(content.encode("utf-32-le", "surrogatepass"), np.uint32)
        starts, ends = self.starts[places], self.ends[places]
        begin = (starts == 0) | np.isin(letters[starts - 1], _BREAKS)
        stop = (ends == len(letters)) | np.isin(letters[np.minimum(ends, len(letters) - 1)], _BREAKS[:2])
        tried: NDArray[np.bool_] = begin & (stop | np.isin(letters[ends - 1], _BREAKS))
        return places[tried]


def find_moved(
    blocks: Iterable[Sequence[str]],
    wanted: Iterable[Wanted],
    normalise: Callable[[Sequence[str], str], dict[int, str]],
) -> Iterator[dict[int, str]]:
    """Yield the texts of wanted rows, by row, that are found in the blocks.

    Args:
        blocks: the texts of all records of a source, in the batches in which they are read.
        normalise: returns the normalised texts of a language, by their numbers, without those that become empty.
    """
    sought = _Sought(wanted)
    for contents in blocks if sought else ():
        found: dict[int, str] = {}
        for content in contents:
            found |= sought.take_whole(content)
        for lang in sought.langs():
            for normal in normalise(contents, lang).values():
                found |= sought.take_whole(normal)
                found |= sought.take_parts(normal)
        yield found
        if not sought:
            return
