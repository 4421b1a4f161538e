"""Count the characters of a text by kind; a kind is a class of single characters."""

from collections import Counter
from collections.abc import Mapping
from functools import cache

import regex


class CharacterKinds:
    """Classes of characters by name; each character is classified once per process.

    Args:
        patterns: by name, a pattern of one character.
    """

    def __init__(self, patterns: Mapping[str, str]) -> None:
        self._patterns = {name: regex.compile(pattern, regex.V1) for name, pattern in patterns.items()}
        self._kinds_of = cache(self._matching)

    def count(self, characters: Counter[str]) -> dict[str, int]:
        """Return the number of characters of each kind."""
        found = dict.fromkeys(self._patterns, 0)
        for character, count in characters.items():
            for kind in self._kinds_of(character):
                found[kind] += count
        return found

    def _matching(self, character: str) -> tuple[str, ...]:
        return tuple(name for name, pattern in self._patterns.items() if pattern.match(character))
