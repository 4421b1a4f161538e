"""Make the manifest of a release."""

from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import PurePath
from typing import Any

import polars as pl

from authbench.build.release.contents import Contents
from authbench.config.registry.citations import default_citation
from authbench.config.registry.source_entry import Description
from authbench.core.version import VERSION
from authbench.release.format.findings import Findings
from authbench.release.format.manifest import Manifest, Numbers

_PLACES = frozenset({"raw_dir", "shards"})


def make_manifest(contents: Contents, sources: Mapping[str, Description], findings: Findings) -> Manifest:
    """Return identity and origin of the release (format.files.MANIFEST_KEYS), without times, paths or machine names."""
    config = _portable({key: value for key, value in findings["config"].items() if key not in _PLACES})
    released = {tag: sources[tag] for tag in sorted(set(contents.documents["source"])) if tag in sources}
    return {
        "name": config.get("name"),
        "authbench": VERSION,
        "splits": list(contents.splits),
        "config": config,
        "versions": findings["versions"],
        **({"filters": findings["filters"]} if findings.get("filters") else {}),
        "inputs": findings["inputs"],
        "raw_lock": findings["raw_lock"],
        "scorers": findings["scorers"],
        "skipped_sources": findings["skipped_sources"],
        "licences": {tag: {"name": one.license.name, "tier": one.license.tier} for tag, one in released.items()},
        "sources": {
            tag: {
                "title": one.title,
                "citation": one.cite or default_citation(tag, one.title),
                "legal_basis": one.legal_basis,
            }
            for tag, one in released.items()
        },
        "fame": {tag: one.fame for tag, one in released.items()},
        "takedown": contents.takedown,
        "warnings": findings["warnings"],
        **count_documents(contents.documents, contents.queries, contents.splits),
    }


def count_documents(documents: pl.DataFrame, queries: pl.DataFrame, splits: Sequence[str]) -> Numbers:
    """Return `totals` and `counts` of a manifest."""
    return {
        "totals": {
            "documents": documents.height,
            "authors": documents["author_id"].n_unique(),
            "languages": documents["lang"].n_unique(),
            "queries": queries.height,
        },
        "counts": {
            split: {
                "documents": part.height,
                "authors": part["author_id"].n_unique(),
                "queries": queries.filter(pl.col("split") == split).height,
                "languages": _tally(part["lang"]),
                "genres": _tally(part["genre"]),
                "lengths": _tally(part["length_bucket"]),
            }
            for split in splits
            for part in [documents.filter(pl.col("split") == split)]
        },
    }


def _portable(value: object) -> Any:
    """Return settings without local folders: absolute paths are cut to the file's name."""
    if isinstance(value, Mapping):
        return {key: _portable(inner) for key, inner in value.items()}
    if isinstance(value, list | tuple):
        return [_portable(inner) for inner in value]
    if isinstance(value, str) and PurePath(value).is_absolute():
        return PurePath(value).name
    return value


def _tally(values: pl.Series) -> dict[str, int]:
    return dict(sorted(Counter(values).items()))
