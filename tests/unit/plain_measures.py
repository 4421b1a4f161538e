"""The measurements of a text in plain Python and regular expressions, as a reader would count them by hand."""

from collections import Counter
from itertools import groupby
from statistics import median

import regex

from authbench.build.filter.scripts import QUOTES
from authbench.config.languages import languages
from authbench.release.checking.measures import _ALPHABETIC as ALPHABETIC
from authbench.release.checking.measures import _EXTENDING as EXTENDING
from authbench.release.checking.measures import _LETTER_OR_NUMBER as LETTER_OR_NUMBER
from authbench.release.checking.measures import _WORD as WORD


def pattern(text):
    return regex.compile(rf"(?V1x){text}")


LETTER, NUMBER, MARK, SPACE = (pattern(rf"\p{{{kind}}}") for kind in ("L", "N", "M", "White_Space"))
LETTER_OF_WORD = pattern(rf"[\p{{L}}--{EXTENDING}]")
ONE_LETTER, ONE_ALPHABETIC = pattern(r"\p{L}"), pattern(rf"[{ALPHABETIC}&&\p{{L}}--[\p{{Hangul}}\p{{Bopomofo}}]]")
TOKEN = pattern(r"\P{White_Space}+")
SYMBOL_RUN = pattern(r"[^\p{L}\p{M}\p{N}\p{White_Space}]+")
UNLETTERED_RUN = pattern(r"[^\p{L}\p{N}\p{White_Space}]+")
DEFINITE = pattern(r"[\p{L}--[\p{Scx=Common}\p{Scx=Inherited}]]")
EXPECTED = {
    lang: pattern("[" + "".join(rf"\p{{Scx={script}}}" for script in language.scripts) + "]")
    for lang, language in languages().items()
    if language.scripts
}


def measure_plainly(text, lang):
    """Every measurement but langid's of a text without placeholders."""
    words = [word for word in WORD.findall(text) if LETTER_OR_NUMBER.search(word)]
    windows = [words[start : start + 200] for start in range(0, len(words), 200)]
    windows = [window for window in windows if len(window) == 200] or windows
    alone = [ONE_ALPHABETIC.fullmatch(word) is not None for word in words]
    tokens = TOKEN.findall(text)
    token_alone = [ONE_LETTER.fullmatch(token) is not None for token in tokens]
    runs = [(character, len(list(group))) for character, group in groupby(text)]
    visible_runs = [length for character, length in runs if not SPACE.match(character)]
    visible, letters, numbers = sum(visible_runs), len(LETTER.findall(text)), len(NUMBER.findall(text))
    shown = "".join(character * min(length, 3) for character, length in runs if not SPACE.match(character))
    shown_letters = len(LETTER.findall(shown)) + len(MARK.findall(shown))
    definite = "".join(DEFINITE.findall(text))
    return {
        "visible": visible,
        "collapsed": len(shown),
        "all_letters": letters,
        "symbols": share(len(shown) - shown_letters - len(NUMBER.findall(shown)), len(shown)),
        "alphabetic": share(shown_letters, len(shown)),
        "symbols_paper": share(visible - letters - numbers, visible),
        "symbols_spaced_paper": share(len(text) - letters - numbers, len(text)) if visible else None,
        "alphabetic_paper": share(letters, visible),
        "longest_run": max(visible_runs, default=0),
        "long_run_share": share(sum(length for length in visible_runs if length > 20), visible),
        "symbol_run": max(map(len, SYMBOL_RUN.findall(text)), default=0),
        "symbol_run_paper": max(map(len, UNLETTERED_RUN.findall(text)), default=0),
        "letters": len(definite),
        "script": share(len(EXPECTED[lang].findall(definite)), len(definite)),
        "quoted_share": share(sum(map(quoted, text.split("\n"))), visible),
        "words": len(words),
        "unique_words": median(len(set(window)) / len(window) for window in windows) if windows else None,
        "dominant_word": share(max(Counter(words).values(), default=0), len(words)),
        "alphabetic_words": share(sum(LETTER_OF_WORD.search(word) is not None for word in words), len(words)),
        "single_letter_words": share(sum(alone), len(words)),
        "single_letter_run": longest(alone),
        "tokens_ws": len(tokens),
        "unique_tokens_ws": share(len(set(tokens)), len(tokens)),
        "alphabetic_tokens_ws": share(sum(LETTER.search(token) is not None for token in tokens), len(tokens)),
        "single_letter_tokens_ws": share(sum(token_alone), len(tokens)),
        "single_letter_token_run_ws": longest(token_alone),
    }


def quoted(line):
    """Visible characters of a line between quotation marks, or all of them where it begins with `>`."""
    shown = SPACE.sub("", line)
    if shown.startswith(">"):
        return len(shown)
    found, at = 0, 0
    while at < len(shown):
        closings = QUOTES.get(shown[at], "")
        at += 1
        if closings:
            end = next((place for place in range(at, len(shown)) if shown[place] in closings), None)
            if end is None:
                return found
            found, at = found + end - at, end + 1
    return found


def longest(flags):
    return max((len(list(group)) for flag, group in groupby(flags) if flag), default=0)


def share(part, whole):
    return part / whole if whole else None
