"""Mask content, to show a verifier how a text is built and not what it is about.

It follows POSnoise (Halvani and Graner 2021), which keeps function words and punctuation and replaces every other word
by its part of speech. Parts of speech need a tagger for each language; here all words that are not function words of
the language become the same sign, and all numbers another.
"""

from functools import cache

import regex

from authbench.function_words import read_function_words

CONTENT, NUMBER = "§", "#"
_UNSPACED = r"[\p{Han}\p{Hiragana}\p{Katakana}]"
_PIECE = regex.compile(rf"{_UNSPACED}|\p{{N}}+(?:[.,:]\p{{N}}+)*|[\p{{L}}\p{{M}}]+(?:['’\-][\p{{L}}\p{{M}}]+)*|\n|\S")
_LETTER = regex.compile(r"[\p{L}\p{M}]")
_ENDS = frozenset("。！？।॥؟")  # ends of sentences, besides . ? ! and the end of a line


def mask_content(text: str, lang: str) -> str:
    """Return function words and punctuation with spaces around, in lower case, CONTENT and NUMBER for the rest.

    Each character of Han and Kana is a word. Signs that end sentences outside Latin script are followed by a new line.
    Without a language the function words of all languages count.

    >>> mask_content("The sun, at 5:30, didn't rise.", "en")
    "the § , at # , didn't § ."
    """
    known = _function_words(lang)
    pieces = []
    for piece in _PIECE.findall(text.lower()):
        first = piece[0]
        if _LETTER.match(first):
            pieces.append(piece if _is_known(piece, known) else CONTENT)
        elif first.isnumeric():
            pieces.append(NUMBER)
        else:
            pieces.append(piece)
        if first in _ENDS:
            pieces.append("\n")
    return " ".join(pieces).replace(" \n ", "\n")


def _is_known(word: str, known: frozenset[str]) -> bool:
    """Return whether the list contains a word, or each of its parts joined by apostrophes or hyphens."""
    plain = word.replace("’", "'")
    return plain in known or all(part in known for part in regex.split(r"['\-]", plain))


@cache
def _function_words(lang: str) -> frozenset[str]:
    """Return the words of a language's list and of its phrases, and contractions; without a language, of all lists."""
    lists = read_function_words()
    entries = lists.get(lang, ()) if lang else [entry for own in lists.values() for entry in own]
    found = {word for entry in entries for word in entry.lower().replace("’", "'").split()}
    signs = {sign for word in found for sign in word if regex.match(_UNSPACED, sign)}
    return frozenset(found | signs | _CONTRACTED)


_CONTRACTED = frozenset(
    """ain aren can couldn d didn doesn don hadn hasn haven isn l ll m mustn needn qu re s shan shouldn t ve wasn weren
    won wouldn c j n""".split()  # noqa: SIM905
)  # the parts before and after apostrophes
