"""Write the raw files of the fifteen sources."""

import hashlib
from pathlib import Path
from typing import Any

from . import planted_online, planted_truth, planted_works
from .cases import Ledger
from .chance import Chance
from .files import write_csv, write_json, write_json_lines, write_parquet, write_zip
from .language import Author, Shelf, compose, expand, grammar, make_author
from .people import CAST, cast, handle_of, name_of, sizes

THEMES = ("People", "Technology", "Sports", "Entertainment", "Environment", "Health", "Science", "Business", "Politics")
TOPIC_THEME = {
    "kitchen": "Health",
    "garden": "Environment",
    "phone": "Technology",
    "sport": "Sports",
    "film": "Entertainment",
    "travel": "People",
    "work": "Business",
    "cat": "Social",
}
FILMS = ("100151", "100274", "100388", "100412", "100507")
MASKS = 30
EMOTIONS = ("neutral", "joy", "annoyance", "approval", "realization", "amusement")
LOCATIONS = {
    "en": "gb",
    "zh": "cn",
    "hi": "in",
    "es": "ar",
    "fr": "fr",
    "ar": "ae",
    "ru": "ru",
    "de": "de",
    "ja": "jp",
    "ko": "kr",
}
CATEGORIES = ("general", "business", "sports", "technology", "health", "science", "entertainment")
AMAZON = {
    "kitchen": "kitchen",
    "garden": "lawn_and_garden",
    "phone": "electronics",
    "sport": "sports",
    "film": "video_games",
    "travel": "luggage",
    "work": "office_product",
    "cat": "pet_products",
}


def sha1(text: str) -> str:
    return hashlib.sha1(text.encode("utf-8")).hexdigest()


def when(chance: Chance, year: int) -> tuple[int, int, int, int, int, int]:
    return year, 1 + chance.below(12), 1 + chance.below(28), chance.below(24), chance.below(60), chance.below(60)


def stamp(chance: Chance, year: int) -> str:
    return "{:04d}-{:02d}-{:02d}T{:02d}:{:02d}:{:02d}".format(*when(chance, year))


# Exorde


def exorde_row(
    text: str, lang: str, display: str | None, url: str, chance: Chance, theme: str | None = None
) -> dict[str, Any]:
    return {
        "date": f"2024-12-{1 + chance.below(7):02d}{stamp(chance, 2024)[10:]}.000Z",
        "original_text": text,
        "url": url,
        "author_hash": None if display is None else sha1(display),
        "language": lang,
        "primary_theme": theme or chance.of(THEMES),
        "english_keywords": ", ".join(
            chance.of(("morning", "plan", "people", "news", "weekend", "idea")) for _ in range(4)
        ),
        "sentiment": round(chance.share() * 2 - 1, 2),
        "main_emotion": chance.of(EMOTIONS),
        "secondary_themes": f"[{chance.below(10)} {chance.below(10)}]",
    }


def post_url(lang: str, number: int, chance: Chance) -> str:
    account = handle_of(lang, number)
    if number % 6 == 4:
        return f"https://bsky.app/profile/{account.replace('_', '-')}.bsky.social/post/3l{chance.digits(11)}"
    if number % 6 == 5:
        return f"https://www.reddit.com/r/everyday/comments/1h{chance.digits(6)}/thread/"
    return f"https://x.com/{account}/status/18{chance.digits(17)}"


def exorde(out: Path, shelf: Shelf, ledger: Ledger) -> list[dict[str, Any]]:
    rows = []
    members: dict[str, list[dict[str, Any]]] = {}
    for lang, number, author in cast("exorde"):
        topics = grammar(lang)["topics"]
        theme = TOPIC_THEME[Chance("theme", author.key).of(topics)]
        for place, size in enumerate(sizes("exorde", lang, number)):
            chance = Chance("exorde", author.key, str(place))
            topic = planted_truth.topic_in_turn(author, place)
            about = "" if size == "extra_long" else topic
            text = shelf.write(author, size, "s", str(place), about, 6 if size == "extra_long" else 0)
            text = planted_truth.tagged(text, author, about, place)
            rows.append(
                exorde_row(
                    text,
                    lang,
                    author.name,
                    post_url(lang, number, chance),
                    chance,
                    theme if chance.share() < 0.8 else TOPIC_THEME[topic],
                )
            )
            members.setdefault(author.key, []).append(rows[-1])
    for lang, number, count in planted_online.few_documents("exorde"):
        author = make_author(f"exorde/{lang}/{number}", name_of(lang, number), lang)
        for place in range(count):
            chance = Chance("exorde", author.key, str(place))
            text = shelf.write(author, chance.of(("short", "medium", "medium", "long")), "s", str(place))
            url = f"https://x.com/{handle_of(lang, number)}/status/18{chance.digits(17)}"
            rows.append(exorde_row(text, lang, author.name, url, chance))
    rows += planted_online.exorde(shelf, ledger, exorde_row, rows, members)
    rows.sort(key=lambda row: Chance("order", row["url"], row["original_text"][:50]).share())
    write_parquet(out / "exorde" / "social_media_december2024_week1.parquet", rows)
    return members["exorde/en/30"]


# Babel Briefings


def babel_row(
    number: int, text: str | None, lang: str, author: str | None, outlet: str, title: str, chance: Chance
) -> dict[str, Any]:
    moment = stamp(chance, 2020 + chance.below(2)) + "Z"
    row: dict[str, Any] = {
        "author": author,
        "title": f"{title} - {outlet}",
        "description": text,
        "url": f"https://news.example/{lang}/{number}",
        "urlToImage": None if chance.share() < 0.3 else f"https://news.example/images/{number}.jpg",
        "publishedAt": moment,
        "content": None if not text or chance.share() < 0.3 else f"{text[:200]}… [+{chance.digits(4)} chars]",
        "instances": [
            {"collectedAt": moment, "location": LOCATIONS.get(lang, "it"), "category": chance.of(CATEGORIES)}
            for _ in range(1 + chance.below(2))
        ],
        "source-id": None,
        "source-name": outlet,
        "ID": number,
        "language": lang,
    }
    if lang != "en":
        row |= {"en-title": f"Headline {number}", "en-description": None, "en-content": None}
    return row


def outlet_of(lang: str, number: int) -> str:
    names = {
        "en": "Harbour Courier",
        "zh": "港口日报",
        "hi": "बंदरगाह समाचार",
        "es": "El Correo del Puerto",
        "fr": "Le Courrier du Port",
        "ar": "صحيفة الميناء",
        "ru": "Портовый вестник",
        "de": "Hafenkurier",
        "ja": "港新聞",
        "ko": "항구일보",
    }
    return f"{names[lang]} {number + 1}"


def babel_briefings(out: Path, shelf: Shelf, ledger: Ledger) -> None:
    rows: list[dict[str, Any]] = []
    count = 5_000_000
    for lang, number, author in cast("babel_briefings"):
        label = f"author#{100000 + Chance('babel', author.key).below(900000)}"
        for place, size in enumerate(sizes("babel_briefings", lang, number)):
            chance = Chance("babel", author.key, str(place))
            count += 1
            size = "long" if size in ("long", "extra_long") and place < 3 else "medium"
            text = shelf.write(author, size, "n", str(place), "work")
            title = expand("n", author, "work", chance, set())
            rows.append(babel_row(count, text, lang, label, outlet_of(lang, number), title, chance))
    for lang in CAST["babel_briefings"]:
        author = make_author(f"babel/none/{lang}", "", lang, formal=True)
        for place in range(9 if lang == "en" else 5):
            chance = Chance("babel", author.key, str(place))
            count += 1
            text = shelf.write(author, "medium", "n", str(place), "work")
            outlet = None if place < 3 else f"author#{100000 + chance.below(900000)}"
            title = expand("n", author, "work", chance, set())
            rows.append(babel_row(count, text, lang, outlet, outlet_of(lang, 20 + place), title, chance))
    rows += planted_online.babel_briefings(shelf, ledger, babel_row)
    rows.sort(key=lambda row: Chance("order", str(row["ID"]), str(row["description"])[:40]).share())
    write_json(out / "babel_briefings" / "babel-briefings-v1.json", rows)


# Amazon


def amazon_row(
    lang: str, reviewer: str, text: str, title: str, category: str, chance: Chance, review_id: str | None = None
) -> dict[str, Any]:
    return {
        "review_id": review_id or f"{lang}_{chance.digits(7)}",
        "product_id": f"product_{lang}_{chance.digits(7)}",
        "reviewer_id": reviewer,
        "stars": 1 + chance.below(5),
        "review_body": text,
        "review_title": title,
        "language": lang,
        "product_category": category,
    }


def amazon_multi(out: Path, shelf: Shelf, ledger: Ledger, from_exorde: str) -> None:
    rows = []
    for lang, number, author in cast("amazon_multi"):
        reviewer = f"reviewer_{lang}_{Chance('amazon', author.key).digits(7)}"
        for place, size in enumerate(sizes("amazon_multi", lang, number)):
            chance = Chance("amazon", author.key, str(place))
            topic = chance.of(grammar(lang)["topics"])
            text = shelf.write(
                author,
                "long" if size == "extra_long" and place < 2 else "medium" if size == "extra_long" else size,
                "review",
                str(place),
                topic,
            )
            title = expand("rshort", author, topic, chance, set())
            rows.append(amazon_row(lang, reviewer, text, title, AMAZON[topic], chance))
    for lang in CAST["amazon_multi"]:
        for number in range(26 if lang == "en" else 20):
            author = make_author(f"amazon/one/{lang}/{number}", "", lang)
            chance = Chance("amazon", author.key)
            topic = chance.of(grammar(lang)["topics"])
            text = shelf.write(author, "medium" if number % 7 else "short", "review", "0", topic)
            title = expand("rshort", author, topic, chance, set())
            rows.append(amazon_row(lang, f"reviewer_{lang}_{chance.digits(7)}", text, title, AMAZON[topic], chance))
    more, raw_lines = planted_online.amazon_multi(shelf, ledger, amazon_row, from_exorde)
    rows += more
    rows.sort(key=lambda row: (row["language"], row["review_id"], row["review_body"]))
    numbered = [{"": number, **row} for number, row in enumerate(rows)]
    write_csv(out / "amazon_multi" / "train.csv", numbered, list(numbered[0]), raw_lines)


# Blogs

JOBS = ("Student", "Arts", "indUnk", "Technology", "Education", "Engineering", "Non-Profit")
SIGNS = ("Aries", "Cancer", "Libra", "Pisces", "Leo", "Virgo")
MONTHS = [
    "January",
    "February",
    "March",
    "April",
    "May",
    "June",
    "July",
    "August",
    "September",
    "October",
    "November",
    "December",
]


def blog_file(posts: list[tuple[str, str]], newline: str = "\r\n") -> str:
    parts = ["<Blog>", ""]
    for day, text in posts:
        parts += [f"<date>{day}</date>", "<post>", "", "\t ", f"      {text}", "    ", "</post>", ""]
    return newline.join([*parts, "</Blog>", ""])


def blog_authorship(out: Path, shelf: Shelf, ledger: Ledger) -> None:
    members: dict[str, bytes] = {}
    for _, number, author in cast("blog_authorship"):
        chance = Chance("blog", author.key)
        posts = []
        for place, size in enumerate(["extra_long", *sizes("blog_authorship", "en", number)]):
            text = shelf.write(
                author,
                size,
                "s",
                str(place),
                "" if size == "extra_long" else chance.of(grammar("en")["topics"]),
                5 if size == "extra_long" else 0,
            )
            posts.append(
                (f"{1 + chance.below(28):02d},{chance.of(MONTHS)},2004", planted_works.blog_dirt(text, number, place))
            )
        job = "Student" if number < 4 else chance.of(JOBS)
        gender, age = chance.of(("male", "female")), 13 + chance.below(35)
        name = f"{1000000 + chance.below(2900000)}.{gender}.{age}.{job}.{chance.of(SIGNS)}.xml"
        if number == planted_works.SIGNER:
            ledger.note(
                "a post that its author signs", "blog_authorship", "kept", {"member": f"blogs/{name}", "number": 1},
                note=f"all of the blogger's posts end with {planted_works.SIGNATURE}",
            )  # fmt: skip
        codec = "cp1252" if number in (3, 7) else "utf-8"
        members[f"blogs/{name}"] = planted_works.blog_encode(blog_file(posts), codec, number, f"blogs/{name}", ledger)
    members |= planted_works.blog_authorship(shelf, ledger, blog_file)
    write_zip(out / "blog_authorship" / "data" / "blogs.zip", members)


# arXiv

ARXIV_CATEGORIES = (
    "hep-ph",
    "cs.LG",
    "math.PR",
    "astro-ph",
    "cond-mat.stat-mech",
    "quant-ph cs.IT",
    "math.NT",
    "cs.DS",
)


def arxiv_row(
    number: int, authors: list[list[str]], title: str, abstract: str, category: str, chance: Chance
) -> dict[str, Any]:
    written = ", ".join(f"{given} {family}".strip() for family, given, *_ in authors)
    year, month = 7 + number // 1000, 1 + number % 12
    date = f"20{year:02d}-{month:02d}-{1 + chance.below(28):02d}"
    return {
        "id": f"{year:02d}{month:02d}.{number:04d}",
        "submitter": written.split(", ")[0] or None,
        "authors": written,
        "title": title.replace(" in ", "\n  in ", 1),
        "comments": None if chance.share() < 0.4 else f"{4 + chance.below(40)} pages, {chance.below(15)} figures",
        "journal-ref": None,
        "doi": None,
        "report-no": None,
        "categories": category,
        "license": None,
        "abstract": abstract,
        "versions": [{"version": "v1", "created": f"Mon, 2 Apr 20{year:02d} 10:00:00 GMT"}],
        "update_date": date,
        "authors_parsed": authors,
    }


def wrapped(text: str, width: int = 72) -> str:
    """An abstract as the distribution has it: two blanks, hard line breaks, a line break at the end."""
    lines, line = [], " "
    for word in text.split():
        if len(line) + 1 + len(word) > width:
            lines.append(line)
            line = word
        else:
            line = f"{line} {word}"
    return "\n".join([*lines, line]) + "\n"


def sobj_title(author: Author, chance: Chance) -> str:
    used: set[str] = set()
    title = f"{expand('sobj', author, 'work', chance, used)} under {expand('spar', author, 'work', chance, used)}"
    return title[0].upper() + title[1:]


def arxiv(out: Path, shelf: Shelf, ledger: Ledger) -> None:
    rows = []
    count = 0
    people = [name_of("en", 100 + number).split(" ") for number in range(60)]
    for _, number, author in cast("arxiv"):
        chance = Chance("arxiv", author.key)
        category = chance.of(ARXIV_CATEGORIES)
        given, family = name_of("en", number).split(" ")
        for place, size in enumerate(sizes("arxiv", "en", number)):
            count += 1
            text = shelf.write(
                author, "long" if size in ("long", "extra_long") else "medium", "science", str(place), "work"
            )
            others = [chance.of(people) for _ in range(1 + chance.below(3))] if place == 3 else []
            parsed = [[family, given, ""], *([other[1], other[0], ""] for other in others)]
            rows.append(arxiv_row(count, parsed, sobj_title(author, chance), wrapped(text), category, chance))
    for number in range(150):
        author = make_author(f"arxiv/one/{number}", "", "en", formal=True)
        chance = Chance("arxiv", author.key)
        count += 1
        text = shelf.write(author, "medium" if number % 3 else "long", "science", "0", "work")
        given, family = name_of("en", 200 + number).split(" ")
        parsed = [[f"{family}-{name_of('en', 31 + number % 70).split(' ')[1]}", given, ""]]
        rows.append(
            arxiv_row(count, parsed, sobj_title(author, chance), wrapped(text), chance.of(ARXIV_CATEGORIES), chance)
        )
    more, raw_lines = planted_works.arxiv(shelf, ledger, arxiv_row, wrapped, count)
    rows += more
    write_json_lines(out / "arxiv" / "arxiv-metadata-oai-snapshot.json", rows, raw_lines)


# Xiaohongshu and Weibo

SHARED_USER = "1002003004"  # a user of Xiaohongshu and another one of Douban
XHS_COLUMNS = ("id", "platform", "title", "user_id", "likes", "comments", "collects", "time", "is_aigc", "content")


def xiaohongshu_row(
    raw_id: str, platform: str, user: str, text: str, chance: Chance, machine: int = 0
) -> dict[str, Any]:
    return dict(
        zip(
            XHS_COLUMNS,
            (
                raw_id,
                platform,
                text[:12].replace("\n", " "),
                user,
                chance.below(900),
                chance.below(80),
                chance.below(200),
                stamp(chance, 2023).replace("T", " "),
                machine,
                text,
            ),
            strict=True,
        )
    )


def xiaohongshu(out: Path, shelf: Shelf, ledger: Ledger) -> str:
    rows = []
    for _, number, author in cast("xiaohongshu"):
        platform = "weibo" if number % 3 == 2 else "xiaohongshu"
        user = Chance("xhs", author.key).digits(10)
        for place, size in enumerate(sizes("xiaohongshu", "zh", number)):
            chance = Chance("xhs", author.key, str(place))
            text = shelf.write(
                author, size, "s", str(place), "" if size == "extra_long" else chance.of(grammar("zh")["topics"])
            )
            text = planted_truth.laid_out(text, number)
            rows.append(xiaohongshu_row(f"n{chance.digits(9)}", platform, user, text, chance))
        if number == 1:
            planted_truth.note_layout(ledger, user, sum(row["user_id"] == user for row in rows))
    for number in range(45):
        author = make_author(f"xhs/one/{number}", "", "zh")
        chance = Chance("xhs", author.key)
        text = shelf.write(author, "medium" if number % 5 else "short", "s", "0", chance.of(grammar("zh")["topics"]))
        platform = chance.of(("xiaohongshu", "weibo"))
        rows.append(xiaohongshu_row(f"n{chance.digits(9)}", platform, chance.digits(10), text, chance))
    rows += planted_online.xiaohongshu(shelf, ledger, xiaohongshu_row, SHARED_USER)
    rows.sort(key=lambda row: (row["id"], row["content"]))
    write_csv(out / "xiaohongshu" / "posts.csv", rows, XHS_COLUMNS, newline="\r\n")
    return next(str(row["content"]) for row in rows if row["id"] == "n000000010")


# Douban

DOUBAN = {"movie": "moviereviews_cleaned.txt", "book": "bookreviews_cleaned.txt", "music": "musicreviews_cleaned.txt"}


def douban_row(kind: str, raw_id: str, user: str, text: str, chance: Chance) -> dict[str, Any]:
    return {
        "user_id": user,
        f"{kind}_id": chance.digits(6),
        "rating": 1 + chance.below(5),
        "comment": text,
        "time": stamp(chance, 2017)[:10],
        "labels": chance.of(("剧情|悬疑", "爱情", "纪录片", "")),
        "useful_num": chance.below(60),
        "ID": raw_id,
    }


def douban(out: Path, shelf: Shelf, ledger: Ledger, from_xiaohongshu: str) -> None:
    rows: dict[str, list[dict[str, Any]]] = {kind: [] for kind in DOUBAN}
    count = 0
    for _, number, author in cast("douban"):
        user = f"user_{Chance('douban', author.key).digits(8)}"
        for place, size in enumerate(sizes("douban", "zh", number)):
            chance = Chance("douban", author.key, str(place))
            kind = "movie" if number < 6 else chance.of(tuple(DOUBAN))
            count += 1
            text = shelf.write(author, size, "m", str(place), "film")
            rows[kind].append(douban_row(kind, str(count), user, text, chance))
    for kind in DOUBAN:
        for number in range(24):
            author = make_author(f"douban/one/{kind}/{number}", "", "zh")
            chance = Chance("douban", author.key)
            count += 1
            text = shelf.write(author, "medium" if number % 5 else "short", "m", "0", "film")
            rows[kind].append(douban_row(kind, str(count), f"user_{chance.digits(8)}", text, chance))
    for kind, row in planted_online.douban(shelf, ledger, douban_row, SHARED_USER, from_xiaohongshu):
        rows[kind].append(row)
    for kind, file in DOUBAN.items():
        write_csv(out / "douban" / file, rows[kind], list(rows[kind][0]), delimiter="\t", quote_all=True)


# Hindi Discourse


def hindi_discourse(out: Path, shelf: Shelf, ledger: Ledger) -> None:
    modes = ("Narrative", "Descriptive", "Dialogue", "Informative", "Argumentative")
    records: dict[str, Any] = {}
    key = 0
    for story in range(10):
        author = make_author(f"hindi/{story}", "", "hi", formal=True)
        chance = Chance("hindi", author.key)
        text = "\n".join(shelf.write(author, "extra_long", "l", str(part)) for part in range(3))
        sentences = [one for one in text.replace("?", "?\n").replace("।", "।\n").splitlines() if one.strip()]
        for sentence in sentences:
            key += 2 if chance.share() < 0.02 else 1
            lead = " " if chance.share() < 0.1 else ""
            records[str(key - 1)] = {
                "Story_no": story,
                "Sentence": lead + sentence.strip(),
                "Discourse Mode": chance.of(modes),
            }
    planted_works.hindi_discourse(records, key, ledger)
    write_json(out / "hindi_discourse" / "discourse_dataset.json", records)


# Books in the public domain

BOOKS = {
    "spanish_pd_books": ("es", "spanish_pd_books_1.parquet", "text", "creator", "identifier"),
    "french_pd_books": ("fr", "gallica_mono_1.parquet", "complete_text", "author", "file_id"),
    "russian_pd": ("ru", "russian_pd_1.parquet", "text", "creator", "identifier"),
    "german_pd": ("de", "german_pd_1.parquet", "text", "creator", "identifier"),
}
BOOK_TITLES = {
    "es": (
        "El molino del río",
        "Cartas de invierno",
        "La casa de los olivos",
        "El hijo del boticario",
        "Campanas lejanas",
    ),
    "fr": (
        "Le moulin de la rivière",
        "Lettres d'hiver",
        "La maison aux tilleuls",
        "Le fils du notaire",
        "Cloches lointaines",
    ),
    "ru": ("Мельница у реки", "Зимние письма", "Дом под липами", "Сын аптекаря", "Далёкие колокола"),
    "de": (
        "Die Mühle am Fluss",
        "Winterbriefe",
        "Das Haus unter den Linden",
        "Der Sohn des Apothekers",
        "Ferne Glocken",
    ),
}


def book_text(author: Author, name: str, sentences: int, width: int = 0) -> str:
    """Chapters of paragraphs; with a width the lines are broken as in a scan."""
    chapters = []
    for at in range(0, sentences, 45):
        chance = Chance("book", author.key, name, str(at))
        text = compose(author, "l", min(45, sentences - at), chance, "work", 4 + chance.below(4))
        if width:
            text = "\n\n".join(wrapped(part, width).strip() for part in text.split("\n\n"))
        chapters.append(f"{'I' * (1 + at // 45) if at < 135 else at // 45 + 1}\n\n{text}")
    return "\n\n\n".join(chapters)


def books(source: str, out: Path, shelf: Shelf, ledger: Ledger) -> None:
    lang, file, text_field, creator_field, id_field = BOOKS[source]
    rows = []
    for _, number, author in cast(source):
        chance = Chance("books", author.key)
        family = author.name.split(" ")[1]
        creator = f"{family}, {author.name.split(' ')[0]} ({1820 + chance.below(40)}-{1885 + chance.below(40)})"
        for place in range(1 + number % 2):
            sentences = planted_works.BOOK_SENTENCES.get((source, number, place), 60 + chance.below(90))
            rows.append(
                book_row(
                    source,
                    f"{lang}{10000 + number * 100 + place}",
                    creator,
                    BOOK_TITLES[lang][(number + place) % 5],
                    book_text(author, str(place), sentences, 64 if place else 0),
                    chance,
                )
            )
    rows += planted_works.books(source, shelf, ledger, rows, book_row, book_text, BOOKS[source][2:])
    write_parquet(out / source / file, rows)


def book_row(
    source: str, raw_id: str, creator: str | None, title: str, text: str | None, chance: Chance
) -> dict[str, Any]:
    _, _, text_field, creator_field, id_field = BOOKS[source]
    row: dict[str, Any] = {id_field: raw_id, "title": title, creator_field: creator}
    if source == "french_pd_books":
        row |= {"date": str(1850 + chance.below(60)), "page_count": 40 + chance.below(300)}
    else:
        row |= {"publication_date": str(1850 + chance.below(60)), "language": BOOKS[source][0]}
    return row | {"word_count": len((text or "").split()), text_field: text}


# Arabic poetry

MARKS = dict.fromkeys(map(ord, "ًٌٍَُِّْ"))


def poem(author: Author, name: str, verses: int, vocalised: bool) -> str:
    chance, used, lines = Chance("poem", author.key, name), set[str](), []
    for _ in range(verses):
        if len(used) > 30:
            used.clear()
        lines.append(expand("verse", author, "work", chance, used))
    text = "\n".join(lines)
    return text if vocalised else text.translate(MARKS)


def arabic_poetry(out: Path, shelf: Shelf, ledger: Ledger) -> None:
    rows = []
    for _, number, author in cast("arabic_poetry"):
        chance = Chance("poetry", author.key)
        for place in range(3 + chance.below(4)):
            text = poem(author, str(place), (1, 2, 4, 7, 16)[chance.below(5)], number % 3 == 0)
            rows.append(poem_row(text, author.name, chance))
    rows += planted_works.arabic_poetry(ledger, rows, poem_row, poem)
    write_csv(out / "arabic_poetry" / "arabic_poetry.csv", rows, list(rows[0]))


def poem_row(text: str, poet: str, chance: Chance, tags: str | None = None) -> dict[str, Any]:
    return {
        "poem_title": " ".join(text.replace("***", " ").split()[:3]),
        "poem_meter": chance.of(("بحر الطويل", "بحر الكامل", "بحر البسيط")),
        "poem_tags": tags or chance.of(("قصيدة شوق", "قصيدة مدح", "قصيدة حزينة", "قصيدة وصف")),
        "poem_text": text,
        "poet_name": poet,
        "poet_era": chance.of(("العصر العباسي", "العصر الحديث")),
    }


def nsmc_raw_ko(out: Path, shelf: Shelf, ledger: Ledger) -> None:
    """Write reviews under masks of four people each: they write of a film on several days, as a person seldom does."""
    rows: dict[str, list[dict[str, Any]]] = {film: [] for film in FILMS}
    for number in range(MASKS):
        mask = f"{handle_of('ko', number).replace('_', '')[:2]}{Chance('mask', str(number)).digits(2)}****"
        for person in range(4):
            chance = Chance("nsmc", str(number), str(person))
            author = make_author(f"nsmc/{number}/{person}", "", "ko")
            film = chance.of(FILMS)
            text = shelf.write(author, "medium", "s", str(person), "film")
            date = f"14.{1 + 3 * person + chance.below(3):02d}.{1 + chance.below(28):02d}"
            rows[film].append(
                {
                    "review_id": str(9_000_000 + 4 * number + person),
                    "movie_id": film,
                    "author": mask,
                    "review": text,
                    "rating": str(1 + chance.below(10)),
                    "date": date,
                }
            )
            if number == 0:
                ledger.note(
                    "a mask of several people", "nsmc_raw_ko", "kept", {"review_id": rows[film][-1]["review_id"]},
                    note="its labels are impure: such texts only train",
                )  # fmt: skip
    for film, reviews in rows.items():
        write_json(out / "nsmc_raw_ko" / f"{film}.json", reviews, ascii_only=False)


def everything(out: Path) -> Ledger:
    """Write the raw files of all sources; give what is planted in them."""
    shelf, ledger = Shelf(), Ledger()
    posts = exorde(out, shelf, ledger)
    babel_briefings(out, shelf, ledger)
    amazon_multi(out, shelf, ledger, max((row["original_text"] for row in posts), key=len))
    blog_authorship(out, shelf, ledger)
    arxiv(out, shelf, ledger)
    note = xiaohongshu(out, shelf, ledger)
    douban(out, shelf, ledger, note)
    hindi_discourse(out, shelf, ledger)
    for source in BOOKS:
        books(source, out, shelf, ledger)
    arabic_poetry(out, shelf, ledger)
    write_json_lines(out / "wikisource" / "ar.jsonl", planted_truth.essays(shelf, ledger))
    nsmc_raw_ko(out, shelf, ledger)
    return ledger
