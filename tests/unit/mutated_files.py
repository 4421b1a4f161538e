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
from pathlib import Path

import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import zstandard
from cases import read_cases
from defaults import section

from authbench.build.ingest.source import ingest_source
from authbench.config.registry.source_entry import make_extraction
from authbench.core.errors import InputError

SECONDS = 5.0  # of the processor, for one of them; hardly any needs a tenth
LIMIT = 1 << 16  # max_record_bytes
SHARDS = 2
DATA = read_cases(Path(__file__))
TEXTS = DATA["TEXTS"]
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


BLOG = "<Blog>\n" + "".join(f"<date>14,May,2004</date>\n<post>\n{text}\n</post>\n" for text in TEXTS) + "</Blog>\n"
NOVEL = "Title: Rain\nAuthor: Ann\n***\n" + "\n\n\n".join(TEXTS)
JSON_ROWS = rows()


MBOX = "".join(
    f"From ann\nFrom: Ann <a{place}@x.org>\nSubject: =?utf-8?q?R=C3=A9gen?=\nDate: Sun, 17 May 2020 10:00:00 +0200\n"
    f"Content-Type: text/plain; charset=utf-8\n\n{text}\n\n"
    for place, text in enumerate(TEXTS)
)
TELEGRAM = [
    {"id": place, "type": "message", "date": "2024-02-13T10:00:00", "from_id": "user1", "text": ["", {"text": text}]}
    for place, text in enumerate(TEXTS)
]
SEEDS = {
    "csv": table(","),
    "csv of Windows": table(";", line="\r\n").encode("cp1252", "replace"),
    "tsv": table("\t", quote=""),
    "csv without header": table(","),
    "json lines": json_lines(ensure_ascii=False),
    "json lines of escapes": json_lines(),
    "json array": json.dumps(JSON_ROWS, indent=1),
    "json object": json.dumps({f"k{place}": row for place, row in enumerate(JSON_ROWS)}, ensure_ascii=False),
    "json in json": json.dumps(
        {"a": {"user": "u1", "posts": JSON_ROWS}, "b": {"user": "u2", "posts": {"k": JSON_ROWS[0]}}}
    ),
    "json file": json.dumps(JSON_ROWS[0]),
    "parquet": parquet(),
    "plain parquet": parquet(compression="none", use_dictionary=False),
    "text": NOVEL,
    "blog xml": BLOG,
    "telegram": json.dumps({"type": "private_group", "id": 5, "messages": TELEGRAM}, indent=3),
    "whatsapp": "".join(f"13/02/24, 21:05 - Ann: {text}\n" for text in TEXTS),
    "mbox": MBOX,
}
KINDS = DATA["KINDS"]  # by name: the reader, the file, the fields, and the sound content where it is not made here


def seed_of(name):
    content = SEEDS.get(name) or KINDS[name]["content"]
    return content.encode() if isinstance(content, str) else content


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
    seed, path = seed_of(name), KINDS[name]["file"]
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
            outcomes[accounted(folder, files, KINDS[name]["reader"], KINDS[name]["fields"])] += 1
        except BaseException as error:
            error.add_note(f"file {number} of {name!r}: {content[:200]!r}")
            raise
    return outcomes
