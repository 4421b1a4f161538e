"""Write the public bundle: a release of the texts that may be passed on, and instructions to rebuild the others.

It is a release of the documents of tier A: the queries that are here with an answer, and the relations,
pools, counts, warnings and report of only these documents. `complete/` contains the statements of the complete release
without texts, `tier_b.json` how its corpora were read and the checksums of its files, which `authbench release rebuild`
uses.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import polars as pl

from authbench.config.registry.source_entry import Source
from authbench.config.settings.publish import Publish
from authbench.core.errors import InputError
from authbench.core.identity import sha256_of_text
from authbench.core.storage.atomic import sha256_of_file
from authbench.core.storage.json_files import write_plain_json
from authbench.core.storage.sha256sums import read_sums
from authbench.publish.export.bundle import write_part
from authbench.publish.export.card import copy_files, text_files, write_card
from authbench.release.format.columns import CANDIDATES, QUERIES
from authbench.release.format.files import BUNDLE_FILES, COMPLETE, WITHHELD
from authbench.release.format.names import files_of_format
from authbench.release.format.release import Release, open_complete_release

_OF_TERMS = ("id", "source", "tier", "content_sha256")
TIER_B, COPY = "tier_b", "copy_of_tier_b"  # why a text is withheld


def write_public(folder: Path, release: Release, about: Publish, sources: Mapping[str, Source]) -> None:
    """Write the public bundle of a release. Memory: as `release.part.part_of`.

    Raises:
        InputError: a config entry gives a source another tier than the release, or a text of tier B would enter the
            bundle.
    """
    sums = _sums_now(release.folder) if release.unverified else read_sums(release.folder)
    provenance = release.read_provenance(_OF_TERMS)
    withheld = withheld_documents(provenance)
    _expect_same_tiers(provenance, withheld, sources)
    if withheld.height:
        write_part(folder, release, withheld)
        copy_files(release.folder, folder / COMPLETE, sums.keys() - text_files(release))
        entries = {tag: sources[tag].entry for tag in sorted(set(withheld["source"]))}
        rebuilding = {"version": 2, "documents": withheld.height, "sources": entries, "files": sums}
        write_plain_json(folder / WITHHELD, rebuilding)
    else:
        copy_files(release.folder, folder, sums)
    public = replace(open_complete_release(folder), unverified=release.unverified)
    write_card(folder, public, about, "public")
    refuse_withheld(folder, withheld, release.splits)


def withheld_documents(provenance: pl.DataFrame) -> pl.DataFrame:
    """Return id, source, content_sha256 and `reason` of the documents that are not passed on.

    These are the documents of tier B, and every document with the same text, whatever its terms.
    """
    tier_b = pl.col("tier") == "B"
    said = provenance.filter(tier_b)["content_sha256"].implode()
    reason = pl.when(tier_b).then(pl.lit(TIER_B)).otherwise(pl.lit(COPY))
    return provenance.filter(tier_b | pl.col("content_sha256").is_in(said)).select(
        "id", "source", "content_sha256", reason=reason
    )


def _sums_now(folder: Path) -> dict[str, str]:
    return {path: sha256_of_file(folder / path) for path in files_of_format(folder) if path not in BUNDLE_FILES}


def _expect_same_tiers(provenance: pl.DataFrame, withheld: pl.DataFrame, sources: Mapping[str, Source]) -> None:
    """Raise InputError if entries have other tiers than the release, or an entry for rebuilding is missing."""
    needed = set(withheld["source"])
    for tag, tier in provenance.select("source", "tier").unique().sort("source").iter_rows():
        source = sources.get(tag)
        if tag in needed and source is None:
            raise InputError(
                f"{tag}: config/sources has no entry of this source, by which others could rebuild its texts."
            )
        if source is not None and source.license.tier != tier:
            raise InputError(
                f"{tag} is of tier {tier} in the release, of {source.license.tier} in config/sources/{tag}.yaml. "
                "Build the release anew."
            )


def refuse_withheld(folder: Path, withheld: pl.DataFrame, splits: Sequence[str]) -> None:
    """Raise InputError if a bundle contains a withheld text, by its id or by its content."""
    if not withheld.height:
        return
    ids, digests = set(withheld["id"]), set(withheld["content_sha256"])
    bundle = open_complete_release(folder)
    known = set(bundle.read_provenance(("id",))["id"])
    for split in splits:
        for table in (CANDIDATES, QUERIES):
            for batch in bundle.rows(split, table):
                for ident, content in batch.select(table.ident, "content").iter_rows():
                    if ident in ids or ident not in known or sha256_of_text(content) in digests:
                        raise InputError(
                            f"{split}/{table.file}: {ident} is a text of tier B, or unknown to the release; it "
                            "must not be passed on, and there is no bundle. Build the release anew."
                        )
