"""The demo's raw files: made again they are the same, every tool reads them, and what is planted is there."""

import sys
import zipfile
from pathlib import Path

import numpy as np
import polars as pl
import pytest
import yaml

from authbench.core.content_words import content_vectors, fit_words
from authbench.core.storage.yaml_loader import FAST_LOADER

ROOT = Path(__file__).resolve().parents[2]
DEMO = ROOT / "resources" / "demo"
RAW = DEMO / "raw"
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


def test_the_demo_is_made_the_same_again(made_again):
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


def test_topics_that_an_author_never_repeats_mislead_who_counts_content_words(posts_on_any_topic):
    planted = english_posts(RAW)
    assert abs(planted.height - posts_on_any_topic.height) < 0.05 * planted.height
    assert found_by_content_words(planted) < 0.85 * found_by_content_words(posts_on_any_topic)


def test_every_filter_and_every_way_out_of_ingestion_is_planted():
    reasons = {case.get("reason") for case in CASES}
    assert reasons >= {
        *("few_distinct_words", "dominant_word", "too_many_symbols", "too_few_letters", "no_letters"),
        *("repeated_characters", "few_words_with_letters", "single_letters", "single_letter_run"),
        *("wrong_script", "wrong_language", "no_author", "placeholder_author", "no_account", "empty_text"),
        *("other_language", "repeated_id", "conflicting_id", "bad_row", "machine_made", "collaboration"),
        *("withdrawn", "several_authors", "repost", "exact_duplicate", "near_duplicate", "toxic"),
    }
