"""Make the rows of the report's bars, which follow the documents of each source through the stages."""

from collections.abc import Set

import polars as pl

from authbench.funnel import STAGES
from authbench.report import figures, statistics
from authbench.report.figures import RELEASED, STAGE_COLOURS, STAGE_WORDS, fate, fate_order
from authbench.report.words import bar_width
from authbench.words import count, ordered, percent, spaced

STAGE_TITLES = {
    "ingest": "Read from the raw files",
    "normalize": "Normalise the text",
    "dedup_documents": "Drop copied documents",
    "chunk": "Cut long texts",
    "filter": "Filter",
    "dedup_chunks": "Drop copied chunks",
    "sample": "Select authors and texts",
    "split": "Split",
    "release": "Release",
    "merge": "Merge",
}


def stage_rows(funnel: pl.DataFrame) -> list[dict[str, object]]:
    """Return a row per stage, over all sources: documents in, gained, dropped and kept, and bar widths in percent."""
    stages = statistics.by_stage(funnel).group_by("stage").agg(pl.col("in", "gained", "dropped", "kept").sum())
    rows = sorted(stages.iter_rows(named=True), key=lambda row: _stage_place(row["stage"]))
    widest = max([1, *(row["in"] + row["gained"] for row in rows)])
    return [
        {
            **row,
            "title": STAGE_TITLES.get(row["stage"], spaced(row["stage"])),
            "kept_width": bar_width(row["kept"], widest),
            "dropped_width": bar_width(row["dropped"], widest),
            "colour": STAGE_COLOURS.get(row["stage"], figures.OTHER_COLOUR),
        }
        for row in rows
    ]


def _stage_place(stage: str) -> tuple[int, str]:
    return (STAGES.index(stage) if stage in STAGES else len(STAGES), stage)


def source_funnels(funnel: pl.DataFrame, noisy: Set[str]) -> list[dict[str, object]]:
    """Return a row per source: its bar (released, and dropped by stage, in percent) and its reasons with counts."""
    rows = []
    for source in ordered(funnel["source"]):
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
                        "words": f"{STAGE_WORDS.get(stage, spaced(stage))}: {count(shares[stage])} "
                        f"({percent(shares[stage] / total)})",
                        "width": bar_width(shares[stage], total),
                        "colour": STAGE_COLOURS.get(stage, figures.OTHER_COLOUR),
                    }
                    for stage in fate_order(shares)
                    if shares[stage]
                ],
                "stages": [
                    {
                        **row,
                        "title": STAGE_TITLES.get(row["stage"], spaced(row["stage"])),
                        "reasons": [
                            (spaced(reason), documents)
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
    """Return the legend of the bars as (words, colour)."""
    fates = [fate(funnel.filter(pl.col("source") == source)) for source in sorted(set(funnel["source"]))]
    met = {stage for counts in fates for stage, found in counts.items() if found}
    return [
        (STAGE_WORDS.get(stage, spaced(stage)), STAGE_COLOURS.get(stage, figures.OTHER_COLOUR))
        for stage in fate_order(met)
    ]
