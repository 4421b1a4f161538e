"""Make the rows of the report's bars, which follow the documents of each source through the stages."""

from collections.abc import Set

import polars as pl

from authbench.build.release import statistics
from authbench.build.release.words import bar_width
from authbench.config.languages import ordered
from authbench.core.funnel import STAGES
from authbench.core.words import count, percent, spaced
from authbench.reports.report.figures import RELEASED, fate, fate_order, fates_of, look_of, looks_of


def stage_rows(funnel: pl.DataFrame) -> list[dict[str, object]]:
    """Return a row per stage, over all sources: documents in, gained, dropped and kept, and bar widths in percent."""
    stages = statistics.by_stage(funnel).group_by("stage").agg(pl.col("in", "gained", "dropped", "kept").sum())
    place = {stage: number for number, stage in enumerate(STAGES)}
    rows = sorted(stages.iter_rows(named=True), key=lambda row: (place.get(row["stage"], len(place)), row["stage"]))
    widest = max([1, *(row["in"] + row["gained"] for row in rows)])
    return [
        {
            **row,
            "title": look_of(row["stage"]).title,
            "kept_width": bar_width(row["kept"], widest),
            "dropped_width": bar_width(row["dropped"], widest),
            "colour": look_of(row["stage"]).colour,
        }
        for row in rows
    ]


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
                        "words": f"{look_of(stage).dropped}: {count(shares[stage])} ({percent(shares[stage] / total)})",
                        "width": bar_width(shares[stage], total),
                        "colour": look_of(stage).colour,
                    }
                    for stage in fate_order(shares)
                    if shares[stage]
                ],
                "stages": [
                    {
                        **row,
                        "title": look_of(row["stage"]).title,
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
    return [(look.dropped, look.colour) for look in looks_of(fates_of(funnel)).values()]
