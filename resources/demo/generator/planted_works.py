"""What is planted among blogs, papers, stories, books and poems: second editions, anthologies, notices, broken lines?

Each function gives a source's further rows or files and notes in the ledger what must become of them.
"""

from collections.abc import Callable, Sequence
from typing import Any

from .cases import Ledger
from .chance import Chance
from .language import Author, Shelf, make_author
from .people import cast

Row = dict[str, Any]
# A book of more than 50 chunks, and one that its second edition and an anthology share.
ANTHOLOGIES = {
    "spanish_pd_books": ("es", "Páginas ajenas"),
    "french_pd_books": ("fr", "Pages d'autrui"),
    "russian_pd": ("ru", "Чужие страницы"),
    "german_pd": ("de", "Fremde Seiten"),
}
BOOK_SENTENCES = {("spanish_pd_books", 0, 0): 2300, **{(source, 1, 0): 110 for source in ANTHOLOGIES}}


SIGNER = 5  # the blogger who signs every post
SIGNATURE = "*genesis*"
NOT_SCORED = "author_kind is work: never released under the default authors.kinds"


def blog_dirt(text: str, number: int, place: int) -> str:
    """What the blogs of the corpus are full of: undefined entities, bare ampersands, marks of links, signatures."""
    if number == SIGNER:
        text = f"{text}\n{SIGNATURE}"
    if (number + place) % 5 == 0:
        text = f"urlLink {text}"
    if number % 3 == 0:
        text = text.replace("  ", " ").replace(" and ", " & ").replace(". ", ".&nbsp; ", 1)
    return text.replace("\n", "\r\n")


def blog_encode(text: str, codec: str, number: int, name: str, ledger: Ledger) -> bytes:
    if codec == "cp1252":
        text = text.replace("...", "…").replace("'", "’").replace(" - ", " – ")
        if not any(sign in text for sign in "…’–"):
            text = text.replace("</post>", "“quoted”\r\n</post>", 1)
        ledger.note(
            "cp1252 file",
            "blog_authorship",
            "kept",
            {"member": name, "number": 0},
            note="curly marks and dashes come out right",
        )
    return text.encode(codec, "ignore")  # without emoji, which no cp1252 file has


def blog_authorship(shelf: Shelf, ledger: Ledger, blog_file: Callable[..., str]) -> dict[str, bytes]:
    source = "blog_authorship"
    writer = make_author("planted/blog", "", "en")

    def text(name: str, size: str = "medium") -> str:
        return shelf.write(writer, size, "s", name)

    prolific = make_author("planted/blog/prolific", "", "en")
    many = [
        (
            f"{1 + place % 28:02d},June,2004",
            shelf.write(prolific, ("short", "medium", "long")[place % 3], "s", str(place)),
        )
        for place in range(32)
    ]
    letter = (
        "Dear diary,\r\n\r\n-----\r\n\r\n"
        + text("letter one").replace("\n", " ")
        + "\r\n\r\n-----\r\n\r\n"
        + text("letter two").replace("\n", " ")
        + "\r\n\r\n----------\r\n\r\nYours, as ever"
    )
    notice = (
        "Copyright 2004 by the owner of this page. All rights reserved.\r\n\r\n"
        + text("notice").replace("\n", " ")
        + "\r\n\r\nHome | Archive | Links | Guestbook | Contact"
    )
    posts = [
        ("04,July,2004", letter),
        ("05,July,2004", notice),
        ("06,July,2004", "A NUL\0 and a bell\a in a post about nothing but the weather on a grey Tuesday"),
        ("07,July,2004", "Twice escaped: salt &amp;amp; pepper, &amp;eacute;clair &amp; tea"),
        ("08,July,2004", ""),
        (
            "09,julio,2004",
            "Esta vez escribo en castellano porque mañana llega mi abuela y quiero que lea algo bonito sobre nosotros.",
        ),
        (",,", text("no date")),
        (
            "11,July,2004",
            "<!-- /* Font Definitions */ @font-face {font-family:Verdana; panose-1:2 11 6 4;} --> " + text("office"),
        ),
        ("12,July,2004", "urlLink    " + text("link")),
    ]
    made = {
        "blogs/3999001.female.24.Arts.Leo.xml": blog_file(many).encode(),
        "blogs/3999002.male.31.Education.Virgo.xml": blog_file(posts).encode(),
    }
    find = "blogs/3999002.male.31.Education.Virgo.xml"
    ledger.note(
        "prolific blogger",
        source,
        "kept",
        {"member": "blogs/3999001.female.24.Arts.Leo.xml"},
        note="32 posts, at most 5 of them released",
        rows=32,
    )
    ledger.note("dashes inside a letter", source, "kept", {"member": find, "number": 0}, note="no filter may drop it")
    ledger.note(
        "copyright and navigation lines",
        source,
        "kept",
        {"member": find, "number": 1},
        note="boilerplate is left out of similarity",
    )
    ledger.note("control characters", source, "kept", {"member": find, "number": 2}, note="without NUL and bell")
    ledger.note("twice escaped entities", source, "kept", {"member": find, "number": 3}, note="one level is undone")
    ledger.note("empty post", source, "removed", {"member": find, "number": 4}, "ingest", "empty_text")
    ledger.note(
        "Spanish post in an English corpus",
        source,
        "removed",
        {"member": find, "number": 5},
        "filter",
        "wrong_language",
    )
    ledger.note("date that is none", source, "kept", {"member": find, "number": 6}, note="without a date")
    ledger.note(
        "style sheet of a text processor", source, "kept", {"member": find, "number": 7}, note="without the style sheet"
    )
    ledger.note("mark of a link", source, "kept", {"member": find, "number": 8}, note="without urlLink")
    return made


def arxiv(
    shelf: Shelf, ledger: Ledger, row: Callable[..., Row], wrapped: Callable[[str], str], count: int
) -> tuple[list[Row], dict[int, str]]:
    source, made = "arxiv", list[Row]()
    chance = Chance("planted", source)
    writer = make_author("planted/arxiv", "", "en", formal=True)

    def add(parsed: list[list[str]], name: str, **changes: Any) -> Row:
        nonlocal count
        count += 1
        text = shelf.write(writer, "medium", "science", name, "work")
        one = row(count, parsed, f"A short note called {name}", wrapped(text), "hep-ex", chance) | changes
        made.append(one)
        return one

    for name, parsed, changes, reason in (
        ("collaboration", [["The Moonlight Collaboration", "", ""], ["Featherby", "Wren", ""]], {}, "collaboration"),
        ("no authors", [], {"authors": "", "authors_parsed": []}, "no_author"),
        ("malformed author", [["", "", ""]], {"authors": ".", "authors_parsed": [["", "", ""]]}, "no_author"),
        (
            "withdrawn",
            [["Ashdown", "Petra", ""]],
            {"abstract": "  This paper has been withdrawn by the author due to an error in section 3.\n"},
            "withdrawn",
        ),
        ("empty abstract", [["Ashdown", "Petra", ""]], {"abstract": "  \n"}, "empty_text"),
    ):
        one = add(parsed, name, **changes)
        ledger.note(name, source, "removed", {"id": one["id"]}, "ingest", reason)
    one = add([], "authors only as one string", authors="Casper Dunmore, Linnet Quill", authors_parsed=None)
    ledger.note("authors only as one string", source, "kept", {"id": one["id"]}, note=NOT_SCORED)
    one = add([["Larkspur", "O.", ""]], "initials")
    ledger.note("initials for a given name", source, "kept", {"id": one["id"]}, note="the label is noisy")
    one = add([["Mu\\~noz", "Rufus", "II", "Institute of Slow Rivers"]], "accents")
    ledger.note("accent in LaTeX, suffix and affiliation", source, "kept", {"id": one["id"]})
    same = add([["Oakhurst", "Mabel", ""]], "repeated")
    made.append(dict(same))
    ledger.note(
        "repeated id, same text", source, "removed", {"id": same["id"]}, "ingest", "repeated_id", rows=2, goes=1
    )
    one = add([["Thistle", "Ivo", ""], ["Rushmore", "Tansy", ""]], "two authors")
    ledger.note("two authors", source, "kept", {"id": one["id"]}, note=NOT_SCORED)
    broken = (
        '{"id":"0799.0001","submitter":"Nobody","authors":"Nobody","title":"A line that breaks off","abstract":"  We'
    )
    ledger.note("broken JSON line", source, "bad_row", {"id": "0799.0001"}, "ingest", "bad_row")
    return made, {25: broken}


def hindi_discourse(records: dict[str, Any], key: int, ledger: Ledger) -> None:
    sentence = "उस शाम किसी ने बूढ़े नाविक को नदी के किनारे नहीं देखा।"
    records[str(key + 3)] = {"Story_no": 7766, "Sentence": sentence, "Discourse Mode": "Other"}
    ledger.note(
        "a story number out of order", "hindi_discourse", "kept", {"Story_no": 7766}, note="a work of one sentence"
    )
    ledger.note(
        "a source without authors",
        "hindi_discourse",
        "kept",
        {"Story_no": 0},
        note=NOT_SCORED,
        rows=sum(record["Story_no"] == 0 for record in records.values()),
    )


def books(
    source: str,
    shelf: Shelf,
    ledger: Ledger,
    rows: Sequence[Row],
    row: Callable[..., Row],
    text_of: Callable[..., str],
    fields: tuple[str, str, str],
) -> list[Row]:
    """Second editions, notices, an anthology, and books that nobody signed."""
    text_field, creator_field, id_field = fields
    made = list[Row]()
    chance = Chance("planted", source)
    people = {number: author for _, number, author in cast(source)}

    def add(raw_id: str, creator: str | None, title: str, text: str | None) -> None:
        made.append(row(source, raw_id, creator, title, text, chance))

    def sample(name: str, lang: str, sentences: int) -> str:
        return text_of(make_author(f"planted/{source}/{name}", "", lang, formal=True), name, sentences, 0)

    def own(number: int, name: str, sentences: int) -> str:
        return text_of(people[number], name, sentences, 0)

    if source == "spanish_pd_books":
        ledger.note(
            "a book of more than 50 chunks",
            source,
            "kept",
            {id_field: rows[0][id_field]},
            note="50 chunks of it, spread over the text",
        )
        add("es90001", "Anónimo", "Romances del camino", sample("anonymous", "es", 30))
        ledger.note("anonymous book", source, "removed", {id_field: "es90001"}, "ingest", "placeholder_author")
        add("es90002", None, "Sin portada", sample("nobody", "es", 30))
        ledger.note("book without an author", source, "removed", {id_field: "es90002"}, "ingest", "no_author")
        add("es90003", "Valdemora, Jacinto; Olmedilla, Inés", "A cuatro manos", sample("two", "es", 30))
        ledger.note("several authors", source, "removed", {id_field: "es90003"}, "ingest", "several_authors")
        add("es90004", rows[2][creator_field], "Páginas en blanco", "")
        ledger.note("book without text", source, "removed", {id_field: "es90004"}, "ingest", "empty_text")
    if source == "french_pd_books":
        notice = (
            "The Project Gutenberg eBook of Lettres retrouvées\n\n"
            "This eBook is for the use of anyone anywhere at no cost.\n\n"
            "*** START OF THE PROJECT GUTENBERG EBOOK LETTRES RETROUVÉES ***\n\n"
            f"{sample('notice', 'fr', 40)}\n\n*** END OF THE PROJECT GUTENBERG EBOOK LETTRES RETROUVÉES ***\n\n"
            "Updated editions will replace the previous one."
        )
        add("fr90001", rows[0][creator_field], "Lettres retrouvées", notice)
        ledger.note("Gutenberg notice", source, "kept", {id_field: "fr90001"}, note="without header and end notice")
        dirty = (
            sample("scan", "fr", 12)
            + "\n\n"
            + " ".join("|| ~~ ^^ ;: '' ,, .. \\\\ // == {} [] <> ** ++" for _ in range(60))
        )
        add("fr90002", rows[1][creator_field], "Feuillets tachés", dirty)
        ledger.note(
            "page of scanner's dirt",
            source,
            "removed",
            {id_field: "fr90002"},
            "filter",
            "too_many_symbols",
            "its dirty chunks go, the clean ones stay",
        )
        add("fr90003", "Anonyme", "Chansons", sample("songs", "fr", 20))
        ledger.note("anonymous book", source, "removed", {id_field: "fr90003"}, "ingest", "placeholder_author")
    if source == "german_pd":
        first = next(one for one in rows if one[id_field] == "de10100")
        words = first[text_field].replace("\n\n", " ¶ ").split()
        words = [
            "seyn" if word == "sein" else "ward" if place % 97 == 50 and word.isalpha() else word
            for place, word in enumerate(words)
        ]
        lines = [" ".join(words[at : at + 11]) for at in range(0, len(words), 11)]
        add(
            "de90001",
            first[creator_field],
            f"{first['title']}. Zweite Auflage",
            "\n".join(lines).replace(" ¶ ", "\n\n").replace("¶", "\n\n"),
        )
        ledger.note(
            "second edition",
            source,
            "removed",
            {id_field: "de90001"},
            "dedup",
            "near_duplicate",
            "a few other words, other line breaks; the first edition is de10100",
        )
        header = "Copyright 1911 by Verlag der Hafenstadt\nAlle Rechte vorbehalten.\n\n"
        add("de90002", rows[0][creator_field], "Späte Blätter", header + sample("late", "de", 60))
        ledger.note("copyright header", source, "kept", {id_field: "de90002"}, note="without its header")
        add("de90003", "Prof. Leberecht Mühlhofer", "Nachlese", own(2, "gleanings", 80))
        ledger.note(
            "a name in another order, with a title",
            source,
            "kept",
            {id_field: ["de10200", "de90003"]},
            note="one author, though the spellings differ",
            rows=2,
        )
        add("de90004", "Muehlhofer, L.", "Verstreutes", own(2, "scattered", 80))
        ledger.note(
            "a name with an initial and another spelling",
            source,
            "kept",
            {id_field: ["de10200", "de90004"]},
            note="possibly one person: share a split",
            rows=2,
        )
    if source == "russian_pd":
        add("ru90002", "Неизвестный автор", "Без названия", sample("unknown", "ru", 20))
        ledger.note("unknown author", source, "removed", {id_field: "ru90002"}, "ingest", "placeholder_author")
    lang, title = ANTHOLOGIES[source]
    first = next(one for one in rows if one[id_field] == f"{lang}10100")
    parts = first[text_field].split("\n\n")
    most = "\n\n".join(parts[: max(2, len(parts) * 2 // 3)])
    framed = "\n\n".join((sample("anthology one", lang, 50), most, sample("anthology two", lang, 40)))
    add(f"{lang}90009", rows[-1][creator_field], title, framed)
    ledger.note(
        "an anthology that holds most of another book",
        source,
        "kept",
        {id_field: f"{lang}90009"},
        note=f"two thirds of {lang}10100 are in it: never query and positive, one split",
    )
    return made


def arabic_poetry(
    ledger: Ledger, rows: Sequence[Row], row: Callable[..., Row], poem: Callable[[Author, str, int, bool], str]
) -> list[Row]:
    source, made = "arabic_poetry", list[Row]()
    chance = Chance("planted", source)
    made.append(row(rows[0]["poem_text"], "نابغة الميناء", chance))
    ledger.note(
        "one poem, two poets",
        source,
        "removed",
        {"text": rows[0]["poem_text"][:80]},
        "dedup",
        "exact_duplicate",
        rows=2,
        goes=1,
    )
    for poet, reason in (("مجهول", "placeholder_author"), ("", "no_author")):
        writer = make_author(f"planted/poem/{reason}", "", "ar", formal=True)
        text = poem(writer, reason, 3, True)
        made.append(row(text, poet, chance))
        ledger.note("poem of nobody", source, "removed", {"text": text[:80]}, "ingest", reason)
    twice = poem(make_author("planted/poem/twice", "", "ar", formal=True), "twice", 9, True)
    made.append(row(f"{twice}\n{twice}", rows[0]["poet_name"], chance))
    ledger.note("a poem that its file holds twice", source, "kept", {"text": twice[:80]}, note="its first half alone")
    made.append(row("", rows[0]["poet_name"], chance))
    ledger.note(
        "poem without verses",
        source,
        "removed",
        {"poet_name": rows[0]["poet_name"], "text": ""},
        "ingest",
        "empty_text",
    )
    ledger.note(
        "vocalised classical poem", source, "kept", {"text": rows[1]["poem_text"][:80]}, note="no filter may drop it"
    )
    return made
