"""Selected documents of one made-up source, and the release made of them."""

import hashlib
from pathlib import Path

import polars as pl
from cases import read_cases

from authbench.build.release.contents import make_contents
from authbench.config.registry.source_entry import Author, Description, License
from authbench.core.records import DOCUMENT

DATA = read_cases(Path(__file__))
SETTINGS, SPLIT, FACTS = DATA["SETTINGS"], DATA["SPLIT"], DATA["FACTS"]
SOURCES = {"news": Description("News", License("CC0 1.0", "A"), Author("outlet"), "Outlets.")}


def author(number):
    return hashlib.sha256(f"writer {number}".encode()).hexdigest()


def document(number, writer, split="train", **other):
    return {
        "doc_key": f"news:{number}",
        "origin_id": f"news:work{number}",
        "author_id": author(writer),
        "author_kind": "person",
        "lang": "en",
        "genre": "news",
        "source": "news",
        "task": "authorship",
        "content": f"Text {number}.",
        "author_group": None,
        "names_author": False,
        "file": "f" * 64,
        "ordinal": number,
        "token_length": 3,
        "char_length": 7,
        "length_bucket": "short",
        "split": split,
        "toxicity": 0.1,
        **other,
    }


def frame(*rows):
    return pl.DataFrame(list(rows), schema={**DOCUMENT, "split": pl.String, "toxicity": pl.Float64})


def corpus():
    splits = ("train", "train", "dev", "test")
    return frame(*(document(n, n // 5, splits[n // 5 % 4]) for n in range(40)))


def release(documents, **other):
    lock, takedown = other.pop("lock", None), other.pop("takedown", frozenset())
    containment, possibly_one = other.pop("containment", None), other.pop("possibly_one", None)
    return make_contents(documents, {**SETTINGS, **other}, SPLIT, 7, lock, takedown, containment, possibly_one)
