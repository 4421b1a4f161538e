"""What does the user want? Values mean the same from a file and from the command line."""

import importlib.util
import re
import shutil
from pathlib import Path
from typing import Any

import pytest
import yaml

from authbench.config import prepare, record_setup
from authbench.errors import InputError
from authbench.registry.source_entry import possible_values
from authbench.storage.json_files import read_json

PROJECT = Path(__file__).parents[2]


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """The project, where a test may write results."""
    for part in ("config", "resources", "workflow"):
        (tmp_path / part).symlink_to(PROJECT / part)
    return tmp_path


def test_nested_values_from_the_command_line_are_numbers(root: Path) -> None:
    # Snakemake reads `--config filter={symbols: 0.4}` without types
    user = {"filter": {"symbols": "0.4"}, "split": {"splits": {"train": "60", "test": "40"}}}
    config = prepare(user, root).config
    assert config["filter"]["symbols"] == 0.4
    assert config["split"]["splits"] == {"train": 60, "test": 40}


def test_nested_words_and_null_from_the_command_line_are_what_they_say(root: Path) -> None:
    user = {
        "release": {"queries_per_author": "all"},
        "sample": {"fallback_documents_per_author": "null"},
        "authors": {"kinds": ["person", "work"]},
    }
    config = prepare(user, root).config
    assert config["release"]["queries_per_author"] == "all"
    assert config["sample"]["fallback_documents_per_author"] is None
    assert config["authors"]["kinds"] == ["person", "work"]


def test_a_wrong_value_is_still_named(root: Path) -> None:
    with pytest.raises(InputError, match=r"filter\.symbols: 'much' is not of type"):
        prepare({"filter": {"symbols": "much"}}, root)


def problems(user: dict[str, Any], root: Path) -> str:
    with pytest.raises(InputError) as refused:
        prepare(user, root)
    return str(refused.value)


def genres(**shares: dict[str, int]) -> dict[str, Any]:
    return {"sample": {"languages": {"en": 100}, "genres": {"en": {"news": 100}, **shares}}}


def test_the_defaults_are_accepted_and_complete(root: Path) -> None:
    setup = prepare({}, root)
    assert setup.skipped == []
    assert list(setup.sources) == setup.config["sources"]
    assert all(setup.inventory[tag] for tag in setup.sources)


@pytest.mark.parametrize("recipe", sorted(path.name for path in (PROJECT / "config/recipes").glob("*.yaml")))
def test_every_recipe_lacks_nothing_but_its_raw_files(recipe: str, root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: "installed")
    settings = yaml.safe_load((PROJECT / "config/recipes" / recipe).read_text(encoding="utf-8"))
    (root / "none").mkdir()
    told = problems({**settings, "raw_dir": "none", "missing_sources": "error"}, root).splitlines()[1:]
    assert [line for line in told if ": no file fits " not in line and "missing_sources=skip" not in line] == []


@pytest.mark.parametrize(
    ("user", "message"),
    [
        ({"sede": 1}, "unknown key 'sede'; did you mean 'seed'?"),
        ({"filter": {"symbol": 0.4}}, "filter: unknown key 'symbol'; did you mean 'symbols'?"),
        ({"safety": {"threshold": 8}}, "safety.threshold: 8 is greater than the maximum"),
        ({"filter": {"preset": "rubust"}}, "filter.preset: 'rubust' is not one of"),
        (
            {"sources": ["exord"]},
            "there is no source 'exord' (a file config/sources/exord.yaml, or one of your own given by its path); "
            "did you mean 'exorde'?",
        ),
        ({"split": {"splits": {"train": 80, "test": 10}}}, "split.splits: the shares add up to 90, expected 100"),
        ({"split": {"splits": {"train": 80, "dev": 10, "tset": 10}}}, "'tset' looks like 'test'"),
        ({"sample": {"lengths": {"short": 50, "lang": 50}}}, "sample.lengths: unknown bucket 'lang'"),
        ({"sample": {"languages": {"en": 50, "tlh": 50}}}, "sample.languages: unknown language 'tlh'"),
        (genres(en={"newz": 100}), "sample.genres.en: unknown genre 'newz'; did you mean 'news'?"),
        (genres(en={"news": 90}), "sample.genres.en: the shares add up to 90, expected 100"),
        ({"sample": {"languages": {"other": 100}}}, "unknown language 'other'"),
        ({"sample": {"min_documents_per_author": 6}}, "expected min_documents_per_author <= max_documents_per_author"),
        ({"sample": {"fallback_documents_per_author": 3}}, "expected less than 3 (min_documents_per_author), or null"),
        ({"sample": {"min_origins": 6}}, "sample.min_origins: expected at most 5"),
        ({"chunk": {"max_tokens": 600}}, "chunk: expected remainder_tokens <= min_tokens <= max_tokens <"),
        ({"filter": {"min_tokens": 50, "max_tokens": 40}}, "filter: min_tokens is larger than max_tokens"),
        ({"dedup": {"bands": 5}}, "dedup: 5 bands of 5 rows find 86.3% of the pairs at 0.8"),
        ({"ingest": {"author_key_env": "NOT_SET_BY_ANYBODY"}}, "environment variable NOT_SET_BY_ANYBODY is not set"),
        ({"train": {"model": "neurobiber"}}, "train.model: neurobiber: pooling: labels gives the probabilities of a"),
        ({"train": {"model": "tfidf"}}, "train.model: tfidf: a model of kind ngrams cannot be tuned"),
        ({"release": {"takedown": "no/such/list"}}, "release.takedown: there is no file no/such/list"),
        ({"safety": {"exempt_genres": ["poems"]}}, "unknown genre 'poems'"),
        (
            {"sample": {"prefer_sources": {"news": ["babel_briefing"]}}},
            "sample.prefer_sources.news: unknown source 'babel_briefing'; did you mean 'babel_briefings'?",
        ),
        (
            {"sources": ["german_pd"], "sample": {"languages": {"de": 90, "hi": 10}}},
            "sample.languages.hi: 10 % is asked for, but no source of the recipe has this language",
        ),
    ],
    ids=lambda value: "" if isinstance(value, dict) else str(value)[:40],
)
def test_a_problem_is_named_as_the_reader_would_look_for_it(user: dict[str, Any], message: str, root: Path) -> None:
    assert message in problems(user, root)


def test_a_model_without_a_vector_for_a_text_is_no_model_of_style(root: Path) -> None:
    page = "{title: t, group: style, kind: transformer, parameters: {checkpoint: c, interaction: late}}"
    (root / "late.yaml").write_text(page, encoding="utf-8")
    assert "style.models: late: late interaction has no vector" in problems({"style": {"models": ["late.yaml"]}}, root)
    prepare({"evaluate": {"models": ["late.yaml"]}}, root)


def test_detoxify_that_is_not_installed_is_named_with_the_remedy(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    told = problems({"safety": {"scorers": ["detoxify"]}}, root)
    assert "safety.scorers: detoxify is not installed; run: pip install 'authbench[toxicity]'" in told


def test_all_problems_are_told_at_once(root: Path) -> None:
    (root / "none").mkdir()
    told = problems({"sede": 1, "safety": {"threshold": 8}, "sources": ["exorde", "duban"], "raw_dir": "none"}, root)
    for problem in ("'sede'", "safety.threshold", "duban", "exorde: no file fits"):
        assert problem in told
    assert told.splitlines()[0] == f"Nothing was run: {len(told.splitlines()) - 1} problems to mend"


def test_a_missing_source_can_be_skipped_but_not_all_of_them(root: Path) -> None:
    raw = root / "raw"
    (raw / "douban").mkdir(parents=True)
    (raw / "douban/bookreviews_cleaned.txt").write_text("x", encoding="utf-8")
    user = {
        "raw_dir": "raw",
        "missing_sources": "skip",
        "sources": ["douban", "xiaohongshu"],
        "sample": {"languages": {"zh": 100}},
    }
    setup = prepare(user, root)
    assert setup.skipped == ["xiaohongshu"]
    assert list(setup.sources) == list(setup.inventory) == ["douban"]
    assert "douban: no file fits" in problems({**user, "raw_dir": "nowhere"}, root)


def test_a_licence_that_nobody_knows_is_told_with_what_is_expected(root: Path) -> None:
    (root / "config").unlink()
    shutil.copytree(PROJECT / "config", root / "config")
    page = root / "config/sources/douban.yaml"
    page.write_text(re.sub(r"license: .*", "license: {name: CC-BY-5.0, tier: A}", page.read_text("utf-8")), "utf-8")
    told = problems({"sources": ["douban"]}, root)
    assert "config/sources/douban.yaml: license.name: 'CC-BY-5.0' is no licence of SPDX's list" in told
    assert "Expected an identifier of that list, such as CC-BY-4.0" in told


def test_a_mapping_whose_keys_are_data_replaces_the_default_and_others_are_merged(root: Path) -> None:
    config = prepare({"split": {"splits": {"train": 70, "test": 30}}, "filter": {"symbols": 0.4}}, root).config
    assert config["split"]["splits"] == {"train": 70, "test": 30}
    assert config["filter"]["symbols"] == 0.4
    assert config["filter"]["script"] == 0.5


def test_an_equal_setup_is_not_written_again(root: Path) -> None:
    path = root / "run.json"
    record_setup(prepare({}, root), path)
    before = path.stat().st_mtime_ns
    record_setup(prepare({}, root), path)
    assert path.stat().st_mtime_ns == before
    record_setup(prepare({"seed": 5}, root), path)
    assert path.stat().st_mtime_ns != before
    assert read_json(path)["config"]["seed"] == 5
    path.write_bytes(path.read_bytes().replace(b"5", b"6", 1))
    record_setup(prepare({"seed": 5}, root), path)
    assert read_json(path)["config"]["seed"] == 5


def test_the_languages_of_a_source_are_known_where_its_page_says_them() -> None:
    assert possible_values({"const": "de"}) == {"de"}
    assert possible_values({"field": "l", "map": {"a": "en", "b": "zh"}}) == {"en", "zh"}
    assert possible_values({"field": "l", "map": {"a": "en", "*": "zh"}}) is None
    assert possible_values("lang") is None


def test_a_source_of_ones_own_is_given_by_its_path(root: Path) -> None:
    (root / "own").mkdir()
    shutil.copyfile(PROJECT / "config/sources/douban.yaml", root / "own/mine.yaml")
    (root / "raw/mine").mkdir(parents=True)
    (root / "raw/mine/bookreviews_cleaned.txt").write_text("x", encoding="utf-8")
    user = {"raw_dir": "raw", "sources": ["own/mine.yaml"], "sample": {"languages": {"zh": 100}}}
    assert list(prepare(user, root).sources) == ["mine"]
    (root / "mine.yaml").symlink_to(root / "own/mine.yaml")
    told = problems({**user, "sources": ["own/mine.yaml", "mine.yaml"]}, root)
    assert "sources: two sources are called 'mine'; rename the file of one" in told
