"""A small release that breaks no claim, with all its files, made by the stages' own functions."""

import hashlib

import polars as pl
from defaults import section

from authbench.build.filter.measure import measure_texts
from authbench.build.release.contents import make_contents
from authbench.build.release.write import write_release
from authbench.build.sample.deviation import recount
from authbench.build.sample.targets import largest_remainder
from authbench.build.split.leakage import find_leaks
from authbench.config.registry.entries import read_yaml
from authbench.config.registry.source_entry import Description
from authbench.config.registry.sources import find_sources
from authbench.config.registry.typed_schema import from_plain, part_for
from authbench.config.settings.data import DataConfig
from authbench.core.identity import author_id, keyed_hash
from authbench.core.records import DOCUMENT, length_bucket_expr
from authbench.core.shipped import shipped
from authbench.core.tokens import load_tokenizer
from authbench.reports.report.write import write_report

WORDS = read_yaml(shipped("text/function_words.yaml"))
LANGS = ("en", "de")
TARGETS = {"en": 48, "de": 32}
CONFIG = read_yaml(shipped("config/config.yaml"))
CONFIG |= {
    "name": "tiny",
    "sources": ["exorde", "babel_briefings", "blog_authorship"],
    "sample": CONFIG["sample"]
    | {
        "documents": 80,
        "max_documents_per_author": 5,
        "languages": {"en": 60, "de": 40},
        "lengths": {"short": 15, "medium": 50, "long": 20, "extra_long": 15},
        "genres": {"en": {"blog/*": 50, "news": 50}, "de": {"social_media/*": 60, "news": 40}},
    },
}
TOPICS = {"exorde": ("sports", "people"), "babel_briefings": ("business", "health"), "blog_authorship": (None, None)}
GENRES = {"exorde": "social_media/sports", "babel_briefings": "news", "blog_authorship": "blog/arts"}
KINDS = {"exorde": "account", "babel_briefings": "outlet", "blog_authorship": "account"}
# Of each author: name, source, language, split, documents. The names are what no release may hold.
AUTHORS = (
    ("Jane Roe", "babel_briefings", "en", "train", 4),
    ("John Doe", "babel_briefings", "en", "test", 3),
    ("Hans Huber", "babel_briefings", "de", "train", 3),
    ("Ada Lovelace", "blog_authorship", "en", "train", 5),
    ("Grace Hopper", "blog_authorship", "en", "train", 3),
    ("Mary Shelley", "blog_authorship", "en", "dev", 4),
    ("Emily Bronte", "blog_authorship", "en", "test", 3),
    ("Jules Verne", "blog_authorship", "en", "dev", 3),
    *((f"Blogger {number}", "blog_authorship", "en", "test", 3) for number in range(7)),
    ("Lise Meitner", "exorde", "de", "train", 3),
    ("Max Planck", "exorde", "de", "test", 3),
    ("Emmy Noether", "exorde", "de", "dev", 3),
    ("Otto Hahn", "exorde", "de", "train", 4),
)
NOUNS = ("harbour", "kettle", "meadow", "lantern", "violin", "thunder", "orchard", "saddle", "lanterns", "kettles")


def prose(name, lang, words):
    """Made-up text of a language, another for every name."""
    known = [str(word) for word in WORDS[lang] if len(str(word)) > 2]
    return " ".join(known[keyed_hash(3, name, str(place)) % len(known)] for place in range(words))


def about(name):
    """Words of content, some of which other texts share."""
    return " ".join(NOUNS[keyed_hash(4, name, str(place)) % len(NOUNS)] for place in range(6))


def documents():
    """The documents of all authors with their splits; two of Ada Lovelace's share a long passage."""
    rows = []
    for name, source, lang, split, many in AUTHORS:
        for place in range(many):
            content = prose(f"{name} {place}", lang, 25 + 40 * place)
            if name.startswith("Blogger"):
                content += " " + about(f"{name} {place}")
            if name == "Ada Lovelace" and place in (0, 1):
                content = prose("passage", lang, 140) + " " + content
            rows.append(
                {
                    "doc_key": f"{source}:{name}-{place}",
                    "origin_id": f"{source}:{name}-{place}",
                    "author_id": author_id(source, name),
                    "author_kind": KINDS[source],
                    "lang": lang,
                    "genre": GENRES[source],
                    "source": source,
                    "task": "authorship",
                    "topic": TOPICS[source][place % 2],
                    "date": f"2020-05-{place + 1:02d}",
                    "content": content,
                    "author_group": "arts" if source == "blog_authorship" else None,
                    "names_author": False,
                    "file": hashlib.sha256(source.encode()).hexdigest(),
                    "ordinal": len(rows),
                    "char_length": len(content),
                    "split": split,
                    "toxicity": 0.1,
                }
            )
    frame = pl.DataFrame(rows, schema={**DOCUMENT, "split": pl.String, "toxicity": pl.Float64})
    counted = pl.Series("token_length", load_tokenizer().count(frame["content"]), pl.Int32)
    return frame.with_columns(counted).with_columns(length_bucket_expr("token_length").alias("length_bucket"))


def sources():
    return {tag: from_plain(Description, one.entry) for tag, one in find_sources(CONFIG["sources"]).items()}


def findings(made):
    """What the stages before would have found."""
    tags = sorted(set(made["source"]))
    stages = ("ingest", "normalize", "dedup_documents", "chunk", "filter", "dedup_chunks", "sample", "split")
    sizes = dict(made.group_by("source").len().iter_rows())
    funnel = [
        {"source": tag, "stage": stage, "reason": reason, "documents": sizes[tag] + more}
        for tag in tags
        for stage in stages
        for reason, more in (("in", 5 if stage == "ingest" else 0), ("kept", 0))
    ]
    funnel += [{"source": tag, "stage": "ingest", "reason": "empty_text", "documents": 5} for tag in tags]
    shares = [("length", lang, CONFIG["sample"]["lengths"]) for lang in LANGS]
    shares += [("genre", lang, CONFIG["sample"]["genres"][lang]) for lang in LANGS]
    targets = [(*place, largest_remainder(TARGETS[place[1]], of)) for *place, of in shares]
    deviation = {
        "documents": {"target": CONFIG["sample"]["documents"], "taken": 0},
        "languages": [
            {"language": lang, "target": target, "available": 90, "taken": 0, "deficit": 0}
            for lang, target in TARGETS.items()
        ],
        "cells": [
            {"dimension": dimension, "language": lang, "key": key, "target": target, "available": 90, "taken": 0}
            for dimension, lang, wanted in targets
            for key, target in wanted.items()
        ],
        "bound": {"least_deviation": 1.0, "reached": 0.0},
        "fallback_authors": 0,
    }
    return {
        "funnel": funnel,
        "deviation": recount(deviation, made, CONFIG["sample"]),
        "skipped_sources": [],
        "raw_lock": {"sha256": "0" * 64, "sources": dict.fromkeys(tags, "verified") | {"exorde": "other files"}},
        "scorers": [{"identity": "wordlist 1 " + "0" * 32, "languages": ["de", "en"]}],
        "toxicity_rates": [],
        "documents_scored": made.height,
        "length_bounds": {},
        "ingest": {
            tag: {"noisy_authors": tag != "blog_authorship", "documents": n, "authors": n, "files": 1}
            for tag, n in sizes.items()
        },
        "labels": [
            {"source": tag, "labels": 1, "texts": n, "estimator": None, "impurity": None, "low": None, "high": None}
            | {"decision": "unmeasured"}
            for tag, n in sizes.items()
        ],
        "dedup": {},
        "split": {},
        "config": part_for(DataConfig, CONFIG),
        "versions": {"python": "3.11", "polars": pl.__version__},
        "inputs": {tag: {"files": 1, "sha256": hashlib.sha256(f"files of {tag}".encode()).hexdigest()} for tag in tags},
    }


def write_sound(folder, takedown=frozenset(), lock=None, made=None, **release):
    """Write the release, or one of the documents `made`, into `folder`; settings of `release:` may be given."""
    made = documents() if made is None else made
    settings = {**CONFIG["release"], **release}
    split = {**CONFIG["split"], "lock": "release.lock" if lock else None}
    texts = made.select("doc_key", "origin_id", "lang", "content")
    contained = find_leaks(texts, 0.7, 0.8, 5, section("split.containment")).contained
    contents = make_contents(made, settings, split, CONFIG["seed"], lock, takedown, contained)
    facts = findings(made)
    facts["config"] |= {"release": settings, "split": split}
    write_report(folder, sources(), write_release(folder, contents, measure_texts(made, LANGS), sources(), facts))
