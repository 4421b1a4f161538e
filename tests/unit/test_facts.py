"""What the stages found, in one place."""

import copy
from importlib import metadata
from typing import Any

import pytest

from authbench.funnel import Unaccounted
from authbench.report.facts import collect


def part(stage: str, entered: int, kept: int, facts: dict[str, Any], **dropped: int) -> dict[str, Any]:
    source = {"in": entered, "kept": kept, "gained": 0, "dropped": dropped}
    return {"stage": stage, "sources": {"news": source}, "facts": facts}


COUNTS = [
    part("ingest", 10, 8, {"authors": 3}, no_author=2),
    part("normalize", 5, 5, {"masked": {"news": {"url": 2}}}),
    part("normalize", 3, 3, {"masked": {"news": {"url": 1, "email": 4}}}),
    part("dedup_documents", 8, 7, {"dedup": {"pairs": 1}}, exact_duplicate=1),
    part("chunk", 7, 7, {"over_chunk_cap": {"news": 2}}),
]
SAMPLED = {"scorers": [], "toxicity_rates": [], "documents_scored": 0, "length_bounds": {}}
RUN: dict[str, Any] = {
    "config": {"name": "demo", "seed": 1, "raw_dir": "/data", "shards": 8, "safety": {"scorers": ["wordlist"]}},
    "skipped": ["blogs"],
    "inventory": {"news": {"b.csv": "2", "a.csv": "1"}},
}


def collected(run: dict[str, Any] = RUN) -> dict[str, Any]:
    return collect(COUNTS, SAMPLED, {}, {"units": 1}, run)


def test_facts_of_all_parts_add_up_by_source() -> None:
    news = collected()["ingest"]["news"]
    assert news == {"authors": 3, "masked": {"email": 4, "url": 3}, "over_chunk_cap": 2}
    assert collected()["dedup"] == {"documents": {"pairs": 1}}


def test_the_funnel_joins_all_stages() -> None:
    rows = {(row["stage"], row["reason"]): row["documents"] for row in collected()["funnel"]}
    assert rows["normalize", "in"] == 8
    assert rows["chunk", "kept"] == 7


def test_documents_that_vanish_between_stages_stop_the_run() -> None:
    with pytest.raises(Unaccounted):
        collect([*COUNTS, part("filter", 6, 6, {})], SAMPLED, {}, {}, RUN)


def test_where_and_in_how_many_parts_the_work_is_done_is_not_told() -> None:
    elsewhere = copy.deepcopy(RUN)
    elsewhere["config"] |= {"raw_dir": "/elsewhere", "shards": 1, "missing_sources": "skip"}
    assert collected(elsewhere) == collected()


def test_entries_of_an_exclusion_list_that_no_part_met_are_named() -> None:
    parts = [part("filter", 3, 2, {"ruled_out": {"news:1": 1}}), part("filter", 4, 3, {"ruled_out": {"news:7": 1}})]
    told = collect([*COUNTS, *parts], SAMPLED, {}, {}, RUN, ["news:9", "news:1", "news:7", "blogs:2"])
    assert told["exclusions"] == {"entries": 4, "without_a_document": ["blogs:2", "news:9"]}
    assert "exclusions" not in collected()


def test_inputs_are_told_by_one_digest_that_ignores_their_order() -> None:
    turned = copy.deepcopy(RUN)
    turned["inventory"]["news"] = {"a.csv": "1", "b.csv": "2"}
    assert collected(turned)["inputs"] == collected()["inputs"]
    turned["inventory"]["news"]["a.csv"] = "3"
    assert collected(turned)["inputs"] != collected()["inputs"]
    assert collected()["inputs"]["news"]["files"] == 2


def test_versions_are_those_of_the_libraries_that_took_part() -> None:
    versions = collected()["versions"]
    assert versions["polars"] == metadata.version("polars")
    assert "python" in versions
    assert "torch" not in versions
