"""A release, or its public bundle, as an export reads it."""

from collections.abc import Iterator, Mapping

import polars as pl

from authbench.errors import InputError
from authbench.format.columns import CANDIDATES, GROUND_TRUTH, PAIRS, POSITIVES, QUERIES
from authbench.format.release import Release


def expect_exportable(release: Release, with_tier_b: bool = False) -> None:
    """Raise InputError where a release holds texts of tier B and `with_tier_b` is false."""
    if release.tier_b and not with_tier_b:
        raise InputError(
            f"{release.folder}: {release.tier_b} of its texts are of tier B, which nobody may pass on. Export its "
            "public bundle instead (authbench export RELEASE_DIR --form public), or say --with-tier-b and keep what "
            "you get to yourself."
        )


def tables(release: Release, split: str) -> Mapping[str, tuple[pl.Schema, Iterator[pl.DataFrame]]]:
    """Return every table of a split by its name: the schema and the batches of rows.

    Those about pairs of texts are left out where they hold none: not every split is scored, and not every release has
    such files.
    """
    provenance = release.provenance.filter(pl.col("split") == split)
    related, pairs = release.positives(split), release.pairs(split)
    return {
        CANDIDATES.name: (CANDIDATES.schema, release.candidates(split)),
        QUERIES.name: (QUERIES.schema, release.queries(split)),
        GROUND_TRUTH.name: (GROUND_TRUTH.schema, iter([release.truth(split)])),
        "provenance": (provenance.schema, iter([provenance])),
        **{
            table.name: (table.schema, iter([rows]))
            for table, rows in ((POSITIVES, related), (PAIRS, pairs))
            if rows.height
        },
    }
