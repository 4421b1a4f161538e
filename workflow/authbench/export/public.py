"""The public bundle: a release without its texts of tier B.

`provenance.parquet` has the labels of the withheld texts and their places in the raw corpora (source, file, ordinal,
span, SHA-256 of the text). `tier_b.json` holds what a rebuild needs besides: how the corpora were read, and the
checksums of the complete release, which a rebuilt one is compared with.
"""

import shutil
from collections.abc import Container, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import orjson
import polars as pl

from authbench.errors import InputError
from authbench.export.card import write_card
from authbench.export.licences import licence_table
from authbench.export.publication import Publication
from authbench.format.columns import CANDIDATES, QUERIES
from authbench.format.files import BUNDLE_FILES, LICENCES, README, WITHHELD
from authbench.format.names import files_of_format
from authbench.format.release import Release
from authbench.identity import sha256_of_text
from authbench.registry.source_entry import Source
from authbench.storage.atomic import atomic_file, sha256_of_file, write_text
from authbench.storage.json_files import write_plain_json
from authbench.storage.json_lines import line_batches
from authbench.storage.sha256sums import read_sums

_USAGE = """
The release (AuthBench's format, docs/release-format.md): a folder per split with `candidates.jsonl`, `queries.jsonl`
and `ground_truth.jsonl`; `provenance.parquet`, `manifest.json`, `report.html`; `licences.csv` has the terms.
"""


def write_public(folder: Path, release: Release, about: Publication, sources: Mapping[str, Source]) -> None:
    """Write the public bundle of a release. Memory: a batch of lines, and the provenance.

    Args:
        folder: the empty folder of the bundle.
        release: the complete release.
        about: what the card says that the release does not know.
        sources: as they were when the release was built.

    Raises:
        InputError: a config entry gives a source another tier than the
            release, or a text of tier B would get into the bundle.
    """
    sums = _sums_now(release.folder) if release.unverified else read_sums(release.folder)
    provenance = release.provenance
    withheld = dict(provenance.filter(pl.col("tier") == "B").select("id", "source").iter_rows())
    entries = {tag: sources[tag].entry for tag in sorted(set(withheld.values())) if tag in sources}
    _expect_same_tiers(release, sources)
    texts = {f"{split}/{table.file}": table.ident for split in release.splits for table in (CANDIDATES, QUERIES)}
    for path in sums:
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        if withheld and path in texts:
            _copy_without(release.folder / path, folder / path, texts[path], withheld)
        else:
            shutil.copyfile(release.folder / path, folder / path)
    if withheld:
        rebuilding = {"version": 1, "documents": len(withheld), "sources": entries, "files": sums}
        write_plain_json(folder / WITHHELD, rebuilding)
    public = replace(release, folder=folder, withheld=bool(withheld))
    write_text(folder / LICENCES, licence_table(public).write_csv())
    write_text(folder / README, write_card(public, about, _USAGE))
    refuse_tier_b(folder, provenance, release.splits)


def _sums_now(folder: Path) -> dict[str, str]:
    """Return the checksums of the files of a release as they are."""
    return {path: sha256_of_file(folder / path) for path in files_of_format(folder) if path not in BUNDLE_FILES}


def _expect_same_tiers(release: Release, sources: Mapping[str, Source]) -> None:
    """Raise InputError where the entries have other tiers than the release."""
    for tag, tier in release.provenance.select("source", "tier").unique().sort("source").iter_rows():
        source = sources.get(tag)
        if tier == "B" and source is None:
            raise InputError(
                f"{tag}: config/sources has no entry of this source, by which others could rebuild its texts."
            )
        if source is not None and source.license.tier != tier:
            raise InputError(
                f"{tag} is of tier {tier} in the release, of {source.license.tier} in config/sources/{tag}.yaml. "
                "Build the release anew."
            )


def _copy_without(source: Path, target: Path, ident: str, withheld: Container[str]) -> None:
    """Copy the lines of a file but those whose id is withheld."""
    with atomic_file(target) as aside, aside.open("wb") as file:
        for _, lines in line_batches(source):
            file.writelines(line for line in lines if orjson.loads(line)[ident] not in withheld)


def refuse_tier_b(folder: Path, provenance: pl.DataFrame, splits: Sequence[str]) -> None:
    """Raise InputError if a text of a bundle is one of tier B, by its id or by its content."""
    tier_b = provenance.filter(pl.col("tier") == "B")
    if not tier_b.height:
        return
    ids, digests = set(tier_b["id"]), set(tier_b["content_sha256"])
    known = set(provenance["id"])
    for split in splits:
        for table in (CANDIDATES, QUERIES):
            for _, lines in line_batches(folder / split / table.file):
                for row in map(orjson.loads, lines):
                    ident, content = row[table.ident], sha256_of_text(row["content"])
                    if ident in ids or ident not in known or content in digests:
                        raise InputError(
                            f"{split}/{table.file}: {ident} is a text of tier B, or unknown to the release; it "
                            "must not be passed on, and there is no bundle. Build the release anew."
                        )
