"""Warn in words of what limits the conclusions that a release supports."""

from collections.abc import Iterator, Mapping, Sequence

import polars as pl

from authbench.build.ingest.reasons import REASONS
from authbench.build.release import statistics
from authbench.build.release.measured_labels import about_measured_labels
from authbench.build.release.words import Sources, short_identity, tier, title
from authbench.config.languages import language_name
from authbench.config.registry.load import entry_name
from authbench.config.settings.dedup import Dedup
from authbench.config.settings.split import Split
from authbench.core.words import count, listing, percent, plural
from authbench.release.format.findings import Exclusions, Findings, SourceFindings
from authbench.release.format.manifest import RawLock, Scorer, Withheld

FEW_QUERIES = 100
SHOWN = 5
OWN_NAMES = 0.01
_CURTAILED = "(dedup.comparisons_per_document)."
_EXCLUDING = "in the list filter.exclude"


def warnings(facts: Findings, documents: pl.DataFrame, queries: pl.DataFrame, sources: Sources) -> list[str]:
    """Return every warning about a release, for the report and the manifest."""
    return [
        *about_losses(facts),
        *_about_queries(documents, queries, list(facts["splits"])),
        *_about_split_unit(facts["config"].get("split", {})),
        *_about_ids(facts["config"].get("release", {})),
        *_about_labels(documents, sources, facts["ingest"]),
        *about_measured_labels(documents, sources, facts.get("labels", ()), facts["config"].get("authors", {})),
        *_about_origins(documents),
        *_about_own_names(documents, facts["ingest"]),
        *_about_copies(facts["dedup"], facts["config"].get("dedup", {})),
        *_about_safety(documents, facts["scorers"]),
        *_about_sources(documents, sources, facts),
        *_about_raw_lock(facts["raw_lock"]),
        *_about_takedown(facts["takedown"]),
        *_about_withheld(facts.get("withheld"), documents.height),
        *_about_exclusions(facts.get("exclusions")),
        *_about_counts(statistics.funnel_table(facts["funnel"])),
    ]


def about_losses(facts: Findings) -> Iterator[str]:
    """Yield warnings on sources where ingestion lost more than half of the records, or of the values of a field."""
    rows = [row for row in facts["funnel"] if row["stage"] == "ingest"]
    entered = {row["source"]: row["documents"] for row in rows if row["reason"] == "in"}
    lost: dict[str, dict[str, int]] = {}
    for row in rows:
        if row["reason"] in REASONS:
            lost.setdefault(row["source"], {})[row["reason"]] = row["documents"]
    for tag, reasons in sorted(lost.items()):
        if 2 * sum(reasons.values()) > entered.get(tag, 0):
            told = listing(f"{count(number)} {REASONS[reason]}" for reason, number in sorted(reasons.items()))
            yield f"More than half of the {count(entered[tag])} records of {tag} became no text: {told}."
    for tag, of_source in sorted(facts["ingest"].items()):
        for name, (values, gone) in of_source.get("lost", {}).items():
            yield (
                f"Nothing was made of {count(gone)} of {count(values)} values of the field {name} of {tag} "
                f"(fields.{name} of its entry)."
            )


def _about_queries(documents: pl.DataFrame, queries: pl.DataFrame, splits: Sequence[str]) -> Iterator[str]:
    """Yield a warning on languages whose test split (or last split) has under a hundred queries."""
    test = "test" if "test" in splits else splits[-1]
    test_queries = queries.filter(pl.col("split") == test).join(
        documents.select("id", "lang"), left_on="query_id", right_on="id", how="left"
    )
    counts = dict(test_queries.group_by("lang").len().iter_rows())
    few = {lang: counts.get(lang, 0) for lang in sorted(set(documents["lang"])) if counts.get(lang, 0) < FEW_QUERIES}
    if few:
        listed = listing(f"{language_name(lang)} ({found})" for lang, found in sorted(few.items(), key=lambda x: -x[1]))
        yield (
            f"Fewer than {FEW_QUERIES} {test} queries in {listed}: scores of a single language are rough there; "
            "read their intervals, not their ranks. More documents (sample.documents, sample.languages) or a larger "
            f"share of {test} (split.splits) give more."
        )


def _about_split_unit(split: Split) -> Iterator[str]:
    if split.get("unit") == "document":
        yield (
            "Documents were split one by one: an author's texts lie in several splits, and few are left for queries "
            "(split.unit: author keeps them together)."
        )


def _about_ids(release: Mapping[str, object]) -> Iterator[str]:
    if release.get("ids") == "sorted":
        yield (
            "Ids, and the order of lines, follow language, source and author (release.ids: sorted): texts with near "
            "numbers are by one author, which the model `ids` measures."
        )


def _about_labels(documents: pl.DataFrame, sources: Sources, ingest: Mapping[str, SourceFindings]) -> Iterator[str]:
    """Yield warnings on author labels that may name several people, an outlet, or a work."""
    total = max(documents.height, 1)
    per_source = dict(documents.group_by("source").len().sort("source").iter_rows())
    if noisy := [tag for tag in per_source if noisy_share(tag, sources, ingest) > 0]:
        share = sum(per_source[tag] for tag in noisy) / total
        yield (
            f"{percent(share)} of the documents come from {plural(len(noisy), 'source')} with noisy author labels, "
            f"which may join several people or divide one: {listing(title(tag, sources) for tag in noisy)}. "
            "A recipe can leave them out (sources)."
        )
    kinds = dict(documents.group_by("author_kind").len().iter_rows())
    words_of = {
        "masked": "carry a masked name (as love****) that several people may share",
        "outlet": "are signed by an outlet or byline, which can be many writers",
        "work": "have no known author: a work stands for one; they fill train and are never queries or positives",
    }
    for kind, what in words_of.items():
        if kinds.get(kind):
            yield f"{percent(kinds[kind] / total)} of the documents {what} (authors.kinds admits them)."


def noisy_share(tag: str, sources: Sources, ingest: Mapping[str, SourceFindings]) -> float:
    """Return the share of a source's documents with noisy author labels; masked labels are always noisy."""
    source = sources.get(tag)
    if source is not None and source.author.kind == "masked":
        return 1.0
    stated = source is not None and bool(source.author.noisy)
    return float(ingest.get(tag, {}).get("noisy_authors", stated))


def _about_origins(documents: pl.DataFrame) -> Iterator[str]:
    origins = documents.group_by("author_id").agg(pl.col("origin").n_unique())["origin"]
    if one := int((origins == 1).sum()):
        yield (
            f"{count(one)} of {count(len(origins))} authors ({percent(one / len(origins))}) are known by one work or "
            "document only: to find their other texts, a model may recognise the work instead of the author "
            "(sample.min_origins asks for more works)."
        )


def _about_own_names(documents: pl.DataFrame, ingest: Mapping[str, SourceFindings]) -> Iterator[str]:
    named = documents.group_by("source").agg(pl.col("names_author").fill_null(False).mean()).sort("source")
    released = dict(named.iter_rows())
    shares = {tag: max(share, float(ingest.get(tag, {}).get("names_author", 0))) for tag, share in released.items()}
    if often := [f"{tag} ({percent(shares[tag])})" for tag in released if shares[tag] > OWN_NAMES]:
        yield (
            f"More than 1 % of the texts contain their author's name in {listing(often)}; normalize.own_name masks it "
            "where the source entry says that it is the author's (author.own_name)."
        )


def _about_copies(dedup: Mapping[str, Mapping[str, int]], settings: Dedup) -> Iterator[str]:
    if curtailed := sum(counts.get("comparisons_curtailed", 0) for counts in dedup.values()):
        most = count(settings["comparisons_per_document"])
        yield (
            f"{plural(curtailed, 'document')} had more than {most} others to be compared with, as hardly happens but "
            "on purpose: each was compared with the nearest in corpus order, and near copies of others may remain "
            f"{_CURTAILED}"
        )


def _about_safety(documents: pl.DataFrame, scorers: Sequence[Scorer]) -> Iterator[str]:
    if not scorers:
        yield "No text was checked for toxicity: safety.scorers is empty."
        return
    if all(scorer["identity"].startswith("wordlist") for scorer in scorers):
        yield (
            "Toxicity was judged by a word list only: it sees words, not meaning. For a release meant for others, "
            "add detoxify to safety.scorers."
        )
    released = sorted(set(documents["lang"]))
    for scorer in scorers:
        if foreign := [language_name(lang) for lang in released if lang not in scorer["languages"]]:
            yield (
                f"The toxicity scorer {short_identity(scorer['identity'])} was not made for {listing(foreign)}; "
                "its scores there mean little (safety.scorers names others)."
            )
    if unscored := documents["toxicity"].null_count():
        yield f"{plural(unscored, 'document')} without a toxicity score (safety.scorers)."


def _about_sources(documents: pl.DataFrame, sources: Sources, facts: Findings) -> Iterator[str]:
    if skipped := sorted(facts["skipped_sources"]):
        yield (
            f"Left out for want of raw files: {listing(skipped)}. Targets were filled from the other sources "
            "(missing_sources)."
        )
    unused = sorted(set(map(entry_name, facts["config"].get("sources", []))) - set(skipped) - set(documents["source"]))
    if unused:
        yield (
            f"No document of {listing(unused)} is in the release; the stages below say where they went, `sources` need "
            "not name them."
        )
    if closed := [tag for tag in sorted(set(documents["source"])) if tier(tag, sources) == "B"]:
        yield (
            f"Texts of {listing(closed)} are tier B: their terms do not allow them to be passed on. Share their "
            "provenance, not their text, as `snakemake publish` does (publish.forms)."
        )
    if fallback := facts["deviation"].get("fallback_authors", 0):
        least = facts["config"].get("sample", {}).get("min_documents_per_author")
        yield (
            f"{plural(fallback, 'author')} with fewer documents than the rule asks{f' ({least})' if least else ''} "
            f"{'was' if fallback == 1 else 'were'} admitted where a language fell short "
            "(sample.fallback_documents_per_author; null admits none)."
        )


def _about_raw_lock(lock: RawLock) -> Iterator[str]:
    """Yield a warning on sources whose raw files are not known to equal the first download."""
    found = [f"{tag} ({state})" for tag, state in sorted(lock["sources"].items()) if state != "verified"]
    if lock["sha256"] is None and lock["sources"]:
        yield (
            "No lock says that the raw files are complete, and are what was first fetched: "
            "`authbench sources acquire` writes one, beside raw_dir."
        )
    elif lock["sha256"] is not None and found:
        told = "The raw files are not those of their lock"
        yield f"{told}: {listing(found)}; acquire.unverified: stop would refuse them."


def _about_takedown(takedown: Mapping[str, int]) -> Iterator[str]:
    if lost := takedown.get("entries_without_a_document", 0):
        yield f"{plural(lost, 'entry', 'entries')} of the takedown list matched no document (release.takedown)."


def _about_withheld(withheld: Withheld | None, here: int) -> Iterator[str]:
    """Yield a warning on documents of the complete release that are missing from its public bundle."""
    if not withheld:
        return
    gone, queries = count(withheld["documents"]), count(withheld["queries"])
    told = f"{gone} of the {count(withheld['documents'] + here)} documents of the complete release "
    if list(withheld["reasons"]) == ["not_found"]:
        yield told + (
            f"were not found in the raw corpora from which it was rebuilt, and it lacks {queries} of its queries: "
            "scores are of this part, not of the complete release."
        )
    else:
        yield told + (
            f"are withheld, as their terms do not allow them to be passed on, and {queries} of its queries: scores are "
            "of this bundle, not of the complete release, which `authbench release rebuild` makes of the raw corpora."
        )


def _about_exclusions(exclusions: Exclusions | None, naming: bool = False) -> Iterator[str]:
    """Yield a warning on excluded texts that no filter saw.

    Args:
        naming: whether to list their document keys, which a release must not contain.
    """
    if exclusions and (lost := exclusions["without_a_document"]):
        names = f" ({', '.join(lost[:SHOWN])}{', …' if len(lost) > SHOWN else ''})" if naming else ""
        yield (
            f"{plural(len(lost), 'entry', 'entries')} of {exclusions['entries']} {_EXCLUDING}{names} matched "
            "no document that came to the filters."
        )


def of_the_build(lines: Sequence[str]) -> list[str]:
    """Return the warnings of a release that only its build can give: on comparisons and on lists of exclusions."""
    return [line for line in lines if line.endswith(_CURTAILED) or _EXCLUDING in line]


def about_lists(facts: Findings, takedown: Mapping[str, int]) -> list[str]:
    """Return lines for the end of a run on entries of the user's lists that matched nothing."""
    return [*_about_takedown(takedown), *_about_exclusions(facts.get("exclusions"), naming=True)]


def _about_counts(funnel: pl.DataFrame) -> Iterator[str]:
    for row in statistics.unexplained(funnel).iter_rows(named=True):
        yield (
            f"The counts of {row['source']} at {row['stage']} do not add up: {count(row['in'])} in and "
            f"{count(row['gained'])} gained, {count(row['dropped'])} dropped and {count(row['kept'])} kept."
        )
