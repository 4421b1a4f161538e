"""Check the measurements of each document against the thresholds in the manifest.

Repeat the measurements of texts that consist in counting.

Characters and words between white space are counted over arrays of code points, not by the compiled loops of the
pipeline. In repetitive texts, the words of UAX #29 are counted too, by a regular expression.
"""

from collections import Counter
from collections.abc import Iterator, Mapping
from fnmatch import fnmatchcase
from functools import cache
from statistics import median

import numpy as np
import polars as pl
import regex

from authbench.config.filter_rules import FilterRule, dropped, filter_rules
from authbench.config.plugins import find_plugin
from authbench.core.arrays import F64, I64
from authbench.core.errors import InputError
from authbench.core.json_values import JsonMapping
from authbench.release.checking.claims import Finding
from authbench.release.checking.rows import Rows
from authbench.release.checking.withheld import parts_with_settings
from authbench.release.format.manifest import Manifest

_TEXTS_AT_ONCE = 2_000
_TOLERANCE = 1e-9
_SPACE, _LETTER, _NUMBER = 1, 2, 4
_WINDOW, _MANY_WORDS, _FEW_DISTINCT, _UNCOUNTED = 200, 20, 0.35, -1.0
_EXTENDING = r"[\p{WB=Extend}\p{WB=Format}\p{WB=ZWJ}]"
_ALPHABETIC = r"[[\p{WB=ALetter}\p{WB=Hebrew_Letter}]--[\p{WB=Katakana}[\p{L}&&[\p{Han}\p{Hiragana}\p{Katakana}]]]]"
_WORD = regex.compile(
    rf"""(?V1x)
    (?: {_ALPHABETIC} {_EXTENDING}*
        (?: [\p{{WB=MidLetter}}\p{{WB=MidNumLet}}\p{{WB=Single_Quote}}] {_EXTENDING}* (?={_ALPHABETIC}) )?
      | \p{{WB=Numeric}} {_EXTENDING}*
        (?: [\p{{WB=MidNum}}\p{{WB=MidNumLet}}\p{{WB=Single_Quote}}] {_EXTENDING}* (?=\p{{WB=Numeric}}) )?
      | \p{{WB=ExtendNumLet}} {_EXTENDING}*
    )+
    | [[\p{{L}}\p{{N}}]--{_EXTENDING}] {_EXTENDING}*
    """
)
_LETTER_OR_NUMBER = regex.compile(rf"(?V1)[[\p{{L}}\p{{N}}]--{_EXTENDING}]")
# Placeholders, emoji codes and addresses, which are no evidence about the text around them.
_LEFT_OUT = r"\[[A-Za-z_\p{Han}]{1,20}\]|<[A-Za-z_]{1,20}>|:[a-z0-9_+-]{2,30}:|https?://[!-~]+|www\.[!-~]+|urlLink"


def check_measured(release: Rows, provenance: pl.DataFrame) -> Iterator[Finding]:
    """Yield documents whose measurements in provenance.parquet differ from their texts'."""
    places = release.documents.select("id", place=pl.int_range(pl.len()))
    known = provenance.select("id").join(places, on="id", how="left", maintain_order="left")
    for start in range(0, provenance.height, _TEXTS_AT_ONCE):
        place = known["place"].slice(start, _TEXTS_AT_ONCE)
        part = provenance.slice(start, _TEXTS_AT_ONCE).filter(place.is_not_null())
        for column, counted in _measurements(release.documents["content"].gather(place.drop_nulls())).items():
            stated = part[column].cast(pl.Float64).to_numpy()
            same = np.isclose(stated, counted, rtol=0, atol=_TOLERANCE, equal_nan=True) | (counted == _UNCOUNTED)
            for row in np.flatnonzero(~same):
                yield Finding("false_measures", part["id"][int(row)], f"{column} of {part['id'][int(row)]}")


def _measurements(contents: pl.Series) -> dict[str, F64]:
    """Return measurements of each text by their column; NaN where a text has nothing to measure."""
    texts = contents.str.replace_all(_LEFT_OUT, " ").str.strip_chars()
    words = pl.select(texts.str.extract_all(r"\S+")).to_series()
    unique = words.list.n_unique().to_numpy().astype(float)
    lengths = texts.str.len_chars().to_numpy().astype(np.int64)
    kinds = _kinds()[np.frombuffer("".join(texts).encode("utf-32-le"), np.uint32)]
    ends = np.concatenate([[0], np.cumsum(lengths)])
    total, visible = lengths.astype(float), lengths - _sum(kinds & _SPACE != 0, ends)
    letters, numbers = _sum(kinds & _LETTER != 0, ends), _sum(kinds & _NUMBER != 0, ends)
    count = words.list.len().to_numpy().astype(float)
    with np.errstate(invalid="ignore", divide="ignore"):
        distinct = np.where(count > 0, unique / count, np.nan)
        repetitive = np.flatnonzero((count >= _MANY_WORDS) & (distinct < _FEW_DISTINCT))
        # A measurement that is not counted here is not compared.
        repetition = np.full((2, len(contents)), _UNCOUNTED)
        for row in repetitive:
            repetition[:, row] = _repetition(texts[int(row)])
        return {
            "visible": visible.astype(float),
            "all_letters": letters.astype(float),
            "symbols_paper": (visible - letters - numbers) / visible,
            "symbols_spaced_paper": np.where(visible > 0, (total - letters - numbers) / total, np.nan),
            "alphabetic_paper": letters / visible,
            "tokens_ws": count,
            "unique_tokens_ws": distinct,
            "unique_words": repetition[0],
            "dominant_word": repetition[1],
        }


def _repetition(text: str) -> tuple[float, float]:
    """Return distinct over all words, the median over windows of 200, and the share of the commonest word."""
    words = [word for word in _WORD.findall(text) if _LETTER_OR_NUMBER.search(word)]
    windows = [words[start : start + _WINDOW] for start in range(0, len(words), _WINDOW)]
    windows = [window for window in windows if len(window) == _WINDOW] or windows
    if not words:
        return np.nan, np.nan
    return median(len(set(one)) / len(one) for one in windows), max(Counter(words).values()) / len(words)


def _sum(flags: "np.ndarray[tuple[int], np.dtype[np.bool_]]", ends: I64) -> I64:
    """Return how many flags are set between each end and the next."""
    running = np.concatenate([[0], np.cumsum(flags, dtype=np.int64)])
    counts: I64 = np.diff(running[ends])
    return counts


@cache
def _kinds() -> "np.ndarray[tuple[int], np.dtype[np.uint8]]":
    """Return for every code point whether it is white space, a letter, a number."""
    kinds = np.zeros(0x110000, np.uint8)
    for start, end in ((0, 0xD800), (0xE000, 0x110000)):
        characters = "".join(map(chr, range(start, end)))
        for flag, form in ((_SPACE, r"\p{White_Space}+"), (_LETTER, r"\p{L}+"), (_NUMBER, r"\p{N}+")):
            for match in regex.finditer(form, characters):
                kinds[start + match.start() : start + match.end()] |= flag
    return kinds


Settings = JsonMapping


def check_measures(release: Rows, provenance: pl.DataFrame, settings: Settings) -> Iterator[Finding]:
    """Yield documents that the thresholds of `filter`, `safety`, `authors` and `sample` do not admit.

    Raises:
        InputError: a threshold is not a number, or a plug-in fails.
    """
    try:
        absent = uncheckable(release.manifest)
        for rows, stated in parts_with_settings(release, provenance, settings):
            yield from _check_filters(release, rows, stated["filter"], absent)
            yield from _check_toxicity(rows, stated["safety"])
        yield from _check_admitted(provenance, settings)
    except (TypeError, ValueError, KeyError, AttributeError, pl.exceptions.PolarsError) as problem:
        raise InputError(
            f"{release.folder}: measurements and thresholds do not fit each other: {str(problem)[:200]}"
        ) from None


def _check_filters(
    release: Rows, rows: pl.DataFrame, settings: Settings, absent: Mapping[str, str]
) -> Iterator[Finding]:
    """Yield texts that a filter drops; of a plug-in, if it is installed with the code that the release states."""
    usable = {name: threshold for name, threshold in settings["plugins"].items() if absent.get(name) == ""}
    for rule, setting in filter_rules({**settings, "plugins": usable}):
        if setting is not None:
            _, applies = dropped(rule, setting)
            for part in _measured(release, rows, rule):
                for ident in part.filter(applies)["id"]:
                    yield Finding("measures", ident, f"{ident}: filter.{rule.setting or rule.reason} {setting}")


def _measured(release: Rows, rows: pl.DataFrame, rule: FilterRule) -> Iterator[pl.DataFrame]:
    """Yield the rows with the column of a rule, unless it is of an author, whose other texts are not released."""
    if rule.measure is not None:
        texts = rows.select("id", "lang").join(release.documents.select("id", "content"), on="id")
        for part in texts.iter_slices(_TEXTS_AT_ONCE):
            yield part.with_columns(rule.measure(part["content"], part["lang"]))
    elif rule.column in rows.columns:
        yield rows


def uncheckable(manifest: Manifest) -> dict[str, str]:
    """Return by name of each filter of a plug-in why it cannot be computed here; an empty text where it can."""
    found: dict[str, str] = {}
    parts: list[JsonMapping] = [manifest, *(manifest.get("merged") or ())]
    for part in parts:
        for name in ((part.get("config") or {}).get("filter") or {}).get("plugins") or {}:
            stated = (part.get("versions") or {}).get(f"filter.plugins.{name}", "a package that it does not state")
            try:
                here = str(find_plugin("filters", name))  # whose code runs only if the release states it
            except InputError as problem:
                here = str(problem)
            found[name] = found.get(name) or ("" if here == stated else f"made with {stated}; here: {here}")
    return found


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
    if settings["ingest"]["co_authored"] == "work":
        signed = provenance.filter((pl.col("n_authors") > 1) & (pl.col("author_kind") != "work"))
        for ident, number in signed.select("id", "n_authors").iter_rows():
            yield Finding("admitted", ident, f"{ident}: {number} authors, and its author is not a work")
