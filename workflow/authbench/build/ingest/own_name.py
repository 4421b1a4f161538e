"""Remove the author's name from a text: it reveals the author, but is not style.

A line at either end with the name and hardly any other words (a signature, a by-line) is cut; elsewhere the name
becomes `[NAME]`.
"""

from functools import lru_cache

import regex

PLACEHOLDER = "[NAME]"
MOST_LINES = 3  # at either end
LONGEST_LINE = 60  # characters; a longer line, or a line with more words besides the name, is prose
MOST_WORDS = 3
MIN_CHARACTERS = 2
MIN_UNSPACED = 3  # characters of a name in a script without spaces, where words have no boundaries

LETTER = regex.compile(r"\p{L}")
WORD = regex.compile(r"[\p{Han}\p{Hiragana}\p{Katakana}]|[\p{L}\p{M}\p{N}]+")
UNSPACED = regex.compile(r"[\p{Han}\p{Hiragana}\p{Katakana}]+")
PLAIN_WORD = regex.compile(r"[\p{L}\p{M}]+")
TURNED = regex.compile(r"([^,]{2,60}), ([^,()]{2,60})")
BEFORE, AFTER = r"(?<![\p{L}\p{M}\p{N}_@＠])[@＠]?", r"(?![\p{L}\p{M}\p{N}_])"


def without_own_name(text: str, name: str) -> str:
    """Return the text without its author's name; `name` is the folded label.

    A name of letters is matched case-sensitively (`Hope` is not `hope`), any other name case-insensitively. A name
    without two letters, such as a number, is not searched for. A text that consists only of such lines keeps them.

    >>> without_own_name("Ann_Lee was here, and left a letter.\\nann_lee", "Ann_Lee")
    '[NAME] was here, and left a letter.'
    """
    if not _may_occur(name, text):
        return text
    pattern = _pattern(name)
    if pattern is None or not pattern.search(text):
        return text
    lines = text.split("\n")
    first, last = 0, len(lines)
    while first < MOST_LINES and first < last and _is_by_line(lines[first], pattern):
        first += 1
    while len(lines) - last < MOST_LINES and last > first and _is_by_line(lines[last - 1], pattern):
        last -= 1
    rest = "\n".join(lines[first:last]).strip()
    return pattern.sub(PLACEHOLDER, rest if LETTER.search(rest) else text)


def _is_by_line(line: str, pattern: "regex.Pattern[str]") -> bool:
    rest, found = pattern.subn(" ", line) if len(line) <= LONGEST_LINE else ("", 0)
    return found > 0 and len(WORD.findall(rest)) <= MOST_WORDS


def _may_occur(name: str, text: str) -> bool:
    """Return false only if `_pattern` finds no match: compiling patterns costs more than reading most texts."""
    text = caseless(text)
    return any(all(word in text for word in words) for words in _words(name))


def caseless(text: str) -> str:
    """Return the text case-folded as `regex` does: equal for texts that match case-insensitively."""
    return text.replace("İ", "i").replace("ı", "i").casefold()


@lru_cache(maxsize=1 << 14)
def _words(name: str) -> tuple[tuple[str, ...], ...]:
    """Return the case-folded words of each form of a name."""
    return tuple(tuple(map(caseless, form.split())) for form in _forms(name))


def _forms(name: str) -> list[str]:
    """Return a name as given, and with its family name last if that comes first."""
    turned = TURNED.fullmatch(name)
    return [name, f"{turned[2].strip()} {turned[1].strip()}"] if turned else [name]


@lru_cache(maxsize=1 << 14)
def _pattern(name: str) -> "regex.Pattern[str] | None":
    """Return the pattern of a name, also with its family name last; None for a name that is not searched for."""
    if len(name) < MIN_CHARACTERS or len(LETTER.findall(name)) < MIN_CHARACTERS:
        return None
    found = "|".join(r"\s+".join(map(regex.escape, form.split())) for form in _forms(name))
    if UNSPACED.fullmatch(name) and len(name) >= MIN_UNSPACED:
        return regex.compile(found)
    flags = 0 if PLAIN_WORD.fullmatch(name) else regex.IGNORECASE
    return regex.compile(f"{BEFORE}(?:{found}){AFTER}", flags)
