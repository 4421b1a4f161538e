"""Collect the metadata of all stages for the manifest and the report."""

from collections.abc import Iterable
from typing import cast

from authbench.build.sample.deviation import with_filtered
from authbench.core.funnel import Counts, add_up, join_stages, merge_counts
from authbench.core.json_values import JsonMapping
from authbench.release.format.deviation import Deviation
from authbench.release.format.findings import Exclusions, Findings, LabelRow, SourceFindings


def collect(
    counts: Iterable[Counts],
    sampled: JsonMapping,
    deviation: Deviation,
    split: JsonMapping,
    excluded: Iterable[str] | None = None,
    labels: Iterable[LabelRow] = (),
) -> Findings:
    """Return the metadata that `release.write.write_release` and `report.page.render` use.

    Args:
        excluded: the document keys in the file of `filter.exclude`, if it is set.
        labels: measurements of the author labels (rows of `labels.judge.STATISTICS`).

    Raises:
        Unaccounted: documents vanished between stages.
    """
    counts = list(counts)
    return {
        "funnel": join_stages(merge_counts(counts)),
        "deviation": with_filtered(deviation, _filtered(counts)),
        "scorers": sampled["scorers"],
        "toxicity_rates": sampled["toxicity_rates"],
        "documents_scored": sampled["documents_scored"],
        "length_bounds": sampled["length_bounds"],
        "ingest": _of_sources(counts),
        "read": {next(iter(part["sources"])): part["inputs"] for part in counts if part["stage"] == "ingest"},
        "dedup": {
            part["stage"].removeprefix("dedup_"): part["facts"]["dedup"]
            for part in counts
            if part["stage"].startswith("dedup_")
        },
        "split": dict(split),
        "labels": list(labels),
        **({} if excluded is None else {"exclusions": _exclusions(set(excluded), counts)}),
    }


def _filtered(counts: Iterable[Counts]) -> dict[str, int]:
    """Return how many documents of each language the filters dropped, over all parts."""
    found: dict[str, int] = {}
    for part in counts:
        found = add_up(found, part.get("facts", {}).get("dropped_by_language", {}))
    return found


def _exclusions(listed: set[str], counts: Iterable[Counts]) -> Exclusions:
    """Return how many documents reviewers excluded, and which of them never reached the filters."""
    met = {key for part in counts for key in part.get("facts", {}).get("ruled_out", {})}
    return {"entries": len(listed), "without_a_document": sorted(listed - met)}


def _of_sources(counts: Iterable[Counts]) -> dict[str, SourceFindings]:
    """Return per source the metadata of ingestion, with what later stages count per source."""
    found: dict[str, SourceFindings] = {}
    masked: dict[str, dict[str, int]] = {}
    over_cap: dict[str, int] = {}
    for part in counts:
        facts = part.get("facts", {})
        if part["stage"] == "ingest":
            found[next(iter(part["sources"]))] = cast(SourceFindings, dict(facts))
        masked = add_up(masked, facts.get("masked", {}))
        over_cap = add_up(over_cap, facts.get("over_chunk_cap", {}))
    for tag, source in found.items():
        source["masked"] = dict(sorted(masked.get(tag, {}).items()))
        source["over_chunk_cap"] = over_cap.get(tag, 0)
    return dict(sorted(found.items()))
