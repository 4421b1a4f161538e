"""Write a plan as text for a terminal, with its basis and what it leaves out."""

from collections.abc import Iterable, Sequence

import polars as pl

from authbench.app.plan import RULES, SPARE, Corpus, Plan
from authbench.app.rates import Rates
from authbench.core.presentation.tables import Column, Table, plain_rows
from authbench.core.presentation.tables import as_text as aligned

MINUTE = 60.0  # seconds; rules that take less have no line


def as_text(plan: Plan, rates: Rates) -> str:
    """Return the requested corpus, a line per rule of a minute or more and per folder, and the rates' origin."""
    corpus = plan.corpus
    sizes = " and ".join(f"{size['documents']:,}" for size in rates["sizes"])
    whole = sum(stage.cpu for stage in plan.stages), sum(stage.wall for stage in plan.stages)
    jobs = sum(stage.jobs for stage in plan.stages)
    long = [stage for stage in plan.stages if stage.cpu >= MINUTE]
    deleted = [("deleted tables, at most at once", plan.at_once)] if plan.at_once else []
    folders = [
        ("raw files", plan.raw_bytes),
        *deleted,
        *plan.disk.items(),
        ("at most" if deleted else "all", plan.on_disk),
    ]
    return "\n".join(
        [
            f"{corpus.documents:,.0f} documents of {corpus.mean_chars:,.0f} characters, {corpus.released:,.0f} of them "
            f"released, {corpus.cores} cores, {plan.shards:,} shards",
            *_cut(corpus),
            "",
            *table(
                ("rule", "jobs", "CPU hours", f"hours on {corpus.cores} cores", "peak MiB of a job"),
                [
                    *(
                        (stage.rule, f"{stage.jobs:,}", _hours(stage.cpu), _hours(stage.wall), f"{stage.peak:,.0f}")
                        for stage in long
                    ),
                    *(
                        [(f"{len(plan.stages) - len(long)} under a minute each", "", "", "", "")]
                        * (long != plan.stages)
                    ),
                    ("all, one after another", f"{jobs:,}", _hours(whole[0]), _hours(whole[1]), ""),
                ],
            ),
            "",
            *table(("on disk", "GB"), [(name, f"{size / 1e9:,.2f}") for name, size in folders]),
            "",
            f"Computed from builds of {sizes} documents at commit {rates['commit']} on {rates['machine']}.",
            *_scored(plan, rates),
            *_unmeasured(rates),
            *_undrawn(corpus),
            *_to_fetch(corpus),
            "",
        ]
    )


def _cut(corpus: Corpus) -> list[str]:
    """Return a line on the chunks of long documents; empty if every document is a single chunk."""
    if corpus.chunks == corpus.documents:
        return []
    return [
        f"in {corpus.chunks:,.0f} chunks of {corpus.chunk_chars:,.0f} characters, at most "
        f"{corpus.settings['chunk']['max_chunks_per_document']} of a document: what is released are chunks"
    ]


def _to_fetch(corpus: Corpus) -> list[str]:
    """Return a line on the share of the files that suffices; empty if all are needed."""
    share = SPARE * corpus.released / corpus.chunks
    if share >= 1:
        return []
    shown = f"{share:.2g}"
    return [
        f"Enough to fetch: `authbench sources acquire --share {shown}`, {SPARE} chunks for each that is released; more "
        "where few authors have several texts, or a language or genre is rare. A plan of that share: --documents "
        f"{' '.join(f'{share * number:.2g}' for number, _ in corpus.kinds)}."
    ]


def _scored(plan: Plan, rates: Rates) -> list[str]:
    """Return a line on the origin of Detoxify's rate; empty if it is not used."""
    if not any(stage.rule.endswith("Detoxify") for stage in plan.stages):
        return []
    known = rates["detoxify"]
    return [
        f"Detoxify scores each released text on one core, its first {max(known['cpu_s_by_tokens'])} tokens: measured "
        f"at commit {known['commit']} on {known['machine']}, torch {known['torch']}."
    ]


def _unmeasured(rates: Rates) -> list[str]:
    """Return a line that names the rules of a build without measured rates; empty if all were measured."""
    known = {rule for size in rates["sizes"] for rule in size["rules"]}
    lacking = [rule for rule in RULES if rule not in known]
    return [f"Not measured, so not counted: {', '.join(lacking)}."] if lacking else []


def _undrawn(corpus: Corpus) -> list[str]:
    """Return a line on the texts of authors who are not drawn; empty if all are processed."""
    most = corpus.settings["sample"]["early_authors"]
    if most is None:
        return []
    return [
        f"Only {most:,} authors of each source and language are processed after ingestion (sample.early_authors), "
        "which is not counted here."
    ]


def _hours(seconds: float) -> str:
    return f"{seconds / 3600:,.2f}" if seconds >= 36 else "< 0.01"


def table(head: Sequence[str], rows: Iterable[Sequence[str]], words: Sequence[int] = (0,)) -> list[str]:
    """Return the lines of a table; `words` are the columns that are not numbers."""
    columns = [Column(name, words=at in words) for at, name in enumerate(head)]
    return aligned(Table("", "", columns, plain_rows(rows), pl.DataFrame())).splitlines()
