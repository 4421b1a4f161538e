"""Selected documents of one made-up source, and the release made of them."""

import hashlib

import polars as pl

from authbench.build.release.contents import make_contents
from authbench.config.registry.source_entry import Author, Description, License
from authbench.core.records import DOCUMENT

SETTINGS = {
    "queries_per_author": 1,
    "min_documents_for_query": 3,
    "min_letters_for_query": 4,
    "queries_in_candidates": True,
    "positives": "any",
}
SPLIT = {"splits": {"train": 80, "dev": 10, "test": 10}}
SOURCES = {"news": Description("News", License("CC0 1.0", "A"), Author("outlet"), "Outlets.")}
FACTS = {
    "funnel": [
        {"source": "news", "stage": "ingest", "reason": "in", "documents": 40},
        {"source": "news", "stage": "ingest", "reason": "kept", "documents": 40},
    ],
    "deviation": {
        "documents": {"target": 40, "taken": 40},
        "languages": [{"language": "en", "target": 40, "available": 50, "taken": 40, "deficit": 0}],
        "cells": [],
        "bound": {"least_deviation": 0.0, "reached": 0.0},
        "fallback_authors": 0,
    },
    "skipped_sources": [],
    "scorers": [{"identity": "wordlist 1", "languages": ["en"]}],
    "toxicity_rates": [],
    "ingest": {},
    "dedup": {},
    "split": {},
    "config": {
        "name": "tiny",
        "seed": 1,
        "split": SPLIT,
        "release": SETTINGS,
        "raw_dir": "/somewhere",
        "shards": 4,
        "safety": {"wordlist": {"extra": "/home/x/w.yaml"}},
    },
    "versions": {"polars": "2.1.0"},
    "inputs": {},
    "raw_lock": {"sha256": None, "sources": {}},
}


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
