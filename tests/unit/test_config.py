"""Settings mean the same from a file and from the command line, and what cannot run is refused before anything runs."""

import importlib.util
import json
import re
import shutil
from dataclasses import replace
from functools import cache, reduce
from operator import getitem
from pathlib import Path

import pytest
import yaml
from cases import cases, read_cases
from examples import costly
from hostile_settings import hostile
from hypothesis import HealthCheck, given
from hypothesis import settings as examples
from snakemake.cli import parse_config

from authbench.app.config import (
    FACTS,
    RUN_MARK,
    VOCABULARIES,
    _load_config,
    demo_settings,
    expect_settings_of_run,
    known_folder,
    possible_languages,
    prepare,
)
from authbench.build.acquire.lock import Entry, File, add_to_lock
from authbench.build.raw_facts import write_facts
from authbench.config.registry import entries
from authbench.config.registry.entries import fidelity_settings, read_yaml
from authbench.config.registry.source_entry import possible_values
from authbench.config.registry.sources import find_sources
from authbench.core.errors import InputError
from authbench.release.checking.settings import read_settings

PROJECT = Path(__file__).parents[2]


@pytest.fixture
def root(tmp_path):
    """The project, where a test may write results."""
    for part in ("config", "resources", "workflow"):
        (tmp_path / part).symlink_to(PROJECT / part)
    return tmp_path


def leaves(settings, place=()):
    for key, value in settings.items():
        if isinstance(value, dict) and value and (*place, key) not in VOCABULARIES:
            yield from leaves(value, (*place, key))
        elif key != "sources":
            yield (*place, key)


DEFAULTS = read_yaml(PROJECT / "config/config.yaml")


@pytest.mark.parametrize("place", [*leaves(DEFAULTS)], ids=".".join)
def test_a_setting_means_the_same_from_the_command_line_as_from_a_file(place, root, monkeypatch):
    monkeypatch.setattr(entries, "read_yaml", cache(entries.read_yaml))
    accepted = 0
    for value in (reduce(getitem, place, DEFAULTS), 1, None):
        ((section, stated),) = reduce(lambda inner, key: {key: inner}, reversed(place), value).items()
        from_file, wrong = _load_config({"sources": ["exorde"], section: stated}, root)
        if not wrong:
            text = yaml.safe_dump(stated, default_flow_style=True, width=9999).removesuffix("\n...\n").strip()
            typed = parse_config([f"{section}={text}"])
            assert _load_config({"sources": ["exorde"], **typed}, root) == (from_file, [])
            accepted += 1
    assert accepted


def problems(user, root):
    with pytest.raises(InputError) as refused:
        prepare(user, root)
    return str(refused.value)


@pytest.mark.parametrize("recipe", sorted(path.name for path in (PROJECT / "config/recipes").glob("*.yaml")))
def test_every_recipe_lacks_nothing_but_its_raw_files(recipe, root, monkeypatch):
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: "installed")
    settings = read_yaml(PROJECT / "config/recipes" / recipe)
    (root / "none").mkdir()
    told = problems({**settings, "raw_dir": "none", "missing_sources": "error"}, root).splitlines()[1:]
    assert [line for line in told if ": no file fits " not in line and "missing_sources=skip" not in line] == []


def test_a_run_without_sources_is_the_demo(root):
    recipe = read_yaml(PROJECT / "config/recipes/demo.yaml")
    config = prepare({}, root).config
    assert config == demo_settings() and config["sources"] == recipe["sources"]
    assert config["sample"] == read_yaml(PROJECT / "config/config.yaml")["sample"] | recipe["sample"]
    assert prepare({"filter": {"symbols": 0.4}}, root).config["sample"] == config["sample"]


@pytest.mark.parametrize("user", [{"name": "corpus"}, {"name": "corpus", "sources": None}, {"name": 1}])
def test_a_name_without_sources_is_never_the_demo(user, root):
    assert "no sources are given" in problems(user, root)
    assert prepare({"name": "demo"}, root).config["name"] == "demo"


def test_a_copy_of_all_defaults_is_the_demo_but_for_what_was_changed_in_it(root):
    copied = read_yaml(PROJECT / "config/config.yaml")
    assert prepare(copied, root).config == demo_settings()
    copied["filter"]["symbols"], copied["sample"]["documents"] = 0.4, 100
    config = prepare(copied, root).config
    assert config["filter"]["symbols"] == 0.4 and config["sample"]["documents"] == 100
    assert config["sample"]["languages"] == demo_settings()["sample"]["languages"] and config["name"] == "demo"


def test_a_corpus_of_ones_own_is_asked_for_nothing_that_its_recipe_does_not_state(small):
    config = prepare({"raw_dir": "raw", "sources": ["douban"]}, small).config
    assert config["name"] == "benchmark"
    for key in ("documents", "languages", "lengths", "genres"):
        assert config["sample"][key] is None
    shares = {"sample": {"languages": {"en": 60, "zh": 40}, "genres": {"zh": {"*": 100}}}}
    setup = prepare(
        {"raw_dir": "raw", "sources": ["douban", "blog_authorship"], "missing_sources": "skip"} | shares, small
    )
    assert setup.config["sample"]["lengths"] is None and setup.config["sample"]["genres"] == {"zh": {"*": 100}}


def test_texts_may_be_in_the_languages_of_the_sources_where_none_has_a_share(small):
    setup = prepare({"raw_dir": "raw", "sources": ["douban"]}, small)
    keep = setup.config | {"ingest": {"other_languages": "keep"}}
    assert possible_languages(setup.config, setup.sources) == []
    assert possible_languages(keep, setup.sources) == ["zh"]
    several = {"amazon_multi": find_sources(["amazon_multi"])["amazon_multi"]}
    everything = possible_languages(keep, several)
    assert "pt" in everything


DATA = read_cases(Path(__file__))
PAPER = DATA["PAPER"]


@pytest.mark.parametrize("recipe", ["authbench-100k", "authbench-300k", "authbench-428k"])
def test_a_recipe_of_the_paper_has_the_paper_s_definitions(recipe):
    defaults = read_yaml(PROJECT / "config/config.yaml")
    stated = read_settings(PROJECT / f"config/recipes/{recipe}.yaml")
    for setting, value in PAPER.items():
        section, key = setting.split(".")
        if key in defaults[section]:
            expected = 2 if (recipe, setting) == ("authbench-428k", "release.queries_per_author") else value
            assert stated.get(section, {}).get(key, defaults[section][key]) == expected, setting


@pytest.mark.parametrize("fidelity", ["plan", "paper"])
def test_fidelity_chooses_defaults_that_a_recipe_overrides(fidelity, root):
    chosen = fidelity_settings(fidelity)
    chosen.pop("safety", None)  # Detoxify may not be installed
    stated = {"fidelity": fidelity, "safety": {"scorers": ["wordlist"]}}
    small = prepare({**stated, "sample": {"documents": 9, "lengths": {"short": 100}}}, root).config
    expected = chosen["sample"] | {"documents": 9, "lengths": {"short": 100}}
    demo = read_yaml(PROJECT / "config/recipes/demo.yaml")
    assert {key: small["sample"][key] for key in expected} == expected | {"genres": demo["sample"]["genres"]}
    assert small["backend"] == chosen.pop("backend") == "packages"
    for section in chosen.keys() - {"sample"}:
        assert {key: small[section][key] for key in chosen[section]} == chosen[section]
    with pytest.raises(InputError, match="fidelity: 'plain' is not one of ours, paper, plan"):
        prepare({"fidelity": "plain"}, root)


@pytest.mark.parametrize("given", ["1", 1, "all"])
def test_queries_per_author_are_a_number_or_all_also_on_the_command_line(given, root):
    found = prepare({"release": {"queries_per_author": given}}, root).config["release"]["queries_per_author"]
    assert found == (given if given == "all" else 1)


@pytest.mark.parametrize("shortfall", ["fill", "proportional", {"fill_up_to": 2}])
def test_a_shortfall_may_be_shared_out_in_three_ways(shortfall, root):
    assert prepare({"sample": {"shortfall": shortfall}}, root).config["sample"]["shortfall"] == shortfall


@cases
def test_a_problem_is_named_as_the_reader_would_look_for_it(user, message, root):
    assert message in problems(user, root)


def test_a_model_without_a_vector_for_a_text_is_no_model_of_style(root):
    page = "{title: t, group: style, kind: transformer, parameters: {checkpoint: c, interaction: late}}"
    (root / "late.yaml").write_text(page, encoding="utf-8")
    assert "style.models: late: late interaction has no vector" in problems({"style": {"models": ["late.yaml"]}}, root)
    prepare({"evaluate": {"models": ["late.yaml"]}}, root)


def test_detoxify_that_is_not_installed_is_named_with_the_remedy(root, monkeypatch):
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    told = problems({"safety": {"scorers": ["detoxify"]}}, root)
    assert "safety.scorers: detoxify is not installed; run: pip install 'authbench[toxicity]'" in told


def test_all_problems_are_told_at_once(root):
    (root / "none").mkdir()
    told = problems({"sede": 1, "safety": {"threshold": 8}, "sources": ["exorde", "duban"], "raw_dir": "none"}, root)
    for problem in ("sede", "safety.threshold", "duban", "exorde: no file fits"):
        assert problem in told
    assert told.splitlines()[0] == f"Nothing was run: {len(told.splitlines()) - 1} problems to mend"


def test_a_missing_source_can_be_skipped_but_not_all_of_them(root):
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


@pytest.mark.parametrize("name", ["es.stackoverflow.com.7z", "dump/posts.tar.gz", "X.RAR"])
def test_an_archive_that_is_not_read_is_named_with_what_to_do(root, name):
    packed = root / "raw/stackexchange_dump" / name
    packed.parent.mkdir(parents=True)
    packed.write_bytes(b"x")
    told = problems({"raw_dir": "raw", "sources": ["stackexchange_dump"]}, root)
    assert f"{name} is packed in a form that is not read" in told
    assert "7z x" in told
    assert "**/Posts.xml" in told


def test_a_required_field_that_no_source_gives_stops_the_run(root):
    required = {"authorship": ["topik", "genre"], "essay": ["topic"]}
    told = problems({"ingest": {"required": required}}, root)
    assert "ingest.required.authorship: no source gives 'topik'" in told
    assert "'genre'" not in told
    assert "ingest.required.essay: no source gives 'topic', so that every text would go; they give nothing" in told


def test_a_field_that_is_to_be_unique_is_one_that_a_source_gives_and_can_be_compared(root):
    told = problems({"dedup": {"unique": {"authorship": ["prompt", "lang"], "essay": ["topic"]}}}, root)
    assert "dedup.unique.authorship: no source gives 'prompt', so that no text would have a value; they give" in told
    assert "dedup.unique.authorship: no source gives 'lang'" in told
    assert "dedup.unique.essay: no source gives 'topic'" in told


def test_sources_that_are_not_what_their_lock_says_are_named_or_stop_the_run(root):
    (root / "raw/douban").mkdir(parents=True)
    (root / "raw/douban/bookreviews_cleaned.txt").write_text("x", encoding="utf-8")
    user = {"raw_dir": "raw", "sources": ["douban"], "sample": {"languages": {"zh": 100}}}
    (unlocked,) = prepare(user, root).raw.lock.messages()
    assert "No source of this build is in" in unlocked and "raw.lock.yaml" in unlocked
    add_to_lock(root / "raw.lock.yaml", "douban", Entry({}, {"bookreviews_cleaned.txt": File(1, "0" * 64)}))
    (message,) = prepare(user, root).raw.lock.messages()
    assert message.startswith("douban is not verified: files have changed, e.g. bookreviews_cleaned.txt")
    stopped = problems({**user, "acquire": {"unverified": "stop"}}, root)
    assert f"acquire.unverified=stop: {message}" in stopped


def test_a_job_on_a_machine_without_raw_files_knows_of_them_what_its_run_knew(root):
    (root / "raw/douban").mkdir(parents=True)
    (root / "raw/douban/bookreviews_cleaned.txt").write_text("x", encoding="utf-8")
    user = {"raw_dir": "raw", "sources": ["douban"], "sample": {"languages": {"zh": 100}}}
    began = prepare(user, root)
    write_facts(began.raw, known_folder(root, began.config) / FACTS)
    shutil.rmtree(root / "raw")
    assert prepare(user, root, of_job=True) == replace(began, inventory={})
    assert "douban: no file fits" in problems(user, root)


def test_a_job_whose_run_began_with_other_settings_is_refused(root, monkeypatch):
    monkeypatch.setenv(RUN_MARK, "of the run around this test")
    began = prepare({}, root)
    expect_settings_of_run(began, starts_run=True)
    expect_settings_of_run(prepare({}, root), starts_run=False)
    with pytest.raises(InputError, match="have changed since this run began"):
        expect_settings_of_run(prepare({"safety": {"threshold": 0.6}}, root), starts_run=False)
    monkeypatch.delenv(RUN_MARK)
    expect_settings_of_run(began, starts_run=False)


def test_a_licence_that_nobody_knows_is_told_with_what_is_expected(root):
    (root / "config").unlink()
    shutil.copytree(PROJECT / "config", root / "config")
    page = root / "config/sources/douban.yaml"
    page.write_text(re.sub(r"license: .*", "license: {name: CC-BY-5.0, tier: A}", page.read_text("utf-8")), "utf-8")
    told = problems({"sources": ["douban"]}, root)
    assert "config/sources/douban.yaml, line 4: license.name: 'CC-BY-5.0' is no licence of SPDX's list" in told
    assert "Expected an identifier of that list, such as CC-BY-4.0" in told


def test_a_mapping_whose_keys_are_data_replaces_the_default_and_others_are_merged(root):
    config = prepare({"split": {"splits": {"train": 70, "test": 30}}, "filter": {"symbols": 0.4}}, root).config
    assert config["split"]["splits"] == {"train": 70, "test": 30}
    assert config["filter"]["symbols"] == 0.4
    assert config["filter"]["script"] == 0.5


def test_the_languages_of_a_source_are_known_where_its_page_says_them():
    assert possible_values({"const": "de"}) == {"de"}
    assert possible_values({"field": "l", "map": {"a": "en", "b": "zh"}}) == {"en", "zh"}
    assert possible_values({"field": "l", "map": {"a": "en", "*": "zh"}}) is None
    assert possible_values("lang") is None


def test_a_source_of_ones_own_is_given_by_its_path(root):
    (root / "own").mkdir()
    shutil.copyfile(PROJECT / "config/sources/douban.yaml", root / "own/mine.yaml")
    (root / "raw/mine").mkdir(parents=True)
    (root / "raw/mine/bookreviews_cleaned.txt").write_text("x", encoding="utf-8")
    user = {"raw_dir": "raw", "sources": ["own/mine.yaml"], "sample": {"languages": {"zh": 100}}}
    assert list(prepare(user, root).sources) == ["mine"]
    (root / "mine.yaml").symlink_to(root / "own/mine.yaml")
    told = problems({**user, "sources": ["own/mine.yaml", "mine.yaml"]}, root)
    assert "sources: two sources are called 'mine'; rename the file of one" in told


@pytest.fixture(scope="module")
def small(tmp_path_factory):
    """A folder with one raw file."""
    folder = tmp_path_factory.mktemp("small")
    (folder / "raw/douban").mkdir(parents=True)
    (folder / "raw/douban/bookreviews_cleaned.txt").write_text("x", encoding="utf-8")
    return folder


SMALL = DATA["SMALL"]


def over_small(user):
    """Return the settings of a small run, which read one source, with those of the user over them."""
    both = dict(SMALL)
    for key, value in user.items():
        known = both.get(key)
        both[key] = {**known, **value} if isinstance(known, dict) and isinstance(value, dict) else value
    return both


@cases
def test_a_value_that_would_fail_later_is_refused_before_anything_runs(user, message, small):
    assert message in problems(over_small(user), small)


@pytest.mark.parametrize(
    ("user", "message"),
    [
        ({"ingest": {"max_record_bytes": 10**400}}, "a number of more than 300 digits is no number of 64"),
        ({"name": "n" * 300}, "(302 characters) is not a name of at most 100 letters"),
        ({"split": {"splits": {"s" * 300: 50, "test": 50}}}, "is not a split's name of at most 40 small letters"),
        ({"raw_dir": "r" * 300}, "is not a path of at most 1,000 bytes, of which no name has more than 255"),
        ({"publish": {"contact": "\ud800"}}, "publish.contact: '\\ud800' has a character that no file can hold"),
        ({"filter": {"exclude": "x" * 5000}}, "(5002 characters) is not a path of at most 1,000 bytes"),
    ],
    ids=["number", "name", "split", "folder", "character", "file"],
)
def test_what_nothing_can_hold_is_refused_before_anything_runs(user, message, small):
    assert message in problems(over_small(user), small)


@cases
def test_a_file_that_is_not_what_the_setting_asks_for_is_refused(section, key, content, message, small, tmp_path):
    file = tmp_path / "given"
    file.write_text(content if isinstance(content, str) else json.dumps(content), encoding="utf-8")
    told = problems(over_small({section: {key: str(file)}}), small)
    assert f"{section}.{key}: " in told
    assert message in told
    folder = problems(over_small({section: {key: str(tmp_path)}}), small)
    assert f"{section}.{key}: {tmp_path} is a folder; expected a file" in folder
    file.write_bytes(b"\xff\xfe\x00")
    assert f"{section}.{key}: " in problems(over_small({section: {key: str(file)}}), small)


@cases
def test_an_entry_that_no_job_could_use_is_refused(old, new, message, small):
    entry = (PROJECT / "config/sources/douban.yaml").read_text(encoding="utf-8")
    own = small / "douban.yaml"
    own.write_text(entry.replace(old, new, 1) if old in entry else f"{new}\n{entry}", encoding="utf-8")
    assert message in problems(over_small({"sources": ["douban.yaml"]}), small)


@pytest.mark.parametrize("name", ["{y}", "a b", "x" * 101, "-x", "a'b", "a\x1b[2Jb"])
def test_an_entry_whose_name_cannot_name_results_is_refused(name, small):
    shutil.copyfile(PROJECT / "config/sources/douban.yaml", small / f"{name}.yaml")
    told = problems(over_small({"sources": [f"{name}.yaml"]}), small)
    assert "is no name for a source: expected at most 100 letters" in told
    assert told.replace("\n", "").isprintable()


@examples(costly(60), suppress_health_check=[HealthCheck.too_slow])
@given(hostile(demo_settings()))
def test_any_value_anywhere_is_accepted_or_refused_in_words(small, user):
    try:
        prepare(over_small(user), small)
    except InputError as refused:
        assert str(refused).startswith("Nothing was run: ")
        assert str(refused).replace("\n", "").isprintable()
