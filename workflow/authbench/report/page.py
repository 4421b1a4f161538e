"""Where did every document go, and what should a reader know before trusting the result?

One self-contained HTML page: no script, no clock, nothing loaded from elsewhere, everything escaped.
"""

import math
from collections.abc import Iterable, Mapping, Sequence, Set
from pathlib import Path
from typing import Any

import jinja2
import polars as pl
from markupsafe import Markup

import authbench
from authbench.funnel import STAGES
from authbench.records import LENGTH_BUCKETS, primary_genre
from authbench.report import figures, statistics
from authbench.report.figures import RELEASED, STAGE_COLOURS, STAGE_WORDS, fate, fate_order, language_name
from authbench.report.statistics import ALL

TEMPLATES = Path(__file__).parents[2] / "report"
FEW_QUERIES = 100
OWN_NAMES = 0.01
STAGE_TITLES = {
    "ingest": "Read from the raw files",
    "normalize": "Normalise the text",
    "dedup_documents": "Remove copies of documents",
    "chunk": "Cut long texts",
    "filter": "Filter",
    "dedup_chunks": "Remove copies of chunks",
    "sample": "Select authors and texts",
    "split": "Split",
    "release": "Release",
}
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
    "near_copies": "of them near copies",
    "contained": "of them long texts that share passages",
}
COPY_WORDS = {
    "exact_duplicate_same_author": "equal, same author",
    "exact_duplicate_other_author": "equal, another author",
    "near_duplicate_same_author": "near copy, same author",
    "near_duplicate_other_author": "near copy, another author",
    "texts_of_several_authors": "texts that several authors have",
    "pairs_compared": "pairs compared exactly",
}
Sources = Mapping[str, Mapping[str, Any]]


def render(documents: pl.DataFrame, queries: pl.DataFrame, sources: Sources, facts: Mapping[str, Any]) -> str:
    """The report of a release as one HTML page.

    `documents` and `queries` are those of the release (`release.make_release`, or `release.read_release` without
    texts), `sources` the source files by tag, `facts` what `release.write_release` returned: funnel, deviation,
    skipped_sources, scorers, toxicity_rates, ingest, dedup, split, config, versions, inputs, takedown, splits and
    warnings.
    """
    splits = list(facts["splits"])
    funnel = statistics.funnel_table(facts["funnel"])
    tables = statistics.tables(documents, queries, splits)
    drawn = figures.pictures(tables, funnel)
    environment = jinja2.Environment(
        loader=jinja2.FileSystemLoader(TEMPLATES),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters |= {"count": count, "percent": percent, "words": words, "language": language_name}
    return environment.get_template("report.html.j2").render(
        name=facts["config"].get("name") or "AuthBench",
        version=authbench.__version__,
        headline=headline(documents, queries, facts),
        lead=lead(documents, facts),
        warnings=facts["warnings"],
        stages=stage_rows(funnel),
        kept_colour=STAGE_COLOURS[RELEASED],
        funnel=source_funnels(funnel, {tag for tag in sources if noisy_share(tag, sources, facts["ingest"])}),
        legend=fate_legend(funnel),
        shortfalls=shortfalls(facts["deviation"]),
        deviation=deviation_rows(facts["deviation"]),
        bound=bound_in_words(facts["deviation"]),
        fixed_lengths=facts["config"].get("sample", {}).get("length_bins", "fixed") == "fixed",
        pictures={name: Markup(picture) for name, picture in drawn.items()},
        labels=author_labels(documents, sources, facts),
        tiers=tiers_in_words(documents, sources),
        splits=splits,
        counts=split_rows(tables["languages"], splits),
        query_rule=query_rule(facts["config"].get("release", {})),
        split_facts=split_lines(facts["split"]),
        balance=balance_in_words(facts["split"].get("buckets", [])),
        copies=copies_table(facts["dedup"]),
        copies_rule=copies_rule(facts["config"].get("dedup", {})),
        ingest=ingest_rows(facts["ingest"]),
        scorers=facts["scorers"],
        threshold=facts["config"].get("safety", {}).get("threshold"),
        toxicity=toxicity_rows(facts["toxicity_rates"]),
        keyed=bool(facts["config"].get("ingest", {}).get("author_key_env")),
        seed=facts["config"].get("seed"),
        versions=sorted(facts["versions"].items()),
        inputs=sorted(facts["inputs"].items()),
        takedown=facts["takedown"],
    )


# --- what a reader should know first ---


def warnings(facts: Mapping[str, Any], documents: pl.DataFrame, queries: pl.DataFrame, sources: Sources) -> list[str]:
    """Everything that limits what the release can show, in words; for the report and the manifest."""
    return [
        *about_queries(documents, queries, list(facts["splits"])),
        *about_split_unit(facts["config"].get("split", {})),
        *about_labels(documents, sources, facts["ingest"]),
        *about_origins(documents),
        *about_own_names(documents, facts["ingest"]),
        *about_safety(documents, facts["scorers"]),
        *about_sources(documents, sources, facts),
        *about_takedown(facts["takedown"]),
        *about_counts(statistics.funnel_table(facts["funnel"])),
    ]


def about_queries(documents: pl.DataFrame, queries: pl.DataFrame, splits: Sequence[str]) -> list[str]:
    """Languages whose test split (or last split) has under a hundred queries."""
    test = "test" if "test" in splits else splits[-1]
    asked = queries.filter(pl.col("split") == test).join(
        documents.select("id", "lang"), left_on="query_id", right_on="id", how="left"
    )
    counts = dict(asked.group_by("lang").len().iter_rows())
    few = {lang: counts.get(lang, 0) for lang in sorted(set(documents["lang"])) if counts.get(lang, 0) < FEW_QUERIES}
    if not few:
        return []
    listed = listing(f"{language_name(lang)} ({found})" for lang, found in sorted(few.items(), key=lambda x: -x[1]))
    return [
        f"Fewer than {FEW_QUERIES} {test} queries in {listed}: scores of a single language are rough there; "
        "read their intervals, not their ranks."
    ]


def about_split_unit(split: Mapping[str, Any]) -> list[str]:
    if split.get("unit") == "document":
        return [
            "Documents were split one by one: an author's texts lie in several splits, and few are left for queries."
        ]
    return []


def about_labels(documents: pl.DataFrame, sources: Sources, ingest: Mapping[str, Any]) -> list[str]:
    """Author labels that may stand for several people, for an outlet, or for a work."""
    told = []
    total = max(documents.height, 1)
    per_source = dict(documents.group_by("source").len().sort("source").iter_rows())
    noisy = [tag for tag in per_source if noisy_share(tag, sources, ingest) > 0]
    if noisy:
        share = sum(per_source[tag] for tag in noisy) / total
        told.append(
            f"{percent(share)} of the documents come from {plural(len(noisy), 'source')} with noisy author labels, "
            f"which may join several people or divide one: {listing(title(tag, sources) for tag in noisy)}."
        )
    kinds = dict(documents.group_by("author_kind").len().iter_rows())
    words_of = {
        "masked": "carry a masked name (as love****) that several people may share",
        "outlet": "are signed by an outlet or byline, which can be many writers",
        "work": "have no known author: a work stands for one; they fill train and are never queries or positives",
    }
    return told + [
        f"{percent(kinds[kind] / total)} of the documents {what}." for kind, what in words_of.items() if kinds.get(kind)
    ]


def noisy_share(tag: str, sources: Sources, ingest: Mapping[str, Any]) -> float:
    """The share of a source's documents whose author label is noisy; masked labels always are."""
    author = sources.get(tag, {}).get("author", {})
    if author.get("kind") == "masked":
        return 1.0
    return float(ingest.get(tag, {}).get("noisy_authors", bool(author.get("noisy", False))))


def about_origins(documents: pl.DataFrame) -> list[str]:
    origins = documents.group_by("author_id").agg(pl.col("origin").n_unique())["origin"]
    one = int((origins == 1).sum())
    if not one:
        return []
    return [
        f"{count(one)} of {count(len(origins))} authors ({percent(one / len(origins))}) are known by one work or "
        "document only: to find their other texts, a model may recognise the work instead of the author."
    ]


def about_own_names(documents: pl.DataFrame, ingest: Mapping[str, Any]) -> list[str]:
    named = documents.group_by("source").agg(pl.col("names_author").fill_null(False).mean()).sort("source")
    released = dict(named.iter_rows())
    shares = {tag: max(share, float(ingest.get(tag, {}).get("names_author", 0))) for tag, share in released.items()}
    often = [f"{tag} ({percent(shares[tag])})" for tag in released if shares[tag] > OWN_NAMES]
    return [f"More than 1 % of the texts contain their author's name in {listing(often)}."] if often else []


def about_safety(documents: pl.DataFrame, scorers: Sequence[Mapping[str, Any]]) -> list[str]:
    if not scorers:
        return ["No text was checked for toxicity: safety.scorers is empty."]
    told = []
    if all(scorer["identity"].startswith("wordlist") for scorer in scorers):
        told.append(
            "Toxicity was judged by a word list only: it sees words, not meaning. For a release meant for others, "
            "add detoxify to safety.scorers."
        )
    released = sorted(set(documents["lang"]))
    for scorer in scorers:
        foreign = [language_name(lang) for lang in released if lang not in scorer["languages"]]
        if foreign:
            told.append(
                f"The toxicity scorer {short_identity(scorer['identity'])} was not made for {listing(foreign)}; "
                "its scores there mean little."
            )
    unscored = documents["toxicity"].null_count()
    return told + ([f"{plural(unscored, 'document')} without a toxicity score."] if unscored else [])


def about_sources(documents: pl.DataFrame, sources: Sources, facts: Mapping[str, Any]) -> list[str]:
    told = []
    skipped = sorted(facts["skipped_sources"])
    if skipped:
        told.append(f"Left out for want of raw files: {listing(skipped)}. Targets were filled from the other sources.")
    unused = sorted(set(facts["config"].get("sources", [])) - set(skipped) - set(documents["source"]))
    if unused:
        told.append(f"No document of {listing(unused)} is in the release.")
    closed = [tag for tag in sorted(set(documents["source"])) if tier(tag, sources) == "B"]
    if closed:
        told.append(
            f"Texts of {listing(closed)} are tier B: their terms do not allow them to be passed on. Share their "
            "provenance, not their text."
        )
    fallback = facts["deviation"].get("fallback_authors", 0)
    if fallback:
        least = facts["config"].get("sample", {}).get("min_documents_per_author")
        told.append(
            f"{plural(fallback, 'author')} with fewer documents than the rule asks{f' ({least})' if least else ''} "
            f"{'was' if fallback == 1 else 'were'} admitted where a language fell short."
        )
    return told


def about_takedown(takedown: Mapping[str, int]) -> list[str]:
    lost = takedown.get("entries_without_a_document", 0)
    return [f"{plural(lost, 'entry', 'entries')} of the takedown list matched no document."] if lost else []


def about_counts(funnel: pl.DataFrame) -> list[str]:
    return [
        f"The counts of {row['source']} at {row['stage']} do not add up: {count(row['in'])} in and "
        f"{count(row['gained'])} gained, {count(row['dropped'])} dropped and {count(row['kept'])} kept."
        for row in statistics.unexplained(funnel).iter_rows(named=True)
    ]


# --- headline ---


def headline(documents: pl.DataFrame, queries: pl.DataFrame, facts: Mapping[str, Any]) -> list[tuple[str, str]]:
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


def lead(documents: pl.DataFrame, facts: Mapping[str, Any]) -> str:
    target = facts["deviation"]["documents"]["target"]
    entered = sum(row["documents"] for row in facts["funnel"] if (row["stage"], row["reason"]) == ("ingest", "in"))
    missed = target - documents.height
    aim = "exactly as many as asked for" if not missed else (
        f"{count(abs(missed))} {'fewer' if missed > 0 else 'more'} than the {count(target)} asked for"
    )  # fmt: skip
    return f"{count(documents.height)} documents, {aim}, chosen from {count(entered)} raw records."


# --- the funnel ---


def stage_rows(funnel: pl.DataFrame) -> list[dict[str, Any]]:
    """All sources together: what each stage got, gained, dropped and kept, and how wide to draw it (percent)."""
    stages = statistics.by_stage(funnel).group_by("stage").agg(pl.col("in", "gained", "dropped", "kept").sum())
    rows = sorted(stages.iter_rows(named=True), key=lambda row: stage_place(row["stage"]))
    widest = max([1, *(row["in"] + row["gained"] for row in rows)])
    return [
        {
            **row,
            "title": STAGE_TITLES.get(row["stage"], words(row["stage"])),
            "kept_width": width(row["kept"], widest),
            "dropped_width": width(row["dropped"], widest),
            "colour": STAGE_COLOURS.get(row["stage"], figures.OTHER_COLOUR),
        }
        for row in rows
    ]


def stage_place(stage: str) -> tuple[int, str]:
    return (STAGES.index(stage) if stage in STAGES else len(STAGES), stage)


def source_funnels(funnel: pl.DataFrame, noisy: Set[str]) -> list[dict[str, Any]]:
    """Per source its bar (released and dropped by stage, percent) and its reasons with their counts."""
    rows = []
    for source in figures.ordered(funnel["source"]):
        part = funnel.filter(pl.col("source") == source)
        shares = fate(part)
        total = max(sum(shares.values()), 1)
        entered = part.filter((pl.col("stage") == "ingest") & (pl.col("reason") == "in"))["documents"].sum()
        rows.append(
            {
                "source": source,
                "noisy": source in noisy,
                "entered": entered,
                "released": shares[RELEASED],
                "pieces": [
                    {
                        "words": f"{STAGE_WORDS.get(stage, words(stage))}: {count(shares[stage])} "
                        f"({percent(shares[stage] / total)})",
                        "width": width(shares[stage], total),
                        "colour": STAGE_COLOURS.get(stage, figures.OTHER_COLOUR),
                    }
                    for stage in fate_order(shares)
                    if shares[stage]
                ],
                "stages": [
                    {
                        **row,
                        "title": STAGE_TITLES.get(row["stage"], words(row["stage"])),
                        "reasons": [
                            (words(reason), documents)
                            for _, stage, reason, documents in part.iter_rows()
                            if stage == row["stage"] and reason not in ("in", "gained", "kept") and documents
                        ],
                    }
                    for row in statistics.by_stage(part).iter_rows(named=True)
                ],
            }
        )
    return rows


def fate_legend(funnel: pl.DataFrame) -> list[tuple[str, str]]:
    """What the colours of the bars mean: (words, colour)."""
    fates = [fate(funnel.filter(pl.col("source") == source)) for source in sorted(set(funnel["source"]))]
    met = {stage for counts in fates for stage, found in counts.items() if found}
    return [
        (STAGE_WORDS.get(stage, words(stage)), STAGE_COLOURS.get(stage, figures.OTHER_COLOUR))
        for stage in fate_order(met)
    ]


# --- asked for and got ---


def shortfalls(deviation: Mapping[str, Any]) -> list[str]:
    """What fell short in words: how many languages, each that misses over 5 %, and what nobody could give."""
    languages, cells = deviation["languages"], deviation["cells"]
    short = [row for row in languages if row["deficit"] > 0]
    if not short:
        told = ["Every language has as many documents as asked for."]
    else:
        missing = plural(sum(row["deficit"] for row in short), "document")
        told = [f"{len(short)} of {plural(len(languages), 'language')} fell short, together by {missing}."]
    told += [
        f"{language_name(row['language'])} fell {count(row['deficit'])} short of {count(row['target'])}: {reason(row)}."
        for row in short
        if row["deficit"] > 0.05 * row["target"]
    ]
    nothing: dict[str, list[str]] = {}
    for cell in cells:
        if cell["target"] and not cell["available"]:
            nothing.setdefault(cell_name(cell), []).append(language_name(cell["language"]))
    return told + [f"No document of {key} was available in {listing(langs)}." for key, langs in nothing.items()]


def cell_name(cell: Mapping[str, Any]) -> str:
    """A genre pattern or length bucket in words."""
    if cell["key"] == "(no target)":
        return "genres without a target"
    return words(cell["key"])


def reason(row: Mapping[str, Any]) -> str:
    """Why a target was missed: nothing there, too little there, or whole authors that did not fit."""
    if not row["available"]:
        return "no document was available"
    if row["available"] < row["target"]:
        return f"only {count(row['available'])} {'were' if row['available'] != 1 else 'was'} available"
    return f"{count(row['available'])} were available, but only whole authors are taken"


def deviation_rows(deviation: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Per language: target, taken, a bar, and its genres and lengths with what they missed."""
    return [
        {
            **row,
            "bar": bullet(row),
            "verdict": verdict(row),
            "cells": [
                {
                    **cell,
                    "key": cell_name(cell),
                    "bar": bullet(cell),
                    "verdict": verdict(cell),
                }
                for cell in sorted(deviation["cells"], key=cell_place)
                if cell["language"] == row["language"]
            ],
        }
        for row in deviation["languages"]
    ]


def cell_place(cell: Mapping[str, Any]) -> tuple[str, int, str]:
    key = cell["key"]
    return (cell["dimension"], LENGTH_BUCKETS.index(key) if key in LENGTH_BUCKETS else -cell["target"], key)


def bullet(row: Mapping[str, Any]) -> dict[str, str]:
    """Widths in percent of a bar that shows what was taken, with a mark where the target is."""
    widest = max(row["target"], row["taken"], 1)
    return {"taken": width(row["taken"], widest), "target": width(row["target"], widest)}


def verdict(row: Mapping[str, Any]) -> str:
    if row["deficit"] > 0:
        return f"{count(row['deficit'])} short: {reason(row)}"
    return "met" if row["deficit"] == 0 else f"{count(-row['deficit'])} over"


def bound_in_words(deviation: Mapping[str, Any]) -> str:
    """What the least possible deviation says of the data and of the selection."""
    bound = deviation.get("bound") or {}
    reached, least = bound.get("reached"), bound.get("least_deviation")
    if reached is None:
        return ""
    told = f"All genre and length targets together were missed by {decimal(reached)} documents"
    if least is None or not math.isfinite(least):
        return f"{told}; how near any selection could have come was not computed."
    verdict = (
        "the data, not the selection, set the limit"
        if reached <= max(1.1 * least, least + 2)
        else f"the other {decimal(round(reached - least, 1))} are the selection's"
    )
    return f"{told}. No selection of whole authors could have missed them by less than {decimal(least)}: {verdict}."


# --- authors, splits, copies, safety ---


def author_labels(documents: pl.DataFrame, sources: Sources, facts: Mapping[str, Any]) -> list[dict[str, Any]]:
    """What a label stands for in each released source, with its terms."""
    totals = documents.group_by("source").agg(
        pl.len().alias("documents"), pl.col("author_id").n_unique().alias("authors"), pl.col("lang").unique().sort()
    )
    rows = []
    for tag, found, authors, langs in totals.sort("source").iter_rows():
        source = sources.get(tag, {})
        author = source.get("author", {})
        noisy = noisy_share(tag, sources, facts["ingest"])
        rows.append(
            {
                "tag": tag,
                "title": title(tag, sources),
                "about": source.get("about", ""),
                "note": author.get("note", ""),
                "kind": KINDS.get(author.get("kind", ""), author.get("kind", "not stated")),
                "noisy": "" if not noisy else "noisy" if noisy >= 0.995 else f"noisy in {percent(noisy)}",
                "licence": source.get("license", {}).get("name", "not stated"),
                "tier": tier(tag, sources),
                "documents": found,
                "authors": authors,
                "languages": ", ".join(language_name(lang) for lang in langs),
            }
        )
    return rows


def tiers_in_words(documents: pl.DataFrame, sources: Sources) -> str:
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


def split_rows(table: pl.DataFrame, splits: Sequence[str]) -> list[dict[str, Any]]:
    """Per language, and for all, the documents, authors and queries of every split."""
    rows: dict[str, dict[str, Any]] = {}
    for row in table.iter_rows(named=True):
        rows.setdefault(row["language"], {})[row["split"]] = row
    return [
        {"language": language, "cells": [rows[language][split] for split in (*splits, ALL)]}
        for language in figures.ordered(table["language"])
    ]


def split_lines(split: Mapping[str, Any]) -> list[tuple[str, str]]:
    return [(SPLIT_WORDS.get(key, words(key)), shown(value)) for key, value in split.items() if key != "buckets"]


def balance_in_words(buckets: Sequence[Mapping[str, Any]]) -> str:
    """How near the splits of every bucket are to their shares, in units that cannot be divided."""
    if not buckets:
        return ""
    near = sum(abs(row["documents"] - row["due"]) <= row["largest_unit"] for row in buckets)
    worst = max(buckets, key=lambda row: abs(row["documents"] - row["due"]))
    place = f"{language_name(worst['lang'])}, {words(worst['genre'])}, {words(worst['length_bucket'])}"
    return (
        f"{count(near)} of {count(len(buckets))} shares of a split in a bucket (language, genre and length) are within "
        f"one unit of what is due; the furthest is {place}, with {plural(worst['documents'], 'document')} in "
        f"{worst['split']} where {decimal(worst['due'])} are due."
    )


def copies_table(dedup: Mapping[str, Mapping[str, int]]) -> dict[str, Any]:
    """What was counted of copies: a row a kind, a column for whole documents and one for chunks."""
    kinds = list(dict.fromkeys(kind for counts in dedup.values() for kind in counts))
    rows = [(COPY_WORDS.get(kind, words(kind)), [dedup[unit].get(kind, 0) for unit in dedup]) for kind in kinds]
    return {"units": [words(unit) for unit in dedup], "rows": rows}


def copies_rule(dedup: Mapping[str, Any]) -> str:
    """The rule for copies with the chance that banding finds a pair at the threshold."""
    if not dedup:
        return ""
    threshold, bands, rows = dedup["threshold"], dedup["bands"], dedup["rows"]
    recall = 1 - (1 - threshold**rows) ** bands
    found = "over 99.9 %" if recall > 0.9995 else percent(recall)
    return (
        f"Two texts are near copies when they share at least {threshold} of their runs of "
        f"{dedup['shingle_chars']} characters (multiset Jaccard). {bands} bands of {rows} hashes find a pair at that "
        f"threshold with a chance of {found}; what they find is compared exactly."
    )


def query_rule(release: Mapping[str, Any]) -> str:
    """The release's rule for queries and positives in words."""
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
    least = release["min_documents_for_query"]
    return (
        f"An author with at least {least} texts in a split gives {many} as a query, drawn by hash. {where} {positive}"
    )


def ingest_rows(ingest: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Per source what was wrong with its raw files: unreadable rows, own names, and further facts."""
    told = {"bad_rows", "bad_row_examples", "names_author", "noisy_authors", "documents", "authors", "files"}
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
            "examples": list(facts.get("bad_row_examples", [])),
            "more": lines_of({key: value for key, value in facts.items() if key not in told | own}),
        }
        for tag, facts in sorted(ingest.items())
    ]


def toxicity_rows(rates: Iterable[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Per language the texts scored and dropped, with the genres where texts were dropped."""
    rows: dict[str, dict[str, Any]] = {}
    for rate in sorted(rates, key=lambda rate: (rate["lang"], rate["genre"])):
        row = rows.setdefault(rate["lang"], {"lang": rate["lang"], "scored": 0, "dropped": 0, "genres": []})
        row["scored"] += rate["scored"]
        row["dropped"] += rate["dropped"]
        if rate["dropped"]:
            row["genres"].append(f"{words(rate['genre'])} {rate['dropped']} of {rate['scored']}")
    return [{**row, "share": row["dropped"] / row["scored"] if row["scored"] else 0.0} for row in rows.values()]


# --- words and numbers ---


def lines_of(facts: Any, above: str = "") -> list[tuple[str, str]]:
    """Nested facts as (words, value) lines; of a list of records, how many there are."""
    if isinstance(facts, Mapping):
        return [
            line
            for key, value in facts.items()
            for line in lines_of(value, f"{above} / {words(str(key))}" if above else words(str(key)))
        ]
    if isinstance(facts, list | tuple):
        plain = all(not isinstance(item, Mapping | list | tuple) for item in facts)
        return [
            (above, ", ".join(shown(item) for item in facts) if plain and len(facts) <= 12 else f"{len(facts)} rows")
        ]
    return [(above, shown(facts))]


def shown(value: Any) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, int):
        return count(value)
    return decimal(value) if isinstance(value, float) else "none" if value is None else str(value)


def title(tag: str, sources: Sources) -> str:
    return str(sources.get(tag, {}).get("title", tag))


def tier(tag: str, sources: Sources) -> str:
    return str(sources.get(tag, {}).get("license", {}).get("tier", "?"))


def short_identity(identity: str) -> str:
    """A scorer's name and version without its long digests."""
    return " ".join(part for part in identity.split() if len(part) < 24)


def words(name: str) -> str:
    return name.replace("_", " ")


def count(number: int) -> str:
    return f"{number:,}"


def decimal(number: float) -> str:
    """At most three significant decimals, none for whole numbers."""
    return f"{number:,.0f}" if float(number).is_integer() else f"{number:,.3f}".rstrip("0") if abs(number) < 10 else (
        f"{number:,.1f}"
    )  # fmt: skip


def percent(share: float) -> str:
    """A share in percent, with a decimal where it is small.

    >>> percent(0.4219), percent(0.0123), percent(0.0001)
    ('42 %', '1.2 %', 'under 0.1 %')
    """
    if 0 < share < 0.0005:
        return "under 0.1 %"
    return f"{share:.0%}".replace("%", " %") if share >= 0.1 or share == 0 else f"{share:.1%}".replace("%", " %")


def width(part: float, whole: float) -> str:
    return figures.number(100 * part / whole)


def plural(number: int, one: str, many: str = "") -> str:
    return f"{count(number)} {one if number == 1 else many or one + 's'}"


def listing(items: Iterable[str]) -> str:
    """Items as an English list.

    >>> listing(["a", "b", "c"])
    'a, b and c'
    """
    *first, last = items
    return f"{', '.join(first)} and {last}" if first else last
