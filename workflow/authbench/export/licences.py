"""The terms of each source of a release, with their SPDX identifiers."""

from collections.abc import Mapping
from typing import Any

import polars as pl

from authbench.format.release import Release
from authbench.registry.licences import spdx_identifier

LICENCES = pl.Schema(
    {
        "source": pl.String,
        "licence": pl.String,
        "spdx": pl.String,
        "tier": pl.String,
        "documents": pl.Int64,
        "authors": pl.Int64,
        "texts_here": pl.Boolean,
    }
)


def licence_table(release: Release) -> pl.DataFrame:
    """Return the terms of every source (LICENCES), with what the release has of it and whether the texts are here."""
    terms: Mapping[str, Mapping[str, Any]] = release.manifest["licences"]
    counts = release.provenance.group_by("source").agg(pl.len(), pl.col("author_id").n_unique())
    rows = [
        (
            source,
            terms[source]["name"],
            spdx_identifier(terms[source]["name"]),
            terms[source]["tier"],
            documents,
            authors,
            not (release.withheld and terms[source]["tier"] == "B"),
        )
        for source, documents, authors in counts.sort("source").iter_rows()
    ]
    return pl.DataFrame(rows, schema=LICENCES, orient="row")
