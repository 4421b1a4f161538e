"""What the stages found and what a run states of its making, in one place."""

from importlib import metadata
from pathlib import Path

import pytest
from cases import cases, read_cases
from extras import needs

from authbench.build.release.statement import add_statement, make_statement
from authbench.config.registry.entries import read_yaml
from authbench.core.errors import InputError
from authbench.core.funnel import Unaccounted
from authbench.core.shipped import shipped
from authbench.core.storage.raw_paths import describe
from authbench.reports.report.facts import collect


def part(stage, entered, kept, facts, **dropped):
    source = {"in": entered, "kept": kept, "gained": 0, "dropped": dropped}
    return {"stage": stage, "sources": {"news": source}, "facts": facts}


FILES = {"b.csv": "2", "a.csv": "1"}
COUNTS = [
    {**part("ingest", 10, 8, {"authors": 3}, no_author=2), "inputs": describe(FILES)},
    part("normalize", 5, 5, {"masked": {"news": {"url": 2}}}),
    part("normalize", 3, 3, {"masked": {"news": {"url": 1, "email": 4}}}),
    part("dedup_documents", 8, 7, {"dedup": {"pairs": 1}}, exact_duplicate=1),
    part("chunk", 7, 7, {"over_chunk_cap": {"news": 2}}),
]
SAMPLED = {"scorers": [], "toxicity_rates": [], "documents_scored": 0, "length_bounds": {}}
LOCK = {"sha256": "0" * 64, "sources": {"news": "verified"}}
SETTINGS = read_cases(Path(__file__))["SETTINGS"]


def collected():
    return collect(COUNTS, SAMPLED, {}, {"units": 1})


def stated(files=FILES, **settings):
    statement = make_statement({**SETTINGS, **settings}, {"news": describe(files)}, LOCK, ["blogs"])
    return add_statement(collected(), statement)


def test_facts_of_all_parts_add_up_by_source():
    news = collected()["ingest"]["news"]
    assert news == {"authors": 3, "masked": {"email": 4, "url": 3}, "over_chunk_cap": 2}
    assert collected()["dedup"] == {"documents": {"pairs": 1}}


def test_what_was_measured_of_labels_is_passed_on():
    rows = [{"source": "news", "decision": "clean"}]
    assert collect(COUNTS, SAMPLED, {}, {}, labels=rows)["labels"] == rows


@cases
def test_settings_under_which_nothing_is_asked_for_are_not_stated(section, key, asked):
    assert stated(**{section: {key: asked, "other": 1}})["config"][section] == {key: asked, "other": 1}
    default = read_yaml(shipped("config/config.yaml"))[section][key]
    assert stated(**{section: {key: default, "other": 1}})["config"][section] == {"other": 1}


def test_the_funnel_joins_all_stages():
    rows = {(row["stage"], row["reason"]): row["documents"] for row in collected()["funnel"]}
    assert rows["normalize", "in"] == 8
    assert rows["chunk", "kept"] == 7


def test_documents_that_vanish_between_stages_stop_the_run():
    with pytest.raises(Unaccounted):
        collect([*COUNTS, part("filter", 6, 6, {})], SAMPLED, {}, {})


def test_entries_of_an_exclusion_list_that_no_part_met_are_named():
    parts = [part("filter", 3, 2, {"ruled_out": {"news:1": 1}}), part("filter", 4, 3, {"ruled_out": {"news:7": 1}})]
    told = collect([*COUNTS, *parts], SAMPLED, {}, {}, ["news:9", "news:1", "news:7", "blogs:2"])
    assert told["exclusions"] == {"entries": 4, "without_a_document": ["blogs:2", "news:9"]}
    assert "exclusions" not in collected()


def test_a_release_states_the_settings_of_the_run_but_not_where_it_was_done():
    found = stated()
    assert found["config"]["safety"]["threshold"] == 0.6
    assert found["skipped_sources"] == ["blogs"]
    assert found["raw_lock"] == LOCK
    assert found["funnel"] == collected()["funnel"]
    assert stated(raw_dir="/elsewhere", shards=1, missing_sources="skip", acquire={"unverified": "stop"}) == found


def test_an_exclusion_list_is_stated_only_where_there_is_one():
    assert stated()["config"]["filter"] == {"symbols": 0.5}
    assert stated(filter={"exclude": "mine.json"})["config"]["filter"] == {"exclude": "mine.json"}


def test_inputs_are_stated_by_one_digest_that_ignores_their_order():
    assert stated() == stated(dict(reversed(FILES.items())))
    assert stated()["inputs"]["news"]["files"] == 2


@pytest.mark.parametrize("now", [{**FILES, "a.csv": "3"}, {**FILES, "c.csv": "4"}, {"a.csv": "1"}])
def test_a_release_of_other_raw_files_than_those_that_were_read_is_not_written(now):
    with pytest.raises(InputError, match="The raw files of news are no longer those that were ingested"):
        stated(now)


def test_versions_are_those_of_the_libraries_that_took_part():
    versions = stated()["versions"]
    assert versions["polars"] == metadata.version("polars")
    assert "python" in versions
    assert "torch" not in versions


@needs("detoxify", "toxicity")
def test_versions_of_torch_are_stated_where_detoxify_took_part():
    assert "torch" in stated(safety={"scorers": ["detoxify"]})["versions"]
