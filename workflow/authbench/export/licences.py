"""Tabulate the terms of each source of a release, with their SPDX identifiers."""

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
    """Return the terms of every source (LICENCES), with its texts here and the texts that a public bundle withholds."""
    terms, rows = release.manifest["licences"], []
    for here, documents in ((True, release.described), (False, release.absent)):
        counts = documents.group_by("source", "licence", "tier").agg(pl.len(), pl.col("author_id").n_unique())
        for source, licence, tier, number, authors in counts.sort("source").iter_rows():
            name = terms[source]["name"] if source in terms else licence
            rows.append((source, name, spdx_identifier(name), tier, number, authors, here))
    return pl.DataFrame(rows, schema=LICENCES, orient="row").sort("source", "texts_here", descending=[False, True])
