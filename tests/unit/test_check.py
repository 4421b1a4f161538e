"""Is a release sound? A tiny sound one passes; each thing that can be wrong, planted alone, is named with its id."""

import hashlib
import re
import tempfile
from collections import Counter
from copy import deepcopy
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import orjson
import polars as pl
import pytest
from cases import cases, read_cases
from forgeries import FORGERIES, REFUSED, alter_json, of_files
from hypothesis import given
from hypothesis import settings as settings_of_hypothesis
from hypothesis import strategies as st

from authbench.app.cli import main
from authbench.build.filter.measure import measure_texts
from authbench.core.errors import InputError
from authbench.core.identity import digest, keyed_hash
from authbench.core.records import length_bucket_expr
from authbench.core.storage import json_lines
from authbench.core.storage.json_files import write_plain_json
from authbench.core.storage.sha256sums import write_sums
from authbench.core.tokens import encode, load_encoding
from authbench.release.checking import check_release
from authbench.release.checking import overlap as contained
from authbench.release.checking import rows as check_rows
from authbench.release.checking.claims import CLAIMS
from authbench.release.format.columns import MERGED, PROVENANCE, SPLIT_TABLES

ENCODING = load_encoding()
DATA = read_cases(Path(__file__))
UNEXPLAINED = {"positive_ids": ["doc_000001", "doc_000002"], "ignored_ids": ["doc_000003"]}

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
                own.append({"id": ident, **labels, "token_length": len(encode(ENCODING, content))})
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
            "genres": dict(Counter(part["genre"].drop_nulls())),
        }
        for split, files in model.rows.items()
        for part in [documents.filter(pl.col("split") == split)]
    }
    write_plain_json(folder / "sampling_deviation.json", deviation)
    write_plain_json(folder / "manifest.json", {"config": model.config, "counts": counts, "takedown": {"documents": 0}})
    write_sums(folder)
    return folder


def append(path, more):
    with path.open("a", encoding="utf-8") as file:
        file.write(more)


SIX = "doc_000006"  # a candidate of train that is no query
ANN, BOB = author("trainann"), author("trainbob")
WRITTEN = {
    "ann": ANN,
    "bob": BOB,
    "BOB": BOB.upper(),
    "book": digest("origin", "book"),
    "loud": text("doc_000007").upper(),
    "joined": text("doc_000014").replace("a", "a\u200d"),
}
IDS = {"candidates": "candidate_id", "queries": "query_id", "ground_truth": "query_id"}


def in_words(value):
    """Put what is named in braces in its place: an author, or a text of so many words."""
    if not isinstance(value, str):
        return value
    return re.sub(r"\{(\w+):?(\d*)\}", lambda name: WRITTEN.get(name[1]) or text(name[1], int(name[2] or 40)), value)


def set_row(model, table, ident, fields):
    """Change fields of a row, or leave it out; a text that is not there is made like another of that id, or any."""
    split = "test" if "doc_000008" <= ident <= "doc_000015" else "train"
    files = model.rows[split]
    known = {name: {row[key]: row for row in files[name]} for name, key in IDS.items()}
    if fields is None:
        files[table].remove(known[table][ident])
        return
    if ident not in known[table]:
        like = known["candidates"].get(ident) or known["queries"].get(ident) or files["candidates"][0]
        labels = {} if table == "ground_truth" else {name: like[name] for name in SPLIT_TABLES["queries"].names[1:]}
        files[table].append(known[table].setdefault(ident, {IDS[table]: ident, **labels}))
    row = known[table][ident]
    row.update({name: in_words(value) for name, value in fields.items()})
    if "content" in fields:
        row["token_length"] = max(1, len(encode(ENCODING, row["content"])))
    for name in [name for name, value in fields.items() if value is None]:
        del row[name]


def changed(changes):
    """Return a sound release with changes of its rows, of its settings, and of what only the provenance knows."""
    model = sound(**changes.get("form", {}))
    for table in IDS:
        for ident, fields in changes.get(table, {}).items():
            set_row(model, table, ident, fields)
        for row in changes.get("more", {}).get(table, []):
            rows = model.rows["train"][table]
            rows.append(next(one for one in rows if one[IDS[table]] == row) if isinstance(row, str) else row)
    model.unscored.update(changes.get("unscored", []))
    model.origin.update(changes.get("origin", {}))
    model.kind.update(changes.get("kind", {}))
    for section, values in changes.get("settings", {}).items():
        model.config[section] = {**model.config.get(section, {}), **values}
    return model


def edit_json(name, edit):
    return of_files(lambda folder: alter_json(folder / name, edit))


def edit_provenance(edit):
    return of_files(
        lambda folder: edit(pl.read_parquet(folder / PROVENANCE.file)).write_parquet(folder / PROVENANCE.file)
    )


def replaced(column, value):
    given = pl.when(pl.col("id") == SIX).then(pl.lit(value)).otherwise(pl.col(column)).alias(column)
    return edit_provenance(lambda table: table.with_columns(given))


def merged_without_six(folder):
    """Say that the release was merged of two, and leave a document out of the account."""
    ids = [ident for ident in sorted(pl.read_parquet(folder / PROVENANCE.file)["id"]) if ident != SIX]
    rows = {"release": [1] * len(ids), "id_before": ids, "id": ids, "reason": None, "by": None}
    pl.DataFrame(rows, MERGED.schema).write_parquet(folder / MERGED.file)
    part = {"name": "one", "documents": len(ids), "kept": len(ids), "removed": {}}
    other = {**part, "documents": 0, "kept": 0}
    edit_json("manifest.json", lambda value: value.update(merged=[part, other]))(folder)


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
    ("checksum", lambda f: alter_json(f / "manifest.json", lambda value: value.update(a=1)), "manifest.json"),
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
    ("merge", merged_without_six, SIX),
]  # fmt: skip


def broken(folder, expected=None):
    return {violation.code: violation for violation in check_release(folder, expected)}


@pytest.mark.parametrize("disjoint", [False, True])
@pytest.mark.parametrize("one_work", [False, True])
def test_a_sound_release_breaks_no_claim(tmp_path, disjoint, one_work):
    assert check_release(write(sound(disjoint, one_work), tmp_path / "release")) == []


def test_authors_who_are_possibly_one_ignore_each_other(tmp_path):
    texts = [f"doc_{number:06d}" for number in range(8)]
    ignored = {"doc_000000": {"ignored_ids": texts[4:]}, "doc_000004": {"ignored_ids": texts[:4]}}
    one, both = changed({"ground_truth": {"doc_000000": ignored["doc_000000"]}}), changed({"ground_truth": ignored})
    assert broken(write(one, tmp_path / "one"), one.config).keys() == {"unexplained_ignored"}
    assert check_release(write(both, tmp_path / "both"), both.config) == []


@cases
def test_each_planted_violation_is_named_with_its_id(tmp_path, code, ident, changes):
    model = changed(changes)
    found = broken(write(model, tmp_path / "release"), model.config)
    assert found.keys() == {code}
    assert in_words(ident) in found[code].ids, found


@pytest.mark.parametrize(("code", "mutate", "ident"), AFTER)
def test_bookkeeping_that_disagrees_is_named(tmp_path, code, mutate, ident):
    folder = write(sound(), tmp_path / "release")
    mutate(folder)
    found = broken(folder)
    assert found.keys() == {code}
    assert ident in found[code].ids, found


def test_every_claim_has_a_violation_planted_here():
    forged = {forgery.claim for forgery in FORGERIES.values()}
    planted = DATA["test_each_planted_violation_is_named_with_its_id"]["code, ident, changes"]
    assert {case[0] for case in [*planted, *AFTER]} | forged - {"", REFUSED} == CLAIMS.keys()


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
    model = changed({"ground_truth": {"doc_000000": UNEXPLAINED}})
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
            row["token_length"] = len(encode(ENCODING, row["content"]))
    found = check_release(write(model, tmp_path), {"filter": {"unique_words": None}})
    assert {finding.code for finding in found} == {"borrowed_text"}


def test_documents_of_an_author_may_be_spread_where_the_unit_is_the_document(tmp_path):
    model = changed(DATA["SPREAD"])
    model.config["split"]["unit"] = "document"
    assert check_release(write(model, tmp_path / "release"), model.config) == []


def test_after_a_takedown_authors_may_be_small_and_the_sample_larger(tmp_path):
    folder = write(changed(DATA["SMALL"]), tmp_path / "release")
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


def test_a_missing_file_cannot_be_read(tmp_path, refused):
    folder = write(sound(), tmp_path / "release")
    (folder / "test" / "ground_truth.jsonl").unlink()
    assert "ground_truth.jsonl: there is no such file" in refused(["check", str(folder)])


@cases
def test_bookkeeping_that_cannot_be_read_is_named(tmp_path, name, content, named):
    folder = write(sound(), tmp_path / "release")
    (folder / name).write_text(content)
    write_sums(folder)
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
    explained = {"positive_ids": ["doc_000002", "doc_000003"], "ignored_ids": ["doc_000001"]}
    folder = write(changed({**DATA["EXCERPT_ASKS"], "ground_truth": {"doc_000000": explained}}), tmp_path / "release")
    assert check_release(folder) == []
    monkeypatch.setattr(contained, "_WIDEST", 1)
    assert check_release(folder) == []
