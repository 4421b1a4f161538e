"""What is planted among posts, news, reviews and comments: copies, dirt, broken rows, clean texts that look like dirt?

Each function gives a source's further rows and notes in the ledger what must become of them.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from .cases import Ledger, weaken
from .chance import Chance
from .dirt import CLEAN, DIRT, ITALIAN, RUDE, TOXIC
from .language import Shelf, make_author

Row = dict[str, Any]
LANGUAGES = ("en", "es", "fr", "ru", "de", "ar", "ja", "ko", "hi", "zh")
# Name, least and largest similarity, (language, author of the model, author of the copy).
COPIES = (
    ("near copy, similarity about 0.9", 0.86, 0.94, (("en", 2, 3), ("es", 0, 1))),
    (
        "similar text, about 0.75",
        0.735,
        0.785,
        (
            *(("en", 6, 7), ("fr", 0, 1), ("ru", 0, 1), ("ru", 5, 6), ("de", 0, 1), ("de", 5, 6)),
            *(("ar", 0, 1), ("ar", 6, 7), ("es", 5, 6), ("ko", 0, 1), ("ko", 6, 7), ("hi", 0, 1), ("hi", 5, 6)),
        ),
    ),
    ("similar text, about 0.6", 0.56, 0.64, (("en", 8, 9), ("fr", 2, 3))),
)
COPY_NOTES = {
    "near copy, similarity about 0.9": "the first in order stays",
    "similar text, about 0.75": "both stay and share a split",
    "similar text, about 0.6": "both stay; nothing ties them together",
}


def few_documents(source: str) -> Iterator[tuple[str, int, int]]:
    """Authors with one or two documents: (language, number, documents)."""
    for lang in LANGUAGES:
        for number in range(60, 66 if lang != "en" else 74):
            yield lang, number, 1 + number % 2


def post(account: str, chance: Chance) -> str:
    return f"https://x.com/{account}/status/17{chance.digits(17)}"


def exorde(
    shelf: Shelf, ledger: Ledger, row: Callable[..., Row], rows: Sequence[Row], members: Mapping[str, Sequence[Row]]
) -> list[Row]:
    source, made = "exorde", list[Row]()
    chance, used = Chance("planted", source), set[str]()

    def say(text: str, lang: str, account: str, display: str | None = None, url: str | None = None) -> Row:
        one = row(
            text, lang, f"Planted {account}" if display is None else display, url or post(account, chance), chance
        )
        made.append(one)
        return one

    def again(old: Row, text: str) -> Row:
        """Another post of the same account."""
        place = old["url"].rstrip("/").rpartition("/")
        one = {**old, "original_text": text, "url": f"{place[0]}/{chance.digits(17)}"}
        made.append(one)
        return one

    def ordinary(lang: str, number: int, low: int, high: int) -> Row:
        """A post of that length, not taken before, of that author or one after."""
        keys = [key for key in members if key.startswith(f"{source}/{lang}/")]
        for key in keys[number:] + keys[:number]:
            for one in members[key]:
                if low <= len(one["original_text"]) <= high and one["url"] not in used:
                    used.add(one["url"])
                    return one
        raise ValueError(f"no {lang} post has {low} to {high} characters")

    twice = ordinary("en", 0, 60, 600)
    again(twice, twice["original_text"])
    ledger.note(
        "exact copy, same author",
        source,
        "removed",
        {"text": twice["original_text"][:80]},
        "dedup",
        "exact_duplicate",
        rows=2,
        goes=1,
    )
    taken = ordinary("en", 1, 60, 600)
    say(taken["original_text"], "en", "copycat_one")
    ledger.note(
        "exact copy, other author",
        source,
        "removed",
        {"text": taken["original_text"][:80]},
        "dedup",
        "exact_duplicate",
        rows=2,
        goes=1,
    )
    for name, low, high, pairs in COPIES:
        becomes = "removed" if "near" in name else "kept"
        stage, reason, goes = ("dedup", "near_duplicate", 1) if becomes == "removed" else (None, None, None)
        for lang, first, second in pairs:
            model = ordinary(lang, first, 130 if lang in ("en", "es", "fr", "de", "ru") else 70, 900)
            copier = next(
                ones[0]
                for key, ones in members.items()
                if key.startswith(f"{source}/{lang}/")
                and int(key.rpartition("/")[2]) >= second
                and ones[0]["url"].startswith("https://x.com")
                and ones[0]["author_hash"] != model["author_hash"]
            )
            other = " ".join(one["original_text"] for one in members[f"{source}/{lang}/6"]).split()
            one = again(copier, weaken(" ".join(model["original_text"].split()), low, high, other))
            ledger.note(
                name, source, becomes, {"url": [model["url"], one["url"]]}, stage, reason, COPY_NOTES[name], 2, goes
            )

    for name, lang, reason, text in DIRT:
        one = say(text, lang, f"dirt_{reason}")
        ledger.note(name, source, "removed", {"text": text[:80], "url": one["url"]}, "filter", reason)
    for at, (name, lang, text) in enumerate(CLEAN):
        one = again(members[f"{source}/{lang}/{at % 3}"][0], text)
        ledger.note(name, source, "kept", {"text": text[:80], "url": one["url"]}, note="no filter may drop it")
    for at, (lang, text) in enumerate(TOXIC.items()):
        one = again(members[f"{source}/{lang}/{at % 4}"][0], text)
        ledger.note(
            f"insult, {lang}",
            source,
            "removed",
            {"text": text[:80], "url": one["url"]},
            "safety",
            "toxic",
            "only if the selection asks for it",
        )
    one = again(members[f"{source}/en/4"][0], RUDE)
    ledger.note("rude but harmless", source, "kept", {"text": RUDE, "url": one["url"]}, note="not above the threshold")

    for text in ITALIAN:
        one = say(text, "it", "pomodoro_it")
        ledger.note(
            "another language", source, "removed", {"text": text[:80], "url": one["url"]}, "ingest", "other_language"
        )
    for name, display, url, reason in (
        ("no author hash", None, None, "no_author"),
        ("hash of the empty name", "", None, "no_author"),
        ("address without the account", "Nora", "https://x.com/i/web/status/1812345678901234567", "no_account"),
    ):
        writer = make_author(f"planted/{name}", "", "en")
        text = shelf.write(writer, "medium", "s", name)
        one = row(text, "en", display, url or post(f"lost_{reason}", chance), chance)
        made.append(one)
        ledger.note(name, source, "removed", {"text": text[:80], "url": one["url"]}, "ingest", reason)
    for name, text, reason, stage in (
        ("empty text", "", "empty_text", "ingest"),
        ("nothing but invisible characters", "\u200b\ufeff\u2060", "empty_text", "normalize"),
        ("repost", "RT @someone_else: look at this greenhouse, I want one too", "repost", "ingest"),
    ):
        one = say(text, "en", "nothing_said")
        ledger.note(name, source, "removed", {"url": one["url"]}, stage, reason)

    for account in ("sam_of_the_moss", "sam_and_the_heron"):
        writer = make_author(f"planted/{account}", "Sam", "en")
        for place in range(4):
            text = shelf.write(writer, "medium", "s", str(place))
            say(text, "en", account, "Sam")
        ledger.note(
            "one display name, two accounts",
            source,
            "kept",
            {"url": f"https://x.com/{account}/"},
            note="two authors, though author_hash is the same",
            rows=4,
        )
    repeated = say(shelf.write(make_author("planted/echo", "", "en"), "medium", "s", "0"), "en", "echo_chamber")
    made.append(dict(repeated))
    ledger.note(
        "repeated id, same text", source, "removed", {"url": repeated["url"]}, "ingest", "repeated_id", rows=2, goes=1
    )
    before = say(shelf.write(make_author("planted/echo", "", "en"), "medium", "s", "1"), "en", "echo_changes")
    say(shelf.write(make_author("planted/echo", "", "en"), "medium", "s", "2"), "en", "echo_changes", url=before["url"])
    ledger.note(
        "repeated id, other text", source, "removed", {"url": before["url"]}, "ingest", "conflicting_id", rows=2
    )

    personal = (
        ("e-mail address", "Write to mabel.thistlewood@example.org if you want the old kettle", "[EMAIL]"),
        ("phone number", "Call me on +44 20 7946 0018 about the bicycle, any time after work", "[PHONE]"),
        ("handle", "Thanks @quiet_otter_77 for the tomato seeds, they are growing like mad", "[HANDLE]"),
        ("web address", "The whole recipe is at https://example.com/soup?id=7 if anybody asks", "[URL]"),
    )
    for number, (name, text, mark) in enumerate(personal, start=9):
        one = again(members[f"{source}/en/{number}"][0], text)
        ledger.note(name, source, "kept", {"text": text[:80], "url": one["url"]}, note=f"with {mark} in its place")
    hidden = "Zero\u200bwidth charac\u2060ters hide in this soft\u00adly spoken sen\ufefftence about soup"
    one = again(members[f"{source}/en/13"][0], hidden)
    ledger.note(
        "invisible characters",
        source,
        "kept",
        {"url": one["url"]},
        note="reads: Zerowidth characters hide in this softly spoken sentence about soup",
    )
    escaped = "Salt &amp; pepper &lt;3 and a caf&eacute; with a view"
    one = again(members[f"{source}/en/14"][0], escaped)
    ledger.note(
        "HTML entities",
        source,
        "kept",
        {"text": escaped, "url": one["url"]},
        note="reads: Salt & pepper <3 and a café with a view",
    )
    own = "My name is all over this: quiet_fjord_en_signed says hello, yours quiet_fjord_en_signed"
    one = say(own, "en", "quiet_fjord_en_signed")
    ledger.note(
        "author's name in the text", source, "kept", {"text": own, "url": one["url"]}, note="counted as names_author"
    )

    prolific = make_author("planted/prolific", "Wendeline Overmuch", "en")
    for place in range(30):
        size = ("short", "medium", "medium", "long")[place % 4]
        say(shelf.write(prolific, size, "s", str(place)), "en", "overmuch_every_day", prolific.name)
    ledger.note(
        "prolific author",
        source,
        "kept",
        {"url": "https://x.com/overmuch_every_day/"},
        note="30 documents, at most 5 of them released",
        rows=30,
    )
    hindi = make_author("planted/hindi", "", "hi")
    text = shelf.write(hindi, "extra_long", "s", "long", "", 4)
    one = again(members[f"{source}/hi/1"][0], text)
    ledger.note(
        "clean Hindi of more than 500 tokens",
        source,
        "kept",
        {"text": text[:80], "url": one["url"]},
        note="no filter may drop a chunk of it",
    )
    return made


def babel_briefings(shelf: Shelf, ledger: Ledger, row: Callable[..., Row]) -> list[Row]:
    source, made = "babel_briefings", list[Row]()
    chance = Chance("planted", source)
    writer = make_author("planted/babel", "", "en", formal=True)

    def text(name: str) -> str:
        return shelf.write(writer, "medium", "n", name, "work")

    def add(
        number: int,
        body: str | None,
        lang: str = "en",
        author: str | None = "author#777001",
        outlet: str = "Lighthouse Post",
        title: str = "Lamps at the harbour are repaired",
    ) -> Row:
        one = row(number, body, lang, author, outlet, title, chance)
        made.append(one)
        return one

    add(6_000_001, text("null author"), author=None)
    ledger.note("no author", source, "removed", {"ID": 6_000_001}, "ingest", "no_author")
    for at, label in enumerate(("nan", "Anonymous", "Unknown", "[deleted]", "N.A.")):
        add(6_000_010 + at, text(label), author=label)
        ledger.note(
            f"placeholder author {label}", source, "removed", {"ID": 6_000_010 + at}, "ingest", "placeholder_author"
        )
    add(6_000_020, None)
    ledger.note("no text", source, "removed", {"ID": 6_000_020}, "ingest", "empty_text")
    same = add(6_000_021, text("repeated"))
    made.append(dict(same))
    ledger.note("repeated id, same text", source, "removed", {"ID": 6_000_021}, "ingest", "repeated_id", rows=2, goes=1)
    add(6_000_022, text("conflict 1"))
    add(6_000_022, text("conflict 2"))
    ledger.note("repeated id, other text", source, "removed", {"ID": 6_000_022}, "ingest", "conflicting_id", rows=2)
    add(6_000_023, text("outlet") + " - Lighthouse Post")
    ledger.note("outlet at the end", source, "kept", {"ID": 6_000_023}, note="without its ` - Lighthouse Post`")
    add(6_000_024, text("tail") + " [+2670 chars]")
    ledger.note("length mark at the end", source, "kept", {"ID": 6_000_024}, note="without its `[+2670 chars]`")
    add(
        6_000_025,
        "El alcalde present&oacute; el caf&eacute; de la ma&ntilde;ana en el viejo mercado del puerto",
        "es",
        outlet="Faro del Puerto",
    )
    ledger.note(
        "HTML entities", source, "kept", {"ID": 6_000_025}, note="reads: El alcalde presentó el café de la mañana …"
    )
    add(6_000_026, "Il consiglio comunale ha approvato il nuovo ponte dopo mesi di discussioni", "it", outlet="Il Faro")
    ledger.note("another language", source, "removed", {"ID": 6_000_026}, "ingest", "other_language")
    agency = text("agency")
    add(6_000_027, agency, author="author#777002", outlet="Lighthouse Post")
    add(6_000_028, agency, author="author#777003", outlet="Breakwater Times")
    ledger.note(
        "agency text under two authors",
        source,
        "removed",
        {"ID": 6_000_028},
        "dedup",
        "exact_duplicate",
        "its twin is 6000027",
    )
    return made


def amazon_multi(
    shelf: Shelf, ledger: Ledger, row: Callable[..., Row], from_exorde: str
) -> tuple[list[Row], dict[int, str]]:
    source, made = "amazon_multi", list[Row]()
    chance = Chance("planted", source)
    writer = make_author("planted/amazon", "", "en")

    def add(review_id: str, body: str, reviewer: str = "reviewer_en_7777001", lang: str = "en") -> Row:
        one = row(lang, reviewer, body, "As it is", "kitchen", chance, review_id)
        made.append(one)
        return one

    def text(name: str) -> str:
        return shelf.write(writer, "medium", "review", name, "kitchen")

    add("en_8000001", from_exorde, "reviewer_en_7777002")
    ledger.note(
        "exact copy, other source",
        source,
        "removed",
        {"review_id": "en_8000001"},
        "dedup",
        "exact_duplicate",
        "exorde comes first and keeps its text",
    )
    same = add("en_8000002", text("same"))
    made.append(dict(same))
    ledger.note(
        "repeated id, same text",
        source,
        "removed",
        {"review_id": "en_8000002"},
        "ingest",
        "repeated_id",
        rows=2,
        goes=1,
    )
    add("en_8000003", text("one"))
    add("en_8000003", text("two"))
    ledger.note(
        "repeated id, other text", source, "removed", {"review_id": "en_8000003"}, "ingest", "conflicting_id", rows=2
    )
    for at, label in enumerate(("nan", "None", "anonymous", "A")):
        add(f"en_80000{10 + at}", text(label), label)
        ledger.note(
            f"placeholder author {label}",
            source,
            "removed",
            {"review_id": f"en_80000{10 + at}"},
            "ingest",
            "placeholder_author",
        )
    add("en_8000020", text("nobody"), "")
    ledger.note("no author", source, "removed", {"review_id": "en_8000020"}, "ingest", "no_author")
    add("en_8000021", "   ")
    ledger.note("empty text", source, "removed", {"review_id": "en_8000021"}, "ingest", "empty_text")
    add("en_8000022", "Two lamps for the price of one.<br /><br />Both work &amp; neither smells of plastic.")
    ledger.note("HTML tags", source, "kept", {"review_id": "en_8000022"}, note="without tags and entities")
    add(
        "es_8000023",
        "The parcel arrived a day early and everything inside was exactly as the seller described it.",
        "reviewer_es_7777003",
        "es",
    )
    ledger.note("English labelled Spanish", source, "removed", {"review_id": "es_8000023"}, "filter", "wrong_language")
    bad = {
        40: "8000030,en_8000030,product_en_1000001,reviewer_en_7777004,5,too few cells here",
        90: '8000031,en_8000031,product_en_1000002,reviewer_en_7777004,4,"a NUL \0 byte in a cell",Broken,en,kitchen',
    }
    ledger.note("row with too few cells", source, "bad_row", {"review_id": "en_8000030"}, "ingest", "bad_row")
    ledger.note("row with a NUL byte", source, "bad_row", {"review_id": "en_8000031"}, "ingest", "bad_row")
    return made, bad


def xiaohongshu(shelf: Shelf, ledger: Ledger, row: Callable[..., Row], shared_user: str) -> list[Row]:
    source, made = "xiaohongshu", list[Row]()
    chance = Chance("planted", source)
    writer = make_author("planted/xhs", "", "zh")

    def add(raw_id: str, text: str, user: str = "9000000001", platform: str = "xiaohongshu", machine: int = 0) -> Row:
        one = row(raw_id, platform, user, text, chance, machine)
        made.append(one)
        return one

    for at in range(4):
        add(f"n00000000{at}", shelf.write(writer, "medium", "s", f"machine {at}"), machine=1)
        ledger.note("machine-made row", source, "removed", {"id": f"n00000000{at}"}, "ingest", "machine_made")
    same = add("n000000010", shelf.write(writer, "medium", "s", "same"))
    made.append(dict(same))
    ledger.note(
        "repeated id, same text", source, "removed", {"id": "n000000010"}, "ingest", "repeated_id", rows=2, goes=1
    )
    add("n000000011", "")
    ledger.note("empty text", source, "removed", {"id": "n000000011"}, "ingest", "empty_text")
    add("n000000012", shelf.write(writer, "medium", "s", "nobody"), user="")
    ledger.note("no author", source, "removed", {"id": "n000000012"}, "ingest", "no_author")
    add("n000000013", "这家店的面包也太好吃了吧[暗中观察R][哭惹R]#周末去哪儿#")
    ledger.note("sticker codes and a topic", source, "kept", {"id": "n000000013"})
    add("n000000014", "同意楼上的，烤箱真的要提前预热！//@不加糖的云朵: 大家说说烤箱怎么用", platform="weibo")
    ledger.note(
        "text of another account behind a repost",
        source,
        "kept",
        {"id": "n000000014"},
        note="without the part from //@ on",
    )
    add("n000000015", "转发微博", platform="weibo")
    ledger.note("repost without words", source, "removed", {"id": "n000000015"}, "ingest", "empty_text")
    for at in range(3):
        add(
            f"n00000002{at}",
            shelf.write(make_author("planted/shared/xhs", "", "zh"), "medium", "s", str(at)),
            shared_user,
        )
    ledger.note(
        "a user id that Douban has too",
        source,
        "kept",
        {"user_id": shared_user},
        note="another author than Douban's",
        rows=3,
    )
    return made


def douban(
    shelf: Shelf, ledger: Ledger, row: Callable[..., Row], shared_user: str, from_xiaohongshu: str
) -> Iterator[tuple[str, Row]]:
    source = "douban"
    chance = Chance("planted", source)
    writer = make_author("planted/douban", "", "zh")
    yield "movie", row("movie", "9001", "user_90000001", from_xiaohongshu, chance)
    ledger.note(
        "exact copy, other source",
        source,
        "removed",
        {"ID": "9001", "file": "movie"},
        "dedup",
        "exact_duplicate",
        "xiaohongshu comes first and keeps its text",
    )
    for at in range(3):
        text = shelf.write(make_author("planted/shared/douban", "", "zh"), "medium", "m", str(at), "film")
        yield "movie", row("movie", f"901{at}", shared_user, text, chance)
    ledger.note(
        "a user id that Xiaohongshu has too",
        source,
        "kept",
        {"user_id": shared_user},
        note="another author than Xiaohongshu's",
        rows=3,
    )
    yield "book", row("book", "9020", "user_90000002", "", chance)
    ledger.note("empty text", source, "removed", {"ID": "9020", "file": "book"}, "ingest", "empty_text")
    quoted = '他说"这本书不好看"，\n我说"再看一遍"，\t于是我们吵了一晚上。'
    yield "book", row("book", "9021", "user_90000002", quoted, chance)
    ledger.note("quotation marks, a tab and a line break in a cell", source, "kept", {"ID": "9021", "file": "book"})
    yield "music", row("music", "9022", "user_90000003", "好听 " * 25, chance)
    ledger.note(
        "one word again and again", source, "removed", {"ID": "9022", "file": "music"}, "filter", "few_distinct_words"
    )
    text = shelf.write(writer, "medium", "m", "twice", "film")
    for number, kind in (("9030", "movie"), ("9031", "book")):
        yield kind, row(kind, number, "user_90000004", text, chance)
    ledger.note(
        "one review for two works", source, "removed", {"text": text[:80]}, "dedup", "exact_duplicate", rows=2, goes=1
    )
