"""Metadata of all stages, collected for the manifest and the report."""

import hashlib
import sys
from collections.abc import Iterable, Mapping
from importlib import metadata
from typing import Any

from authbench.funnel import Counts, add_up, join_stages, merge_counts

LIBRARIES = ("datasketch", "gigatoken", "langid", "numba", "numpy", "polars", "pyarrow", "regex", "scipy", "tiktoken")
MODEL_LIBRARIES = ("detoxify", "torch", "transformers")
# Settings that do not affect the data, such as the folder of raw files and the number of shards, are not in a release.
NOT_OF_THE_DATA = (
    "raw_dir",
    "shards",
    "missing_sources",
    "evaluate",
    "train",
    "publish",
    "review",
    "style",
    "pan",
    "raven",
)


def collect(
    counts: Iterable[Counts],
    sampled: Mapping[str, Any],
    deviation: Mapping[str, Any],
    split: Mapping[str, Any],
    run: Mapping[str, Any],
    excluded: Iterable[str] | None = None,
) -> dict[str, Any]:
    """Return the metadata that `release.write.write_release` and `report.page.render` use.

    Args:
        counts: the counts of all stages and parts.
        sampled: metadata of sampling.
        deviation: requested against sampled numbers.
        split: metadata of splitting.
        run: the setup of the run (`config.record_setup`).
        excluded: the document keys in the file of `filter.exclude`, if it is set.

    Raises:
        Unaccounted: documents vanished between stages.
    """
    counts = list(counts)
    config = {key: value for key, value in run["config"].items() if key not in NOT_OF_THE_DATA}
    if (
        "filter" in config and config["filter"].get("exclude") is None
    ):  # a release from which nobody ruled out a text says nothing of it
        config["filter"] = {key: value for key, value in config["filter"].items() if key != "exclude"}
    models = MODEL_LIBRARIES if "detoxify" in config["safety"]["scorers"] else ()
    return {
        "funnel": join_stages(merge_counts(counts)),
        "deviation": dict(deviation),
        "skipped_sources": run["skipped"],
        "scorers": sampled["scorers"],
        "toxicity_rates": sampled["toxicity_rates"],
        "documents_scored": sampled["documents_scored"],
        "length_bounds": sampled["length_bounds"],
        "ingest": _of_sources(counts),
        "dedup": {
            part["stage"].removeprefix("dedup_"): part["facts"]["dedup"]
            for part in counts
            if part["stage"].startswith("dedup_")
        },
        "split": dict(split),
        "config": config,
        "versions": {
            "python": f"{sys.version_info.major}.{sys.version_info.minor}",
            **_versions((*LIBRARIES, *models)),
        },
        "inputs": {tag: _inputs(files) for tag, files in sorted(run["inventory"].items())},
        **({} if excluded is None else {"exclusions": _exclusions(set(excluded), counts)}),
    }


def _exclusions(listed: set[str], counts: Iterable[Counts]) -> dict[str, Any]:
    """Return how many documents reviewers ruled out, and which of them the filters never saw."""
    met = {key for part in counts for key in part.get("facts", {}).get("ruled_out", {})}
    return {"entries": len(listed), "without_a_document": sorted(listed - met)}


def _of_sources(counts: Iterable[Counts]) -> dict[str, dict[str, Any]]:
    """Return per source the metadata of ingestion, with what later stages count per source."""
    found: dict[str, dict[str, Any]] = {}
    masked: dict[str, dict[str, int]] = {}
    over_cap: dict[str, int] = {}
    for part in counts:
        facts = part.get("facts", {})
        if part["stage"] == "ingest":
            found[next(iter(part["sources"]))] = dict(facts)
        masked = add_up(masked, facts.get("masked", {}))
        over_cap = add_up(over_cap, facts.get("over_chunk_cap", {}))
    for tag, source in found.items():
        source["masked"] = dict(sorted(masked.get(tag, {}).items()))
        source["over_chunk_cap"] = over_cap.get(tag, 0)
    return dict(sorted(found.items()))


def _versions(names: Iterable[str]) -> dict[str, str]:
    return {name: metadata.version(name) for name in names}


def _inputs(files: Mapping[str, str]) -> dict[str, Any]:
    """Return how many raw files a source has, and one SHA-256 over their names and digests."""
    whole = hashlib.sha256("".join(f"{digest}  {name}\n" for name, digest in sorted(files.items())).encode())
    return {"files": len(files), "sha256": whole.hexdigest()}
