"""Which lines were written by no author?

Copyright headers, navigation lists, Project Gutenberg and digitisation notices, cookie and newsletter lines
(AuthBench paper, A.2), by language, from resources/text/boilerplate.yaml.
"""

import re
import unicodedata
from functools import cache
from pathlib import Path

import yaml

RULES = Path(__file__).parents[3] / "resources" / "text" / "boilerplate.yaml"
LONGEST_LINE = 400  # a longer line is prose
FRONT = 0.3  # `before` rules hold in the first part of a text, `after` rules in the rest


@cache
def patterns(lang: str) -> tuple[re.Pattern[str], re.Pattern[str], re.Pattern[str]]:
    """Whole-line patterns for a language and for all: lines to drop, ends of front matter, starts of back matter."""
    rules = yaml.safe_load(unicodedata.normalize("NFC", RULES.read_text(encoding="utf-8")))
    parts = [rules["all"], rules.get(lang, {})]

    def compiled(kind: str) -> re.Pattern[str]:
        alternatives = [pattern for part in parts for pattern in part.get(kind, [])]
        return re.compile("|".join(f"(?:{pattern})" for pattern in alternatives) or r"(?!)", re.IGNORECASE)

    return compiled("lines"), compiled("before"), compiled("after")


def strip(text: str, lang: str) -> str:
    """The text without its boilerplate lines; a text of nothing else becomes empty.

    Up to and including the last line of front matter, and from the first line of back matter, all goes; single
    lines of boilerplate go wherever they stand. Time is linear in the length of the text.
    """
    drop, before, after = patterns(lang)
    lines = text.split("\n")
    fits = [0 < len(line) <= LONGEST_LINE for line in lines]
    front = int(len(lines) * FRONT) + 1
    first, end = 0, len(lines)
    for number, line in enumerate(lines):
        if not fits[number]:
            continue
        if number < front and before.fullmatch(line):
            first = number + 1
        elif number >= first and after.fullmatch(line) and (number >= front or len(lines) < 10):
            end = number
            break
    kept = [lines[n] for n in range(first, end) if not (fits[n] and drop.fullmatch(lines[n]))]
    if len(kept) == len(lines):
        return text
    return re.sub(r"\n{3,}", "\n\n", "\n".join(kept)).strip("\n ")
