"""Remove text added by a corpus that reveals the author or the source.

A source's `clean` rules are applied in order. In their patterns, `{{field}}` stands literally for the row's value of
that field; a rule whose field has no value is skipped.
"""

import functools
from collections.abc import Callable, Sequence

import regex

from authbench.ingest.fields import as_text, compile_pattern
from authbench.reading.rows import Row, value_at
from authbench.registry.source_entry import CleanRule

FIELD = regex.compile(r"\{\{([^{}]+)\}\}")
Cut = Callable[[str, "regex.Pattern[str]"], str]


def compile_cleaning(rules: Sequence[CleanRule], where: str) -> Callable[[str, Row], str]:
    """Return a function that applies all rules to a row's text; `where` names the rules in errors."""
    steps = []
    for place, rule in enumerate(rules):
        kind, pattern = _pattern(rule)
        compile_pattern(FIELD.sub("x", pattern), f"{where}.{place}.{kind}")
        fixed = None if FIELD.search(pattern) else regex.compile(pattern)
        steps.append((_cut(kind, rule), pattern, fixed))

    def clean(text: str, row: Row) -> str:
        for cut, pattern, fixed in steps:
            wanted = fixed or _filled(pattern, row)
            if wanted is not None:
                text = cut(text, wanted)
        return text

    return clean


def fields_of(rules: Sequence[CleanRule]) -> set[str]:
    """Return the fields used in the rules' patterns."""
    return {name for rule in rules for text in (_pattern(rule)[1], rule.replacement) for name in FIELD.findall(text)}


def _pattern(rule: CleanRule) -> tuple[str, str]:
    """Return the kind of a rule, and its pattern."""
    kinds = ("drop_before", "drop_after", "drop_lines", "replace")
    return next((kind, pattern) for kind in kinds if (pattern := getattr(rule, kind)) is not None)


def _filled(pattern: str, row: Row) -> "regex.Pattern[str] | None":
    values = {name: (as_text(value_at(row, name)) or "").strip() for name in FIELD.findall(pattern)}
    if not all(values.values()):
        return None
    return _compiled(FIELD.sub(lambda found: regex.escape(values[found[1]], literal_spaces=True), pattern))


@functools.lru_cache(maxsize=4096)
def _compiled(pattern: str) -> "regex.Pattern[str]":
    return regex.compile(pattern)


def _cut(kind: str, rule: CleanRule) -> Cut:
    if kind == "drop_before":
        return lambda text, wanted: text[found.end() :] if (found := wanted.search(text)) else text
    if kind == "drop_after":
        return lambda text, wanted: text[: found.start()] if (found := wanted.search(text)) else text
    if kind == "replace":
        return lambda text, wanted: wanted.sub(rule.replacement, text)
    return lambda text, wanted: _without_lines(text, wanted, rule.first_lines, rule.last_lines)


def _without_lines(text: str, wanted: "regex.Pattern[str]", first: int | None, last: int | None) -> str:
    lines = text.split("\n")
    candidates = range(len(lines))
    if first or last:
        full = [place for place, line in enumerate(lines) if line.strip()]
        candidates = full[:first] if first else full[-last:]  # type: ignore[assignment, operator]
    gone = {place for place in candidates if wanted.search(lines[place])}
    return "\n".join(line for place, line in enumerate(lines) if place not in gone) if gone else text
