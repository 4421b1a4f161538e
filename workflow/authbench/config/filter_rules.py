"""Declare why texts are dropped by the filters, built in (paper, A.3; processing plan, section 11) or plugged in.

The stage decides by these rules, the check of a release tests them, review sheets show them, and errors name their
settings. A built-in filter is a rule over a column of `records.MEASUREMENTS`; its setting has a type in
`settings.filter` and a value in config.yaml.
"""

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any, Literal

import polars as pl

from authbench.config.plugins import load_filter, measured, plugin_key
from authbench.core.errors import InputError
from authbench.core.json_values import JsonMapping
from authbench.core.records import MIN_LANGUAGE_LETTERS, MIN_SCRIPT_LETTERS, MOSTLY

_SIGNS = {"above": ">", "below": "<", "from": ">="}


@dataclass(frozen=True)
class FilterRule:
    """A document is dropped for `reason` if `column` is on a side of the threshold, unless either is null.

    Attributes:
        setting: the threshold's key in the section `filter`; empty: the threshold is 1.
        drops: the numbers that go: above or below the threshold, or from it on.
        where: SQL; other documents stay. `{latin}` and `{han}` are lists of the languages in these scripts.
        bound: SQL of the threshold, where `{}` is the setting.
        by: the column whose values a setting that is a mapping is for.
        measure: takes texts and languages, and returns the column; None: the stage has measured it.
    """

    reason: str
    setting: str
    column: str
    drops: Literal["above", "below", "from"]
    where: str = "TRUE"
    bound: str = "{}"
    by: Literal["lang", "task"] = "lang"
    measure: Callable[[pl.Series, pl.Series], pl.Series] | None = None


_LENGTH = (
    FilterRule("too_short", "min_tokens", "token_length", "below", by="task"),
    FilterRule("too_long", "max_tokens", "token_length", "above", by="task"),
)

# The preset that drops at most 2 % of clean text in any language and length. Below some numbers its rules are less
# strict: a share of a few characters is not informative, and a style must not be dropped. A spelled-out word, laughter
# and a drawn-out vowel are short; a held-down key, or a page read letter by letter, is long.
_ENOUGH_CHARACTERS, _ENOUGH_WORDS, _MANY_CHARACTERS = "collapsed >= 20", "words >= 10", "visible >= 200"
_MANY_WORDS = f"{_ENOUGH_CHARACTERS} AND words >= 20"
# The script must be expected, unless langid identifies the stated language; a few letters may be Latin in any language
# (`wow`). For texts that are long enough, the language counts where the script does not determine it: in Latin script,
# and in Han with much of another script (Japanese as Chinese or Korean).
_STRANGE = f"CASE WHEN letters < {MIN_SCRIPT_LETTERS} THEN script = 0 AND lang IN {{latin}} ELSE langid <> lang END"
_MIXED = f"script BETWEEN {MOSTLY} AND 0.9 AND lang IN {{han}} AND langid IN {{han}}"
_FOREIGN = f"langid <> lang AND letters >= {MIN_LANGUAGE_LETTERS} AND (lang IN {{latin}} OR {_MIXED})"
_ROBUST = (
    FilterRule("wrong_script", "script", "script", "below", _STRANGE),
    FilterRule("wrong_language", "language", "langid_probability", "from", _FOREIGN),
    FilterRule("no_letters", "", "all_letters", "below", f"NOT {_ENOUGH_CHARACTERS}"),
    FilterRule("too_many_symbols", "symbols", "symbols", "above", _ENOUGH_CHARACTERS),
    FilterRule("too_few_letters", "alphabetic", "alphabetic", "below", _ENOUGH_CHARACTERS),
    FilterRule("repeated_characters", "repeated_run", "long_run_share", "above", _MANY_CHARACTERS),
    FilterRule("few_distinct_words", "unique_words", "unique_words", "below", _MANY_WORDS),
    FilterRule("dominant_word", "dominant_word", "dominant_word", "above", _MANY_WORDS),
    FilterRule("few_words_with_letters", "alphabetic_words", "alphabetic_words", "below", _ENOUGH_WORDS),
    FilterRule("single_letters", "single_letter_words", "single_letter_words", "above", _MANY_WORDS),
    FilterRule("single_letter_run", "single_letter_run", "single_letter_run", "from"),
)

# The paper's formulas as they are; where they are ambiguous, they follow the texts that its authors released. White
# space counts as symbols, and runs of symbols count, only in their public-domain sources: the released Hindi and Arabic
# texts have up to .56 symbols with white space, as marks are symbols, and those sources at most .4. The language of a
# text with few letters is tested only if its script is in doubt.
_BOOK, _FEW = "source ~ '(^|_)pd(_|$)'", f"letters < {MIN_SCRIPT_LETTERS}"
_PAPER = (
    FilterRule("wrong_script", "script", "script", "below", f"NOT {_FEW}"),
    FilterRule("wrong_language", "script", "script", "below", f"{_FEW} AND langid <> lang", "{} + 0.1"),
    FilterRule("too_many_symbols", "symbols", "symbols_paper", "above", f"NOT {_BOOK}"),
    FilterRule("too_many_symbols", "symbols", "symbols_spaced_paper", "above", _BOOK, "LEAST({}, 0.4)"),
    FilterRule("too_few_letters", "alphabetic", "alphabetic_paper", "below"),
    FilterRule("repeated_characters", "longest_run", "longest_run", "above"),
    FilterRule("symbol_run", "symbol_run", "symbol_run_paper", "above", _BOOK),
    FilterRule("few_distinct_words", "unique_words", "unique_tokens_ws", "below"),
    FilterRule("dominant_word", "dominant_word", "dominant_word", "above"),
    FilterRule("few_words_with_letters", "alphabetic_words", "alphabetic_tokens_ws", "below"),
    FilterRule("single_letters", "single_letter_words", "single_letter_tokens_ws", "above"),
    FilterRule("single_letter_run", "single_letter_run", "single_letter_token_run_ws", "from"),
)

# Signs of bots (filter.activity) and of quoted text.
_OPTIONAL = (
    FilterRule("too_many_posts", "posts_per_day", "posts_per_day", "above"),
    FilterRule("template_texts", "template_share", "template_share", "above"),
    FilterRule("mostly_quoted", "quoted_share", "quoted_share", "above"),
)
PRESETS = {"robust": _ROBUST, "paper": _PAPER}
BUILT_IN = (*_LENGTH, *_ROBUST, *_PAPER, *_OPTIONAL)


def filter_rules(settings: JsonMapping) -> list[tuple[FilterRule, object]]:
    """Return the rules of the section `filter` in the order of their reasons, each with its setting; None: it is off.

    Raises:
        InputError: the preset is unknown, or a plug-in is not usable.
    """
    if settings["preset"] not in PRESETS:
        raise InputError(f"filter.preset: {settings['preset']!r} is not known; choose one of {', '.join(PRESETS)}")
    stated = {"": 1, **settings}
    chosen = (*_LENGTH, *PRESETS[settings["preset"]], *_OPTIONAL)
    found = [(rule, stated[rule.setting]) for rule in chosen]
    for name, threshold in sorted(settings["plugins"].items()):
        plugin, one = load_filter(name)
        key = plugin_key(name)
        found.append((FilterRule(one.reason, key, key, one.drops, measure=partial(measured, plugin, one)), threshold))
    return found


def dropped(
    rule: FilterRule,
    setting: object,
    latin: Collection[str] = ("en", "es", "fr", "de"),
    han: Collection[str] = ("zh", "ja", "ko"),
) -> tuple[pl.Expr, pl.Expr]:
    """Return the threshold of a rule, and whether a document is dropped by it.

    Raises:
        ValueError: the setting is not a number, nor a mapping to numbers with an entry `default`.
    """
    bound = rule.bound.format(_in_sql(setting, rule.by))
    where = rule.where.format(latin=_listed(latin), han=_listed(han))
    return pl.sql_expr(bound), pl.sql_expr(f'"{rule.column}" {_SIGNS[rule.drops]} {bound} AND ({where})')


def _in_sql(setting: Any, by: str) -> str:
    if not isinstance(setting, Mapping):
        if isinstance(setting, bool | str):
            raise ValueError(f"{setting!r} is no threshold")
        return repr(float(setting))
    cases = [f"WHEN {by} IN {_listed([key])} THEN {_in_sql(one, by)}" for key, one in setting.items()]
    return f"CASE {' '.join(cases)} ELSE {_in_sql(setting['default'], by)} END"


def _listed(words: Collection[str]) -> str:
    if not all(word.replace("_", "").isalnum() for word in words):
        raise ValueError(f"{words!r} are no languages or tasks")
    return "(" + ", ".join(f"'{word}'" for word in words) + ")"
