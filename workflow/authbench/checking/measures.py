"""Check the measurements of each document against the thresholds in the manifest.

Each rule is a condition in SQL under which a document must go; a null measurement does not fulfil it.
"""

from collections.abc import Iterator, Mapping
from fnmatch import fnmatchcase
from typing import Any

import polars as pl

from authbench.checking.claims import Finding
from authbench.checking.merged import parts_with_settings
from authbench.checking.rows import Rows
from authbench.errors import InputError

Settings = Mapping[str, Any]
_LATIN, _HAN = "('en', 'es', 'fr', 'de')", "('zh', 'ja', 'ko')"
_BOOK = "(source ~ '(^|_)pd(_|$)')"  # the public-domain sources of the paper

# Rules by the setting in `filter` that they depend on; `{}` is replaced by its value. Shares of very few characters or
# words are not tested.
_ROBUST = {
    "script": f"script < {{}} AND CASE WHEN letters < 8 THEN script = 0 AND lang IN {_LATIN} ELSE langid <> lang END",
    "language": f"langid_probability >= {{}} AND langid <> lang AND letters >= 60 AND (lang IN {_LATIN} "
    f"OR (script BETWEEN 0.5 AND 0.9 AND lang IN {_HAN} AND langid IN {_HAN}))",
    "symbols": "symbols > {} AND collapsed >= 20",
    "alphabetic": "alphabetic < {} AND collapsed >= 20",
    "repeated_run": "long_run_share > {} AND visible >= 200",
    "unique_words": "unique_words < {} AND words >= 20 AND collapsed >= 20",
    "dominant_word": "dominant_word > {} AND words >= 20 AND collapsed >= 20",
    "alphabetic_words": "alphabetic_words < {} AND words >= 10",
    "single_letter_words": "single_letter_words > {} AND words >= 20 AND collapsed >= 20",
    "single_letter_run": "single_letter_run >= {}",
}
_PAPER = {
    "script": "(letters >= 8 AND script < {}) OR (letters < 8 AND script < {} + 0.1 AND langid <> lang)",
    "symbols": f"CASE WHEN {_BOOK} THEN symbols_spaced_paper > LEAST({{}}, 0.4) ELSE symbols_paper > {{}} END",
    "alphabetic": "alphabetic_paper < {}",
    "longest_run": "longest_run > {}",
    "symbol_run": f"{_BOOK} AND symbol_run_paper > {{}}",
    "unique_words": "unique_tokens_ws < {}",
    "dominant_word": "dominant_word > {}",
    "alphabetic_words": "alphabetic_tokens_ws < {}",
    "single_letter_words": "single_letter_tokens_ws > {}",
    "single_letter_run": "single_letter_token_run_ws >= {}",
}
_EITHER = {"quoted_share": "quoted_share > {}"}
_WHATEVER = {"robust": "all_letters < 1 AND collapsed < 20", "paper": "FALSE"}


def check_measures(release: Rows, settings: Settings) -> Iterator[Finding]:
    """Yield documents that the thresholds of `filter`, `safety`, `authors` and `sample` do not admit.

    Raises:
        InputError: a threshold is not a number.
    """
    provenance = release.provenance
    if provenance is None:
        return
    try:
        for rows, stated in parts_with_settings(release, provenance, settings):
            yield from _check_filters(rows, stated["filter"])
            yield from _check_toxicity(rows, stated["safety"])
        yield from _check_admitted(provenance, settings)
    except (TypeError, ValueError, KeyError, AttributeError, pl.exceptions.PolarsError) as problem:
        raise InputError(
            f"{release.folder}: measurements and thresholds do not fit each other: {str(problem)[:200]}"
        ) from None


def _check_filters(provenance: pl.DataFrame, settings: Settings) -> Iterator[Finding]:
    preset = settings["preset"]
    rules = {**(_ROBUST if preset == "robust" else _PAPER), **_EITHER}
    conditions = {
        key: rule.replace("{}", _by_language(settings[key])) for key, rule in rules.items() if settings[key] is not None
    }
    conditions["alphabetic (no letter)"] = _WHATEVER[preset]
    for bound, sign, choose in (("min_tokens", "<", min), ("max_tokens", ">", max)):
        value = settings[bound]
        if isinstance(value, Mapping):
            by_task = [
                f"WHEN task = '{_word(task)}' THEN {_sql(most)}" for task, most in value.items() if task != "default"
            ]
            conditions[bound] = f"token_length {sign} CASE {' '.join(by_task)} ELSE {_sql(value['default'])} END"
        else:
            conditions[bound] = (
                f"token_length {sign} {_sql(choose(value.values()) if isinstance(value, Mapping) else value)}"
            )
    for key, condition in conditions.items():
        for ident in provenance.filter(pl.sql_expr(condition))["id"]:
            yield Finding("measures", ident, f"{ident}: filter.{key} {settings.get(key, '')}")


def _check_toxicity(provenance: pl.DataFrame, settings: Settings) -> Iterator[Finding]:
    threshold = float(settings["threshold"])
    for ident, genre, score in provenance.select("id", "genre", "toxicity").iter_rows():
        exempt = any(fnmatchcase(genre, one) or one == f"{genre}/*" for one in settings["exempt_genres"])
        if score is None and settings["scorers"] and not exempt:
            yield Finding("measures", ident, f"{ident} has no toxicity")
        elif score is not None and not exempt and not 0 <= score <= threshold:
            yield Finding("measures", ident, f"{ident}: toxicity {score:.3f}, most {threshold}")


def _check_admitted(provenance: pl.DataFrame, settings: Settings) -> Iterator[Finding]:
    for column, admitted in (
        ("author_kind", settings["authors"]["kinds"]),
        ("lang", settings["sample"]["languages"] and list(settings["sample"]["languages"])),
    ):
        if admitted is not None:
            for ident, value in provenance.filter(~pl.col(column).is_in(admitted)).select("id", column).iter_rows():
                yield Finding("admitted", ident, f"{ident}: {column} {value}")


def _by_language(threshold: Any) -> str:
    """Return a threshold in SQL; from a mapping, the threshold of the document's language."""
    if not isinstance(threshold, Mapping):
        return _sql(threshold)
    cases = [f"WHEN lang = '{_word(lang)}' THEN {_sql(one)}" for lang, one in threshold.items() if lang != "default"]
    return f"(CASE {' '.join(cases)} ELSE {_sql(threshold['default'])} END)" if cases else _sql(threshold["default"])


def _sql(threshold: Any) -> str:
    if isinstance(threshold, bool | str):
        raise ValueError(f"{threshold!r} is no threshold")
    return repr(float(threshold))


def _word(task: str) -> str:
    if not task.replace("_", "").isalnum():
        raise ValueError(f"{task!r} is no task")
    return task
