"""Every raw row is accounted for, from ingestion to release."""

import json
from collections import defaultdict

import polars as pl
import pytest
from raw_rows import TEXT_FIELDS, rows_of


def funnel(demo):
    """{source: {stage: {reason: documents}}}"""
    table = defaultdict(lambda: defaultdict(dict))
    for source, stage, reason, documents in pl.read_csv(demo.release / "funnel.csv").iter_rows():
        table[source][stage][reason] = documents
    return table


@pytest.mark.parametrize("source", TEXT_FIELDS)
def test_every_raw_row_is_in_the_funnel(demo, source):
    rows = rows_of(demo.folder / "resources/demo/raw", source)
    assert rows
    assert funnel(demo)[source]["ingest"]["in"] == len(rows)


def test_the_log_of_removed_documents_agrees_with_the_funnel(demo):
    lines = (demo.results / "dirty_docs.log").read_text(encoding="utf-8").splitlines()
    entries = [json.loads(line) for line in lines]
    assert entries
    told = {"source", "doc_key", "stage", "reason", "value", "threshold", "detail"}
    assert {frozenset(entry) for entry in entries} == {frozenset(told)}
    logged = defaultdict(set)
    for place, entry in enumerate(entries):
        # A raw row without a key of its own is told by its place; rows that share a key go one by one.
        single = entry["doc_key"] if entry["stage"] != "ingest" else None
        logged[entry["source"], entry["stage"]].add(single or f"entry {place}")
    for source, stages in funnel(demo).items():
        for stage, counts in stages.items():
            if stage == "sample":
                counts = {reason: number for reason, number in counts.items() if reason in ("in", "kept", "toxic")}
            lost = sum(number for reason, number in counts.items() if reason not in ("in", "gained", "kept"))
            assert len(logged[source, stage]) == lost, (source, stage)
