"""What of a release may be passed on, and what stands for the rest?

The public bundle: the release without its texts of tier B, whose labels and places in the raw corpora
`provenance.parquet` has (source, file, ordinal, span, SHA-256 of the text). `tier_b.json` holds what a rebuild needs
besides: how the corpora were read, and the checksums of the whole release, by which a rebuilt one proves itself.
"""

import hashlib
import shutil
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import orjson
import polars as pl

from authbench.errors import InputError
from authbench.export.card import write_card
from authbench.export.licences import licence_table
from authbench.export.publication import Publication
from authbench.export.reading import IDENT, WITHHELD, Benchmark, line_batches
from authbench.storage.atomic import atomic_file, sha256_of_file, write_text
from authbench.storage.json_files import write_plain_json

USAGE = """
The release (AuthBench's format, docs/release-format.md): a folder per split with `candidates.jsonl`, `queries.jsonl`
and `ground_truth.jsonl`; `provenance.parquet`, `manifest.json`, `report.html`; `licences.csv` has the terms.
"""


def write_public(
    folder: Path, benchmark: Benchmark, about: Publication, pages: Mapping[str, Mapping[str, Any]]
) -> None:
    """Write the public bundle of a release. `pages` are those of the sources, as they were when it was built.

    Memory: a batch of lines, and the provenance. Raises InputError where the release is not as its SHA256SUMS say,
    where a page gives a source another tier than the release, and where a text of tier B would get into the bundle.
    """
    sums = read_sums(benchmark.folder)
    provenance = benchmark.provenance
    withheld = dict(provenance.filter(pl.col("tier") == "B").select("id", "source").iter_rows())
    told = {tag: pages[tag] for tag in sorted(set(withheld.values())) if tag in pages}
    expect_same_tiers(benchmark, pages)
    texts = {f"{split}/{name}.jsonl": ident for split in benchmark.splits for name, ident in IDENT.items()}
    for path, expected in sums.items():
        if sha256_of_file(benchmark.folder / path) != expected:
            raise InputError(f"{benchmark.folder / path} is not what SHA256SUMS says it is. Build the release anew.")
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        if withheld and path in texts:
            write_without(benchmark.folder / path, folder / path, texts[path], withheld)
        else:
            shutil.copyfile(benchmark.folder / path, folder / path)
    if withheld:
        rebuilding = {"version": 1, "documents": len(withheld), "sources": told, "files": sums}
        write_plain_json(folder / WITHHELD, rebuilding)
    public = Benchmark(folder, benchmark.manifest, provenance, bool(withheld))
    write_text(folder / "licences.csv", licence_table(public).write_csv())
    write_text(folder / "README.md", write_card(public, about, USAGE))
    refuse_tier_b(folder, provenance, benchmark.splits)


def read_sums(release: Path) -> dict[str, str]:
    """The SHA-256 of every file of a release, as its SHA256SUMS say."""
    path = release / "SHA256SUMS"
    if not path.is_file():
        raise InputError(f"{path}: there is no such file. Expected the folder of a finished release.")
    pairs = (line.split("  ", 1) for line in path.read_text(encoding="utf-8").splitlines())
    return {name: digest for digest, name in pairs}


def expect_same_tiers(benchmark: Benchmark, pages: Mapping[str, Mapping[str, Any]]) -> None:
    for tag, tier in benchmark.provenance.select("source", "tier").unique().sort("source").iter_rows():
        page = pages.get(tag)
        if tier == "B" and page is None:
            raise InputError(
                f"{tag}: config/sources has no page of this source, by which others could rebuild its texts."
            )
        if page is not None and page["license"]["tier"] != tier:
            raise InputError(
                f"{tag} is of tier {tier} in the release, of {page['license']['tier']} in config/sources/{tag}.yaml. "
                "Build the release anew."
            )


def write_without(source: Path, target: Path, ident: str, withheld: Mapping[str, str]) -> None:
    """Copy the lines of a file but those whose id is withheld."""
    with atomic_file(target) as aside, aside.open("wb") as file:
        for lines in line_batches(source):
            file.writelines(line for line in lines if orjson.loads(line)[ident] not in withheld)


def refuse_tier_b(folder: Path, provenance: pl.DataFrame, splits: Sequence[str]) -> None:
    """Raise InputError if a text of a bundle is one of tier B, by its id or by what it says."""
    tier_b = provenance.filter(pl.col("tier") == "B")
    ids, digests = set(tier_b["id"]), set(tier_b["content_sha256"])
    known = set(provenance["id"])
    for split in splits:
        for name, ident in IDENT.items():
            for lines in line_batches(folder / split / f"{name}.jsonl") if digests else ():
                for row in map(orjson.loads, lines):
                    content = hashlib.sha256(row["content"].encode()).hexdigest()
                    if row[ident] in ids or row[ident] not in known or content in digests:
                        raise InputError(
                            f"{split}/{name}.jsonl: {row[ident]} is a text of tier B, or unknown to the release; it "
                            "must not be passed on, and there is no bundle. Build the release anew."
                        )
