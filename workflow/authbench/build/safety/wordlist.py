"""Score texts by the abusive words in them.

Lists by language with a severity per term: resources/text/toxic_words.yaml, and a user's list of the same form.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import polars as pl
import regex
import yaml

from authbench.build.safety import fold
from authbench.core.errors import InputError
from authbench.core.identity import digest
from authbench.core.shipped import shipped
from authbench.core.storage.yaml_loader import FAST_LOADER

LIST = shipped("text/toxic_words.yaml")
VERSION = 1
ANY = "any"
UNSPACED = frozenset({"zh", "ja"})
# Character classes in the notation that both regular expression engines accept.
WORD = r"\p{L}\p{M}\p{N}_"
KATAKANA = r"\p{Script=Katakana}ー"
SPACE = r"[\s\x1C-\x1F]"

Lists = dict[str, tuple[dict[str, float], frozenset[str]]]


@dataclass(frozen=True)
class WordListScorer:
    """Score a text by the highest severity of its terms, from the lists of its language and of `any`."""

    lists: Mapping[str, tuple[Mapping[str, float], frozenset[str]]]

    @cached_property
    def identity(self) -> str:
        canonical = {lang: [sorted(terms.items()), sorted(innocent)] for lang, (terms, innocent) in self.lists.items()}
        return f"wordlist {VERSION} {digest(json.dumps(canonical, sort_keys=True))}"

    @cached_property
    def languages(self) -> frozenset[str]:
        return frozenset(self.lists) - {ANY}

    @cached_property
    def _levels(self) -> dict[str, list[tuple[float, "regex.Pattern[str]"]]]:
        """Return severities per language, highest first, each with the pattern of its terms."""
        levels = {}
        for lang in {*self.lists, ANY}:
            terms = {**self.lists.get(ANY, ({},))[0], **self.lists.get(lang, ({},))[0]}
            levels[lang] = [
                (severity, _pattern([term for term in terms if terms[term] == severity], lang))
                for severity in sorted({s for s in terms.values() if s > 0}, reverse=True)
            ]
        return levels

    @cached_property
    def _innocent(self) -> dict[str, "regex.Pattern[str]"]:
        return {lang: _pattern(sorted(phrases), lang) for lang, (_, phrases) in self.lists.items() if phrases}

    @cached_property
    def _screens(self) -> dict[str, str]:
        """Return per language a pattern that matches wherever a term does, for an engine without lookaround."""
        return {
            lang: _screen([*self.lists.get(ANY, ({},))[0], *self.lists.get(lang, ({},))[0]], lang)
            for lang in {*self.lists, ANY}
        }

    def score(self, texts: Sequence[str], langs: Sequence[str]) -> list[float]:
        known = [lang if lang in self._screens else ANY for lang in langs]
        folded = pl.DataFrame({"lang": known, "text": list(map(fold, texts))}).with_row_index("row")
        scores = [0.0] * len(texts)
        for (lang,), part in folded.group_by("lang"):
            for row in part.filter(pl.col("text").str.contains(self._screens[str(lang)]))["row"]:
                scores[row] = self.explain(texts[row], langs[row])[0]
        return scores

    def explain(self, text: str, lang: str) -> tuple[float, str]:
        """Return the score of a text and the occurrence that caused it."""
        text = fold(text)
        lang = lang if lang in self._levels else ANY
        innocent = self._innocent.get(lang)
        for severity, pattern in self._levels[lang]:
            if not pattern.search(text):
                continue
            spans = [m.span() for m in innocent.finditer(text, overlapped=True)] if innocent else []
            for match in pattern.finditer(text):
                if not any(start <= match.start() and match.end() <= end for start, end in spans):
                    return severity, match.group()
        return 0.0, ""


def _pattern(terms: Sequence[str], lang: str) -> "regex.Pattern[str]":
    return regex.compile("|".join(_term_pattern(term, lang) for term in sorted(terms, key=len, reverse=True)))


def _term_pattern(term: str, lang: str) -> str:
    before, core, after = _parts(term, lang)
    return (f"(?<![{before}])" if before else "") + core + (f"(?![{after}])" if after else "")


def _screen(terms: Sequence[str], lang: str) -> str:
    groups: dict[tuple[str, str], list[str]] = {}
    for before, core, after in (_parts(term, lang) for term in terms):
        groups.setdefault((before, after), []).append(core)
    return (
        "|".join(
            (f"(?:^|[^{before}])" if before else "") + f"(?:{'|'.join(cores)})" + (f"(?:$|[^{after}])" if after else "")
            for (before, after), cores in groups.items()
        )
        or "$^"
    )


def _parts(term: str, lang: str) -> tuple[str, str, str]:
    """Return the characters that may not precede a term, its pattern, and the characters that may not follow it.

    A term consists of whole words, but matches anywhere in scripts without spaces between words.
    """
    stem = term.strip("*")
    core = rf"{SPACE}+".join(regex.escape(word, special_only=True) for word in stem.split())
    if lang not in UNSPACED or regex.fullmatch(r"[\p{Latin}\P{L}]+", stem):
        edge = WORD
    elif regex.fullmatch(rf"[{KATAKANA}]+", stem):
        edge = KATAKANA
    else:
        return "", core, ""
    return "" if term.startswith("*") else edge, core, "" if term.endswith("*") else edge


def load_wordlist(extra: str | Path | None = None) -> WordListScorer:
    """Return the scorer of the built-in lists and of `extra`, whose severities replace ours."""
    lists = read_word_lists(LIST)
    for lang, (terms, innocent) in (read_word_lists(Path(extra)) if extra else {}).items():
        ours = lists.get(lang, ({}, frozenset[str]()))
        lists[lang] = ({**ours[0], **terms}, ours[1] | innocent)
    return WordListScorer(lists)


def read_word_lists(path: Path) -> Lists:
    """Return terms with severity, and innocent phrases, per language.

    Raises:
        InputError: the file cannot be read, or is malformed.
    """
    try:
        content = yaml.load(path.read_text(encoding="utf-8"), FAST_LOADER)
    except OSError as problem:
        raise InputError(f"{path}: cannot read the word list ({problem.strerror}); see safety.wordlist.extra") from None
    except (UnicodeDecodeError, yaml.YAMLError) as problem:
        raise InputError(f"{path}: not a YAML file in UTF-8: {problem}") from None
    if not isinstance(content, Mapping) or not all(isinstance(lang, str) for lang in content):
        raise InputError(f'{path}: expected languages at the top level, as in {LIST.name} (write "no" in quotes)')
    return {lang: _read_list(path, lang, entry) for lang, entry in content.items()}


def _read_list(path: Path, lang: str, entry: object) -> tuple[dict[str, float], frozenset[str]]:
    where = f"{path}: {lang}"
    if not isinstance(entry, Mapping) or not entry or set(entry) - {"terms", "innocent"}:
        raise InputError(f"{where}: expected the keys `terms` and `innocent`, found {entry!r:.80}")
    terms: dict[str, float] = {}
    for severity, words in (entry.get("terms") or {}).items():
        if isinstance(severity, bool) or not isinstance(severity, int | float) or not 0 <= severity <= 1:
            raise InputError(f"{where}.terms: {severity!r} is not a severity; expected a number from 0 to 1")
        for word in _phrases(f"{where}.terms.{severity}", words):
            if word in terms:
                raise InputError(f"{where}.terms: {word!r} stands there twice")
            terms[word] = float(severity)
    return terms, frozenset(_phrases(f"{where}.innocent", entry.get("innocent") or []))


def _phrases(where: str, phrases: object) -> list[str]:
    if not isinstance(phrases, list):
        raise InputError(f"{where}: expected a list of words or phrases, found {phrases!r:.80}")
    for phrase in phrases:
        if not isinstance(phrase, str) or not phrase.strip("* ") or "*" in phrase.strip("*"):
            raise InputError(f"{where}: {phrase!r} is not a word or phrase (a star may stand at its ends only)")
    return [" ".join(fold(phrase).split()) for phrase in phrases]
