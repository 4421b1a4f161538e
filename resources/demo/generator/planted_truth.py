"""What is planted to mislead or to be hard: telling layouts, topics that tell nothing, poets who write essays."""

import re

from .cases import Ledger
from .chance import Chance
from .language import Author, Shelf, grammar
from .people import cast

SENTENCE = re.compile(r"[^。！？!?…～\n]+[。！？!?…～]*")
TAGS = 4
LEADS = ("", "• ", "👉 ", "- ")
GAPS = ("", "\n", "\n\n", "\n——\n")
ESSAYISTS = (4, 5, 6)  # poets of `arabic_poetry` whose essays `wikisource` has
ESSAYS = ("medium", "medium", "long", "long")


def topic_in_turn(author: Author, place: int) -> str:
    """Return the topic of an author's text at a place: no two of his first eight share one, texts of others do."""
    topics = grammar(author.lang)["topics"]
    turns = sorted(topics, key=lambda topic: Chance("turn", author.key, topic).share())
    return turns[place % len(turns)]


def tagged(text: str, author: Author, topic: str, place: int) -> str:
    """Return an English post with tags of its topic, so that posts on one topic are alike whoever wrote them."""
    if author.lang != "en" or not topic:
        return text
    things = grammar(author.lang)[f"{topic}.thing"]
    drawn = sorted(things, key=lambda thing: Chance("tag", author.key, str(place), thing).share())[:TAGS]
    return f"{text} {' '.join('#' + thing.replace(' ', '') for thing in drawn)}"


def laid_out(text: str, number: int) -> str:
    """Return the text in the layout of the author of that number, which no other author of several notes has."""
    lead, gap = LEADS[number % len(LEADS)], GAPS[number // len(LEADS) % len(GAPS)]
    return gap.join(f"{lead}{sentence.strip()}" for sentence in SENTENCE.findall(text))


def note_layout(ledger: Ledger, user: str, rows: int) -> None:
    ledger.note(
        "notes in the layout of their author", "xiaohongshu", "kept", {"user_id": user},
        note="the layout alone gives the author away", rows=rows,
    )  # fmt: skip


def essays(shelf: Shelf, ledger: Ledger) -> list[dict[str, str]]:
    """Return pages of essays by poets, who sign them as they sign their poems."""
    pages = []
    for _, number, author in cast("arabic_poetry"):
        if number not in ESSAYISTS:
            continue
        for place, size in enumerate(ESSAYS):
            text = shelf.write(author, size, "s", f"essay {place}", topic_in_turn(author, place))
            page = {"raw_id": f"ar:{number}{place}", "author": author.name, "text": text.replace("\n", " ")}
            pages.append(page | {"lang": "ar", "genre": "literature", "title": f"رسالة {number}{place}"})
        ledger.note(
            "essays of a poet", "wikisource", "kept", {"author": author.name},
            note="one author with the poet of arabic_poetry", rows=len(ESSAYS),
        )  # fmt: skip
    return pages
