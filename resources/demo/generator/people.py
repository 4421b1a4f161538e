"""Which made-up authors does each source have?"""

from collections.abc import Iterator

from .chance import Chance
from .language import Author, grammar, make_author

# How many authors with three or more documents a source has in each language.
CAST = {
    "exorde": {"en": 34, "zh": 7, "es": 9, "ar": 9, "fr": 9, "ru": 9, "de": 9, "ja": 8, "ko": 8, "hi": 7},
    "babel_briefings": {"en": 14, "zh": 5, "es": 5, "ar": 5, "fr": 5, "ru": 5, "de": 5, "ja": 5, "ko": 5, "hi": 5},
    "amazon_multi": {"en": 9, "zh": 4, "es": 4, "fr": 4, "de": 4, "ja": 4},
    "blog_authorship": {"en": 13},
    "arxiv": {"en": 10},
    "xiaohongshu": {"zh": 14},
    "douban": {"zh": 9},
    "spanish_pd_books": {"es": 5},
    "french_pd_books": {"fr": 5},
    "russian_pd": {"ru": 5},
    "german_pd": {"de": 5},
    "arabic_poetry": {"ar": 9},
}
FORMAL = ("babel_briefings", "arxiv", "spanish_pd_books", "french_pd_books", "russian_pd", "german_pd", "arabic_poetry")


def name_of(lang: str, number: int) -> str:
    """A name that no other number has."""
    given, family = grammar(lang)["given"], grammar(lang)["family"]
    first, second = given[number % len(given)], family[(number + number // len(given)) % len(family)]
    return first + second if lang in ("zh", "ja", "ko") else f"{first} {second}"


def handle_of(lang: str, number: int) -> str:
    """An account's name: words of another language's garden, so that no handle is anybody's."""
    chance = Chance("handle", lang, str(number))
    words = [
        "amber",
        "brook",
        "cedar",
        "dune",
        "ember",
        "fjord",
        "grove",
        "heron",
        "isle",
        "juniper",
        "kelp",
        "linden",
        "moss",
        "north",
        "orchid",
        "pebble",
    ]
    return f"{chance.of(words)}_{chance.of(words)}_{lang}{number:02d}"


def cast(source: str) -> Iterator[tuple[str, int, Author]]:
    """(language, number, author) of everybody with three or more documents."""
    for lang, count in CAST[source].items():
        for number in range(count):
            yield lang, number, make_author(f"{source}/{lang}/{number}", name_of(lang, number), lang, source in FORMAL)


def sizes(source: str, lang: str, number: int) -> list[str]:
    """The sizes of an author's documents, 3 to 7 of them."""
    chance = Chance("sizes", source, lang, str(number))
    wanted = 3 + chance.below(5)
    shares = (0.27, 0.62, 0.74) if source == "exorde" else (0.19, 0.64, 0.80)
    drawn = [chance.share() for _ in range(wanted)]
    return [
        "short" if x < shares[0] else "medium" if x < shares[1] else "long" if x < shares[2] else "extra_long"
        for x in drawn
    ]
