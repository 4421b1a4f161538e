"""What strangers may hand over, at every door of every command: one message, no wrong result, bounded time and memory.

An input is put where a command reads data: as what is named on its command line, or in place of a sound file. Commands
run as forks of a process that has imported them.
"""

import bz2
import contextlib
import gzip
import io
import json
import lzma
import os
import pickle
import re
import shutil
import struct
import zipfile
from functools import cache
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.csv
import pyarrow.parquet as pq
import pytest
import zstandard
from cases import read_cases
from hostile_runs import SECONDS, run, serving
from published import publish
from scored_release import write_scored_release
from sound_release import write_sound
from workbooks import workbook

from authbench.app.cli import COMMANDS, main

DATA = read_cases(Path(__file__))
MIB = 1024

# --- inputs: what puts one takes its path and the bytes of the sound file that is there otherwise ---

ROW = {"id": "1", "author": "Ann", "text": "It rains for the fields.", "split": "test"}
CSV_ROWS = b"id,author,text\n" + b"".join(b"%d,a%d,It rains on day %d.\n" % (n, n % 4, n) for n in range(40))
LINES = b"".join(json.dumps(ROW | {"id": str(n), "author": f"a{n % 4}"}).encode() + b"\n" for n in range(40))


def of(content):
    """Return what writes a content, which is made once."""
    made = cache(content) if callable(content) else lambda: content
    return lambda path, _: path.write_bytes(made())


def from_sound(change):
    return lambda path, sound: path.write_bytes(change(sound))


def parquet(table, **options):
    stored = io.BytesIO()
    pq.write_table(table, stored, **options)
    return stored.getvalue()


def table_of(**columns):
    return pa.table(columns)


def zipped(members, how=zipfile.ZIP_DEFLATED):
    stored = io.BytesIO()
    with zipfile.ZipFile(stored, "w", how) as archive:
        for name, content in members.items():
            archive.writestr(name, content)
    return stored.getvalue()


def npy_header(shape, kind="<f4"):
    said = f"{{'descr': '{kind}', 'fortran_order': False, 'shape': {shape}, }}".encode()
    return b"\x93NUMPY\x01\x00" + struct.pack("<H", len(said) + 1) + said + b"\n"


def expanding_npz():
    """Vectors of zeros: 640 MB."""
    header = npy_header("(2500000, 64)")
    stored = io.BytesIO()
    with zipfile.ZipFile(stored, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as archive:
        archive.writestr("ids.npy", npy_header("(2500000,)", "<U1") + bytes(10_000_000))
        with archive.open("vectors.npy", "w", force_zip64=True) as member:
            member.write(header)
            for _ in range(64):
                member.write(bytes(10_000_000))
    return stored.getvalue()


def ids_npz(vectors):
    ids = io.BytesIO()
    np.save(ids, np.array(["doc_000000", "doc_000001"]))
    return zipped({"ids.npy": ids.getvalue(), "vectors.npy": vectors})


class Opens:
    """What a pickle of this runs when it is read."""

    def __reduce__(self):
        return Path.touch, (Path("ran"),)


def pickled_npy():
    stored = io.BytesIO()
    np.save(stored, np.array([Opens()], dtype=object), allow_pickle=True)
    return stored.getvalue()


def of_other_types(sound):
    """JSON in which every value is of another type than it was."""

    def other(value, depth):
        if isinstance(value, dict) and (depth < 2 or not value):
            return {key: other(inner, depth + 1) for key, inner in value.items()} or [1]
        return {dict: [["a"]], list: {"a": 1}, str: 7, int: "many", float: [0.5], bool: "no"}.get(type(value), 3)

    try:
        rows = [json.loads(line) for line in ([sound] if sound[:2] == b"{\n" else sound.splitlines())] or [ROW]
    except (ValueError, UnicodeDecodeError):
        rows = [ROW]
    return b"\n".join(json.dumps(other(row, 0)).encode() for row in rows) + b"\n"


def every_key(value):
    """Return what puts one value at every key of the objects of JSON."""

    def put(sound):
        try:
            rows = [json.loads(line) for line in ([sound] if sound[:2] == b"{\n" else sound.splitlines())] or [ROW]
        except (ValueError, UnicodeDecodeError):
            rows = [ROW]
        rows = [dict.fromkeys(row, "PUT") if isinstance(row, dict) else "PUT" for row in rows]
        return b"\n".join(json.dumps(row).encode().replace(b'"PUT"', value) for row in rows) + b"\n"

    return put


def other_columns(change):
    """Return what writes a table with every column changed, or made, where the sound file is none."""

    def changed(sound):
        try:
            table = pq.read_table(io.BytesIO(sound))
        except pa.ArrowException:
            table = pa.Table.from_pylist([{"id": str(n), "author": f"a{n % 4}", "text": "Rain."} for n in range(9)])
        return parquet(pa.table({name: change(table[name]) for name in table.column_names}))

    return changed


def dictionary_bomb():
    """Few kilobytes: a text of a megabyte in every one of millions of rows."""
    long = pa.array(["x" * (1 << 20)])
    index = pa.array(np.zeros(2_000_000, np.int8))
    texts = pa.DictionaryArray.from_arrays(index, long)
    names = pa.DictionaryArray.from_arrays(index, pa.array(["Ann"]))
    return parquet(table_of(id=names, author=names, text=texts, content=texts), compression="zstd")


def row_of_one_text():
    """A kilobyte: a text of a megabyte 3,000 times in the list of one row."""
    texts = pa.DictionaryArray.from_arrays(pa.array(np.zeros(3_000, np.int32)), pa.array(["x" * (1 << 20)]))
    rows = pa.ListArray.from_arrays(pa.array([0, 3_000], pa.int32()), texts)
    return parquet(table_of(id=["1"], author=["Ann"], text=rows, content=rows, positive_ids=rows), compression="zstd")


def one_long_value():
    texts = pa.array(["x" * (400 << 20)])
    return parquet(table_of(author=["Ann"], text=texts), compression="zstd", use_dictionary=False)


def many_rows():
    nothing = pa.array([""]).take(pa.array(np.zeros(30_000_000, np.int8)))
    return parquet(table_of(id=nothing, author=nothing, text=nothing), compression="zstd")


def lying_footer(sound):
    """A table whose footer is damaged in the middle."""
    whole = sound if sound[:4] == b"PAR1" else other_columns(lambda column: column)(b"")
    length = struct.unpack("<I", whole[-8:-4])[0]
    at = len(whole) - 8 - length // 2
    return whole[:at] + b"\xff" * 5 + whole[at + 5 :]


def link_to(target):
    return lambda path, _: path.symlink_to(target)


def piped(path, _):
    os.mkfifo(path)


def folder_of_folders(path, _):
    deep = path
    for _level in range(60):
        deep = deep / "deeper"
    deep.mkdir(parents=True)


@cache
def letters(how):
    """A gibibyte of one letter in a few kilobytes or a megabyte, as 64 parts one after another."""
    pack = {"gz": gzip.compress, "bz2": bz2.compress, "xz": lzma.compress, "zst": zstandard.compress}[how]
    part = pack(b"a" * (1 << 24))
    return part * 64


def zip_bomb():
    stored = io.BytesIO()
    archive = zipfile.ZipFile(stored, "w", zipfile.ZIP_DEFLATED, compresslevel=1)
    with archive, archive.open("a.csv", "w") as member:
        member.write(b"author,text\nAnn,")
        for _ in range(64):
            member.write(b"a" * (1 << 24))
    return stored.getvalue()


DEEP = 100_000
LAUGHS = b"a: &a [l,l,l,l,l,l,l,l,l]\n" + b"".join(
    b"%c: &%c [%s]\n" % (c, c, b",".join([b"*%c" % (c - 1)] * 9)) for c in range(ord("b"), ord("k"))
)
_PARTS = "".join(f'Content-Type: multipart/mixed; boundary="b{n}"\n\n--b{n}\n' for n in range(20_000))
MBOX_OF_PARTS = f"From a\nFrom: a@x\n{_PARTS}Content-Type: text/plain\n\nRain\n".encode()
_OPEN = b"(" * 200_000
MBOX_OF_HEADERS = b"From a\nFrom: %b\nSubject: %b\nDate: %b\n\nRain\n" % (_OPEN, b"=?utf-8?q?a?= " * 100_000, _OPEN)
XML_LAUGHS = (
    b'<?xml version="1.0"?><!DOCTYPE a [<!ENTITY a "aaaaaaaaaa">'
    + b"".join(b"<!ENTITY %c '%s'>" % (c, b"&%c;" % (c - 1) * 10) for c in range(ord("b"), ord("k")))
    + b"]><a>&j;</a>"
)
MARKUP = '"><script>alert(1)</script>'

# By what it is: the name that it has where a command takes any name, and what puts it there.
FAR = '<row r="1048576"><c r="XFD1048576" t="inlineStr"><is><t>z</t></is></c></row>'
INPUTS = {
    **{what: (name, of(content.encode())) for what, (name, content) in DATA["CONTENTS"].items()},
    **{
        f"csv {what}": ("a.csv", of(CSV_ROWS.replace(old.encode(), new.encode("latin-1"))))
        for what, (old, new) in DATA["SPOILT_CSV"].items()
    },
    **{
        f"json lines of {what}": ("a.jsonl", from_sound(every_key(value.encode())))
        for what, value in DATA["JSON_VALUES"].items()
    },
    "random bytes": ("a.parquet", of(lambda: np.random.default_rng(0).bytes(1 << 20))),
    "csv of nothing but NUL bytes": ("a.csv", of(bytes(1 << 20))),
    "csv of 500,000 columns": (
        "a.csv",
        of(
            lambda: (
                b"author,text," + b",".join(b"c%d" % n for n in range(500_000)) + b"\nAnn,Rain" + b"," * 500_000 + b"\n"
            )
        ),
    ),
    "csv with one long line": ("a.csv", of(lambda: b"author,text\nAnn," + b"a" * (40 << 20) + b"\n")),
    "csv of commas": ("a.csv", of(lambda: b"author,text\n" + b",,,,,\n" * 500_000)),
    "csv with ids of 5,000 digits": (
        "a.csv",
        of(lambda: b"id,author,text\n" + b"".join(b"%d,%s%d,Rain %d.\n" % (n, b"9" * 5000, n, n) for n in range(1, 9))),
    ),
    "csv in UTF-16 without a mark": ("a.csv", of(CSV_ROWS.decode().encode("utf-16-le"))),
    "csv of formulas and markup": ("a.csv", of(CSV_ROWS.replace(b"a1", f"=1+1{MARKUP}".replace('"', "'").encode()))),
    "json lines with ids of 5,000 digits": ("a.jsonl", from_sound(every_key(b"9" * 5000))),
    "json lines with a key of its own each": (
        "a.jsonl",
        of(
            lambda: b"".join(
                b'{"author":"a%d","text":"Rain %d.","k%0200d":1}\n' % (n % 900, n, n) for n in range(4_000)
            )
        ),
    ),
    "json of many keys": ("a.json", of(lambda: b"{" + b",".join(b'"k%d":1' % n for n in range(500_000)) + b"}")),
    "json lines of unfit types": ("a.jsonl", from_sound(of_other_types)),
    "json lines with a key twice": (
        "a.jsonl",
        from_sound(lambda sound: (sound if sound[:1] == b"{" else LINES).replace(b"{", b'{"id":1,"id":2,', 1)),
    ),
    "json lines that break off": ("a.jsonl", from_sound(lambda sound: (sound if sound[:1] == b"{" else LINES)[:-20])),
    "json of lists 100,000 deep": ("a.json", of(b"[" * DEEP + b"]" * DEEP)),
    "json of objects 100,000 deep": ("a.jsonl", of(b'{"a":' * DEEP + b"1" + b"}" * DEEP + b"\n")),
    "json of a list open 10,000,000 times": ("a.json", of(lambda: b"[" * 10_000_000)),
    "json with one long line": ("a.jsonl", of(lambda: b'{"author":"Ann","text":"' + b"a" * (40 << 20) + b'"}\n')),
    "parquet of lists of structures": (
        "a.parquet",
        from_sound(other_columns(lambda column: pa.array([[{"a": "x"}]] * len(column)))),
    ),
    "parquet of floats": ("a.parquet", from_sound(other_columns(lambda column: pa.array([0.5] * len(column))))),
    "parquet of nulls": ("a.parquet", from_sound(other_columns(lambda column: pa.nulls(len(column))))),
    "parquet of times": (
        "a.parquet",
        from_sound(other_columns(lambda column: pa.array([2**62] * len(column), pa.timestamp("us", "UTC")))),
    ),
    "parquet of bytes that are no text": (
        "a.parquet",
        from_sound(other_columns(lambda column: pa.array([b"\xff\x00"] * len(column)))),
    ),
    "parquet of a text that expands to terabytes": ("a.parquet", of(dictionary_bomb)),
    "parquet of a row with a text 3,000 times": ("a.parquet", of(row_of_one_text)),
    "parquet of a value of 400 MiB": ("a.parquet", of(one_long_value)),
    "parquet of 3 million empty rows": ("a.parquet", of(many_rows)),
    "parquet of 20,000 columns": (
        "a.parquet",
        of(lambda: parquet(pa.table({f"c{n}": ["x"] for n in range(20_000)} | {"author": ["Ann"], "text": ["Rain."]}))),
    ),
    "parquet with a damaged footer": ("a.parquet", from_sound(lying_footer)),
    "parquet that breaks off": (
        "a.parquet",
        from_sound(
            lambda sound: (sound if sound[:4] == b"PAR1" else parquet(table_of(author=["Ann"], text=["Rain."])))[:-40]
        ),
    ),
    "npy of 10^12 rows": ("a.npy", of(npy_header("(1000000000000, 64)") + bytes(256))),
    "npy of a negative shape": ("a.npy", of(npy_header("(-1, 64)") + bytes(256))),
    "npy of a pickle": ("a.npy", of(pickled_npy)),
    "npz that expands to 640 MB": ("a.npz", of(expanding_npz)),
    "npz of 10^12 rows": ("a.npz", of(ids_npz(npy_header("(1000000000000, 64)") + bytes(256)))),
    "npz of a pickle": ("a.npz", of(lambda: ids_npz(pickled_npy()))),
    "safetensors with a header of 2^60 bytes": ("a.safetensors", of(struct.pack("<Q", 1 << 60) + b"{}")),
    "pickle": ("a.pkl", of(lambda: pickle.dumps(Opens()))),
    "zip bomb": ("a.zip", of(zip_bomb)),
    "zip of 20,000 members": (
        "a.zip",
        of(lambda: zipped({f"{n}.csv": b"author,text\n" for n in range(20_000)}, zipfile.ZIP_STORED)),
    ),
    "zip of paths that lead out": ("a.zip", of(zipped({"../a.csv": CSV_ROWS, "/b.csv": CSV_ROWS}))),
    "zip of a zip": ("a.zip", of(zipped({"a.zip": zipped({"a.csv": CSV_ROWS})}))),
    "zip that breaks off": ("a.zip", of(zipped({"a.csv": CSV_ROWS})[:-30])),
    "gzip bomb": ("a.csv.gz", of(lambda: letters("gz"))),
    "bzip2 bomb": ("a.csv.bz2", of(lambda: letters("bz2"))),
    "xz bomb": ("a.jsonl.xz", of(lambda: letters("xz"))),
    "zstandard bomb": ("a.jsonl.zst", of(lambda: letters("zst"))),
    "gzip that breaks off": ("a.csv.gz", of(gzip.compress(CSV_ROWS * 100)[:-30])),
    "yaml of laughs": ("a.yaml", of(LAUGHS)),
    "yaml 100,000 deep": ("a.yaml", of(b"[" * DEEP)),
    "xml of laughs": ("a.xml", of(XML_LAUGHS)),
    "mbox of parts in parts": ("a.mbox", of(MBOX_OF_PARTS)),
    "mbox of long headers": ("a.mbox", of(MBOX_OF_HEADERS)),
    "chat 100,000 deep": ("a.json", of(b'{"type": "private_group", "messages": [' + b"[" * DEEP)),
    "workbook with a cell far away": ("a.xlsx", of(workbook([["author", "text"]], cells=FAR))),
    "named pipe": ("a.csv", piped),
    "folder": ("a.csv", folder_of_folders),
    "link to nothing": ("a.csv", link_to("nothing.csv")),
    "link to itself": ("a.csv", link_to("a.csv")),
    "link to endless zeros": ("a.csv", link_to("/dev/zero")),
}
# Names matter where a command takes any.
NAMED = {what: (name, of(CSV_ROWS)) for what, name in DATA["NAMES"].items()} | {
    "a name of dots": ("...zip", of(b"PK")),
    "a name that is not UTF-8": ("a\udcff.csv", of(CSV_ROWS)),
    "a name of 250 letters": ("a" * 246 + ".csv", of(CSV_ROWS)),
}

# --- doors ---


class Door(NamedTuple):
    """A command line, and where an input is put: in place of a sound file, or under its own name in a folder.

    A folder ends with /; in that of the run the input is what {} names.
    """

    line: str
    file: str = "/"
    takes: tuple[str, ...] = ()  # inputs that are rightly read: the command is done


ROWS = [{"id": str(n), "author": f"Ann {n % 4}", "text": f"It rains for the fields on day {n}."} for n in range(40)]
STYLE_READERS = DATA["STYLE_READERS"]
RECIPE = {"name": "mine", "raw_dir": "raw", "sources": ["config/sources/mine.yaml"]}
ENTRY = DATA["ENTRY"]
STYLE_ENTRY = DATA["STYLE_ENTRY"]


def names_of(takes):
    """Return the names in lists of names and lists."""
    return [name for one in takes for name in (names_of(one) if isinstance(one, list) else [one])]


# A command without a door is one of NONE.
DOORS = {
    command: [
        Door(door["line"], file, tuple(names_of(door.get("takes", []))))
        for door in doors
        for file in door.get("files", ["/"])
    ]
    for command, doors in DATA["DOORS"].items()
}
# How commands end on what is as it should be, where it is not done: the release has no checksums; nothing says what the
# texts were.
SOUND = DATA["SOUND"]
NONE = {"plan", "sources list"}  # commands that read nothing that others hand over
# Whatever a file is called, it may be one of these.
ANYWHERE = ("empty", "a line end alone", "random bytes", "csv of nothing but NUL bytes", "Git LFS pointer", "pickle",
            "zip bomb", "gzip bomb", "json of lists 100,000 deep", "named pipe", "folder", "link to nothing",
            "link to itself", "link to endless zeros")  # fmt: skip
ALIKE = {".json": ".jsonl", ".txt": ".csv", ".tsv": ".csv", "": ".csv"}


def cases_of(door):
    """Return all inputs where a command takes any name, else those of the kind of the file."""
    if door.file.endswith("/"):
        return {**INPUTS, **NAMED}
    kind = _kind(door.file)
    return {what: made for what, made in INPUTS.items() if what in ANYWHERE or _kind(made[0]) == kind}


def _kind(name):
    suffix = Path(name).suffix
    return ALIKE.get(suffix, suffix)


# --- runs ---


def workspace(folder):
    """Sound files of every kind that the doors name."""
    with contextlib.chdir(folder), contextlib.redirect_stdout(io.StringIO()):
        write_sound(folder / "release")
        shutil.copytree("release", "sealed")
        Path("release/SHA256SUMS").unlink()  # what is damaged is read, and not refused for its checksum
        shutil.copytree("release", "again")
        write_scored_release(folder / "scored", 12)
        raw, _, public = publish(folder / "made")
        shutil.move(public, "public")
        shutil.move(raw, "raw")
        shutil.rmtree("made")
        assert main(["evaluate", "scored", "--model", "random", "--out", "results"]) == 0
        fields = ["--contributor", "me", "--model", "x"]
        assert main(["publish", "submit", "results/random", *fields, "--out", "packed.zip"]) == 0
        assert main(["release", "attest", "sealed", "--out", "said.json"]) == 0
        lines = Path("scored/test/candidates.jsonl").read_text().splitlines()
        ids = np.array([json.loads(line)["candidate_id"] for line in lines])
        vectors = np.random.default_rng(0).normal(size=(len(ids), 8)).astype(np.float32)
        np.savez("v.npz", ids=ids, vectors=vectors)
        np.save("v.npy", vectors)
        Path("v.npy.ids.txt").write_text("\n".join(ids))
        pq.write_table(pa.table({"id": ids, "vector": list(vectors)}), "v.parquet")
        Path("t.csv").write_bytes(CSV_ROWS)
        write_corpora()
        assert main(["sources", "acquire", "mine", "--raw", "raw"]) == 0
        for name, rows in pan_rows().items():
            path = Path("pan", name)
            path.parent.mkdir(exist_ok=True)
            path.write_text("".join(json.dumps(row) + "\n" for row in rows))
        for place, text in {
            "pan13/truth.txt": "EN1 Y\nEN2 N\n",
            **{f"pan13/EN{n}/{kind}.txt": f"Rain {kind} {n}." for n in (1, 2) for kind in ("known01", "unknown")},
            **{f"texts/{who}/{name}.txt": f"Rain by {who} {name}." for who in ("Ann", "Bob") for name in "abc"},
            "beir/corpus.jsonl": "".join(f'{{"_id":"d{n}","title":"","text":"Rain {n}."}}\n' for n in range(9)),
            "beir/queries.jsonl": "".join(f'{{"_id":"q{n}","text":"Fog {n}."}}\n' for n in range(3)),
            "beir/qrels/test.tsv": "query-id\tcorpus-id\tscore\nq0\td0\t1\nq1\td1\t1\nq2\td2\t1\n",
            "steb/STEL_register/m/1_1/order_alignment/metrics.json": '{"distractor_acc_mean": 0.5}\n',
        }.items():
            Path(place).parent.mkdir(parents=True, exist_ok=True)
            Path(place).write_text(text)


def write_corpora():
    """A source of a build, and datasets of style in every format, with their entries."""
    table = pa.Table.from_pylist(ROWS)
    stored, csv = parquet(table), io.BytesIO()
    pa.csv.write_csv(table, csv)
    lines = "".join(json.dumps(row) + "\n" for row in ROWS).encode()
    cells = "".join(f"<row><author>{row['author']}</author><text>{row['text']}</text></row>" for row in ROWS)
    contents = {
        "raw/mine/a.csv": csv.getvalue(),
        "mine.yaml": json.dumps(RECIPE).encode(),
        "config/sources/mine.yaml": ENTRY.encode(),
        "clean.csv": csv.getvalue(),
        "clean.jsonl": lines,
        "clean.parquet": stored,
        "data/csv/a.csv": csv.getvalue(),
        "data/jsonl/a.jsonl": lines,
        "data/json/a.json": json.dumps(ROWS).encode(),
        "data/parquet/a.parquet": stored,
        "data/txt/a.txt": "".join(f"{row['text']}\n" for row in ROWS).encode(),
        "data/xml/a.xml": f"<rows>{cells}</rows>".encode(),
        "style-any.yaml": (STYLE_ENTRY % ("any", "csv", "author")).encode(),
    }
    for kind, reader in STYLE_READERS.items():
        label = "{field: text, match: '\\d'}" if kind == "txt" else "author"
        contents[f"style-{kind}.yaml"] = (STYLE_ENTRY % (kind, reader, label)).encode()
    for place, content in contents.items():
        Path(place).parent.mkdir(parents=True, exist_ok=True)
        Path(place).write_bytes(content)
    Path("data/any").mkdir()


def pan_rows():
    numbers = range(24)
    return {
        "pairs.jsonl": [
            {"id": f"p{n}", "fandoms": [f"f{n % 3}", f"f{n % 4}"], "pair": [f"Rain fell on {n}.", f"Fog and {n}."]}
            for n in numbers
        ],
        "truth.jsonl": [{"id": f"p{n}", "same": n % 2 == 0, "authors": [f"a{n}", f"a{n + n % 2}"]} for n in numbers],
        "answers.jsonl": [{"id": f"p{n}", "value": (n % 7) / 7} for n in numbers],
    }


def outcome(server, folder, door, name, make):
    """Return how a command ends whose input is hostile; the folder stays as it was."""
    taken = not door.file.endswith("/")
    place, aside = folder / (door.file if taken else f"{door.file}{name}".lstrip("/")), folder / "aside"
    sound = b""
    if taken:
        sound = place.read_bytes()
        place.rename(aside)
    try:
        make(place, sound)
        return run(server, [name if word == "{}" else word for word in door.line.split()], folder)
    finally:
        remove(place)
        if taken:
            aside.rename(place)
        remove_made(folder)


MADE = ("out", "clean", "out.json", "out.zip", "cache", "results/mine", "resources", ".snakemake/locks")
ENTRIES, RECIPES = "config/sources/*.yaml", "*.yaml"


def remove_made(folder):
    for made in MADE:
        remove(folder / made)
    for path in (*folder.glob(ENTRIES), *folder.glob(RECIPES)):
        if not path.name.startswith(("mine.", "style-", "raw.lock.")):
            remove(path)


def remove(path):
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path)
    else:
        path.unlink(missing_ok=True)


def wrong(command, door, what, ended, folder):
    """Return whether a command is done that should not be, ends in another way than it documents, or takes too much."""
    statuses = {0} if what in door.takes else {1, 2} if COMMANDS[command].negative else {2}
    slow, large = ended.seconds >= SECONDS, ended.mib >= MIB
    said = [line for line in ended.said.splitlines() if not line.startswith(" ")]
    untold = ended.status == 2 and not (said and re.match(r"authbench(: |( \S+)+: error: )", said[-1]))
    ran = (folder / "ran").exists()
    return ended.status not in statuses or "Traceback" in ended.said or untold or slow or large or ran


@pytest.fixture(scope="module")
def sound(tmp_path_factory):
    folder = tmp_path_factory.mktemp("hostile")
    workspace(folder)
    return folder


@pytest.fixture(scope="module")
def server():
    with serving() as process:
        yield process


def test_every_command_has_a_door_or_reads_nothing_of_others():
    assert DOORS.keys() | NONE == COMMANDS.keys() and not DOORS.keys() & NONE
    assert len(INPUTS) + len(NAMED) >= 40


@pytest.mark.parametrize(
    ("command", "door"), [(command, door) for command, several in DOORS.items() for door in several], ids=str
)
def test_what_is_hostile_is_refused_in_one_message_and_bounds(command, door, sound, server):
    assert set(door.takes) <= cases_of(door).keys()
    found = {what: outcome(server, sound, door, *made) for what, made in cases_of(door).items()}
    assert {what: ended for what, ended in found.items() if wrong(command, door, what, ended, sound)} == {}


def test_what_is_sound_is_done_at_every_door(sound, server):
    lines = {door.line for several in DOORS.values() for door in several if not door.file.endswith("/")}
    ended = {}
    for line in sorted(lines):
        ended[line] = run(server, line.split(), sound)
        remove_made(sound)
    assert {line: end for line, end in ended.items() if end.status != SOUND.get(line, 0)} == {}


LEAVES = """
import os, posix, sys
def exits(texts): os._exit(0)
def exits_by_posix(texts): posix._exit(0)
def leaves(texts): sys.exit(0)
def hangs_up(texts): os.kill(os.getpid(), 9)
"""


@pytest.mark.parametrize("name", ["exits", "exits_by_posix", "leaves", "hangs_up"])
def test_a_user_s_function_cannot_end_a_command_as_if_done(name, sound, server):
    (sound / "leaving.py").write_text(LEAVES)
    for line in (f"evaluate scored --model leaving:{name} --out out", f"train scored --model leaving:{name} --out out"):
        ended = run(server, line.split(), sound)
        remove(sound / "out")
        assert ended.status != 0 and "Traceback" not in ended.said
