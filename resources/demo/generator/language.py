"""How does a made-up author write in one of ten languages?

A grammar file (grammar/<lang>.txt) names sentence patterns and vocabulary, an author has habits: favourite patterns,
openers and connectives, a way to end a sentence, spellings, emoji. Texts are drawn from the grammar through the habits.
"""

import re
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from .chance import Chance

REFERENCE = re.compile(r"<(\w+)>")
ELISION = re.compile(r"\b([Pp]uisqu|[Qq]u)e (?=[aeiouéèêœ])")
CASED = ("en", "es", "fr", "de", "ru")
UNSPACED = ("zh", "ja")
TOKENS_PER_SENTENCE = {
    "en": 15,
    "es": 20,
    "fr": 22,
    "de": 21,
    "ru": 30,
    "ar": 38,
    "hi": 60,
    "ja": 29,
    "ko": 32,
    "zh": 23,
}
KNOWN = 0.65  # of a long list of words, the share that an author uses
STOPS = {"zh": "。", "ja": "。", "hi": "।"}
ENDINGS = {
    "zh": ("。", "。", "！", "……", "～", "！！"),
    "ja": ("。", "。", "！", "…", "〜"),
    "ko": (".", ".", "!", "...", "~", "^^"),
    "hi": ("।", "।", "!", "...", " ।"),
    "ar": (".", ".", "!", "...", " .."),
    "": (".", ".", "!", "...", "!!", " ."),
}
EMOJI = ("😂", "🙏", "❤️", "😅", "🔥", "🌿", "🤔", "👍", "😭", "✨", "🙄", "☕")
SPELLINGS: Mapping[str, tuple[tuple[str, str], ...]] = {
    "en": (
        ("because", "cuz"),
        ("neighbour", "neighbor"),
        ("to be", "2 be"),
        (" you ", " u "),
        ("don't", "dont"),
        ("I ", "i "),
        (" and ", " & "),
        ("favourite", "favorite"),
        (" my ", " ma "),
        ("was ", "wuz "),
    ),
    "es": ((" que ", " q "), (" por ", " x "), ("ó", "o"), ("¿", ""), (" porque ", " pq "), ("qué", "k"), ("á", "a")),
    "fr": (("qu'", "k'"), (" pas ", " pa "), ("é", "e"), ("ç", "c"), ("j'ai", "jai"), (" et ", " & "), ("ç", "ss")),
    "de": (("ß", "ss"), ("ü", "ue"), ("ä", "ae"), (" und ", " u. "), ("nicht", "nich"), ("ich ", "i "), ("ö", "oe")),
    "ru": (
        ("ё", "е"),
        ("что", "шо"),
        ("сегодня", "седня"),
        ("тся", "ца"),
        (" и ", " & "),
        ("меня", "мя"),
        ("чего", "чё"),
    ),
    "ar": (("أ", "ا"), ("ة", "ه"), ("إ", "ا"), ("ى", "ي"), ("،", ","), ("؟", "??")),
    "hi": (("ज़", "ज"), ("फ़", "फ"), ("ँ", "ं"), (" और ", " & "), ("क़", "क"), ("है", "हे")),
    "ja": (
        ("です", "っす"),
        ("ました", "ましたー"),
        ("、", " "),
        ("良い", "いい"),
        ("私", "わたし"),
        ("か？", "かな？"),
    ),
    "ko": (("어요", "어용"), ("아요", "아여"), ("해요", "해용"), ("너무", "넘"), ("정말", "증말"), (",", "")),
    "zh": (("的", "滴"), ("我", "俺"), ("，", " "), ("什么", "啥"), ("这个", "介个"), ("非常", "灰常"), ("吗", "嘛")),
}
FORMAL_SPELLINGS: Mapping[str, tuple[tuple[str, str], ...]] = {
    "en": (("neighbour", "neighbor"), ("organis", "organiz"), ("colour", "color"), ("analys", "analyz")),
    "ru": (("ё", "е"),),
    "de": (("ß", "ss"),),
    "ar": (("إ", "ا"),),
    "zh": (("，", "、"),),
}


@dataclass(frozen=True)
class Author:
    """Somebody with a name, a language and habits; `key` alone decides the habits."""

    key: str
    name: str
    lang: str
    formal: bool
    ending: str
    opening: float
    linking: float
    trailing: float
    closing: float
    emoji: str
    lower: bool
    separator: str
    spellings: tuple[tuple[str, str], ...]


def make_author(key: str, name: str, lang: str, formal: bool = False) -> Author:
    chance = Chance("author", key)
    usual = (FORMAL_SPELLINGS if formal else SPELLINGS).get(lang, ())
    return Author(
        key=key,
        name=name,
        lang=lang,
        formal=formal,
        ending=STOPS.get(lang, ".") if formal else chance.of(ENDINGS.get(lang, ENDINGS[""])),
        opening=0.0 if formal else chance.of((0.0, 0.3, 0.7)),
        linking=0.0 if formal else chance.of((0.1, 0.3, 0.6)),
        trailing=0.0 if formal else chance.of((0.1, 0.4, 0.8)),
        closing=0.0 if formal else chance.of((0.0, 0.0, 0.3, 0.8)),
        emoji="" if formal or chance.share() < 0.5 else chance.of(EMOJI),
        lower=not formal and lang in CASED and chance.share() < 0.25,
        separator="\n" if chance.share() < 0.2 else ("" if lang in UNSPACED else " "),
        spellings=tuple(pair for pair in usual if chance.share() < 0.3),
    )


@cache
def grammar(lang: str) -> Mapping[str, tuple[str, ...]]:
    """Symbol -> alternatives, from grammar/<lang>.txt."""
    text = (Path(__file__).parent / "grammar" / f"{lang}.txt").read_text(encoding="utf-8")
    lines = (line.partition(":") for line in text.splitlines() if line and not line.startswith("#"))
    return {name.strip(): tuple(part.strip() for part in rest.split(" | ")) for name, _, rest in lines}


@cache
def vocabulary(lang: str, symbol: str, author_key: str) -> tuple[str, ...]:
    """The alternatives that the author knows: of long lists some two thirds."""
    alternatives = grammar(lang)[symbol]
    if len(alternatives) < 7 or any("<" in one for one in alternatives):
        return alternatives
    known = tuple(one for one in alternatives if Chance("knows", author_key, symbol, one).share() < KNOWN)
    return known if len(known) >= 4 else alternatives[:4]


def expand(symbol: str, author: Author, topic: str, chance: Chance, used: set[str]) -> str:
    """A text for the symbol: the topic's alternatives before the general ones, none twice if it can be."""
    rules = grammar(author.lang)
    if f"{symbol}~" in rules:
        chosen = _favourite(symbol, author, chance)
    else:
        alternatives = vocabulary(
            author.lang, f"{topic}.{symbol}" if f"{topic}.{symbol}" in rules else symbol, author.key
        )
        chosen = chance.of(alternatives)
        for _ in range(4):
            if chosen not in used:
                break
            chosen = chance.of(alternatives)
    if "<" not in chosen:
        used.add(chosen)
    return REFERENCE.sub(lambda found: expand(found[1], author, topic, chance, used), chosen)


def _favourite(symbol: str, author: Author, chance: Chance) -> str:
    """The author's first choices more often than the others."""
    ranked = _ranking(author.lang, symbol, author.key)
    keep = 0.5 if symbol in ("opener", "link", "closing", "tail", "attrib") else 0.2
    for one in ranked:
        if chance.share() < keep:
            return one
    return ranked[0]


@cache
def _ranking(lang: str, symbol: str, author_key: str) -> tuple[str, ...]:
    alternatives = grammar(lang)[f"{symbol}~"]
    return tuple(sorted(alternatives, key=lambda one: Chance("habit", author_key, symbol, one).share()))


def sentence(kind: str, place: int, author: Author, topic: str, chance: Chance, used: set[str]) -> str:
    text = expand(kind, author, topic, chance, used)
    asks = text[-1] in "?？؟!！"
    if not asks and chance.share() < author.trailing and not author.formal:
        text += expand("tail", author, topic, chance, used)
    share, symbol = (author.opening, "opener") if place == 0 else (author.linking, "link")
    if chance.share() < share:
        text = expand(symbol, author, topic, chance, used) + ("" if author.lang in UNSPACED else " ") + text
    if author.lang in CASED and not author.lower:
        text = re.sub(r"[^\W\d_]", lambda found: found[0].upper(), text, count=1)
    return text if text[-1] in "?？؟!！。" else text + author.ending


def compose(author: Author, kind: str, sentences: int, chance: Chance, topic: str = "", paragraph: int = 0) -> str:
    """So many sentences on a topic (or on a few), in paragraphs if asked, with what the author always adds."""
    topics = grammar(author.lang)["topics"]
    theme, used, parts = topic or chance.of(topics), set[str](), []
    for place in range(sentences):
        if not topic and place and place % 9 == 0:
            theme = chance.of(topics)
        if place % 14 == 0:
            used.clear()
        parts.append(sentence(kind, place, author, theme, chance, used))
    if paragraph:
        joint = "" if author.lang in UNSPACED else " "
        text = "\n\n".join(joint.join(parts[at : at + paragraph]) for at in range(0, len(parts), paragraph))
    else:
        text = author.separator.join(parts)
    if chance.share() < author.closing:
        text += (author.separator or "") + expand("closing", author, theme, chance, used)
    if author.emoji and chance.share() < 0.6:
        text += ("" if author.lang in UNSPACED else " ") + author.emoji
    return spell(author, text)


def brief(author: Author, kind: str, chance: Chance, topic: str = "") -> str:
    """A few words."""
    text = expand(kind, author, topic or chance.of(grammar(author.lang)["topics"]), chance, set())
    if author.lang in CASED and not author.lower:
        text = re.sub(r"[^\W\d_]", lambda found: found[0].upper(), text, count=1)
    ending = author.ending if text[-1].isalpha() and chance.share() < 0.5 else ""
    return spell(author, text) + ending


def spell(author: Author, text: str) -> str:
    if author.lang == "fr":
        text = ELISION.sub(r"\1'", text)
    for usual, own in author.spellings:
        text = text.replace(usual, own)
    return text.lower() if author.lower else text


def similarity(one: Counter[str], other: Counter[str]) -> float:
    """Multiset Jaccard."""
    if 2 * min(one.total(), other.total()) < max(one.total(), other.total()):
        return 0.0
    shared = (one & other).total()
    return shared / (one.total() + other.total() - shared)


def grams(text: str, length: int = 5) -> Counter[str]:
    return Counter(text[at : at + length] for at in range(max(1, len(text) - length + 1)))


class Shelf:
    """What has been written, so that nothing is written twice or nearly so by accident."""

    def __init__(self) -> None:
        self.texts: set[str] = set()
        self.small: dict[str, list[Counter[str]]] = {}

    def write(self, author: Author, size: str, kind: str, name: str, topic: str = "", paragraph: int = 0) -> str:
        """A text of the size (short, medium, long, extra_long) that resembles nothing on the shelf."""
        for attempt in range(60):
            chance = Chance("text", author.key, name, str(attempt))
            if size == "short":
                text = brief(author, {"review": "rshort", "m": "mshort"}.get(kind, "short"), chance, topic)
            else:
                text = compose(author, kind, _sentences(author.lang, size, chance), chance, topic, paragraph)
            if text not in self.texts and (len(text) > 200 or not self._resembles(author.lang, text, attempt)):
                self.texts.add(text)
                return text
        raise ValueError(f"the grammar of {author.lang} is too poor for another {size} {kind}")

    def _resembles(self, lang: str, text: str, attempt: int) -> bool:
        mine = grams(text)
        shelf = self.small.setdefault(lang, [])
        limit = 0.5 if attempt < 30 else 1.0
        if any(similarity(mine, other) >= limit for other in shelf):
            return True
        shelf.append(mine)
        return False


def _sentences(lang: str, size: str, chance: Chance) -> int:
    tokens = {"medium": 12 + chance.below(75), "long": 130 + chance.below(260), "extra_long": 1000 + chance.below(1300)}
    return max(1, round(tokens[size] / TOKENS_PER_SENTENCE[lang]))
