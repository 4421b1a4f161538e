"""The demo's raw files: made again they are the same, every tool reads them, and what is planted is there."""

import csv
import io
import json
import re
import sys
import zipfile
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
import yaml

from authbench.content_words import content_vectors, fit_words
from authbench.reading.blog_xml import ENTRY
from authbench.storage.yaml_loader import FAST_LOADER

ROOT = Path(__file__).resolve().parents[2]
DEMO = ROOT / "resources" / "demo"
RAW = DEMO / "raw"
SOURCES = [
    "exorde",
    "babel_briefings",
    "amazon_multi",
    "blog_authorship",
    "arxiv",
    "xiaohongshu",
    "douban",
    "hindi_discourse",
    "spanish_pd_books",
    "french_pd_books",
    "russian_pd",
    "german_pd",
    "arabic_poetry",
    "nsmc_raw_ko",
]
TEXT_FIELDS = {
    "exorde": "original_text",
    "babel_briefings": "description",
    "amazon_multi": "review_body",
    "blog_authorship": "post",
    "arxiv": "abstract",
    "xiaohongshu": "content",
    "douban": "comment",
    "hindi_discourse": "Sentence",
    "french_pd_books": "complete_text",
    "arabic_poetry": "poem_text",
    "nsmc_raw_ko": "review",
}
AMAZON_COLUMNS = [
    "",
    "review_id",
    "product_id",
    "reviewer_id",
    "stars",
    "review_body",
    "review_title",
    "language",
    "product_category",
]
CASES = yaml.load((DEMO / "planted.yaml").read_text(encoding="utf-8"), FAST_LOADER)


@pytest.fixture(scope="module")
def made_again(tmp_path_factory: pytest.TempPathFactory) -> Path:
    sys.path.insert(0, str(DEMO))
    try:
        import make_demo

        out = tmp_path_factory.mktemp("demo")
        make_demo.make(out)
    finally:
        sys.path.remove(str(DEMO))
    return out


@pytest.fixture(scope="module")
def posts_on_any_topic(tmp_path_factory: pytest.TempPathFactory) -> pl.DataFrame:
    """Return the demo's English posts as they would be if authors drew the topic of each."""
    folder = tmp_path_factory.mktemp("posts")
    sys.path.insert(0, str(DEMO))
    try:
        from generator import planted_truth, sources
        from generator.cases import Ledger
        from generator.chance import Chance
        from generator.language import Author, Shelf, grammar

        def any_topic(author: Author, place: int) -> str:
            return str(Chance("any topic", author.key, str(place)).of(grammar(author.lang)["topics"]))

        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(planted_truth, "topic_in_turn", any_topic)
            sources.exorde(folder, Shelf(), Ledger())
    finally:
        sys.path.remove(str(DEMO))
    return english_posts(folder)


def english_posts(raw: Path) -> pl.DataFrame:
    (path,) = (raw / "exorde").glob("*.parquet")
    posts = pl.read_parquet(path).filter(pl.col("language") == "en")
    posts = posts.select(author="author_hash", lang="language", content="original_text", ident="url").drop_nulls()
    return posts.filter(pl.len().over("author").is_between(3, 8)).unique("ident").sort("ident")


def found_by_content_words(posts: pl.DataFrame) -> float:
    """Return the share of posts for which content words rank another post of their author among the best five."""
    vectors = content_vectors(posts, fit_words([posts]))
    likeness, author = (vectors @ vectors.T).toarray(), posts["author"].to_numpy()
    np.fill_diagonal(likeness, -1)
    nearest = np.argsort(-likeness, axis=1, kind="stable")[:, :5]
    return float((author[nearest] == author[:, None]).any(axis=1).mean())


@pytest.fixture(scope="module")
def raw() -> dict[str, list[dict[str, Any]]]:
    return {source: list(raw_rows(source)) for source in SOURCES}


def raw_rows(source: str) -> Iterator[dict[str, Any]]:
    """The rows of a source as the usual tool for its format reads them, the text under `text`."""
    field = TEXT_FIELDS.get(source, "text")
    for path in sorted(path for path in (RAW / source).rglob("*") if path.is_file()):
        for row in read_file(path):
            yield {**row, "text": row.get(field), "file": path.name}


def read_file(path: Path) -> Iterator[dict[str, Any]]:
    if path.suffix == ".parquet":
        yield from pl.read_parquet(path).to_dicts()
    elif path.suffix == ".zip":
        with zipfile.ZipFile(path) as archive:
            for name in sorted(archive.namelist()):
                yield from posts(name, archive.read(name))
    elif path.name.startswith("arxiv"):
        for line in path.read_text(encoding="utf-8").splitlines():
            try:
                yield json.loads(line)
            except json.JSONDecodeError:
                yield {"id": line[7:16]}
    elif path.suffix == ".json":
        read = json.loads(path.read_bytes())
        yield from read if isinstance(read, list) else read.values()
    else:
        delimiter = "\t" if path.suffix == ".txt" else ","
        text = io.StringIO(path.read_bytes().decode("utf-8"), newline="")
        yield from csv.DictReader(text, delimiter=delimiter)


def posts(name: str, content: bytes) -> Iterator[dict[str, Any]]:
    try:
        text = content.decode("utf-8")
    except UnicodeDecodeError:
        text = content.decode("cp1252")
    for number, entry in enumerate(ENTRY.finditer(text)):
        yield {"member": name, "post": text[entry.end() : text.index("</post>", entry.end())].strip(), "number": number}


def found(case: dict[str, Any], rows: list[dict[str, Any]]) -> list[int]:
    """The places of the rows that a case's `find` describes: texts by their beginning, a list as any of its values."""
    wanted = case["find"].items()
    return [place for place, row in enumerate(rows) if all(fits(row.get(name), value) for name, value in wanted)]


def fits(held: Any, value: Any) -> bool:
    if isinstance(value, list):
        return any(fits(held, one) for one in value)
    if not value or not isinstance(value, str):
        return held == value or str(held) == str(value)
    return isinstance(held, str) and " ".join(held.split()).startswith(" ".join(value.split()))


def test_the_demo_is_made_the_same_again(made_again: Path) -> None:
    again = {path.relative_to(made_again): path for path in made_again.rglob("*") if path.is_file()}
    here = {path.relative_to(DEMO) for path in RAW.rglob("*") if path.is_file()} | {
        Path("planted.yaml"),
        Path("raw.lock.yaml"),
    }
    assert set(again) == here
    for relative, path in again.items():
        if path.suffix == ".parquet":  # another pyarrow may write the same table in other bytes
            assert pl.read_parquet(path).equals(pl.read_parquet(DEMO / relative)), relative
        elif path.suffix == ".zip":
            assert members(path) == members(DEMO / relative)
        else:
            assert path.read_bytes() == (DEMO / relative).read_bytes(), relative


def members(path: Path) -> dict[str, bytes]:
    with zipfile.ZipFile(path) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def test_topics_that_an_author_never_repeats_mislead_who_counts_content_words(posts_on_any_topic: pl.DataFrame) -> None:
    planted = english_posts(RAW)
    assert abs(planted.height - posts_on_any_topic.height) < 0.05 * planted.height
    assert found_by_content_words(planted) < 0.85 * found_by_content_words(posts_on_any_topic)


def test_every_source_has_rows_with_texts_and_small_files(raw: dict[str, list[dict[str, Any]]]) -> None:
    assert set(raw) == {path.name for path in RAW.iterdir()}
    for source, rows in raw.items():
        texts = [row["text"] for row in rows]
        assert sum(map(bool, texts)) >= 0.75 * len(texts) and len(texts) >= 9, source
    sizes = [path.stat().st_size for path in RAW.rglob("*") if path.is_file()]
    assert max(sizes) < 1_000_000 and sum(sizes) < 3_000_000


def test_the_reviews_have_the_columns_of_the_distribution(raw: dict[str, list[dict[str, Any]]]) -> None:
    assert [name for name in raw["amazon_multi"][0] if name not in ("text", "file")] == AMAZON_COLUMNS


def test_most_blogs_are_not_well_formed_and_some_are_cp1252() -> None:
    files = members(RAW / "blog_authorship" / "data" / "blogs.zip")
    bare = [name for name, content in files.items() if re.search(rb"&(?!(?:amp|lt|gt|quot|apos|#\d+);)", content)]
    assert len(bare) >= 0.4 * len(files)
    undecodable = 0
    for content in files.values():
        try:
            content.decode("utf-8")
        except UnicodeDecodeError:
            undecodable += 1
    assert undecodable == sum(case["case"] == "cp1252 file" for case in CASES) == 2


@pytest.mark.parametrize("source", SOURCES)
def test_every_planted_case_is_in_the_raw_files(source: str, raw: dict[str, list[dict[str, Any]]]) -> None:
    cases = [case for case in CASES if case["source"] == source]
    assert cases
    for case in cases:
        assert len(found(case, raw[source])) == case["rows"], case


def test_a_planted_case_says_where_a_removed_document_goes() -> None:
    for case in CASES:
        assert case["becomes"] in ("kept", "removed", "bad_row")
        assert ("reason" in case) == ("stage" in case) == (case["becomes"] != "kept"), case
        assert 1 <= case.get("goes", case["rows"]) <= case["rows"], case


def test_every_filter_and_every_way_out_of_ingestion_is_planted() -> None:
    reasons = {case.get("reason") for case in CASES}
    assert reasons >= {
        *[
            "few_distinct_words",
            "dominant_word",
            "too_many_symbols",
            "too_few_letters",
            "no_letters",
            "repeated_characters",
        ],
        *["few_words_with_letters", "single_letters", "single_letter_run", "wrong_script", "wrong_language"],
        *[
            "no_author",
            "placeholder_author",
            "no_account",
            "empty_text",
            "other_language",
            "repeated_id",
            "conflicting_id",
            "bad_row",
        ],
        *[
            "machine_made",
            "collaboration",
            "withdrawn",
            "several_authors",
            "repost",
            "exact_duplicate",
            "near_duplicate",
            "toxic",
        ],
    }


def test_bad_rows_are_below_the_limit_of_each_source(raw: dict[str, list[dict[str, Any]]]) -> None:
    bad = Counter(case["source"] for case in CASES if case["becomes"] == "bad_row")
    assert bad and all(number < 0.01 * len(raw[source]) for source, number in bad.items())


def test_all_ten_languages_have_three_authors_with_three_documents_in_two_genres(
    raw: dict[str, list[dict[str, Any]]],
) -> None:
    social = Counter((row["language"], row["url"].split("/")[3], row["author_hash"]) for row in raw["exorde"])
    news = Counter((row["language"], row["author"]) for row in raw["babel_briefings"] if row["author"])
    for lang in ("en", "zh", "hi", "es", "fr", "ar", "ru", "de", "ja", "ko"):
        for authors in (social, news):
            assert sum(count >= 3 for author, count in authors.items() if author[0] == lang) >= 3, lang
