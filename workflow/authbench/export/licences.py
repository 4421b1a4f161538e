"""Under which terms may each text be passed on, in words that machines know?

A source's page names its licence, or says the terms in words. What SPDX knows gets its identifier, the rest a
LicenseRef of its own.
"""

import re
from collections.abc import Mapping
from typing import Any

import polars as pl
from packaging.licenses import InvalidLicenseExpression, canonicalize_license_expression

from authbench.format.release import Release

CREATIVE_COMMONS = re.compile(r"CC BY\S* \d\S*")
SPOKEN = {"CC0": "CC0-1.0", "CC0 1.0": "CC0-1.0"}
LIKE_AN_IDENTIFIER = re.compile(r"[\w.+-]*\d[\w.+-]*")
OWN = "LicenseRef-"
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
    """The SPDX identifier of a licence (an expression of several, such as `MIT OR Apache-2.0`), or a LicenseRef made of
    its name.

    Only a name that is a licence's and nothing besides has one: "MIT; research use" is not MIT.

    >>> identifier("CC BY-NC-SA 4.0"), identifier("CC0"), identifier("public domain")
    ('CC-BY-NC-SA-4.0', 'CC0-1.0', 'LicenseRef-public-domain')
    """
    try:
        return str(canonicalize_license_expression(_written(name)))
    except InvalidLicenseExpression:
        return OWN + (re.sub("[^A-Za-z0-9.]+", "-", name).strip("-") or "other")


def wrong_with(name: str) -> str | None:
    """What to tell of a name that is written as an identifier and is none.

    >>> wrong_with("GPL-3.0-only"), wrong_with("with the paper's consent")
    (None, None)
    """
    if not LIKE_AN_IDENTIFIER.fullmatch(_written(name)) or not identifier(name).startswith(OWN) or name.startswith(OWN):
        return None
    return (
        f"'{name}' is no licence of SPDX's list (https://spdx.org/licenses). Expected an identifier of that list, such "
        f"as CC-BY-4.0, one of your own that begins with {OWN}, or the terms in words"
    )


def _written(name: str) -> str:
    return name.replace(" ", "-") if CREATIVE_COMMONS.fullmatch(name) else SPOKEN.get(name, name)


def licence_table(release: Release) -> pl.DataFrame:
    """The terms of every source (LICENCES), with what the release has of it and whether the texts are here."""
    terms: Mapping[str, Mapping[str, Any]] = release.manifest["licences"]
    counts = release.provenance.group_by("source").agg(pl.len(), pl.col("author_id").n_unique())
    rows = [
        (
            source,
            terms[source]["name"],
            identifier(terms[source]["name"]),
            terms[source]["tier"],
            documents,
            authors,
            not (release.withheld and terms[source]["tier"] == "B"),
        )
        for source, documents, authors in counts.sort("source").iter_rows()
    ]
    return pl.DataFrame(rows, schema=LICENCES, orient="row")
