"""Corpora of 500 to 200,000 records, with languages of very unequal size, become checked releases with scores."""

import sys
from pathlib import Path

import numpy as np
import polars as pl
import pytest
import yaml
from cases import read_cases
from project import ROOT, copy_project
from source_page import source_page

from authbench.config.languages import languages
from authbench.core.records import LANGUAGES
from authbench.core.storage.json_files import read_json

sys.path.append(str(ROOT / "benchmarks"))
from corpus import CHARACTERS, texts  # noqa: E402

FEWEST = 10  # texts of the smallest languages
FIELDS = {"text": "text", "author": "author", "id": "id", "lang": "lang", "genre": {"const": "news"}}
SOURCE = source_page(files=["*.parquet"], reader={"format": "parquet"}, fields=FIELDS)
RECIPE = read_cases(Path(__file__))["RECIPE"]
OF_ALL = {"ingest": {"other_languages": "keep"}, "filter": {"script": None, "language": None}}


def sizes(codes, records):
    """Return how many texts each language has: the first half of all, the next half of the rest, the last FEWEST."""
    return {code: max(FEWEST, records // 2 ** (place + 1)) for place, code in enumerate(codes)}


def authors(texts_of_lang, chance):
    """Return an author per text: one with a tenth of all, others with 1 to 9 each."""
    drawn = np.repeat(np.arange(1, texts_of_lang + 1), chance.integers(1, 10, texts_of_lang))[:texts_of_lang]
    drawn[: texts_of_lang // 10] = 0
    return list(drawn)


def write_corpus(folder, numbers):
    """Write a Parquet file per language and return the number of records."""
    (folder / "raw/ladder").mkdir(parents=True)
    (folder / "ladder.yaml").write_text(yaml.safe_dump(SOURCE), encoding="utf-8")
    for lang, number in numbers.items():
        chance = np.random.default_rng([*lang.encode()])
        content = texts(lang if lang in CHARACTERS else "en", number, 500 * CHARACTERS.get(lang, 1.0), chance)
        table = pl.DataFrame({"text": content, "author": authors(number, chance)}).with_columns(
            author=pl.format("{} {}", pl.lit(lang), "author"),
            id=pl.format("{}-{}", pl.lit(lang), pl.int_range(pl.len())),
            lang=pl.lit(lang),
        )
        table.write_parquet(folder / f"raw/ladder/{lang}.parquet")
    return sum(numbers.values())


@pytest.mark.parametrize(
    ("records", "codes", "more"),
    [
        (500, LANGUAGES, {}),
        (200_000, LANGUAGES, {"sample": {"documents": 20_000}}),
        (5_000, sorted(languages()), OF_ALL),
    ],
    ids=["500", "200000", "all-languages"],
)
def test_a_corpus_of_unequal_languages_becomes_a_checked_release_with_scores(records, codes, more, tmp_path):
    project = copy_project(tmp_path / "project")
    written = write_corpus(project.folder, sizes(list(codes), records))
    project.build(*project.recipe(RECIPE | more))
    results = project.folder / "results/ladder"
    assert read_json(results / "check.json")["violations"] == 0
    funnel = pl.read_csv(results / "release/funnel.csv")
    assert funnel.filter((pl.col("stage") == "ingest") & (pl.col("reason") == "in"))["documents"].to_list() == [written]
    released = pl.read_parquet(results / "release/provenance.parquet")
    assert released["lang"].n_unique() >= min(5, len(codes))
    assert (results / "leaderboard/index.html").is_file()
