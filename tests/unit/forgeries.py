"""Forgeries of a sound release (`sound_release`), each with the claim that it breaks, or why nobody can tell.

A forger is careful: after rows were changed, all that follows from them is made anew (digests, lengths, measures,
counts, statistics, targets met, SHA256SUMS); after a file was changed, SHA256SUMS is. What is left is the lie itself.
"""

import hashlib
import json
import os
import re
import shutil
from collections.abc import Callable
from dataclasses import dataclass
from functools import reduce
from operator import getitem
from pathlib import Path
from typing import Any, NamedTuple

import orjson
import polars as pl
from cases import read_cases
from forged_pairs import declare, remake_pairs
from sound_release import AUTHORS, LANGS, prose

from authbench.build.filter.measure import measure_texts
from authbench.build.release import statistics
from authbench.build.release.manifest import _tally
from authbench.build.sample.deviation import recount
from authbench.core.identity import author_id
from authbench.core.records import length_bucket_expr
from authbench.core.storage.json_files import write_plain_json
from authbench.core.storage.sha256sums import write_sums
from authbench.core.tokens import load_tokenizer

Row = dict[str, Any]
SPLITS = ("train", "dev", "test")
NAMES = ("candidates", "queries", "ground_truth")


@dataclass
class Release:
    """The rows and the bookkeeping of a release, to be altered."""

    rows: dict[str, dict[str, list[Row]]]
    provenance: dict[str, Row]
    schema: pl.Schema
    manifest: dict[str, Any]
    lock: dict[str, Any]
    deviation: dict[str, Any]
    funnel: pl.DataFrame

    def all_rows(self, name):
        return [row for split in SPLITS for row in self.rows[split][name]]

    def of_id(self, ident):
        """Every row about a document: candidate, query and provenance."""
        found = [row for row in self.all_rows("candidates") if row["candidate_id"] == ident]
        found += [row for row in self.all_rows("queries") if row["query_id"] == ident]
        return [*found, self.provenance[ident]]

    def truth(self, ident):
        return next(row for row in self.all_rows("ground_truth") if row["query_id"] == ident)

    def ids_of(self, author):
        """The documents of an author, by the name that the sound release never says."""
        return sorted(ident for ident, row in self.provenance.items() if row["author_id"] == id_of(author))

    def query_of(self, author):
        return next(row["query_id"] for row in self.all_rows("ground_truth") if row["author_id"] == id_of(author))

    def set(self, ident, **fields):
        """Change fields of a document wherever they stand."""
        for row in self.of_id(ident):
            row.update({key: value for key, value in fields.items() if key in row})

    def write_text(self, ident, content):
        tokens = int(load_tokenizer().count(pl.Series([content]))[0])
        self.provenance[ident]["content"] = content
        self.set(ident, content=content, token_length=max(tokens, 1))

    def remove(self, ident):
        for files in self.rows.values():
            files["candidates"] = [row for row in files["candidates"] if row["candidate_id"] != ident]
            files["queries"] = [row for row in files["queries"] if row["query_id"] != ident]
            files["ground_truth"] = [row for row in files["ground_truth"] if row["query_id"] != ident]
            for row in files["ground_truth"]:
                for key in ("positive_ids", "ignored_ids"):
                    row[key] = [one for one in row[key] if one != ident]
        del self.provenance[ident]

    def remove_query(self, ident):
        for files in self.rows.values():
            for name in ("queries", "ground_truth"):
                files[name] = [row for row in files[name] if row["query_id"] != ident]


def id_of(author):
    source = next(row[1] for row in AUTHORS if row[0] == author)
    return author_id(source, author)


def read(folder):
    rows = {
        split: {
            name: [json.loads(line) for line in (folder / split / f"{name}.jsonl").read_bytes().splitlines()]
            for name in NAMES
        }
        for split in SPLITS
    }
    provenance = pl.read_parquet(folder / "provenance.parquet")
    manifest, lock, deviation = (
        json.loads((folder / name).read_bytes())
        for name in ("manifest.json", "release.lock", "sampling_deviation.json")
    )
    by_id = {row["id"]: row for row in provenance.iter_rows(named=True)}
    return Release(rows, by_id, provenance.schema, manifest, lock, deviation, pl.read_csv(folder / "funnel.csv"))


def write(release, folder):
    """Write a release and all that follows from its rows."""
    contents = {row["candidate_id"]: row["content"] for row in release.all_rows("candidates")}
    for ident, row in release.provenance.items():
        if "content" in row:
            content = row.pop("content")
            numbers = measure_texts(
                pl.DataFrame([{"doc_key": ident, "lang": row["lang"], "content": contents.get(ident, content)}]), LANGS
            )
            row |= numbers.drop("doc_key").row(0, named=True)
            row |= {
                "content_sha256": hashlib.sha256(content.encode()).hexdigest(),
                "char_length": len(content),
                "length_bucket": pl.select(length_bucket_expr(pl.lit(row["token_length"]))).item(),
            }
    provenance = pl.DataFrame(list(release.provenance.values()), release.schema, orient="row").sort("id")
    provenance.write_parquet(folder / "provenance.parquet")
    for split, files in release.rows.items():
        for name, rows in files.items():
            rows.sort(key=lambda row: row.get("candidate_id") or row["query_id"])
            (folder / split / f"{name}.jsonl").write_bytes(b"".join(orjson.dumps(row) + b"\n" for row in rows))
    queries = pl.DataFrame(
        [(split, row["query_id"]) for split in SPLITS for row in release.rows[split]["queries"]],
        {"split": pl.String, "query_id": pl.String},
        orient="row",
    )
    release.manifest["totals"] = {
        "documents": provenance.height,
        "authors": provenance["author_id"].n_unique(),
        "languages": provenance["lang"].n_unique(),
        "queries": queries.height,
    }
    release.manifest["counts"] = {
        split: {
            "documents": part.height,
            "authors": part["author_id"].n_unique(),
            "queries": queries.filter(pl.col("split") == split).height,
            "languages": _tally(part["lang"]),
            "genres": _tally(part["genre"]),
            "lengths": _tally(part["length_bucket"]),
        }
        for split in SPLITS
        for part in [provenance.filter(pl.col("split") == split)]
    }
    write_plain_json(folder / "manifest.json", release.manifest)
    write_plain_json(folder / "release.lock", release.lock)
    if release.manifest["takedown"]["documents"] == 0:
        release.deviation = recount(release.deviation, provenance, release.manifest["config"]["sample"])
    write_plain_json(folder / "sampling_deviation.json", release.deviation)
    release.funnel.write_csv(folder / "funnel.csv")
    remake_pairs(
        folder, provenance, release.rows, release.manifest["config"]["release"], release.manifest["config"]["seed"]
    )
    noisy = {"exorde", "babel_briefings"}
    for name, table in statistics.tables(provenance, queries, SPLITS, noisy).items():
        table.write_csv(folder / "statistics" / f"{name}.csv")
    write_sums(folder)


REFUSED = "(refused)"  # not a broken claim: such a release is not read at all


class Forgery(NamedTuple):
    """A lie in words, the function that tells it, and the claim that catches it; or why none can."""

    lie: str
    forge: Callable[[Path], None]
    claim: str
    undetectable: str


FORGERIES = {}
PLAIN = read_cases(Path(__file__))  # by name: the lie, the claim, and what is changed


def of_rows(alter):
    """Return a forgery of rows or bookkeeping: all that follows from it is made anew."""

    def forge(folder):
        release = read(folder)
        alter(release)
        write(release, folder)

    return forge


def of_files(alter):
    """Return a forgery of files: only SHA256SUMS is made anew."""

    def forge(folder):
        alter(folder)
        write_sums(folder)

    return forge


def data(lie, claim="", undetectable=""):
    return lambda alter: FORGERIES.update({alter.__name__: Forgery(lie, of_rows(alter), claim, undetectable)})


def files(lie, claim="", undetectable=""):
    return lambda alter: FORGERIES.update({alter.__name__: Forgery(lie, of_files(alter), claim, undetectable)})


def of_changes(changes):
    """Return a forgery of what a table of cases says to change."""

    def named(r, name):
        author, place = name.rsplit(" ", 1)
        return r.query_of(author) if place == "query" else r.ids_of(author)[int(place)]

    def alter(r):
        for place, value in changes.get("settings", {}).items():
            section, key = place.split(".")
            r.manifest["config"][section][key] = value
        for name, text in changes.get("texts", {}).items():
            text = re.sub(r"\{(.*?)\}", lambda other: r.of_id(named(r, other[1]))[0]["content"], text)
            text = re.sub(r"<(.*) (\w+) (\d+)>", lambda made: prose(made[1], made[2], int(made[3])), text)
            r.write_text(named(r, name), text)
        for name, fields in changes.get("provenance", {}).items():
            r.provenance[named(r, name)] |= fields
        for name, split in changes.get("splits", {}).items():
            move(r, named(r, name), split)
        if "merged" in changes:
            merge(r, *changes["merged"])

    return of_rows(alter)


FORGERIES |= {
    name: Forgery(lie, of_changes(changes), claim, "") for name, (lie, claim, changes) in PLAIN["of_a_release"].items()
}


# --- settings loosened, and what they would allow ---


@data("`split.containment.share` is 1, and two splits share a long passage", "looser_settings")
def containment_share(r):
    r.manifest["config"]["split"]["containment"]["share"] = 1.0
    one, other = r.ids_of("Jane Roe")[3], r.ids_of("Emily Bronte")[2]
    passage = prose("shared", "en", 130)
    for ident, name in ((one, "left"), (other, "right")):
        r.write_text(ident, prose(name, "en", 40) + " " + passage)


@data("`sample.min_documents_per_author` is 1, and an author is left with one text", "looser_settings")
def min_documents(r):
    r.manifest["config"]["sample"] |= {"min_documents_per_author": 1, "fallback_documents_per_author": None}
    first, *others = r.ids_of("Jules Verne")
    query = r.query_of("Jules Verne")
    r.remove_query(query)
    for ident in others:
        r.remove(ident)
        r.lock["documents"] = {key: value for key, value in r.lock["documents"].items() if value != ident}


@data("`release.min_documents_for_query` is 4, and hard queries are gone", "looser_settings")
def min_documents_for_query(r):
    r.manifest["config"]["release"]["min_documents_for_query"] = 4
    for author, *_, many in AUTHORS:
        if many < 4:
            r.remove_query(r.query_of(author))


@data("`filter.unique_words` is 0, and a text is one phrase over and over", "looser_settings")
def unique_words(r):
    r.manifest["config"]["filter"]["unique_words"] = 0.0
    r.write_text(r.ids_of("Jane Roe")[3], "this is what there was " * 39 + "again")


@data("`authors.kinds` takes works, an author is one, and a positive is ignored for it", "looser_settings")
def author_kinds(r):
    r.manifest["config"]["authors"]["kinds"].append("work")
    ident = ignore_a_positive(r)
    r.provenance[ident]["author_kind"] = "work"


@data("an author is a work, of which the settings take none, and a positive is ignored for it", "admitted")
def work_not_admitted(r):
    r.provenance[ignore_a_positive(r)]["author_kind"] = "work"


@data("a setting that nobody knows takes the place of a known one, and a toxic text stays", "measures")
def setting_missing(r):
    r.provenance["doc_000005"]["toxicity"] = 0.95
    del r.manifest["config"]["safety"]["threshold"]
    r.manifest["config"]["safety"]["treshold"] = 0.8


# --- queries and their truth ---


@data("a positive is moved to `ignored_ids`", "unexplained_ignored")
def positive_ignored(r):
    ignore_a_positive(r)


@data("texts of other authors are ignored, the hardest negatives", "unexplained_ignored")
def negatives_ignored(r):
    row = r.truth(r.query_of("Jane Roe"))
    row["ignored_ids"] = r.ids_of("Ada Lovelace")


@data("a positive is left out", "missing_positive")
def positive_left_out(r):
    r.truth(r.query_of("Jane Roe"))["positive_ids"].pop()


@data("another author's text is a positive", "foreign_positive")
def foreign_positive(r):
    row = r.truth(r.query_of("Jane Roe"))
    row["positive_ids"] = sorted([*row["positive_ids"], r.ids_of("Ada Lovelace")[0]])


@data("a query is removed", "missing_query")
def query_removed(r):
    r.remove_query(r.query_of("Jane Roe"))


@data("a query is removed, and a takedown is claimed for it", "takedown")
def query_taken_down(r):
    r.remove_query(r.query_of("Jane Roe"))
    r.manifest["takedown"] |= {"entries": 1, "documents": 1, "queries": 1}


@data("a text of somebody is taken down, and the query of somebody else goes with it", "missing_query")
def query_of_another_taken_down(r):
    take_down(r, r.ids_of("Otto Hahn")[-1])
    r.remove_query(r.query_of("Jane Roe"))
    r.manifest["takedown"]["queries"] = 1


# --- release.lock ---


@data("release.lock gives an author another split than the files", "lock")
def lock_other_split(r):
    r.lock["authors"][id_of("Jane Roe")] = "test"


@data("release.lock is empty", "lock")
def lock_emptied(r):
    r.lock |= {"authors": {}, "documents": {}}


@data("release.lock gives two documents one id", REFUSED)
def lock_repeated_id(r):
    first, second, *_ = r.lock["documents"]
    r.lock["documents"][first] = r.lock["documents"][second]


@data("release.lock holds names instead of digests", REFUSED)
def lock_names(r):
    r.lock["documents"] = {f"babel_briefings/Jane Roe/{key}": ident for key, ident in r.lock["documents"].items()}


# --- provenance ---


FORGERIES |= {
    name: Forgery(lie, of_rows(lambda r, of=of: r.provenance[r.ids_of("Jane Roe")[0]].update(of)), claim, "")
    for name, (lie, claim, of) in PLAIN["of_a_text"].items()
}


@files("provenance has one more column, of raw names", "schema")
def column_of_names(folder):
    table = pl.read_parquet(folder / "provenance.parquet")
    table.with_columns(raw_author=pl.lit("Jane Roe")).write_parquet(folder / "provenance.parquet")


@data("a source of tier B is called A in provenance", "licence")
def tier_in_provenance(r):
    for row in r.provenance.values():
        row["tier"] = "A"


@data("a source of tier B is called A in provenance and manifest", "licence")
def tier_everywhere(r):
    tier_b = [row for row in r.provenance.values() if row["tier"] == "B"]
    for row in tier_b:
        row |= {"tier": "A", "licence": "CC BY 4.0"}
    r.manifest["licences"]["blog_authorship"] = {"name": "CC BY 4.0", "tier": "A"}


@data("dates are others", undetectable="only the raw files have dates")
def other_dates(r):
    for row in r.provenance.values():
        row["date"] = "1999"


@data("topics are others", undetectable="only the raw files have topics")
def other_topics(r):
    for row in r.provenance.values():
        row["topic"] = "music"


# --- thresholds and measures ---


@data("a text is one phrase over and over, as its measures say", "measures")
def repetitive_text(r):
    r.write_text(r.ids_of("Jane Roe")[3], "this is what there was " * 39 + "again")


@data("a text is junk, and its measures are those of the text before it", "false_measures")
def old_measures(r):
    ident = r.ids_of("Jane Roe")[3]
    r.write_text(ident, "again " * 120 + "!")
    content = r.provenance[ident].pop("content")
    r.provenance[ident] |= {
        "content_sha256": hashlib.sha256(content.encode()).hexdigest(),
        "char_length": len(content),
        "length_bucket": "long",
    }


@data("a text is one phrase over and over, and the measures of its words say otherwise", "false_measures")
def false_words(r):
    ident = r.ids_of("Jane Roe")[3]
    before = dict(r.provenance[ident])
    r.write_text(ident, "this is what there was " * 39 + "again")
    row = r.provenance[ident]
    content = row.pop("content")
    row |= (
        measure_texts(pl.DataFrame([{"doc_key": ident, "lang": "en", "content": content}]), LANGS)
        .drop("doc_key")
        .row(0, named=True)
    )
    row |= {key: before[key] for key in ("unique_words", "dominant_word")}
    row |= {"content_sha256": hashlib.sha256(content.encode()).hexdigest(), "char_length": len(content)}
    row["length_bucket"] = pl.select(length_bucket_expr(pl.lit(row["token_length"]))).item()


@data("`token_length` is false, and what follows from it", "token_length")
def token_length(r):
    for ident in r.ids_of("Jane Roe"):
        r.set(ident, token_length=50, length_bucket="medium")


@data("German texts are called English everywhere", "measures")
def language_renamed(r):
    for ident, row in r.provenance.items():
        if row["lang"] == "de":
            r.set(ident, lang="en")
            row["content"] = r.of_id(ident)[0]["content"]


@data("a genre is renamed everywhere", undetectable="only the raw files or the source's entry have genres")
def genre_renamed(r):
    for ident, row in r.provenance.items():
        if row["genre"] == "blog/arts":
            r.set(ident, genre="blog/student")


# --- authors, splits and texts ---


@data("two authors of different sites are merged", "author_space")
def authors_merged(r):
    merge(r, "Emmy Noether", "Mary Shelley")


@data("two authors of one source are merged", "too_many_documents")
def authors_of_a_source_merged(r):
    merge(r, "Mary Shelley", "Jules Verne")


@data("an author is divided in two", "too_few_documents")
def author_divided(r):
    for ident in r.ids_of("Lise Meitner")[:1]:
        r.set(ident, author_id="0" * 64)
        for row in r.all_rows("ground_truth"):
            row["positive_ids"] = [one for one in row["positive_ids"] if one != ident]
    r.lock["authors"]["0" * 64] = "train"


@data(
    "two authors' texts change owners",
    undetectable="pseudonyms are digests of names, which no release holds",
)
def authors_swapped(r):
    one, other = id_of("Mary Shelley"), id_of("Jules Verne")
    swap = {one: other, other: one}
    for row in [*r.all_rows("candidates"), *r.all_rows("ground_truth"), *r.provenance.values()]:
        row["author_id"] = swap.get(row["author_id"], row["author_id"])


@data("a document moves to another split", "author_in_splits")
def document_moved(r):
    move(r, r.ids_of("Otto Hahn")[-1], "test")


@data(
    "an author moves to another split",
    undetectable="splits are drawn by a hash of names, which no release holds",
)
def author_moved(r):
    for ident in r.ids_of("Jules Verne"):
        move(r, ident, "test")
    r.lock["authors"][id_of("Jules Verne")] = "test"


@data(
    "a text is another, as plausible one",
    undetectable="only the raw files have the text",
)
def text_replaced(r):
    r.write_text(r.ids_of("Jane Roe")[3], prose("another", "en", 145))


# --- copies that look the same ---


def copy(r, change):
    """Make a text of test a disguised copy of one of train."""
    one, other = r.ids_of("Jane Roe")[3], r.ids_of("John Doe")[2]
    r.write_text(one, r.of_id(one)[0]["content"] + " on 17 May 2020 at 10:30, 1234567890 times")
    r.write_text(other, change(r.of_id(one)[0]["content"]))


COPIES = {
    "zero_width_copy": ("a copy is disguised by zero-width spaces", "content_form", lambda text: "\u200b".join(text)),
    "soft_hyphen_copy": ("a copy is disguised by soft hyphens", "content_form", lambda text: "\u00ad".join(text)),
    "full_width_copy": (
        "a copy is disguised by full-width letters",
        "near_duplicate",
        lambda text: "".join(chr(ord(sign) + 0xFEE0) if "!" <= sign <= "~" else sign for sign in text),
    ),
    "lookalike_copy": (
        "a copy has Cyrillic letters that look like its own",
        "near_duplicate",
        lambda text: text.translate(str.maketrans("aceopxyABEHKMOPCTX", "асеорхуАВЕНКМОРСТХ")),
    ),
    "blankless_copy": ("a copy has no blanks", "near_duplicate", lambda text: "".join(text.split())),
    "arabic_digits_copy": (
        "a copy has Arabic digits",
        "near_duplicate",
        lambda text: text.translate(str.maketrans("0123456789", "٠١٢٣٤٥٦٧٨٩")),
    ),
}
FORGERIES |= {
    name: Forgery(lie, of_rows(lambda r, change=change: copy(r, change)), claim, "")
    for name, (lie, claim, change) in COPIES.items()
}


# --- tables, report and manifest ---


FORGERIES |= {
    name: Forgery(lie, of_files(lambda folder, of=of: edit(folder / of[0], *of[1:])), claim, "")
    for name, (lie, claim, *of) in PLAIN["of_a_file"].items()
}
FORGERIES |= {
    name: Forgery(lie, of_files(lambda folder, of=of: alter_manifest(folder, *of)), claim, "")
    for name, (lie, claim, *of) in PLAIN["of_the_manifest"].items()
}


@files("the manifest does not warn of raw files that are not those of their lock", "warnings")
def lock_of_raw_files(folder):
    kept = [
        line for line in json.loads((folder / "manifest.json").read_bytes())["warnings"] if "their lock" not in line
    ]
    alter_manifest(folder, "warnings", kept)


@files("funnel.csv tells of fewer dropped texts, and adds up", "funnel")
def funnel_end(folder):
    table = pl.read_csv(folder / "funnel.csv")
    more = pl.when(pl.col("source") == "exorde").then(pl.col("documents") + 4).otherwise("documents")
    table.with_columns(more.alias("documents")).write_csv(folder / "funnel.csv")


@files("labels that are two people by their interval are called clean", "labels")
def clean_by_decision(folder):
    sources = pl.read_parquet(folder / "provenance.parquet")["source"].unique().sort()
    measured = ["40,200,same_item,0.6,0.5,0.9,clean", *["0,0,,,,,unmeasured"] * (len(sources) - 1)]
    rows = [f"{source},{told}" for source, told in zip(sources, measured, strict=True)]
    header = "source,labels,texts,estimator,impurity,low,high,decision"
    (folder / "statistics/labels.csv").write_text("\n".join([header, *rows, ""]), encoding="utf-8")


@files("labels of which nothing is measured are called clean", "labels")
def clean_without_interval(folder):
    table = (folder / "statistics/labels.csv").read_text(encoding="utf-8")
    (folder / "statistics/labels.csv").write_text(table.replace("unmeasured", "clean", 1), encoding="utf-8")


@files("the report leaves a warning out", "report")
def report_without_warning(folder):
    page = (folder / "report.html").read_text(encoding="utf-8")
    start = page.index('<li dir="auto">')
    (folder / "report.html").write_text(page[:start] + page[page.index("</li>", start) + 6 :], encoding="utf-8")


@files("sampling_deviation.json says that targets were met", "quota")
def targets_met(folder):
    alter_json(folder / "sampling_deviation.json", lambda told: told["cells"][0].update(taken=15, deficit=0))


@files("sampling_deviation.json has targets that the settings do not give", "quota")
def targets_changed(folder):
    def alter(told):
        for row in [told["documents"], *told["languages"], *told["cells"]]:
            row.update(target=row["taken"])
            if "deficit" in row:
                row["deficit"] = 0
        told["bound"]["reached"] = 0.0

    alter_json(folder / "sampling_deviation.json", alter)


@files("the digest of a source's raw files is another", undetectable="no release holds the raw files")
def false_input(folder):
    alter_manifest(folder, "inputs.exorde.sha256", "0" * 64)


@files("the name or the version of the program is another", undetectable="no claim depends on them")
def other_name(folder):
    alter_manifest(folder, "name", "authbench-300k")
    alter_manifest(folder, "config.name", "authbench-300k")


# --- files ---


@files("a file that belongs to no release is listed", "files")
def unknown_file(folder):
    (folder / "names.csv").write_text("id,name\n", encoding="utf-8")


def unlisted_file(folder):
    (folder / "names.csv").write_text("id,name\n", encoding="utf-8")


def hidden_file(folder):
    (folder / ".names.csv").write_text("id,name\n", encoding="utf-8")


def symlink(folder):
    (folder / "train" / "more").symlink_to("/etc")


def linked_table(folder):
    (folder / ".git").mkdir()
    (folder / "funnel.csv").rename(folder / ".git/funnel.csv")
    (folder / "funnel.csv").symlink_to(folder / ".git/funnel.csv")


def strange_kind(folder):
    os.mkfifo(folder / "train" / "queue")


FORGERIES |= {
    "unlisted_file": Forgery("a file lies in the folder that SHA256SUMS does not list", unlisted_file, "checksum", ""),
    "hidden_file": Forgery("a hidden file lies in the folder", hidden_file, "checksum", ""),
    "symlink": Forgery("a link to another place lies in the folder", symlink, "files", ""),
    "linked_table": Forgery("a listed file is a link to a place that nobody looks at", linked_table, "files", ""),
    "strange_kind": Forgery("a named pipe lies in the folder", strange_kind, "files", ""),
}


@files("the lock, the funnel and the statistics are removed, and SHA256SUMS does not miss them", "files")
def bookkeeping_removed(folder):
    for name in ("release.lock", "funnel.csv", "sampling_deviation.json", "provenance.parquet"):
        (folder / name).unlink()
    shutil.rmtree(folder / "statistics")


# --- relations, pairs, ids and labels ---


declare(files)


@data("documents are numbered by author", "ids")
def numbered_by_author(r):
    def owner(ident):
        return tuple(r.provenance[ident][key] for key in ("lang", "source", "author_id", "date"))

    renumber(r, sorted(r.provenance, key=owner))


@data("documents of each split are numbered by length", "ids")
def numbered_by_length(r):
    renumber(r, sorted(r.provenance, key=lambda ident: r.provenance[ident]["token_length"]))


@files("lines stand in the order of their authors", "numbering")
def lines_by_author(folder):
    path = folder / "test/candidates.jsonl"
    lines = sorted(path.read_bytes().splitlines(keepends=True), key=lambda line: orjson.loads(line)["author_id"])
    path.write_bytes(b"".join(lines))


@data("a text that is not scored is a query", "work_in_truth")
def unscored_query(r):
    r.provenance[r.query_of("Emily Bronte")]["scored"] = False


@data("a query is a line of another author's text and its date", "borrowed_text")
def borrowed_query(r):
    line, other = "Seven poets sent a poem to the mill by the river", r.ids_of("Jules Verne")[0]
    r.write_text(other, f"{r.of_id(other)[0]['content']}\n{line}")
    r.write_text(r.query_of("Emily Bronte"), f"{line}\nMay 1846")


@files("a text that is not scored is a negative", "unscored_pair")
def unscored_negative(folder):
    told = pl.read_parquet(folder / "provenance.parquet")
    negative = pl.read_parquet(folder / "test/pairs.parquet").filter(~pl.col("same"))["candidate_id"][0]
    scored = pl.col("scored") & (pl.col("id") != negative)
    told.with_columns(scored).write_parquet(folder / "provenance.parquet")


# --- the forger's tools ---


def renumber(r, order):
    """Give the documents the numbers that there are in another order, wherever an id stands."""
    new = dict(zip(order, sorted(r.provenance), strict=True))
    for row in [*r.all_rows("candidates"), *r.all_rows("queries"), *r.all_rows("ground_truth")]:
        for key in ("candidate_id", "query_id"):
            if key in row:
                row[key] = new[row[key]]
        for key in ("positive_ids", "ignored_ids"):
            if key in row:
                row[key] = sorted(new[one] for one in row[key])
    r.provenance = {new[ident]: row | {"id": new[ident]} for ident, row in r.provenance.items()}
    r.lock["documents"] = {key: new[ident] for key, ident in r.lock["documents"].items()}


def move(r, ident, split):
    """Move a document, with the query that it is, to another split."""
    for files in r.rows.values():
        for name, key in (("candidates", "candidate_id"), ("queries", "query_id"), ("ground_truth", "query_id")):
            for row in [row for row in files[name] if row[key] == ident]:
                files[name].remove(row)
                r.rows[split][name].append(row)
    r.provenance[ident]["split"] = split
    here = {row["candidate_id"] for row in r.rows[split]["candidates"]}
    for where, files in r.rows.items():
        for row in files["ground_truth"]:
            kept = [one for one in row["positive_ids"] if (one in here) == (where == split)]
            row["positive_ids"] = kept
            own = [row_["candidate_id"] for row_ in files["candidates"] if row_["author_id"] == row["author_id"]]
            row["positive_ids"] = sorted(set(kept) | ({*own} - {row["query_id"], *row["ignored_ids"]}))


def merge(r, one, other):
    """Give all texts of an author to another, in the other's split, with one query left."""
    split = r.provenance[r.ids_of(one)[0]]["split"]
    r.remove_query(r.query_of(other))
    gone, kept = id_of(other), id_of(one)
    for ident in r.ids_of(other):
        r.set(ident, author_id=kept)
        move(r, ident, split)
    del r.lock["authors"][gone]


def ignore_a_positive(r):
    row = r.truth(r.query_of("Jane Roe"))
    ident = row["positive_ids"].pop()
    row["ignored_ids"] = [ident]
    return str(ident)


def take_down(r, ident):
    """Take a document down as a release does."""
    source = r.provenance[ident]["source"]
    r.remove(ident)
    r.manifest["takedown"] |= {"entries": 1, "documents": 1}
    end = pl.DataFrame([(source, "release", "taken_down", 1)], r.funnel.schema, orient="row")
    kept = (pl.col("source") == source) & (pl.col("stage") == "release") & (pl.col("reason") == "kept")
    less = pl.when(kept).then(pl.col("documents") - 1).otherwise("documents")
    r.funnel = pl.concat([r.funnel.with_columns(less.alias("documents")), end])
    r.funnel = statistics.funnel_table(r.funnel.to_dicts())


def edit(path, old, new):
    text = path.read_text(encoding="utf-8")
    assert old in text, f"{path.name}: {old} is not there"
    path.write_text(text.replace(old, new), encoding="utf-8")


def alter_manifest(folder, place, *value):
    """Put a value at a place of the manifest, keys with dots between them, or leave the place out."""
    told = json.loads((folder / "manifest.json").read_bytes())
    *outer, last = place.split(".")
    inner = reduce(getitem, outer, told)
    if value:
        (inner[last],) = value
    else:
        del inner[last]
    write_plain_json(folder / "manifest.json", told)


def alter_json(path, alter):
    told = json.loads(path.read_bytes())
    alter(told)
    write_plain_json(path, told)


def table():
    """Return the forgeries that no check can find as the table of docs/reliability.md."""
    hidden = [one for one in FORGERIES.values() if not one.claim]
    rows = ["| forgery | why not |", "| --- | --- |", *(f"| {one.lie} | {one.undetectable} |" for one in hidden)]
    return "\n".join(rows) + "\n"
