import re
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path

import polars as pl
import pytest
from cases import cases
from small_corpus import FACTS, SOURCES, author, corpus, document, frame, release

from authbench.build.labels.decision import BY_CONSTRUCTION
from authbench.build.release import warnings as report_warnings
from authbench.build.release.warnings import about_lists
from authbench.build.release.write import make_findings
from authbench.config.registry.entries import read_yaml
from authbench.config.registry.source_entry import Author, Description, License
from authbench.reports.report import page as report
from authbench.reports.report import shortfalls as report_shortfalls

ROOT = Path(__file__).parents[2]
HOSTILE = "<script>alert(1)</script>\"'><img src=x onerror=alert(2)>&{{ 7*7 }}"


def page(documents=None, sources=SOURCES, **facts):
    made = release(corpus() if documents is None else documents)
    return report.render(made.documents, made.queries, sources, make_findings(made, sources, {**FACTS, **facts}))


def warned(documents=None, sources=SOURCES, **facts):
    made = release(corpus() if documents is None else documents)
    return "\n".join(make_findings(made, sources, {**FACTS, **facts})["warnings"])


def measured(decision, impurity=None, source="news"):
    bounds = (None, None) if impurity is None else (impurity / 2, impurity * 1.5)
    return {
        "source": source, "labels": 7, "texts": 30, "estimator": "same_item", "impurity": impurity,
        "low": bounds[0], "high": bounds[1], "decision": decision,
    }  # fmt: skip


def test_sources_whose_labels_are_not_measured_or_impure_are_named():
    source = corpus()["source"][0]
    judging = {"config": {**FACTS["config"], "authors": {"max_impurity": 0.2}}}
    unknown = warned(labels=[measured("unmeasured", source=source), measured("unmeasured", source="absent")], **judging)
    assert "could not be measured in" in unknown
    assert "absent" not in unknown
    impure = warned(labels=[measured("impure", 0.6, source)], **judging)
    assert f"Labels of {source} (7 labels, impurity 0.6 (0.3 to 0.9)) stand for several people" in impure
    assert "measured" not in warned(labels=[measured("clean", 0.1, source)], **judging)
    assert "No label was judged" in warned(labels=[measured(None, 0.6, source)])


def test_the_page_tells_what_was_measured_of_labels():
    html = page(labels=[measured("impure", 0.6), measured("clean", source="empty") | {"labels": 0, "estimator": None}])
    assert "0.6 (0.3 to 0.9)" in html
    assert '<span class="tag alert">impure</span>' in html
    assert "one item on two days" in html
    by_account = measured("clean", 0.0) | {"estimator": "account"}
    assert f"<td>{BY_CONSTRUCTION}</td>" in page(labels=[by_account])
    assert BY_CONSTRUCTION not in page(labels=[measured("clean", 0.0)])
    assert "empty" not in html.partition("How often two texts")[2].partition("</table>")[0]
    assert "How often two texts" not in page()


class Tags(HTMLParser):
    """Collects tags and attributes, and tags left open."""

    def __init__(self, text):
        super().__init__()
        self.tags = set()
        self.attributes = set()
        self.open = []
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        self.tags.add(tag)
        self.attributes.update(attrs)
        if tag not in ("meta", "br"):
            self.open.append(tag)

    def handle_startendtag(self, tag, attrs):
        self.tags.add(tag)
        self.attributes.update(attrs)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag


def test_the_page_loads_nothing_and_runs_nothing():
    html = page()
    found = Tags(html)
    assert not found.open
    assert not {"script", "link", "img", "iframe", "object", "embed", "base", "form"} & found.tags
    links = {value for name, value in found.attributes if name in ("href", "src")}
    assert all(link and link.startswith("#") for link in links - {"../index.html"})
    assert not re.search(r"@import|url\(", html)


def test_the_same_release_gives_the_same_page():
    assert page() == page(corpus().sample(fraction=1, shuffle=True, seed=5))


def test_nothing_that_comes_from_outside_becomes_markup():
    documents = frame(
        *(document(n, n // 5, genre=HOSTILE, source=HOSTILE, topic=HOSTILE, lang=HOSTILE[:20]) for n in range(20))
    )
    sources = {HOSTILE: Description(HOSTILE, License(HOSTILE, "B"), Author(HOSTILE, noisy=True), HOSTILE)}
    deficit = {"target": 9, "available": 0, "taken": 4, "deficit": 5}
    html = page(
        documents,
        sources,
        funnel=[{"source": HOSTILE, "stage": HOSTILE, "reason": HOSTILE, "documents": 5}],
        deviation={
            "documents": {"target": 9, "taken": 4},
            "languages": [{"language": HOSTILE, **deficit}],
            "cells": [{"language": HOSTILE, "dimension": HOSTILE, "key": HOSTILE, **deficit}],
            "bound": {"least_deviation": float("nan"), "reached": 5},
            "fallback_authors": 2,
        },
        skipped_sources=[HOSTILE],
        scorers=[{"identity": HOSTILE, "languages": [HOSTILE]}],
        toxicity_rates=[{"lang": HOSTILE, "genre": HOSTILE, "scored": 3, "dropped": 1}],
        ingest={HOSTILE: {"bad_rows": 3, "names_author": 0.5, HOSTILE: HOSTILE}},
        dedup={HOSTILE: {HOSTILE: 3}},
        split={HOSTILE: HOSTILE},
        config={"name": HOSTILE, "seed": 1, "sources": [HOSTILE, "x<y"]},
        versions={HOSTILE: HOSTILE},
        inputs={HOSTILE: {"files": 1, "bytes": 2, "sha256": HOSTILE}},
    )
    found = Tags(html)
    assert not found.open
    assert not {"script", "img"} & found.tags
    assert not {name for name, _ in found.attributes if name.startswith("on")}
    assert "{{ 7*7 }}" in html and "alert(1)&lt;" in html


def test_few_test_queries_are_named_by_language():
    assert "Fewer than 100 test queries in English (2)" in warned()


def test_labels_that_are_not_one_person_are_told_with_their_share():
    noisy = {"news": replace(SOURCES["news"], author=Author("outlet", noisy=True))}
    kinds = corpus().with_columns(
        author_kind=pl.when(pl.col("ordinal") < 10).then(pl.lit("masked")).otherwise("author_kind")
    )
    told = warned(kinds, noisy)
    assert "100 % of the documents come from 1 source with noisy author labels" in told
    assert "25 % of the documents carry a masked name" in told
    assert "noisy author labels" not in warned()


def test_a_source_noisy_in_parts_is_noisy_by_what_ingestion_counted():
    ingest = {"news": {"noisy_authors": 0.25}}
    assert "noisy author labels" in warned(ingest=ingest)
    assert "noisy in 25 %" in page(ingest=ingest)


def test_authors_of_one_origin_are_counted():
    one = corpus().with_columns(
        origin_id=pl.when(pl.col("author_id") == author(0)).then(pl.lit("work")).otherwise("origin_id")
    )
    assert "1 of 8 authors (12 %) are known by one work" in warned(one)
    assert "known by one work" not in warned()


def test_own_names_are_told_above_one_percent():
    assert "news (2.5 %)" in warned(corpus().with_columns(names_author=pl.col("ordinal") == 3))
    assert "own name" not in warned() and "author's name" not in warned()


def test_a_word_list_alone_is_told_and_scorers_out_of_their_languages():
    assert "word list only" in warned()
    detoxify = [{"identity": "detoxify 0.5.4 multilingual", "languages": ["fr"]}]
    told = warned(scorers=detoxify)
    assert "word list only" not in told and "detoxify 0.5.4 multilingual was not made for English" in told
    assert "No text was checked" in warned(scorers=[])


def test_skipped_unused_and_closed_sources_are_told():
    closed = {"news": replace(SOURCES["news"], license=License("x", "B"))}
    told = warned(sources=closed, skipped_sources=["blogs"], config={"sources": ["blogs", "news", "poems"]})
    assert "Left out for want of raw files: blogs." in told
    assert "No document of poems is in the release; the stages below say" in told
    assert "Texts of news are tier B" in told


def test_a_loss_over_half_at_ingestion_is_the_first_warning():
    made = release(corpus())
    row = {"source": "news", "stage": "ingest", "reason": "other_language", "documents": 51}
    entered = {**row, "reason": "in", "documents": 100}
    dropped = {**row, "reason": "repost", "documents": 40}  # by a rule of the entry
    facts = {**FACTS, "funnel": [entered, row, dropped], "ingest": {"news": {"lost": {"date": [235, 118]}}}}
    first, second, *_ = make_findings(made, SOURCES, facts)["warnings"]
    assert "half of the 100 records of news became no text: 51 in other languages (fields.lang" in first
    assert "118 of 235 values of the field date of news" in second
    half = {**facts, "funnel": [entered, {**row, "documents": 50}, dropped], "ingest": {}}
    assert not any("became no text" in one for one in make_findings(made, SOURCES, half)["warnings"])


def test_counts_that_do_not_add_up_are_told():
    assert "news at ingest do not add up" in warned(funnel=[{**FACTS["funnel"][0]}])


def test_an_entry_of_the_takedown_that_meets_nothing_is_told():
    made = release(corpus(), takedown=frozenset({"0" * 64}))
    told = "1 entry of the takedown list matched no document (release.takedown)."
    assert told in make_findings(made, SOURCES, FACTS)["warnings"]
    assert about_lists(FACTS, made.takedown) == [told]


def test_exclusions_that_meet_nothing_are_told_by_number_in_a_release_and_by_name_at_the_end_of_a_run():
    facts = {**FACTS, "exclusions": {"entries": 9, "without_a_document": [f"s:{n}" for n in range(7)]}}
    made = release(corpus())
    told = next(line for line in make_findings(made, SOURCES, facts)["warnings"] if "filter.exclude" in line)
    assert told.startswith("7 entries of 9 in the list filter.exclude matched no document")
    assert "(s:0, s:1, s:2, s:3, s:4, …) matched no" in about_lists(facts, made.takedown)[0]
    all_met = {**FACTS, "exclusions": {"entries": 9, "without_a_document": []}}
    assert not any("filter.exclude" in line for line in make_findings(made, SOURCES, all_met)["warnings"])


SAMPLE = {"max_documents_per_author": 8, "min_documents_per_author": 3}


@cases
def test_a_shortfall_is_told_with_the_setting_that_it_is_due_to(row, settings):
    deficit = 20 - row["taken"]
    deviation = {"languages": [{"language": "fr", "target": 20, "deficit": deficit, **row}], "cells": []}
    told = report_shortfalls.shortfalls(deviation, SAMPLE)[-1]
    assert told.startswith(f"French fell {deficit} short of 20: ")
    named = {name for group in re.findall(r"\(([a-z_., ]+)\)", told) for name in group.split(", ")}
    assert sorted(named) == settings


def without_targets(target):
    """What a sample is measured against whose recipe states no shares, and perhaps a number of documents."""
    place = {"target": None, "available": 90, "taken": 70, "deficit": None}
    cells = [{**place, "language": "fr", "dimension": "length", "key": "medium"}]
    cells += [{**place, "language": "fr", "dimension": "genre", "key": "(no target)"}]
    return {
        "documents": {"target": target, "taken": 70},
        "shortfall": {"fill_up_to": 1.5},
        "languages": [{**place, "language": "fr", "held": 99}],
        "cells": cells,
        "bound": {"least_deviation": 0.0, "reached": 0.0},
        "fallback_authors": 0,
    }


def test_nothing_falls_short_of_targets_that_nobody_stated():
    deviation = without_targets(None)
    (sentence,) = report_shortfalls.shortfalls(deviation, SAMPLE)
    assert sentence.startswith("No number of documents was asked for")
    assert report_shortfalls.bound_in_words(deviation) == ""
    [row] = report_shortfalls.deviation_rows(deviation)
    assert [cell["key"] for cell in row["cells"]] == ["medium"]
    assert row["verdict"] == row["cells"][0]["verdict"] == "no target"
    html = page(deviation=deviation)
    told = html.partition('id="targets"')[2].partition("<h2")[0]
    assert "no target" in told and "fell" not in told and 'class="miss' not in told and "None" not in told
    assert "asked for, chosen from" in page() and "asked for, chosen from" not in html


def test_a_number_of_documents_that_is_not_reached_is_told_without_shares():
    (lacking,) = report_shortfalls.shortfalls(without_targets(100), SAMPLE)
    assert lacking.startswith("30 documents of 100 asked for are lacking") and "(sample.documents)" in lacking
    (met,) = report_shortfalls.shortfalls(without_targets(70), SAMPLE)
    assert met == "There are 70 documents of 70 asked for; languages have no targets."


def test_a_genre_without_a_target_has_none_in_the_report():
    cell = {"language": "fr", "dimension": "genre", "key": "(no target)", "target": 0, "taken": 7, "available": 9}
    deviation = {
        "languages": [{"language": "fr", "target": 7, "available": 9, "taken": 7, "deficit": 0}],
        "cells": [cell | {"deficit": -7}],
    }
    [row] = report_shortfalls.deviation_rows(deviation)
    assert row["cells"][0]["verdict"] == "no target" and not row["cells"][0]["has_target"]


def test_every_warning_names_a_setting_that_there_is():
    """Warnings of all kinds but that of counts that do not add up, which no setting mends."""
    config = read_yaml(ROOT / "config/config.yaml")
    known = set(config) | {f"{name}.{key}" for name, held in config.items() if isinstance(held, dict) for key in held}
    made = release(corpus())
    kinds = pl.Series("author_kind", (["masked", "outlet", "work"] * made.documents.height)[: made.documents.height])
    documents = made.documents.with_columns(kinds, origin=pl.lit("one"), names_author=pl.lit(True))
    source = documents["source"][0]
    facts = {
        **FACTS,
        "splits": ["train", "test"],
        "config": {
            "split": {"unit": "document"},
            "release": {"ids": "sorted"},
            "dedup": {"comparisons_per_document": 9},
            "sources": ["absent"],
            "authors": {"max_impurity": 0.2},
            "sample": {"min_documents_per_author": 3},
        },
        "dedup": {"documents": {"comparisons_curtailed": 2}},
        "scorers": [{"identity": "wordlist 1", "languages": []}],
        "skipped_sources": ["gone"],
        "raw_lock": {"sha256": "0", "sources": {"s": "changed"}},
        "takedown": {"entries_without_a_document": 1},
        "exclusions": {"entries": 1, "without_a_document": ["s:1"]},
        "deviation": {"fallback_authors": 1, "languages": [], "cells": []},
        "labels": [measured("unmeasured", source=source), measured("impure", 0.6, source)],
    }
    other = {**facts, "scorers": [], "raw_lock": {"sha256": None, "sources": {"s": "x"}}, "config": {}, "dedup": {}}
    told = [
        line
        for given in (facts, other)
        for line in report_warnings.warnings(given, documents, made.queries, SOURCES)
        if "do not add up" not in line
    ]
    assert len(set(told)) >= 17 and any("near numbers are by one author" in line for line in told), told
    assert [line for line in told if not any(re.search(rf"\b{re.escape(name)}\b", line) for name in known)] == []


def test_what_nobody_could_give_is_told_once_for_all_languages():
    cells = [
        {"language": lang, "dimension": "genre", "key": "news", "target": 5, "available": 0, "taken": 0, "deficit": 5}
        for lang in ("ja", "ko")
    ]
    *_, last = report_shortfalls.shortfalls({"languages": [], "cells": cells}, SAMPLE)
    assert last == "No document of news was available in Japanese and Korean."


@pytest.mark.parametrize(
    ("least", "told"), [(40.0, "the data, not"), (4.0, "the other 37 are the selection's"), (float("nan"), "was not")]
)
def test_the_bound_says_whether_the_data_or_the_selection_fell_short(least, told):
    assert told in report_shortfalls.bound_in_words({"bound": {"least_deviation": least, "reached": 41}})


def test_an_empty_release_has_a_report():
    assert "0 documents, 40 fewer than the 40 asked for" in page(frame())


def test_documents_compared_with_a_part_only_are_told_as_a_warning():
    config = {**FACTS["config"], "dedup": {"comparisons_per_document": 100_000}}
    counts = {"documents": {"comparisons_curtailed": 1_200}, "chunks": {"comparisons_curtailed": 34}}
    assert "1,234 documents had more than 100,000 others" in warned(dedup=counts, config=config)
    assert "had more than" not in warned(dedup={"documents": {"comparisons_curtailed": 0}}, config=config)
