"""Remove the lines that no author wrote before texts are compared.

resources/text/boilerplate.yaml contains and explains the rules. Each distinct line of all texts is judged once.
"""

import re
import unicodedata
from functools import cache, partial

import polars as pl
import yaml

from authbench.core.shipped import shipped
from authbench.core.storage.yaml_loader import FAST_LOADER

_RULES = shipped("text/boilerplate.yaml")
_LONGEST_LINE = 400
_FRONT_SHARE = 0.3
_FEW_LINES = 10
_TEXTS_AT_ONCE = 2_000

Rules = dict[str, re.Pattern[str]]


def without_boilerplate(texts: pl.DataFrame) -> pl.Series:
    """Return the contents of a frame (`lang`, `content`) without boilerplate; pure boilerplate is unchanged."""
    parts = [_without(texts[start : start + _TEXTS_AT_ONCE]) for start in range(0, texts.height, _TEXTS_AT_ONCE)]
    return pl.concat(parts) if parts else texts["content"]


def _without(texts: pl.DataFrame) -> pl.Series:
    contents = texts["content"]
    lines = texts.select("lang", pl.col("content").str.split("\n")).with_row_index().explode("content")
    short = lines.filter(pl.col("content").str.len_chars().is_between(1, _LONGEST_LINE))
    distinct = short["content"].unique()
    suspected = distinct.filter(distinct.str.contains(_wider_pattern()))
    places = short.filter(pl.col("content").is_in(suspected.implode()))["index"].unique().sort()
    cut = [_cut(content, lang) for lang, content in texts[places].select("lang", "content").iter_rows()]
    return contents.clone().scatter(places, pl.Series(cut, dtype=pl.String)) if cut else contents


def _cut(content: str, lang: str) -> str:
    """Return a text from the first to the last line that an author wrote, without boilerplate lines in between."""
    rules, lines = _rules(lang), content.split("\n")
    is_one = {kind: partial(_fits, rules[kind]) for kind in rules}
    front = int(len(lines) * _FRONT_SHARE) + 1
    starts = [number + 1 for number, line in enumerate(lines[:front]) if is_one["before"](line)]
    ends = (number for number, line in enumerate(lines) if number + 1 not in starts and is_one["after"](line))
    end = next((number for number in ends if number >= front or len(lines) < _FEW_LINES), len(lines))
    first = max((start for start in starts if start <= end), default=0)
    kept = [line for line in lines[first:end] if not is_one["lines"](line)]
    if len(kept) == len(lines):
        return content
    return re.sub("\n\n+", "\n\n", "\n".join(kept)).strip(" \n") or content


def _fits(rule: re.Pattern[str], line: str) -> bool:
    return 0 < len(line) <= _LONGEST_LINE and rule.fullmatch(line) is not None


@cache
def _rules(lang: str) -> Rules:
    """Return the rules for texts of a language by kind: the general rules and the rules of the language."""
    known = _all_rules()
    patterns = {
        kind: [pattern for part in ("all", lang) for pattern in known.get(part, {}).get(kind, [])]
        for kind in ("before", "after", "lines")
    }
    return {kind: re.compile("|".join(f"(?:{one})" for one in some) or "(?!)", re.I) for kind, some in patterns.items()}


@cache
def _all_rules() -> dict[str, dict[str, list[str]]]:
    known: dict[str, dict[str, list[str]]] = yaml.load(
        unicodedata.normalize("NFC", _RULES.read_text(encoding="utf-8")), FAST_LOADER
    )
    return known


@cache
def _wider_pattern() -> str:
    """Return a pattern for polars that matches every line that a rule matches, and some others.

    polars' engine is linear, but has no possessive repetition, and large repetitions are expensive, so bounds are left
    out. Letters and word ends, which the two engines define differently, match any character, as does a class without
    digits.
    """
    wider = []
    for kinds in _all_rules().values():
        for pattern in (pattern for some in kinds.values() for pattern in some):
            pattern = re.sub(r"\{(\d+),\d+\}\+?", r"{\1,}", pattern).replace(r"\b", "").replace(r"[\w ]", ".")
            pattern = re.sub(r"\[\^[^\]]*\\d[^\]]*\]", ".", pattern)
            wider.append(re.sub(r"\\[WS]", ".", pattern))
    return rf"(?i)\A(?:{'|'.join(wider)})\z|[İı]"
