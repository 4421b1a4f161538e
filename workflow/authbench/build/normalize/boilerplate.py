"""Remove lines that no author wrote.

Copyright headers, navigation lists, Project Gutenberg and digitisation notices, cookie and newsletter lines (AuthBench
paper, A.2), by language, from resources/text/boilerplate.yaml.
"""

import re
import unicodedata
from functools import cache

import polars as pl
import yaml

from authbench.core.shipped import shipped
from authbench.core.storage.yaml_loader import FAST_LOADER

RULES = shipped("text/boilerplate.yaml")
LONGEST_LINE = 400  # a longer line is prose
FRONT = 0.3  # share of the text where `before` rules apply; `after` rules apply in the rest


@cache
def patterns(lang: str) -> tuple[re.Pattern[str], re.Pattern[str], re.Pattern[str]]:
    """Return line patterns for a language and for all: lines to drop, ends of front matter, starts of back matter."""
    parts = [rules()["all"], rules().get(lang, {})]

    def compiled(kind: str) -> re.Pattern[str]:
        alternatives = [pattern for part in parts for pattern in part.get(kind, [])]
        return re.compile("|".join(f"(?:{pattern})" for pattern in alternatives) or r"(?!)", re.IGNORECASE)

    return compiled("lines"), compiled("before"), compiled("after")


@cache
def rules() -> dict[str, dict[str, list[str]]]:
    """Return the rules by language (or `all`) and kind."""
    found: dict[str, dict[str, list[str]]] = yaml.load(
        unicodedata.normalize("NFC", RULES.read_text(encoding="utf-8")), FAST_LOADER
    )
    return found


def strip(text: str, lang: str) -> str:
    """Return the text without its boilerplate lines; it may be empty.

    Everything up to and including the last line of front matter, and from the first line of back matter, is removed;
    single boilerplate lines are removed anywhere. Time is linear in the length of the text.
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


def strip_texts(texts: pl.DataFrame) -> pl.Series:
    """Return the contents (frame with `lang`, `content`) without boilerplate; only suspected texts reach Python."""
    rows = suspected(texts["content"])
    found = texts.filter(rows).select("content", "lang").iter_rows()
    stripped = pl.Series([strip(text, lang) for text, lang in found], dtype=pl.String)
    return texts["content"].clone().scatter(rows.arg_true(), stripped) if len(stripped) else texts["content"]


def suspected(texts: pl.Series) -> pl.Series:
    """Return which texts may contain boilerplate of any language: all that `strip` would change, and a few others."""
    return texts.str.contains(_wider_pattern())


@cache
def _wider_pattern() -> str:
    """Return all rules as a pattern for polars, whose engine always takes time linear in the text.

    It matches every line that a rule matches, and more: repetitions are unbounded (which also keeps the
    automaton small), and any character is allowed where the engines disagree on word characters. Only Python matches a
    Turkish i as an i.
    """
    patterns = [pattern for part in rules().values() for kind in part.values() for pattern in kind]
    for narrow, wide in (
        (r"\{(\d+),\d+\}\+?", r"{\1,}"),
        (r"\[\^(?:\\n)?", r"[^\\n"),
        (r"(\[\^[^\]]*)\\d", r"\1"),  # polars may know more digits than Python
        (r"\\b", ""),
        (r"\[\\w \]|\\[WS]", r"[^\\n]"),
    ):
        patterns = [re.sub(narrow, wide, pattern) for pattern in patterns]
    return rf"(?im)^(?:{'|'.join(patterns)})$|[İı]"
