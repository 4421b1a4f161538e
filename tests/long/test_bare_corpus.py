"""A person whom two corpora know, in a whole small release.

`letters` and `essays` name their writers in full. They share a person, spelt in two ways, and `essays` has an initial
that fits him.
"""

import csv
import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from cases import read_cases
from project import ROOT, copy_project

from authbench.core.storage.json_files import read_json

PERSON, SPELT, INITIAL = "Prof. Wren Thistlewood", "Thistlewood, Wren", "Thistlewood, W."
GIVEN = ("Mabel", "Rufus", "Odette", "Barnaby", "Tamsin", "Casper", "Jasper", "Linnet", "Florian", "Petra")
FAMILY = ("Penhallow", "Oakhurst", "Dunmore", "Featherby", "Larkspur", "Ashdown")
TEXTS = 4
DATA = read_cases(Path(__file__))
BARE = DATA["BARE"]
RECIPE = DATA["RECIPE"]


@dataclass(frozen=True)
class Built:
    """The release: its tables, and who wrote what, by the raw number of a text."""

    documents: pl.DataFrame  # id, split, source, author_id, raw (the number)
    truth: dict[str, dict[str, Any]]  # by query
    pairs: pl.DataFrame
    folder: Any

    def of(self, source, writer):
        return self.documents.filter(pl.col("source") == source, pl.col("writer") == writer)


def rows():
    """Yield source and row of every text, in the language of the demo's made-up authors."""
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(str(ROOT / "resources/demo"))
        from generator.language import Shelf, make_author
    shelf = Shelf()
    names = [f"{given} {family}" for family in FAMILY for given in GIVEN]
    writers = [("letters", name) for name in (PERSON, *names[:14])]
    writers += [("essays", name) for name in (SPELT, INITIAL, *names[14:24])]
    for number, (source, writer) in enumerate(writers):
        for text in range(TEXTS):
            body = shelf.write(make_author(f"bare/{number}", "", "en"), "medium", "s", str(text))
            yield source, {"number": f"{number}{text}", "writer": writer, "body": body}


@pytest.fixture(scope="module")
def built(tmp_path_factory):
    project = copy_project(tmp_path_factory.mktemp("bare"))
    writer_of, everything = {}, list(rows())
    for source in ("letters", "essays"):
        (project.folder / f"{source}.yaml").write_text(BARE.format(tag=source), encoding="utf-8")
        own = [row for tag, row in everything if tag == source]
        writer_of |= {f"{source}:{row['number']}": row["writer"] for row in own}
        (project.folder / "raw" / source).mkdir(parents=True)
        with (project.folder / "raw" / source / "texts.csv").open("w", encoding="utf-8", newline="") as file:
            table = csv.DictWriter(file, list(own[0]))
            table.writeheader()
            table.writerows(own)
    project.build("results/bare/published.json", *project.recipe(RECIPE))
    results = project.folder / "results/bare"
    released = pl.read_parquet(results / "release/provenance.parquet").select(
        "id", "split", "source", "author_id", "file", "ordinal"
    )
    records = pl.concat(pl.read_parquet(path) for path in sorted((results / "ingest").glob("*/*-of-*.parquet")))
    keys = records.select("source", "file", "ordinal", "doc_key")
    documents = released.join(keys, on=("source", "file", "ordinal"))
    documents = documents.with_columns(writer=pl.col("doc_key").replace_strict(writer_of))
    folder = results / "release/test"
    lines = (folder / "ground_truth.jsonl").read_text(encoding="utf-8").splitlines()
    return Built(
        documents,
        {row["query_id"]: row for row in map(json.loads, lines)},
        pl.read_parquet(folder / "pairs.parquet"),
        results,
    )


def test_a_person_of_two_sources_is_one_author_and_each_source_answers_for_the_other(built):
    letters, essays = built.of("letters", PERSON), built.of("essays", SPELT)
    assert letters.height == essays.height == TEXTS
    both = pl.concat([letters, essays])
    assert both["author_id"].n_unique() == 1 and both["split"].unique().to_list() == ["test"]
    for query in letters["id"]:
        assert set(essays["id"]) <= set(built.truth[query]["positive_ids"])


def test_who_is_possibly_that_person_shares_his_split_is_ignored_and_never_a_negative(built):
    person = pl.concat([built.of("letters", PERSON), built.of("essays", SPELT)])
    initial = built.of("essays", INITIAL)
    assert initial.height == TEXTS
    assert set(initial["author_id"]) & set(person["author_id"]) == set()
    assert set(initial["split"]) == set(person["split"]) == {"test"}
    for one, other in ((person, initial), (initial, person)):
        for query in one["id"]:
            truth = built.truth[query]
            assert set(other["id"]) <= set(truth["ignored_ids"])
            assert not set(other["id"]) & set(truth["positive_ids"])
        meet = pl.col("query_id").is_in(one["id"].implode()) & pl.col("candidate_id").is_in(other["id"].implode())
        assert built.pairs.filter(meet).is_empty()
    assert built.pairs.filter(pl.col("query_id").is_in(initial["id"].implode())).height


def test_such_a_release_breaks_no_rule(built):
    assert read_json(built.folder / "check.json")["violations"] == 0
