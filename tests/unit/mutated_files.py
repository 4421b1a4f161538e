"""Raw files of every kind, damaged by chance, and what ingestion makes of them."""

import bz2
import gzip
import hashlib
import io
import json
import lzma
import random
import signal
import zipfile
from collections import Counter
from contextlib import contextmanager

import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import zstandard
from defaults import section

from authbench.build.ingest.source import ingest_source
from authbench.config.registry.source_entry import make_extraction
from authbench.core.errors import InputError

SECONDS = 5.0  # of the processor, for one of them; hardly any needs a tenth
LIMIT = 1 << 16  # max_record_bytes
SHARDS = 2
TEXTS = (
    "The rain, it raineth.",
    'Sie sagte: "Grüß Gott", und ging.',
    "雨が降る。\n風が吹く。",
    "مطر على المدينة",
    "e\u0301\u0301\u0301 🙂\u200d🙂",
    "Она сказала: «да».",
)


COLUMNS = ["id", "user", "lang", "when", "text"]


def rows():
    return [
        {"id": str(place), "user": f"user{place % 4}", "lang": "en", "when": "2024-02-03", "text": text}
        for place, text in enumerate(TEXTS * 2)
    ]


def table(separator, quote='"', line="\n"):
    lines = [COLUMNS, *(list(row.values()) for row in rows())]
    cells = ([f"{quote}{cell.replace(quote, quote * 2)}{quote}" if quote else cell for cell in one] for one in lines)
    return line.join(separator.join(one).replace("\n", "\n" if quote else " ") for one in cells) + line


def json_lines(**options):
    return "".join(json.dumps(row, **options) + "\n" for row in rows())


def parquet(**options):
    stored = io.BytesIO()
    pq.write_table(pa.Table.from_pylist(rows()), stored, row_group_size=5, **options)
    return stored.getvalue()


TEI = """<?xml version="1.0" encoding="UTF-8"?>
<TEI xmlns="http://www.tei-c.org/ns/1.0" xml:lang="en"><teiHeader><fileDesc><titleStmt><author><surname>Saar</surname>
<forename>F.</forename></author></titleStmt></fileDesc></teiHeader><text><front><head>Title</head></front>
<body><lg><l>Ein Vers,<lb/> <hi>noch</hi> einer &amp; mehr</l></lg><p>Prosa<note>nicht</note>.</p></body></text></TEI>
"""
BLOG = "<Blog>\n" + "".join(f"<date>14,May,2004</date>\n<post>\n{text}\n</post>\n" for text in TEXTS) + "</Blog>\n"
NOVEL = "Title: Rain\nAuthor: Ann\n***\n" + "\n\n\n".join(TEXTS)
FIELDS = {"text": "text", "author": "user", "lang": "lang", "date": {"field": "when", "date": "%Y-%m-%d"}}
JSON_ROWS = rows()


def kind(seed, reader, name, fields=FIELDS):
    return seed.encode() if isinstance(seed, str) else seed, reader, name, fields


WITH_ID = {**FIELDS, "id": "id", "n_authors": "id", "labels": {"id": "id", "when": "when"}}
XML_ROWS = """<?xml version="1.0" encoding="utf-8"?>
<posts>
  <row Id="1" Body="&lt;p&gt;Why does it rain?&lt;/p&gt;" Owner="Ann" />
  <row Id="2" Body="It rains for the fields." Owner="Bob" />
</posts>
"""
LETTERS = """<?xml version="1.0"?>
<letters><letter by="Ann"><p>It <note>1</note>rains
for the fields.</p><p>Yours</p></letter><letter by="Bob"><p>It snows.</p></letter></letters>
"""
GUTENBERG = """Title: Rain
Author: Ann

*** START OF THE PROJECT GUTENBERG EBOOK RAIN ***

Produced by Bob

It rains for the fields.

*** END OF THE PROJECT GUTENBERG EBOOK RAIN ***
"""
MBOX = "".join(
    f"From ann\nFrom: Ann <a{place}@x.org>\nSubject: =?utf-8?q?R=C3=A9gen?=\nDate: Sun, 17 May 2020 10:00:00 +0200\n"
    f"Content-Type: text/plain; charset=utf-8\n\n{text}\n\n"
    for place, text in enumerate(TEXTS)
)
TELEGRAM = [
    {"id": place, "type": "message", "date": "2024-02-13T10:00:00", "from_id": "user1", "text": ["", {"text": text}]}
    for place, text in enumerate(TEXTS)
]
OF_FILE = {"text": "text", "author": {"any": ["author", {"const": "someone"}]}, "lang": {"const": "en"}}
OF_MESSAGE = {**OF_FILE, "author": "from", "date": "date"}
WINDOWS = table(";", line="\r\n").encode("cp1252", "replace")
KINDS = {
    "csv": kind(table(","), {"format": "csv"}, "a.csv", WITH_ID),
    "csv of Windows": kind(WINDOWS, {"format": "csv", "delimiter": ";", "encoding": "cp1252"}, "a.csv"),
    "tsv": kind(table("\t", quote=""), {"format": "csv", "delimiter": "\t", "quoting": False}, "a.tsv"),
    "csv without header": kind(table(","), {"format": "csv", "header": COLUMNS}, "a.csv", WITH_ID),
    "json lines": kind(json_lines(ensure_ascii=False), {"format": "jsonl"}, "a.jsonl", WITH_ID),
    "json lines of escapes": kind(json_lines(), {"format": "jsonl", "encoding": ["utf-8", "cp1252"]}, "a.jsonl"),
    "json array": kind(json.dumps(JSON_ROWS, indent=1), {"format": "json", "records": "array"}, "a.json", WITH_ID),
    "json object": kind(
        json.dumps({f"k{place}": row for place, row in enumerate(JSON_ROWS)}, ensure_ascii=False),
        {"format": "json", "records": "object", "group": {"by": "user", "text": "text", "join": "\n"}},
        "a.json",
    ),
    "json in json": kind(
        json.dumps({"a": {"user": "u1", "posts": JSON_ROWS}, "b": {"user": "u2", "posts": {"k": JSON_ROWS[0]}}}),
        {"format": "json", "records": "object", "expand": "posts"},
        "a.json",
        {**FIELDS, "author": "parent.user"},
    ),
    "json file": kind(json.dumps(JSON_ROWS[0]), {"format": "json", "records": "file"}, "a.json"),
    "parquet": kind(parquet(), {"format": "parquet"}, "a.parquet", WITH_ID),
    "plain parquet": kind(parquet(compression="none", use_dictionary=False), {"format": "parquet"}, "a.parquet"),
    "tei": kind(TEI, {"format": "tei", "header": {"author": "fileDesc/titleStmt/author"}}, "a.xml", OF_FILE),
    "xml": kind(
        LETTERS,
        {"format": "xml", "record": "letter", "text": ["p"], "leave_out": ["note"], "of_record": {"author": ".@by"}},
        "a.xml",
        OF_FILE,
    ),
    "text": kind(
        NOVEL,
        {"format": "text", "header_ends": r"^\*\*\*\n", "header": {"author": "^Author: (.*)$"}, "split": r"\n{3,}"},
        "a.txt",
        OF_FILE,
    ),
    "blog xml": kind(
        BLOG,
        {"format": "blog_xml", "encoding": ["utf-8", "cp1252"]},
        "a.xml",
        {**OF_FILE, "text": "post", "date": "date"},
    ),
    "xml rows": kind(XML_ROWS, {"format": "xml_rows"}, "Posts.xml", {**OF_FILE, "text": "Body", "author": "Owner"}),
    "gutenberg": kind(GUTENBERG, {"format": "gutenberg"}, "a.txt", OF_FILE),
    "telegram": kind(
        json.dumps({"type": "private_group", "id": 5, "messages": TELEGRAM}, indent=3),
        {"format": "chat", "app": "telegram"},
        "a.json",
        OF_MESSAGE,
    ),
    "whatsapp": kind(
        "".join(f"13/02/24, 21:05 - Ann: {text}\n" for text in TEXTS),
        {"format": "chat", "app": "whatsapp"},
        "a.txt",
        {**OF_MESSAGE, "date": {"field": "date", "date": "%d/%m/%y"}},
    ),
    "mbox": kind(MBOX, {"format": "mbox"}, "a.mbox", OF_MESSAGE),
}


def zipped(content):
    stored = io.BytesIO()
    with zipfile.ZipFile(stored, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("one", content)
    return stored.getvalue()


CONTAINERS = {
    "": bytes,
    ".gz": lambda content: gzip.compress(content, mtime=0),
    ".zst": zstandard.compress,
    ".bz2": bz2.compress,
    ".xz": lzma.compress,
    ".zip": zipped,
}

# What has broken readers of such files before, spliced in anywhere.
MORSELS = (
    # bytes of other encodings, ends of lines, and quotation marks
    *(b"\0", b"\xef\xbb\xbf", b"\xff\xfe", b"\x84\x31\x95\x33", b"\xed\xa0\x80", b"\xc0\xaf\xf8"),
    *(b"\r", b"\r\n", b"\n\n\n", b'"', b'""', b"'", b"\\"),
    # halves of surrogates, and numbers
    *(b"\\ud800", b"\\udc00\\ud83d", b'"text": "\\ud800\\u0000"', b"NaN", b"-Infinity", b"1e999"),
    *(b"9" * 30, b"9" * 5000, b'"id": ' + b"9" * 400 + b",", "\u00b2\u0665\u2167".encode()),
    # what is nested deep
    *(b"[" * 60 + b"]" * 60, b"[" * 900 + b"]" * 900, b"[" * 3000, b'{"text":' * 1500),
    b'"text": ' + b"[" * 800 + b'"a"' + b"]" * 800 + b", ",
    # markup
    b"<!DOCTYPE a [<!ENTITY b 'c'><!ENTITY d '&b;&b;&b;&b;'>]>",
    *(b"&d;&#0;&#xD800;&nosuch;", b"<post><date>", b"</post></Blog>", b"<p>" * 2000, b"<note>", b"]]>", b"<![CDATA["),
    # marks of direction, marks on letters, and what is long
    *("\u202e\u2066\u200f".encode() * 200, b"e" + "\u0301".encode() * 3000, "\u0649\u0300".encode() * 500),
    *("\U000e0041\ufdfa".encode() * 200, b"x" * (LIMIT + 10), b"\n" * 3000, b"{}\n" * 500, b",,,,\n" * 500),
    b"version https://git-lfs.github.com/spec/v1\n",
)


def mutated(content, chance):
    """One to four of: bytes flipped, deleted, doubled, moved, overwritten, a morsel put in, the end cut off."""
    for _ in range(chance.choice((1, 1, 1, 2, 4))):
        at = chance.randrange(len(content) + 1)
        to = min(len(content), at + chance.choice((1, 1, 2, 8, 100)))
        how = chance.randrange(9)
        if how == 0 and at < len(content):
            content = content[:at] + bytes([content[at] ^ 1 << chance.randrange(8)]) + content[at + 1 :]
        elif how == 1:
            content = content[:at] + content[to:]
        elif how == 2:
            content = content[:to] + content[at:]
        elif how == 3:
            content = content[:at]
        elif how == 4:
            content = content[:at] + chance.randbytes(to - at) + content[to:]
        elif how == 5:
            place = chance.randrange(len(content) + 1)
            content = content[:at] + content[place : place + 200] + content[at:]
        else:
            content = content[:at] + chance.choice(MORSELS) + content[at:]
    return content


@contextmanager
def at_most(seconds):
    def stop(*_):
        raise TimeoutError(f"not read in {seconds} s of the processor")

    before = signal.signal(signal.SIGPROF, stop)
    signal.setitimer(signal.ITIMER_PROF, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, before)


def accounted(folder, files, reader, fields):
    """What became of the files. Fails on any error but InputError, and where a row is not accounted for."""
    raw = folder / "raw"
    raw.mkdir(exist_ok=True)
    for old in raw.iterdir():
        old.unlink()
    for name, content in files.items():
        (raw / name).write_bytes(content)
    digests = {name: hashlib.sha256(content).hexdigest() for name, content in files.items()}
    entry = {"files": ["**/*"], "reader": reader, "author": {"kind": "account"}}
    entry["fields"] = {"genre": {"const": "blog"}, **fields}
    shards = [folder / f"{place}.parquet" for place in range(SHARDS)]
    settings = section("ingest", max_bad_rows=1.0, max_record_bytes=LIMIT)
    try:
        with at_most(SECONDS):
            made = ingest_source(
                "fuzz", make_extraction(entry), raw, digests, shards, folder / "removed.parquet", settings
            )
    except InputError:
        return "refused"
    counts = made["sources"]["fuzz"]
    records = pl.concat([pl.read_parquet(shard) for shard in shards])
    removed = pl.read_parquet(folder / "removed.parquet")
    assert counts["in"] == counts["kept"] + sum(counts["dropped"].values())
    assert counts["kept"] == records.height == records["doc_key"].n_unique()
    assert counts["dropped"] == dict(Counter(removed["reason"].to_list()))
    assert records["content"].str.len_bytes().max() or not records.height
    return "read"


def outcomes_of(name, folder, first, past):
    """Ingest the damaged files of a kind with numbers from `first` up to `past`; count those read and those refused."""
    seed, reader, path, fields = KINDS[name]
    outcomes = Counter()
    for number in range(first, past):
        chance = random.Random(f"{name} {number}")
        suffix = chance.choice(["", "", "", *CONTAINERS])
        pack = CONTAINERS[suffix]
        content = pack(mutated(seed, chance)) if chance.random() < 0.8 else mutated(pack(seed), chance)
        files = {f"{path}{suffix}": content}
        if chance.random() < 0.5:
            files[f"b-{path}"] = seed
        try:
            outcomes[accounted(folder, files, reader, fields)] += 1
        except BaseException as error:
            error.add_note(f"file {number} of {name!r}: {content[:200]!r}")
            raise
    return outcomes
