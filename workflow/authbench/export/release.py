"""Read a release, or its public bundle, for an export."""

from collections.abc import Callable, Iterator, Mapping
from functools import partial

import polars as pl

from authbench.errors import InputError
from authbench.format.columns import CANDIDATES, GROUND_TRUTH, PAIRS, POSITIVES, QUERIES, Table
from authbench.format.files import PROVENANCE
from authbench.format.release import Release


def expect_exportable(release: Release, with_tier_b: bool = False) -> None:
    """Raise InputError if a release contains texts of tier B and `with_tier_b` is false."""
    if release.tier_b and not with_tier_b:
        raise InputError(
            f"{release.folder}: {release.tier_b} of its texts are of tier B, which nobody may pass on. Export its "
            "public bundle instead (authbench export RELEASE_DIR --form public), or say --with-tier-b and keep what "
            "you get to yourself."
        )


def tables(release: Release, split: str) -> Mapping[str, tuple[pl.Schema, Iterator[pl.DataFrame]]]:
    """Return every table of a split by its name: the schema and the batches of rows.

    Empty tables of pairs are left out: not every split is scored, and not every release has such files. Tables are read
    when they are used, singly.
    """
    provenance = pl.read_parquet_schema(release.folder / PROVENANCE)
    readers: Mapping[str, tuple[Table, Callable[[str], pl.DataFrame]]] = {
        POSITIVES.name: (POSITIVES, release.positives),
        PAIRS.name: (PAIRS, release.pairs),
    }
    return {
        CANDIDATES.name: (CANDIDATES.schema, release.candidates(split)),
        QUERIES.name: (QUERIES.schema, release.queries(split)),
        GROUND_TRUTH.name: (GROUND_TRUTH.schema, _once(partial(release.truth, split))),
        "provenance": (pl.Schema(provenance), _once(partial(_provenance_of, release, split))),
        **{
            name: (table.schema, _once(partial(read, split)))
            for name, (table, read) in readers.items()
            if read(split).height
        },
    }


def _once(read: Callable[[], pl.DataFrame]) -> Iterator[pl.DataFrame]:
    """Yield a table that is read on demand and not kept."""
    yield read()


def _provenance_of(release: Release, split: str) -> pl.DataFrame:
    return release.read_provenance().filter(pl.col("split") == split)
