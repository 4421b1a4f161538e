"""Make the part of a complete release whose texts the raw corpora still contain.

It is a release like a public bundle: only documents whose texts were found, whatever their tier, with their queries,
relations, pools, counts and report. The others are withheld as NOT_FOUND. `complete/` and `tier_b.json` are copied from
the bundle, to rebuild it again when more raw files are found.
"""

import shutil
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import polars as pl

from authbench.export.bundle import write_part
from authbench.format.files import COMPLETE, NOT_FOUND, WITHHELD
from authbench.format.release import Release, open_complete_release
from authbench.storage.atomic import write_text
from authbench.storage.sha256sums import write_sums

REASON = "not_found"


class Unmatched(NamedTuple):
    """Hold a document whose text the raw corpora no longer contain, with the reason."""

    id: str
    source: str
    reason: str


def write_partial(folder: Path, bundle: Release, found: Path, unmatched: Sequence[Unmatched]) -> None:
    """Write the release of the texts that were found. Memory: as `release.part.part_of`.

    Args:
        folder: the empty folder to write into.
        bundle: the public bundle.
        found: the complete release without the lines of the texts that were not found.
        unmatched: these texts, sorted by id.
    """
    complete = open_complete_release(found)
    missing = pl.DataFrame(
        [(one.id, one.source, REASON) for one in unmatched], ("id", "source", "reason"), orient="row"
    )
    write_part(folder, complete, missing)
    shutil.copytree(bundle.folder / COMPLETE, folder / COMPLETE, dirs_exist_ok=True)
    shutil.copyfile(bundle.folder / WITHHELD, folder / WITHHELD)
    write_text(folder / NOT_FOUND, pl.DataFrame(unmatched, ("id", "source", "reason"), orient="row").write_csv())
    write_sums(folder)
