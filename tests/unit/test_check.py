"""Is a release sound? A tiny sound one passes; each thing that can be wrong, planted alone, is named with its id."""

import hashlib
import json
import tempfile
import unicodedata
from collections import Counter
from copy import deepcopy
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import orjson
import polars as pl
import pytest
from cases import cases
from forgeries import FORGERIES, REFUSED
from hypothesis import given
from hypothesis import settings as settings_of_hypothesis
from hypothesis import strategies as st

from authbench.app.cli import main
from authbench.build.filter.measure import measure_texts
from authbench.core.errors import InputError
from authbench.core.identity import digest, keyed_hash
from authbench.core.records import length_bucket_expr
from authbench.core.storage import json_lines
from authbench.core.tokens import count, load_encoding
from authbench.release.checking import check_release
from authbench.release.checking import overlap as contained
from authbench.release.checking import rows as check_rows
from authbench.release.checking.claims import CLAIMS
from authbench.release.format.columns import MERGED, PROVENANCE, SPLIT_TABLES

ENCODING = load_encoding()

SYLLABLES = ["ba", "ce", "di", "fo", "gu", "la", "me", "ni", "po", "ru", "sa", "te", "vi", "wo", "zu"]
Rows = list[dict[str, Any]]


def text(name, words=40):
    """A text of its own for every name."""
    draws = [keyed_hash(1, name, str(i)) for i in range(words)]
    return " ".join(SYLLABLES[d % 15] + SYLLABLES[d // 15 % 15] + SYLLABLES[d // 225 % 15] for d in draws)


def author(name):
    return hashlib.sha256(name.encode()).hexdigest()


@dataclass
class Model:
    """A release to be written: its rows, and what only the provenance knows of a document."""

    rows: dict[str, dict[str, Rows]]
    origin: dict[str, str] = field(default_factory=dict)
    kind: dict[str, str] = field(default_factory=dict)
    unscored: set[str] = field(default_factory=set)
    config: dict[str, Any] = field(default_factory=dict)

    def documents(self):
        found = []
        for split, files in self.rows.items():
            authors = {row.get("query_id"): row["author_id"] for row in files["ground_truth"]}
            known = {row["candidate_id"] for row in files["candidates"]}
            for row in files["candidates"]:
                found.append({"split": split, "id": row["candidate_id"], **row})
            for row in files["queries"]:
                if row["query_id"] not in known:
                    found.append({"split": split, "id": row["query_id"], "author_id": authors[row["query_id"]], **row})
        return found


def settings(**release):
    return {
        "split": {"splits": {"train": 50, "test": 50}, "unit": "author"},
        "release": {"queries_in_candidates": True, "positives": "other_work", "queries_per_author": 1, **release},
        "normalize": {"mask": ["email", "phone", "handle", "url"]},
        "sample": {"genres": {"en": {"news": 50, "blog/*": 50}, "ru": {"news": 100}}, "max_documents_per_author": 5},
    }


def sound(disjoint=False, one_work=False):
    """Two splits with two authors each, who have four documents: doc_000000 asks, the others answer, and so on."""
    model = Model({}, config=settings(queries_in_candidates=not disjoint))
    number = 0
    for split in ("train", "test"):
        files = {"candidates": [], "queries": [], "ground_truth": []}
        for who, lang, genre in (("ann", "en", "blog/arts"), ("bob", "ru", "news")):
            own = []
            for place in range(4):
                ident = f"doc_{number:06d}"
                content = text(ident)
                labels = {"lang": lang, "genre": genre, "content": content, "source": "web"}
                own.append({"id": ident, **labels, "token_length": count(ENCODING, [content])[0]})
                model.origin[ident] = f"{split}-{who}-{place // 2 if one_work else place}"
                model.kind[ident] = "person"
                number += 1
            query, *others = (row.pop("id") for row in own)
            listed = others[1:] if one_work else others
            files["queries"].append({"query_id": query, **own[0]})
            truth = {"query_id": query, "positive_ids": listed, "author_id": author(split + who)}
            files["ground_truth"].append(truth | ({"ignored_ids": others[:1]} if one_work else {}))
            ids = zip([query, *others], own, strict=True)
            files["candidates"] += [{"candidate_id": i, "author_id": author(split + who), **row} for i, row in ids][
                disjoint:
            ]
        model.rows[split] = files
    return model


def provenance(model):
    """Every column of the format, of texts that pass the filters whatever they are made of."""
    rows = model.documents()
    measured = measure_texts(pl.DataFrame([{"doc_key": row["id"], **row} for row in rows]), ("en", "ru"))
    fine = {"script": 1.0, "symbols": 0.0, "alphabetic": 1.0, "langid": None, "langid_probability": None}
    fine |= {"alphabetic_words": 1.0, "single_letter_words": 0.0}
    known = [
        {
            **dict.fromkeys(PROVENANCE.required, None),
            **row,
            "origin": digest("origin", model.origin.get(row["id"], row["id"])),
            "author_kind": model.kind.get(row["id"], "person"),
            "task": "authorship",
            "names_author": False,
            "scored": row["id"] not in model.unscored,
            "licence": "CC0-1.0",
            "tier": "A",
            "file": hashlib.sha256(b"file").hexdigest(),
            "ordinal": 10 * place,
            "content_sha256": hashlib.sha256(row["content"].encode()).hexdigest(),
            "char_length": len(row["content"]),
            "toxicity": 0.0,
            **numbers,
            **fine,
        }
        for place, (row, numbers) in enumerate(zip(rows, measured.to_dicts(), strict=True))
    ]
    schema = {name: dtype for name, dtype in PROVENANCE.schema.items() if name not in ("labels", "unique_values")}
    return pl.DataFrame(known, schema).with_columns(length_bucket_expr("token_length").alias("length_bucket"))


def write(model, folder):
    """Write the rows, and provenance, sampling report, manifest and checksums that agree with them."""
    for split, files in model.rows.items():
        (folder / split).mkdir(parents=True)
        for name, rows in files.items():
            (folder / split / f"{name}.jsonl").write_bytes(
                b"".join(orjson.dumps(row, option=orjson.OPT_APPEND_NEWLINE) for row in rows)
            )
    try:
        documents = provenance(model)
    except (KeyError, TypeError, pl.exceptions.PolarsError):
        return folder  # rows that are no documents have no bookkeeping
    documents.unique("id", keep="first", maintain_order=True).write_parquet(folder / "provenance.parquet")
    pattern = {"news": "news", "blog/arts": "blog/*"}
    cells = Counter(zip(documents["lang"], [pattern.get(g, "(no target)") for g in documents["genre"]], strict=True))
    sizes = documents.group_by("lang", "source", "author_id").len()["len"]
    deviation = {
        "documents": {"target": 16, "taken": documents.height},
        "languages": [
            {"language": lang, "target": n, "available": n, "taken": n, "deficit": 0}
            for lang, n in Counter(documents["lang"]).items()
        ],
        "cells": [
            {"language": lang, "dimension": "genre", "key": key, "target": n, "available": n, "taken": n}
            for (lang, key), n in cells.items()
        ],
        "bound": {"least_deviation": 0.0, "reached": 0.0},
        "fallback_authors": int((sizes < 3).sum()),
    }
    counts = {
        split: {
            "documents": part.height,
            "authors": part["author_id"].n_unique(),
            "queries": len({row["query_id"] for row in files["queries"]}),
            "languages": dict(Counter(part["lang"])),
            "genres": dict(Counter(part["genre"])),
        }
        for split, files in model.rows.items()
        for part in [documents.filter(pl.col("split") == split)]
    }
    save(folder / "sampling_deviation.json", deviation)
    save(folder / "manifest.json", {"config": model.config, "counts": counts, "takedown": {"documents": 0}})
    seal(folder)
    return folder


def save(path, value):
    path.write_text(json.dumps(value), "utf-8")


def append(path, more):
    with path.open("a", encoding="utf-8") as file:
        file.write(more)


def seal(folder):
    files = sorted(path for path in folder.rglob("*") if path.is_file() and path.name != "SHA256SUMS")
    lines = [f"{hashlib.sha256(p.read_bytes()).hexdigest()}  {p.relative_to(folder).as_posix()}\n" for p in files]
    (folder / "SHA256SUMS").write_text("".join(lines))


def row_of(model, split, name, ident):
    rows = model.rows[split][name]
    return next(row for row in rows if ident in (row.get("candidate_id"), row.get("query_id")))


def change(split, name, ident, **fields):
    return lambda model: row_of(model, split, name, ident).update(fields)


def rewrite(ident, content, split="train"):
    """Give a candidate another text, with its right number of tokens."""
    return change(split, "candidates", ident, content=content, token_length=max(1, count(ENCODING, [content])[0]))


def drop(split, name, ident):
    return lambda model: model.rows[split][name].remove(row_of(model, split, name, ident))


def truth(ident, split="train", **fields):
    return change(split, "ground_truth", ident, **fields)


def answer(ident):
    """One more positive for the first query of train."""
    return lambda model: model.rows["train"]["ground_truth"][0]["positive_ids"].append(ident)


def add_documents(ident, many):
    """More documents for the first author of train, all of them positives."""

    def mutate(model):
        first = deepcopy(row_of(model, "train", "candidates", "doc_000001"))
        for number in range(ident, ident + many):
            name = f"doc_{number:06d}"
            content = text(name)
            more = {"candidate_id": name, "content": content, "token_length": count(ENCODING, [content])[0]}
            model.rows["train"]["candidates"].append({**first, **more})
            row_of(model, "train", "ground_truth", "doc_000000")["positive_ids"].append(name)

    return mutate


def leave(*idents):
    """Take documents of the first author of train out."""

    def mutate(model):
        for ident in idents:
            drop("train", "candidates", ident)(model)
            for row in model.rows["train"]["ground_truth"]:
                row["positive_ids"] = [other for other in row["positive_ids"] if other != ident]

    return mutate


def both(*mutations):
    def mutate(model):
        for one in mutations:
            one(model)

    return mutate


def set_origin(**origins):
    return lambda model: model.origin.update(origins)


def second_query(model):
    row = dict(row_of(model, "train", "candidates", "doc_000001"))
    del row["candidate_id"], row["author_id"]
    model.rows["train"]["queries"].append({"query_id": "doc_000001", **row})
    positives = ["doc_000000", "doc_000002", "doc_000003"]
    model.rows["train"]["ground_truth"].append(
        {"query_id": "doc_000001", "positive_ids": positives, "author_id": author("trainann")}
    )


LONG = text("long", 120)
EXCERPT = text("before", 150) + " " + LONG
SIX = "doc_000006"  # a candidate of train that is no query
PAIR = "doc_000006 ~ doc_000014"


def of_a_work(ident):
    """Let a document be by an author known by a work alone, as the settings allow."""

    def mutate(model):
        model.kind[ident] = "work"
        model.config["authors"] = {"kinds": ["person", "work"]}

    return mutate


EXCERPT_ASKS = both(
    rewrite("doc_000001", LONG),
    rewrite("doc_000000", EXCERPT),
    change("train", "queries", "doc_000000", content=EXCERPT, token_length=count(ENCODING, [EXCERPT])[0]),
)
BEFORE = [
    ("schema", change("train", "candidates", SIX, source=""), SIX),
    ("schema", change("train", "candidates", SIX, token_length="12"), SIX),
    ("schema", change("train", "candidates", SIX, token_length=True), SIX),
    ("schema", change("train", "candidates", SIX, lang="English"), SIX),
    ("schema", change("train", "candidates", SIX, genre="News items"), SIX),
    ("schema", change("train", "candidates", SIX, raw_author="Bob"), SIX),
    ("schema", change("train", "queries", "doc_000000", author_id=author("trainann")), "doc_000000"),
    ("schema", lambda m: row_of(m, "train", "candidates", SIX).pop("genre"), SIX),
    ("schema", lambda m: m.rows["train"]["candidates"].append(["no object"]), "train/candidates.jsonl:9"),
    ("schema", truth("doc_000000", positive_ids="doc_000001"), "doc_000000"),
    ("id_form", change("train", "candidates", SIX, candidate_id="blog-7"), "blog-7"),
    ("author_form", change("train", "candidates", SIX, author_id="Bob"), SIX),
    ("author_form", change("train", "candidates", SIX, author_id=author("trainbob").upper()), SIX),
    ("repeated_id", lambda m: m.rows["train"]["candidates"].append(row_of(m, "train", "candidates", SIX)), SIX),
    ("repeated_id", change("test", "candidates", "doc_000014", candidate_id=SIX), SIX),
    ("repeated_id", lambda m: m.rows["train"]["queries"].append(m.rows["train"]["queries"][0]), "doc_000000"),
    ("content_form", rewrite(SIX, text("x") + "\n"), SIX),
    ("content_form", rewrite(SIX, " " + text("x")), SIX),
    ("content_form", rewrite(SIX, text("x") + "\tb"), SIX),
    ("content_form", rewrite(SIX, text("x") + "\x00b"), SIX),
    ("content_form", rewrite(SIX, text("x") + unicodedata.normalize("NFD", " é")), SIX),
    ("personal_data", rewrite(SIX, text("x") + " ann@example.org"), SIX),
    ("token_length", lambda m: row_of(m, "train", "candidates", SIX).update(token_length=99), SIX),
    ("exact_duplicate", rewrite(SIX, text("doc_000007")), "doc_000006 = doc_000007"),
    ("near_duplicate", rewrite(SIX, text("doc_000007") + " vo"), "doc_000006 ~ doc_000007"),
    ("near_duplicate", rewrite(SIX, text("doc_000007").upper()), "doc_000006 ~ doc_000007"),
    ("near_duplicate", rewrite(SIX, text("doc_000014").replace("a", "a\u200d") + " vo"), PAIR),
    ("leak", rewrite(SIX, text("doc_000014") + " " + text("more", 13)), PAIR),
    ("contained_leak", both(rewrite(SIX, LONG), rewrite("doc_000014", EXCERPT, "test")), PAIR),
    ("author_in_splits", both(
        lambda m: [row.update(author_id=author("trainann")) for row in m.rows["test"]["candidates"][:4]] and None,
        truth("doc_000008", "test", author_id=author("trainann")),
        lambda m: m.config["sample"].update(max_documents_per_author=8),
    ), author("trainann")),
    ("origin_in_splits", set_origin(doc_000001="book", doc_000009="book"), digest("origin", "book")),
    ("too_many_documents", add_documents(16, 2), author("trainann")),
    ("too_few_documents", both(
        leave("doc_000000", "doc_000001", "doc_000002"),
        drop("train", "queries", "doc_000000"), drop("train", "ground_truth", "doc_000000"),
    ), author("trainann")),
    ("query_differs", change("train", "queries", "doc_000000", genre="news"), "doc_000000"),
    ("query_without_truth", both(drop("train", "ground_truth", "doc_000000"), second_query), "doc_000000"),
    ("truth_without_query", both(drop("train", "queries", "doc_000000")), "doc_000000"),
    ("author_mismatch", truth("doc_000000", author_id=author("trainbob")), "doc_000000"),
    ("own_positive", answer("doc_000000"), "doc_000000"),
    ("unknown_positive", answer("doc_000009"), "doc_000000"),
    ("unknown_positive", answer("doc_000001"), "doc_000000"),
    ("foreign_positive", answer(SIX), "doc_000000"),
    ("missing_positive", truth("doc_000000", positive_ids=["doc_000001", "doc_000002"]), "doc_000000"),
    ("wrong_ignored", truth("doc_000000", ignored_ids=["doc_000001"]), "doc_000000"),
    ("wrong_ignored", truth("doc_000000", ignored_ids=["doc_000009"]), "doc_000000"),
    ("contained_positive", EXCERPT_ASKS, "doc_000000"),
    ("unexplained_ignored", truth("doc_000000", positive_ids=["doc_000001", "doc_000002"], ignored_ids=["doc_000003"]),
        "doc_000000"),
    ("unexplained_ignored", both(
        of_a_work(SIX), truth("doc_000000", ignored_ids=[SIX]),
        truth("doc_000004", positive_ids=["doc_000005", "doc_000007"], ignored_ids=[SIX]),
    ), "doc_000000"),
    ("work_in_truth", of_a_work("doc_000001"), "doc_000000"),
    ("work_in_truth", of_a_work("doc_000000"), "doc_000000"),
    ("too_many_queries", second_query, author("trainann")),
    ("query_of_small_author", leave("doc_000002", "doc_000003"), "doc_000000"),
    ("missing_query", both(
        drop("train", "queries", "doc_000000"), drop("train", "ground_truth", "doc_000000")
    ), author("trainann")),
    ("missing_query", both(
        rewrite("doc_000001", LONG), rewrite("doc_000000", EXCERPT),
        drop("train", "queries", "doc_000000"), drop("train", "ground_truth", "doc_000000"),
    ), author("trainann")),
]  # fmt: skip


def set_query(model, ident):
    row = dict(row_of(model, "train", "queries", ident))
    del row["query_id"]
    model.rows["train"]["candidates"].append({"candidate_id": ident, "author_id": author("trainann"), **row})


OTHER_FORMS = [
    ("query_place", sound(disjoint=True), lambda m: set_query(m, "doc_000000"), "doc_000000"),
    ("query_place", sound(), drop("train", "candidates", "doc_000000"), "doc_000000"),
    ("same_origin_positive", sound(one_work=True),
        truth("doc_000000", positive_ids=["doc_000001", "doc_000002", "doc_000003"], ignored_ids=[]), "doc_000000"),
    ("unexplained_ignored", sound(one_work=True),
        truth("doc_000000", positive_ids=["doc_000002"], ignored_ids=["doc_000001", "doc_000003"]), "doc_000000"),
    ("missing_query", sound(disjoint=True), lambda m: m.config["release"].update(queries_per_author="all"),
        author("trainann")),
    ("missing_query", sound(one_work=True), lambda m: m.config["release"].update(queries_per_author=2),
        author("trainann")),
    ("short_query", sound(), lambda m: m.config["release"].update(min_letters_for_query=10_000), "doc_000000"),
    ("work_in_truth", sound(), lambda m: m.unscored.add("doc_000001"), "doc_000000"),
]  # fmt: skip


def no_positive(model):
    for row in model.rows["train"]["ground_truth"][:1]:
        row.update(positive_ids=[], ignored_ids=["doc_000001", "doc_000002", "doc_000003"])
    model.kind.update(dict.fromkeys(["doc_000001", "doc_000002", "doc_000003"], "work"))
    model.config["release"]["min_documents_for_query"] = 1
    model.config["authors"] = {"kinds": ["person", "work"]}


OTHER_FORMS.append(("no_positive", sound(), no_positive, "doc_000000"))


def edit_json(name, edit):
    def mutate(folder):
        value = json.loads((folder / name).read_text())
        edit(value)
        save(folder / name, value)
        seal(folder)

    return mutate


def edit_provenance(edit):
    def mutate(folder):
        edit(pl.read_parquet(folder / "provenance.parquet")).write_parquet(folder / "provenance.parquet")
        seal(folder)

    return mutate


def replaced(column, value):
    given = pl.when(pl.col("id") == SIX).then(pl.lit(value)).otherwise(pl.col(column)).alias(column)
    return edit_provenance(lambda table: table.with_columns(given))


def merged_without(ident):
    """Say that the release was merged of two, and leave a document out of the account."""

    def mutate(folder):
        ids = [one for one in sorted(pl.read_parquet(folder / "provenance.parquet")["id"]) if one != ident]
        rows = {"release": [1] * len(ids), "id_before": ids, "id": ids, "reason": None, "by": None}
        pl.DataFrame(rows, MERGED.schema).write_parquet(folder / "merged.parquet")
        part = {"name": "one", "documents": len(ids), "kept": len(ids), "removed": {}}
        manifest = json.loads((folder / "manifest.json").read_text())
        other = {**part, "documents": 0, "kept": 0}
        save(folder / "manifest.json", manifest | {"merged": [part, other]})
        seal(folder)

    return mutate


def with_a_prompt_twice(folder):
    """Say that essays have a prompt each, and that one has another's."""
    table = pl.read_parquet(folder / "provenance.parquet").with_columns(ordinal=pl.int_range(pl.len()))
    other = table.filter(pl.col("id") == SIX)["ordinal"].item() + 1
    numbers = [other if number + 1 == other else number for number in table["ordinal"]]
    table.with_columns(
        task=pl.lit("essay"),
        file=pl.lit("0" * 64),
        unique_values=pl.Series([f'{{"prompt":"{number:032x}"}}' for number in numbers]),
    ).write_parquet(folder / "provenance.parquet")
    edit_json("manifest.json", lambda value: value["config"].update(dedup={"unique": {"essay": ["prompt"]}}))(folder)


AFTER = [
    ("checksum", lambda f: append(f / "README.md", "extra"), "README.md"),
    ("checksum", lambda f: (f / "provenance.parquet").unlink(), "provenance.parquet"),
    ("checksum", lambda f: save(f / "manifest.json", json.loads((f / "manifest.json").read_text()) | {"a": 1}),
        "manifest.json"),
    ("checksum", lambda f: append(f / "SHA256SUMS", "0\n"), "SHA256SUMS:10"),
    ("provenance", edit_provenance(lambda table: table.filter(pl.col("id") != SIX)), SIX),
    ("repeated_id", edit_provenance(lambda table: pl.concat([table, table.filter(pl.col("id") == SIX)])), SIX),
    ("provenance", edit_provenance(lambda table: pl.concat(
        [table, table.filter(pl.col("id") == SIX).with_columns(id=pl.lit("doc_000099"), split=pl.lit("train"))])),
        "doc_000099"),
    ("provenance", replaced("split", "dev"), SIX),
    ("provenance", replaced("char_length", 3), SIX),
    ("provenance", replaced("length_bucket", "short"), SIX),
    ("provenance", replaced("content_sha256", "0" * 64), SIX),
    ("schema", edit_provenance(lambda table: table.with_columns(raw_author=pl.lit("Bob"))), "provenance.parquet"),
    ("unique_field", with_a_prompt_twice, "doc_000006 = doc_000007"),
    ("quota", edit_json("sampling_deviation.json", lambda v: v["documents"].update(taken=17)), "documents"),
    ("quota", edit_json("sampling_deviation.json", lambda v: v["languages"].pop()), "language ru"),
    ("quota", edit_json("sampling_deviation.json", lambda v: v["cells"][0].update(taken=1)), "genre en blog/*"),
    ("quota", edit_json("sampling_deviation.json", lambda v: v.update(fallback_authors=1)), "fallback_authors"),
    ("manifest", edit_json("manifest.json", lambda v: v["counts"]["test"].update(authors=3)), "test"),
    ("withheld", edit_json("manifest.json", lambda v: v.update(withheld={"documents": 0})), "manifest.json"),
    ("manifest", edit_json("manifest.json", lambda v: v["counts"].update(dev={"documents": 8})), "dev"),
    ("merge", merged_without(SIX), SIX),
]  # fmt: skip


def broken(folder, expected=None):
    return {violation.code: violation for violation in check_release(folder, expected)}


@pytest.mark.parametrize("disjoint", [False, True])
@pytest.mark.parametrize("one_work", [False, True])
def test_a_sound_release_breaks_no_claim(tmp_path, disjoint, one_work):
    assert check_release(write(sound(disjoint, one_work), tmp_path / "release")) == []


def test_authors_who_are_possibly_one_ignore_each_other(tmp_path):
    model = sound()
    ann, bob = (row["query_id"] for row in model.rows["train"]["ground_truth"])
    texts = [row["candidate_id"] for row in model.rows["train"]["candidates"]]
    truth(ann, ignored_ids=texts[4:])(model)
    assert broken(write(model, tmp_path / "one"), model.config).keys() == {"unexplained_ignored"}
    truth(bob, ignored_ids=texts[:4])(model)
    assert check_release(write(model, tmp_path / "both"), model.config) == []


@pytest.mark.parametrize(
    ("code", "model", "mutate", "ident"), [*((code, sound(), *case) for code, *case in BEFORE), *OTHER_FORMS]
)
def test_each_planted_violation_is_named_with_its_id(tmp_path, code, model, mutate, ident):
    model = deepcopy(model)
    mutate(model)
    found = broken(write(model, tmp_path / "release"), model.config)
    assert found.keys() == {code}
    assert ident in found[code].ids, found


@pytest.mark.parametrize(("code", "mutate", "ident"), AFTER)
def test_bookkeeping_that_disagrees_is_named(tmp_path, code, mutate, ident):
    folder = write(sound(), tmp_path / "release")
    mutate(folder)
    found = broken(folder)
    assert found.keys() == {code}
    assert ident in found[code].ids, found


def test_every_claim_has_a_violation_planted_here():
    forged = {forgery.claim for forgery in FORGERIES.values()}
    assert {case[0] for case in [*BEFORE, *OTHER_FORMS, *AFTER]} | forged - {"", REFUSED} == CLAIMS.keys()


def without_bookkeeping(folder):
    for path in folder.glob("*.*"):
        path.unlink()
    (folder / "SHA256SUMS").unlink()
    return folder


def test_a_release_of_others_needs_no_bookkeeping_and_no_split_names(tmp_path):
    for disjoint in (False, True):
        folder = without_bookkeeping(write(sound(disjoint), tmp_path / str(disjoint)))
        (folder / "train").rename(folder / "fold_one")
        assert check_release(folder) == []


def test_without_provenance_nothing_proves_why_an_answer_is_ignored(tmp_path):
    model = sound()
    truth("doc_000000", positive_ids=["doc_000001", "doc_000002"], ignored_ids=["doc_000003"])(model)
    assert broken(without_bookkeeping(write(model, tmp_path / "release"))).keys() == {"unexplained_ignored"}


def test_an_empty_split_and_an_absent_one_are_sound(tmp_path):
    model = sound()
    model.rows["dev"] = {"candidates": [], "queries": [], "ground_truth": []}
    del model.rows["train"]
    assert check_release(write(model, tmp_path / "release")) == []


def test_a_notice_that_strangers_share_makes_no_copies_of_their_texts(tmp_path):
    model, notice = sound(), "Copyright 1999 by the publisher of this fine page, who has lawyers.\n" * 20
    for files in model.rows.values():
        for row in files["candidates"] + files["queries"]:
            row["content"] = notice + row["content"]
            row["token_length"] = count(ENCODING, [row["content"]])[0]
    found = check_release(write(model, tmp_path), {"filter": {"unique_words": None}})
    assert {finding.code for finding in found} == {"borrowed_text"}


def test_documents_of_an_author_may_be_spread_where_the_unit_is_the_document(tmp_path):
    model = sound()
    next(case[1] for case in BEFORE if case[0] == "author_in_splits")(model)
    model.config["split"]["unit"] = "document"
    assert check_release(write(model, tmp_path / "release"), model.config) == []


def test_after_a_takedown_authors_may_be_small_and_the_sample_larger(tmp_path):
    model = sound()
    leave("doc_000002", "doc_000003")(model)
    folder = write(model, tmp_path / "release")
    edit_json(
        "sampling_deviation.json", lambda v: v["documents"].update(taken=16) or v["languages"][0].update(taken=8)
    )(folder)
    assert {"quota", "query_of_small_author"} <= broken(folder).keys()
    edit_json("manifest.json", lambda v: v["takedown"].update(documents=2))(folder)
    assert check_release(folder) == []


def test_expected_settings_go_before_the_manifests(tmp_path):
    folder = write(sound(), tmp_path / "release")
    strict = broken(folder, {"sample": {"max_documents_per_author": 3}})
    assert strict.keys() == {"looser_settings", "too_many_documents"}
    assert broken(folder, {"release": {"queries_in_candidates": False}}).keys() == {"query_place"}
    with pytest.raises(InputError, match="max_documents_per_author"):
        check_release(folder, {"sample": {"documents_per_author": 3}})


def test_a_missing_file_cannot_be_read(tmp_path, capsys):
    folder = write(sound(), tmp_path / "release")
    (folder / "test" / "ground_truth.jsonl").unlink()
    assert main(["check", str(folder)]) == 2
    assert "ground_truth.jsonl: there is no such file" in capsys.readouterr().err


@cases
def test_bookkeeping_that_cannot_be_read_is_named(tmp_path, name, content, named):
    folder = write(sound(), tmp_path / "release")
    (folder / name).write_text(content)
    seal(folder)
    with pytest.raises(InputError, match=named):
        check_release(folder)


def test_without_the_vocabulary_nothing_is_called_sound(tmp_path, monkeypatch):
    def missing():
        raise InputError("the vocabulary is missing")

    monkeypatch.setattr("authbench.release.checking.load_encoding", missing)
    assert main(["check", str(write(sound(), tmp_path / "release"))]) == 2


NUMBERS = st.integers(-(1 << 63), (1 << 64) - 1) | st.floats(allow_nan=False)
JSON = st.recursive(
    st.none() | st.booleans() | NUMBERS | st.text(max_size=9),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=2),
    max_leaves=4,
)


@given(
    st.sampled_from([(name, column) for name, table in SPLIT_TABLES.items() for column in table.names]),
    JSON | st.sampled_from(["doc_000001", "doc_000009", author("trainann"), ["doc_000001"], ["doc_000003"] * 2]),
)
@settings_of_hypothesis(max_examples=40, deadline=None)
def test_whatever_a_field_holds_the_check_ends_and_finds_a_changed_value(place, value):
    name, key = place
    model = sound()
    before = model.rows["train"][name][1].get(key)
    model.rows["train"][name][1][key] = value
    with tempfile.TemporaryDirectory() as folder:
        write(sound(), Path(folder))
        changed = b"".join(orjson.dumps(row, option=orjson.OPT_APPEND_NEWLINE) for row in model.rows["train"][name])
        (Path(folder) / "train" / f"{name}.jsonl").write_bytes(changed)
        found = broken(Path(folder))
    same = value == before and type(value) is type(before)
    nothing_ignored = key == "ignored_ids" and value == []
    assert same or nothing_ignored or found.keys() - {"checksum"}
    assert all(violation.ids for violation in found.values())


STRINGS = ["", "en", "News", "news", "doc_000001", "doc_1", "doc_٠٠٠٠٠٠", "a" * 64, "A" * 64, "news\n"]
VALUES = JSON | st.floats() | st.sampled_from(STRINGS) | st.lists(st.sampled_from(["doc_000001", "", 3]))


@settings_of_hypothesis(max_examples=100)
@given(st.sampled_from(sorted(SPLIT_TABLES)), st.data())
def test_a_batch_passes_as_a_whole_only_if_each_of_its_rows_does(name, data):
    rows = deepcopy([*sound().rows["train"][name], ["no object"]][: data.draw(st.integers(1, 9))])
    row = data.draw(st.sampled_from(rows))
    for _ in range(data.draw(st.integers(0, 2))):
        if isinstance(row, dict):
            row[data.draw(st.sampled_from([*SPLIT_TABLES[name].names, "ignored_ids", "more"]))] = data.draw(VALUES)
    findings = [finding for row in rows for finding in check_rows._check_row(SPLIT_TABLES[name], row, "here")]
    assert check_rows._all_formed(SPLIT_TABLES[name], rows) == (not findings)


def test_files_longer_than_a_batch_are_read_whole_and_their_lines_keep_their_numbers(tmp_path, monkeypatch):
    monkeypatch.setattr(json_lines, "BATCH_BYTES", 500)
    assert check_release(write(sound(), tmp_path / "sound")) == []
    broken = sound()
    broken.rows["train"]["candidates"][6] = ["no object"]
    (found,) = check_release(write(broken, tmp_path / "broken"))
    assert found.ids == ("train/candidates.jsonl:7",)


def test_a_text_is_rightly_ignored_for_a_passage_that_the_search_for_all_passes_over(tmp_path, monkeypatch):
    model = sound()
    EXCERPT_ASKS(model)
    truth("doc_000000", positive_ids=["doc_000002", "doc_000003"], ignored_ids=["doc_000001"])(model)
    folder = write(model, tmp_path / "release")
    assert check_release(folder) == []
    monkeypatch.setattr(contained, "_WIDEST", 1)
    assert check_release(folder) == []
