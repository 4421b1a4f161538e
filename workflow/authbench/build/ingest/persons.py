"""Compute the canonical form of a person's name, and the keys by which two labels may be the same person.

A canonical name has no life dates, brackets, honorifics or roles, given names come first, case is folded, and Chinese
is in simplified characters. Names do not leave ingestion: records contain keyed hashes.
"""

import unicodedata
from collections.abc import Sequence
from functools import lru_cache
from typing import NamedTuple

import regex
from opencc import OpenCC

from authbench.config.registry.source_entry import PEOPLE
from authbench.core.identity import author_id
from authbench.core.nfc import compose


def _set(words: str) -> frozenset[str]:
    return frozenset(words.split())


OF_A_NAME = ("person_key", "near_key", "given_keys", "life_key")  # columns of records
UNPEOPLED = frozenset({"zh", "ja"})  # languages that write names without a space
# Family and given names are distinguished in alphabetic scripts if the family name is last or marked by a comma. For
# Chinese, a family name with an initial was the same person in only 5 of 91 pairs.
NO_NEAR_NAMES = UNPEOPLED | {"ar"}
_ALPHABETIC = regex.compile(r"[\p{Latin}\p{Cyrillic}\p{Greek}\p{M}'’\-]+")

HONORIFICS = _set(
    "mr mrs ms miss mister sir dame lady lord dr doctor doktor prof professor rev reverend hon esq "
    "herr frau fräulein freiherr freifrau freiin frhr graf gräfin reichsgraf fürst fürstin baron baronin ritter "
    "mme mlle madame mademoiselle monsieur abbé comte comtesse vicomte vicomtesse marquis marquise duc "
    "duchesse baronne "
    "sor fray padre conde condesa marqués marquesa duque duquesa barón baronesa señor señora "
    "граф графиня князь княгиня барон баронесса проф доктор "
    "श्री श्रीमती डॉ डा पंडित पं मुंशी आचार्य "
    "الشيخ الإمام الدكتور "
    "先生 女史 氏"
)
HONORIFICS_OF = {"es": _set("don doña d dª")}  # names or initials in other languages
ROLES = _set(
    "pseud pseudonym pseudonyme seudónimo псевд псевдоним editor hrsg herausgeber translator übersetzer compiler "
    "illustrator author autor auteur verfasser 著 作 編 編著 訳 譯 補 述"
)
ABBREVIATED_ROLES = _set("ed eds éd hg trad transl übers comp ill")  # roles with a dot; without it, names
GENERATIONS = _set("jr sr jun sen junior senior ii iii iv père fils")
PARTICLES = _set(
    "von van vom zu zum zur der den ten ter de del della dello di da das do dos du des la le las los lo el und af av "
    "al фон де ван"
)
SPANISH_AND = frozenset({"y", "e", "i"})  # between two family names
PATRONYMIC = regex.compile(r".*(?:[ое]вич|ьич|[ое]вна|ична|инична)")
_HONORIFIC_ENDS = ("女史",)  # attached to a name without a space
_TATWEEL_AND_MARKS = regex.compile(r"[\u0640\u064B-\u0652\u0670]")
_JOINTS = regex.compile(r"[\s·・･•‧]+")
_BRACKETS = regex.compile(r"\(([^()]*)\)|\[([^\[\]]*)\]|\{([^{}]*)\}|<([^<>]*)>")
_OPEN_BRACKET = regex.compile(r"[()\[\]{}<>\"“”„«»*†]+")
_DASH = r"\s*[-‐‑–—−/]\s*"
_YEAR = r"[12]?\d{3}"
_RANGE = regex.compile(rf"(?<!\d)({_YEAR})?{_DASH}(?:†|d\.|gest\.|mort\s)?\s*({_YEAR})?(?!\d)")
_LAST_RANGE = regex.compile(rf"[,;]?\s*(?<!\d)({_YEAR}{_DASH}(?:{_YEAR})?)\s*$")
_BORN = regex.compile(rf"(?:\*|\bb\.|\bborn|\bgeb\.?|\bné|\bnée|\br\.)\s*({_YEAR})(?!\d)")
_DIED = regex.compile(rf"(?:†|\bd\.|\bdied|\bgest\.?|\bm\.)\s*({_YEAR})(?!\d)")
_ABOUT = regex.compile(r"\?|\bca?\.?\s|\bcirca\b|\bum\s|\bvers\s|\bfl\.|\bactive\b")
_PLAIN = str.maketrans({"æ": "ae", "œ": "oe", "ø": "o", "ł": "l", "đ": "d", "ð": "d", "þ": "th", "ı": "i", "’": "'"})
_GERMAN = {"ae": "a", "oe": "o", "ue": "u"}


class Life(NamedTuple):
    """The years of birth and death, empty where unknown."""

    born: str = ""
    died: str = ""


class _Word(NamedTuple):
    """A word of a name without its dot, whether it had a dot, and whether it is an honorific or a role."""

    text: str
    dotted: bool
    honours: bool = False
    role: bool = False

    @property
    def adorns(self) -> bool:
        return self.honours or self.role


class PersonalName(NamedTuple):
    """A canonical name: the full name, family and given names if they can be distinguished, and the life dates.

    A given name is a text and whether it is only an initial part.
    """

    whole: str
    family: str = ""
    given: tuple[tuple[str, bool], ...] = ()
    life: Life = Life()


class PersonKeys(NamedTuple):
    """The keys of a person in records; `author_id` is the same in all sources with full names."""

    author_id: str
    person_key: str
    near_key: str | None
    given_keys: list[str] | None
    life_key: str | None


def canonical_name(label: str, lang: str) -> PersonalName | None:
    """Return the canonical name of a folded label; None if no part of it is a name.

    >>> canonical_name("Sack, Gustav (1885-1916)", "de")[0], canonical_name("劉禹錫", "zh")[0]
    ('gustav sack', '刘禹锡')
    """
    text = unicodedata.normalize("NFKC", label).casefold()
    text, life = _without_life(text)
    text = _without_brackets(text)
    if lang == "ar":
        text = _TATWEEL_AND_MARKS.sub("", text)
    if lang in UNPEOPLED and not _ALPHABETIC.fullmatch(_JOINTS.sub("", text)):
        whole = _unspaced(text, lang)
        return PersonalName(whole, life=life) if any(map(str.isalpha, whole)) else None
    words = _words_of(text, lang)
    if not any(character.isalpha() for word in words for character in word.text):
        return None
    family, given = _parts(words, lang)
    return PersonalName(" ".join(word.text for word in words), family, given, life)


def keys_of(name: PersonalName, lang: str, key: bytes | None) -> PersonKeys:
    """Return the keys of a name in a language; with a `key` they are HMACs."""
    dated = f"{name.whole} {'-'.join(name.life)}" if any(name.life) else name.whole
    initial = name.given[0][0][:1] if name.given else ""
    near = f"{name.family} {initial}" if name.family and initial else None
    return PersonKeys(
        author_id(f"{PEOPLE}/{lang}", dated, key),
        _short(PEOPLE, dated, key),
        near and _short(f"{PEOPLE}/near/{lang}", near, key),
        [_given_key(one, key) for one in name.given] if near else None,
        ":".join(year and _short(f"{PEOPLE}/year", year, key) for year in name.life) if any(name.life) else None,
    )


def _given_key(given: tuple[str, bool], key: bytes | None) -> str:
    text, abbreviated = given
    initial = _short(f"{PEOPLE}/initial", text[:1], key)
    return f"i:{initial}" if abbreviated else f"f:{initial}:{_short(f'{PEOPLE}/given', text, key)}"


@lru_cache(maxsize=1 << 16)
def _short(space: str, text: str, key: bytes | None) -> str:
    return author_id(space, text, key)[:32]


def _without_life(text: str) -> tuple[str, Life]:
    """Return a label without the dates in brackets or at its end, and the dates."""
    for found in _BRACKETS.finditer(text):
        inside = next(filter(None, found.groups()), "")
        if any(map(str.isdigit, inside)):
            return text[: found.start()] + " " + text[found.end() :], _life(inside)
    last = _LAST_RANGE.search(text)
    return (text[: last.start()], _life(last[1])) if last else (text, Life())


def _life(text: str) -> Life:
    if _ABOUT.search(text + " "):
        return Life()
    if found := _RANGE.search(text):
        return Life(found[1] or "", found[2] or "")
    born, died = _BORN.search(text), _DIED.search(text)
    return Life(born[1] if born else "", died[1] if died else "")


def _without_brackets(text: str) -> str:
    """Return a label without bracketed text, unless that is all of it."""
    outside = _BRACKETS.sub(" ", text)
    return _OPEN_BRACKET.sub(" ", outside if any(map(str.isalpha, outside)) else text)


def _unspaced(text: str, lang: str) -> str:
    """Return a name in Han, Kana or similar without spaces, roles after a space, and character variants."""
    words = [word for word in text.replace(",", " ").split() if word not in ROLES | HONORIFICS] or text.split()
    whole = _JOINTS.sub("", "".join(words))
    for end in _HONORIFIC_ENDS:
        whole = whole.removesuffix(end) if len(whole) > len(end) + 1 else whole
    return str(_converter("t2s" if lang == "zh" else "jp2t").convert(whole))


@lru_cache
def _converter(conversion: str) -> OpenCC:
    return OpenCC(conversion)


def _words_of(text: str, lang: str) -> list[_Word]:
    """Return the words of a name, given names first."""
    family, *others = [part for part in (_split(part, lang) for part in text.split(",")) if part] or [[]]
    others = [left for part in others if (left := [word for word in part if not word.adorns])]
    after = [part for part in others if all(word.text in GENERATIONS for word in part)]
    given, *rest = [part for part in others if part not in after] or [[]]
    words = [*given, *family, *(word for part in (*rest, *after) for word in part)]
    named = [word for word in words if not word.role]
    named = [word for place, word in enumerate(named, 1) if not word.honours or place == len(named)]  # Oskar Maria Graf
    if sum(word.text not in PARTICLES for word in named) >= 2:
        words = named
    if lang == "ru" and not given and len(words) == 3 and PATRONYMIC.fullmatch(words[2].text):
        words = [*words[1:], words[0]]
    return words


def _split(part: str, lang: str) -> list[_Word]:
    words = [
        (word.strip(".;:!?'`´_-"), word.endswith(".")) for word in part.replace(".", ". ").replace("’", "'").split()
    ]
    honorifics = HONORIFICS | HONORIFICS_OF.get(lang, frozenset())
    return [
        _Word(text, dotted, text in honorifics, text in ROLES or (dotted and text in ABBREVIATED_ROLES))
        for text, dotted in words
        if text
    ]


def _parts(words: Sequence[_Word], lang: str) -> tuple[str, tuple[tuple[str, bool], ...]]:
    """Return family and given names without accents and particles; none if the order is unknown."""
    if lang in NO_NEAR_NAMES or not all(_ALPHABETIC.fullmatch(word.text) for word in words):
        return "", ()
    *before, family = [word for word in words if word.text not in GENERATIONS] or [_Word("", False)]
    given = [word for place, word in enumerate(before) if not word.adorns and not _is_particle(word, place, lang)]
    parts = [(part, word.dotted or len(part) == 1) for word in given for part in word.text.split("-") if part]
    return _plain(family.text, lang), tuple((_plain(part, lang), short) for part, short in parts)


def _is_particle(word: _Word, place: int, lang: str) -> bool:
    if word.dotted or not place:
        return word.text in PARTICLES and not word.dotted
    return word.text in PARTICLES or (lang == "es" and word.text in SPANISH_AND)


def _plain(word: str, lang: str) -> str:
    """Return a word without accents and common spelling variation."""
    marked = unicodedata.normalize("NFKD", word.translate(_PLAIN))
    plain = compose("".join(one for one in marked if not unicodedata.combining(one)))
    if lang == "de":
        for digraph, letter in _GERMAN.items():
            plain = plain.replace(digraph, letter)
    return plain
