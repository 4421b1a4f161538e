"""Render the report of a release as a self-contained HTML page.

It has no script and no time stamp, loads no resources, and all its content is escaped.
"""

from collections.abc import Iterable, Mapping, Sequence

import polars as pl
from markupsafe import Markup

from authbench.build.dedup.settings import band_recall
from authbench.build.labels.decision import EXPLAINED
from authbench.build.release import statistics
from authbench.build.release.measured_labels import label_rows
from authbench.build.release.warnings import noisy_share
from authbench.build.release.words import Sources, shown, tier, title
from authbench.config.languages import ALL, language_name, ordered
from authbench.config.settings.dedup import Dedup
from authbench.config.settings.release import Release
from authbench.core.json_values import JsonObject
from authbench.core.presentation.charts import Chart, as_svg
from authbench.core.presentation.pages import environment
from authbench.core.records import primary_genre
from authbench.core.version import VERSION
from authbench.core.words import count, decimal, percent, plural, spaced
from authbench.release.format.findings import BucketRow, Findings, PoolRow, SourceFindings, ToxicityRate
from authbench.reports.report import figures
from authbench.reports.report.figures import RELEASED, look_of
from authbench.reports.report.flow import fate_legend, source_funnels, stage_rows
from authbench.reports.report.shortfalls import bound_in_words, deviation_rows, shortfalls

KINDS = {
    "person": "a person",
    "account": "an account",
    "outlet": "a news outlet or byline",
    "masked": "a masked name, possibly several people",
    "work": "no author: a work stands for one",
}
SPLIT_WORDS = {
    "units": "units that move as one",
    "units_moved": "units moved for balance",
    "bridges": "documents left out as bridges",
    "linked_pairs": "linked pairs",
    "possibly_one_joined": "labels that are possibly one person with another, and move with it",
    "possibly_one_ignored": "labels that are possibly one person with another, and are ignored only",
    "near_copies": "of them near copies",
    "contained": "of them long texts that share passages",
    "train_only": "texts of labels that several people may share, in train alone",
    "not_scored": "texts that are scored nowhere, these and those known under two labels",
    "common_passages": "texts with passages too common to link by",
}
POOL_WORDS = {
    "matched": "matched in length",
    "topic_matched": "matched in topic",
    "topic_adversarial": "unlike in topic, against the most like",
    "time_matched": "matched in time",
    "topic_time": "matched in topic and time",
}
COPY_WORDS = {
    "exact_duplicate_same_author": "equal, same author",
    "exact_duplicate_other_author": "equal, another author",
    "near_duplicate_same_author": "near copy, same author",
    "near_duplicate_other_author": "near copy, another author",
    "texts_of_several_authors": "texts that several authors have",
    "pairs_compared": "pairs compared exactly",
    "comparisons_curtailed": "compared with a part of what they may resemble",
}


def render(
    documents: pl.DataFrame,
    queries: pl.DataFrame,
    sources: Sources,
    facts: Findings,
    drawn: Sequence[Chart] | None = None,
) -> str:
    """Return the report of a release as an HTML page.

    Args:
        facts: the result of `release.findings.make_findings`: funnel, deviation, skipped_sources, scorers,
            toxicity_rates, ingest, dedup, split, config, versions, inputs, takedown, splits, warnings; labels, if any
            were measured.
        drawn: existing charts of these documents, which are not drawn again.
    """
    splits = list(facts["splits"])
    funnel = statistics.funnel_table(facts["funnel"])
    tables = statistics.tables(documents, queries, splits)
    drawn = figures.charts(tables, funnel) if drawn is None else drawn
    page = environment()
    page.filters |= {"count": count, "percent": percent, "words": spaced, "language": language_name}
    return page.get_template("report.html.j2").render(
        name=facts["config"].get("name") or "AuthBench",
        version=VERSION,
        headline=_headline(documents, queries, facts),
        lead=lead(documents, facts),
        warnings=facts["warnings"],
        stages=stage_rows(funnel),
        kept_colour=look_of(RELEASED).colour,
        funnel=source_funnels(funnel, {tag for tag in sources if noisy_share(tag, sources, facts["ingest"])}),
        legend=fate_legend(funnel),
        plugged=_plugged_filters(facts),
        shortfalls=shortfalls(facts["deviation"], facts["config"].get("sample", {})),
        deviation=deviation_rows(facts["deviation"]),
        bound=bound_in_words(facts["deviation"]),
        fixed_lengths=facts["config"].get("sample", {}).get("length_bins", "fixed") == "fixed",
        pictures={chart.name: Markup(as_svg(chart)) for chart in drawn},
        labels=_author_labels(documents, sources, facts),
        measured=label_rows(facts.get("labels", ())),
        by_construction=EXPLAINED,
        max_impurity=facts["config"].get("authors", {}).get("max_impurity"),
        tiers=_tiers_in_words(documents, sources),
        splits=splits,
        counts=_split_rows(tables["languages"], splits),
        query_rule=_query_rule(facts["config"].get("release", {})),
        pools=_pool_rows(facts.get("pools", ())),
        split_facts=_split_lines(facts["split"]),
        balance=_balance_in_words(facts["split"].get("buckets", [])),
        copies=_copies_table(facts["dedup"]),
        copies_rule=_copies_rule(facts["config"].get("dedup", {})),
        ingest=_ingest_rows(facts["ingest"]),
        scorers=facts["scorers"],
        threshold=facts["config"].get("safety", {}).get("threshold"),
        toxicity=_toxicity_rows(facts["toxicity_rates"]),
        keyed=bool(facts["config"].get("ingest", {}).get("author_key_env")),
        seed=facts["config"].get("seed"),
        versions=sorted(facts["versions"].items()),
        inputs=sorted(facts["inputs"].items()),
        takedown=facts["takedown"],
    )


# --- headline ---


def _headline(documents: pl.DataFrame, queries: pl.DataFrame, facts: Findings) -> list[tuple[str, str]]:
    last = "test" if "test" in facts["splits"] else facts["splits"][-1]
    genres = {primary_genre(genre) for genre in documents["genre"]}
    return [
        (count(documents.height), "documents"),
        (count(documents["author_id"].n_unique()), "authors"),
        (count(documents["lang"].n_unique()), "languages"),
        (count(len(genres)), "genres"),
        (count(documents["source"].n_unique()), "sources"),
        (count(queries.filter(pl.col("split") == last).height), f"{last} queries"),
    ]


def lead(documents: pl.DataFrame, facts: Findings) -> str:
    target = facts["deviation"]["documents"]["target"]
    entered = sum(row["documents"] for row in facts["funnel"] if (row["stage"], row["reason"]) == ("ingest", "in"))
    chosen = f"chosen from {count(entered)} raw records."
    if target is None:
        return f"{count(documents.height)} documents, {chosen}"
    missed = target - documents.height
    aim = "exactly as many as asked for" if not missed else (
        f"{count(abs(missed))} {'fewer' if missed > 0 else 'more'} than the {count(target)} asked for"
    )  # fmt: skip
    return f"{count(documents.height)} documents, {aim}, {chosen}"


def _plugged_filters(facts: Findings) -> list[dict[str, object]]:
    thresholds, versions = facts["config"].get("filter", {}).get("plugins", {}), facts["versions"]
    return [
        {**one, "threshold": thresholds.get(name), "code": versions.get(f"filter.plugins.{name}", "")}
        for name, one in facts.get("filters", {}).items()
    ]


# --- authors, splits, copies, safety ---


def _author_labels(documents: pl.DataFrame, sources: Sources, facts: Findings) -> list[dict[str, object]]:
    totals = documents.group_by("source").agg(
        pl.len().alias("documents"), pl.col("author_id").n_unique().alias("authors"), pl.col("lang").unique().sort()
    )
    rows = []
    for tag, found, authors, langs in totals.sort("source").iter_rows():
        source = sources.get(tag)
        kind = source.author.kind if source else "not stated"
        noisy = noisy_share(tag, sources, facts["ingest"])
        rows.append(
            {
                "tag": tag,
                "title": title(tag, sources),
                "about": source.about if source else "",
                "kind": KINDS.get(kind, kind),
                "noisy": "" if not noisy else "noisy" if noisy >= 0.995 else f"noisy in {percent(noisy)}",
                "licence": source.license.name if source else "not stated",
                "tier": tier(tag, sources),
                "documents": found,
                "authors": authors,
                "languages": ", ".join(language_name(lang) for lang in langs),
            }
        )
    return rows


def _tiers_in_words(documents: pl.DataFrame, sources: Sources) -> str:
    tiers = [tier(tag, sources) for tag in documents["source"]]
    return "; ".join(
        f"{count(tiers.count(name))} documents ({percent(tiers.count(name) / len(tiers))}) {what}"
        for name, what in (
            ("A", "are tier A: their terms allow the text to be passed on"),
            ("B", "are tier B: only where they are found and their digest may be passed on"),
            ("?", "come from sources whose terms are not stated"),
        )
        if name in tiers
    )


def _split_rows(table: pl.DataFrame, splits: Sequence[str]) -> list[dict[str, object]]:
    rows: dict[str, dict[str, object]] = {}
    for row in table.iter_rows(named=True):
        rows.setdefault(row["language"], {})[row["split"]] = row
    return [
        {"language": language, "cells": [rows[language][split] for split in (*splits, ALL)]}
        for language in ordered(table["language"])
    ]


def _pool_rows(pools: Iterable[PoolRow]) -> list[dict[str, object]]:
    """Return per pool and language the number of scored positives, and the share left out."""
    found: dict[tuple[str, str], list[int]] = {}
    for row in pools:
        for language in (row["lang"], ALL):
            counts = found.setdefault((row["pool"], language), [0, 0])
            counts[0] += row["kept"]
            counts[1] += row["left_out"]
    return [
        {
            "pool": POOL_WORDS.get(pool, spaced(pool)),
            "language": language,
            "kept": kept,
            "left_out": percent(left_out / (kept + left_out)) if kept + left_out else "",
        }
        for pool in dict.fromkeys(pool for pool, _ in found)
        for language in ordered(language for own, language in found if own == pool)
        for kept, left_out in [found[pool, language]]
    ]


def _split_lines(split: Mapping[str, object]) -> list[tuple[str, str]]:
    return [(SPLIT_WORDS.get(key, spaced(key)), shown(value)) for key, value in split.items() if key != "buckets"]


def _balance_in_words(buckets: Sequence[BucketRow]) -> str:
    """Return how far the splits of the buckets deviate from their shares, in indivisible units."""
    if not buckets:
        return ""
    near = sum(abs(row["documents"] - row["due"]) <= row["largest_unit"] for row in buckets)
    worst = max(buckets, key=lambda row: abs(row["documents"] - row["due"]))
    place = f"{language_name(worst['lang'])}, {spaced(worst['genre'])}, {spaced(worst['length_bucket'])}"
    return (
        f"{count(near)} of {count(len(buckets))} shares of a split in a bucket (language, genre and length) are within "
        f"one unit of what is due; the furthest is {place}, with {plural(worst['documents'], 'document')} in "
        f"{worst['split']} where {decimal(worst['due'])} are due."
    )


def _copies_table(dedup: Mapping[str, Mapping[str, int]]) -> dict[str, object]:
    """Return the counts of de-duplication: a row per kind, a column for uncut documents and another for chunks."""
    kinds = list(dict.fromkeys(kind for counts in dedup.values() for kind in counts))
    rows = [(COPY_WORDS.get(kind, spaced(kind)), [dedup[unit].get(kind, 0) for unit in dedup]) for kind in kinds]
    return {"units": [spaced(unit) for unit in dedup], "rows": rows}


def _copies_rule(dedup: Dedup) -> str:
    """Return the rule for near-duplicates, with the probability that banding finds a pair at the threshold."""
    if not dedup:
        return ""
    threshold, bands, rows = dedup["threshold"], dedup["bands"], dedup["rows"]
    recall = band_recall(threshold, bands, rows)
    found = "over 99.9 %" if recall > 0.9995 else percent(recall)
    return (
        f"Two texts are near copies when they share at least {threshold} of their runs of "
        f"{dedup['shingle_chars']} characters (multiset Jaccard). {bands} bands of {rows} hashes find a pair at that "
        f"threshold with a chance of {found}; what they find is compared exactly."
    )


def _query_rule(release: Release) -> str:
    """Return the release's rule for queries and positives in words."""
    if not release:
        return ""
    per_author = release["queries_per_author"]
    many = "every text" if per_author == "all" else "one text" if per_author == 1 else f"up to {per_author} texts"
    where = (
        "Queries stay among the candidates and leave their own pool when scored."
        if release["queries_in_candidates"]
        else "Queries are not among the candidates."
    )
    positive = (
        "Positives are the author's other texts in the split."
        if release["positives"] == "any"
        else "Positives are the author's texts from other works; texts from the query's own work are ignored."
    )
    least, letters = release["min_documents_for_query"], release.get("min_letters_for_query", 1)
    table = letters if isinstance(letters, Mapping) else {"default": letters}
    others = "".join(f", {number} in {lang}" for lang, number in sorted(table.items()) if lang != "default")
    long = (
        f" of at least {table['default']} letters{others} (half as many in Han or Kana)"
        if table != {"default": 1}
        else ""
    )
    return (
        f"An author with at least {least} texts in a split gives {many}{long} as a query"
        f"{'' if per_author == 'all' else ', drawn by hash'}. {where} {positive}"
    )


def _ingest_rows(ingest: Mapping[str, SourceFindings]) -> list[dict[str, object]]:
    """Return per source the problems of its raw files: unreadable rows, source-specific reasons, and other metadata."""
    in_columns = {"bad_rows", "names_author", "noisy_authors", "documents", "authors", "files"}
    own = {"title", "about", "author_kind", "license", "languages"}
    return [
        {
            "source": tag,
            "noisy": bool(facts.get("noisy_authors")),
            "documents": facts.get("documents"),
            "authors": facts.get("authors"),
            "files": facts.get("files"),
            "bad_rows": facts.get("bad_rows"),
            "names_author": facts.get("names_author"),
            "more": _lines_of({key: value for key, value in facts.items() if key not in in_columns | own}),
        }
        for tag, facts in sorted(ingest.items())
    ]


def _toxicity_rows(rates: Iterable[ToxicityRate]) -> list[dict[str, object]]:
    """Return per language the texts scored and dropped, with the genres where texts were dropped."""
    rows: dict[str, JsonObject] = {}
    for rate in sorted(rates, key=lambda rate: (rate["lang"], rate["genre"])):
        row = rows.setdefault(rate["lang"], {"lang": rate["lang"], "scored": 0, "dropped": 0, "genres": []})
        row["scored"] += rate["scored"]
        row["dropped"] += rate["dropped"]
        if rate["dropped"]:
            row["genres"].append(f"{spaced(rate['genre'])} {rate['dropped']} of {rate['scored']}")
    return [{**row, "share": row["dropped"] / row["scored"] if row["scored"] else 0.0} for row in rows.values()]


def _lines_of(facts: object, above: str = "") -> list[tuple[str, str]]:
    """Return nested metadata as (words, value) lines; a list of records becomes its length."""
    if isinstance(facts, Mapping):
        return [
            line
            for key, value in facts.items()
            for line in _lines_of(value, f"{above} / {spaced(str(key))}" if above else spaced(str(key)))
        ]
    if isinstance(facts, list | tuple):
        plain = all(not isinstance(item, Mapping | list | tuple) for item in facts)
        return [
            (above, ", ".join(shown(item) for item in facts) if plain and len(facts) <= 12 else f"{len(facts)} rows")
        ]
    return [(above, shown(facts))]
