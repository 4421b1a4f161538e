"""Under which terms may each text be passed on, in words that machines know?

A source's page says its licence in words; what has an SPDX identifier gets it, the rest a LicenseRef of its own.
"""

import re
from collections.abc import Mapping
from typing import Any

import polars as pl

from authbench.export.reading import Benchmark

CREATIVE_COMMONS = re.compile(r"CC BY(?:-NC)?(?:-SA|-ND)? \d\.\d")
SPDX = {"MIT": "MIT", "CC0": "CC0-1.0", "CC0 1.0": "CC0-1.0", "Apache-2.0": "Apache-2.0"}
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


def identifier(name: str) -> str:
    """The SPDX identifier of a licence, or a LicenseRef made of its name.

    Only a name that is a licence's and nothing besides has one: "MIT; research use" is not MIT.

    >>> identifier("CC BY-NC-SA 4.0"), identifier("CC0"), identifier("public domain")
    ('CC-BY-NC-SA-4.0', 'CC0-1.0', 'LicenseRef-public-domain')
    """
    if CREATIVE_COMMONS.fullmatch(name):
        return name.replace(" ", "-")
    return SPDX.get(name) or f"LicenseRef-{re.sub('[^A-Za-z0-9.]+', '-', name).strip('-')}"


def licence_table(benchmark: Benchmark) -> pl.DataFrame:
    """The terms of every source (LICENCES), with what the release has of it and whether the texts are here."""
    terms: Mapping[str, Mapping[str, Any]] = benchmark.manifest["licences"]
    counts = benchmark.provenance.group_by("source").agg(pl.len(), pl.col("author_id").n_unique())
    rows = [
        (
            source,
            terms[source]["name"],
            identifier(terms[source]["name"]),
            terms[source]["tier"],
            documents,
            authors,
            not (benchmark.withheld and terms[source]["tier"] == "B"),
        )
        for source, documents, authors in counts.sort("source").iter_rows()
    ]
    return pl.DataFrame(rows, schema=LICENCES, orient="row")
