"""List the files of a published release and of its public bundle, each with its meaning."""

from collections.abc import Iterable

from authbench.core.storage.sha256sums import SUMS
from authbench.release.format.columns import FUNNEL_ROWS, STATISTICS

MANIFEST = "manifest.json"
PROVENANCE = "provenance.parquet"
LOCK = "release.lock"
DEVIATION = "sampling_deviation.json"
FUNNEL = "funnel.csv"
CITATIONS = "CITATIONS.bib"
REPORT = "report.html"
CSV_FILES = {FUNNEL: FUNNEL_ROWS, **{f"statistics/{name}.csv": schema for name, schema in STATISTICS.items()}}
FIGURES = ("languages", "genres", "lengths", "documents_per_author", "funnel")
COMPLETE = "complete"
FOLDERS = frozenset({"statistics", "figures", COMPLETE})  # names that no split may have

# Sections of the manifest's `config` that the claims of a release depend on.
CHECKED_SECTIONS = ("ingest", "authors", "normalize", "filter", "dedup", "safety", "sample", "split", "release")

RELEASE_FILES = {
    "<split>/candidates.jsonl": "the pool: every document of the split",
    "<split>/queries.jsonl": "the documents that are queries, without their author",
    "<split>/ground_truth.jsonl": "which candidates answer",
    "<split>/positives.parquet": "how each query is related to every other candidate of its author",
    "<split>/pairs.parquet": "pairs that every evaluation scores: a positive with the negatives matched to it",
    PROVENANCE: "where each document comes from and what was measured of it; no text",
    MANIFEST: "what the release is and what made it",
    LOCK: "what a later build needs to keep authors and ids as they are",
    DEVIATION: "targets, what there was, what was taken",
    FUNNEL: "how many documents of each source went at which stage, for which reason",
    "statistics/*.csv": "languages, genres, lengths, documents per author, tokens, sources, noise of labels, pools",
    "figures/*.svg": "the same as pictures, and the funnel",
    CITATIONS: "how to cite the corpora that texts are of, in BibTeX",
    REPORT: "all of it in words, a self-contained HTML page",
    SUMS: "SHA-256 of every other file; `sha256sum -c SHA256SUMS`",
}


def data_files_of(splits: Iterable[str]) -> list[str]:
    """Return the paths of a release's data with these splits; manifest and tables of statistics are not among them.

    >>> data_files_of(["dev"])[:2]
    ['dev/candidates.jsonl', 'dev/queries.jsonl']
    """
    others = (MANIFEST, FUNNEL, REPORT, SUMS)
    named = [name for name in RELEASE_FILES if "*" not in name and name not in others]
    of_splits = [name.replace("<split>", split) for split in splits for name in named if "<split>" in name]
    return [*of_splits, *(name for name in named if "<split>" not in name)]


MERGED = "merged.parquet"
MERGED_FILES = {MERGED: "every document of the two releases that were merged: its ids, or why it went"}

WITHHELD = "tier_b.json"
LICENCES = "licences.csv"
NOT_FOUND = "not_found.csv"
README = "README.md"
BUNDLE_FILES = {
    WITHHELD: "how the withheld texts can be made again, and the checksums of the complete release",
    f"{COMPLETE}/": "every file of the complete release that holds no text, as it is there",
    LICENCES: "the terms of every source",
    README: "the card of the release",
    "CITATION.cff": "how to cite the benchmark itself",
    "datacite.json": "the metadata of a DOI, by the schema 4.5 of DataCite",
    "DATA_PROTECTION.md": "personal data, the ground of its use by source, and the measured risk of re-identification",
    "data_protection.json": "the same as an object",
    "ro-crate-metadata.json": "every file with size and SHA-256, and the run that made them, as an RO-Crate 1.1",
}

# For a release that was rebuilt in part, in addition to WITHHELD and COMPLETE.
PART_FILES = {NOT_FOUND: "the documents whose texts were not found in the raw corpora, and why"}

MANIFEST_KEYS = {
    "name": "name of the configuration",
    "authbench": "version of AuthBench",
    "splits": "names of the splits, in order",
    "config": "every setting as used, without those that leave no trace: `raw_dir`, `shards`, `missing_sources`",
    "versions": "versions of Python and of the libraries that decide bytes; version and digest of plug-ins",
    "filters": "of plug-ins, by name: `reason`, side of the threshold that `drops` texts, and what it is `about`",
    "inputs": "per source: number of raw files, one SHA-256 over their names and digests",
    "raw_lock": "per source: `verified`, or why its raw files differ from their lock; one SHA-256 over the lock's "
    "entries of the sources, null without any",
    "scorers": "identity of each scorer with a digest of its word list or weights, and its languages",
    "skipped_sources": "sources without raw files that were left out",
    "licences": "name and tier of the licence of each source",
    "sources": "per source: `title`, `citation` in BibTeX, `legal_basis`",
    "fame": "per source: `classic` where language models have read its works, else `none`",
    "takedown": "entries of the list, how many met no document, documents and queries taken down",
    "warnings": "warnings in words",
    "withheld": "in a public bundle: documents, queries and authors that it lacks, and why",
    "merged": "of a merged release: of each part its name, checksum, versions, settings and counts, and why texts went",
    "totals": "numbers of documents, authors, languages, queries",
    "counts": "per split: documents, authors, queries, languages, genres, lengths",
}
# Keys that releases of earlier builds, or releases that are not bundles, lack.
LATER_KEYS = frozenset({"fame", "filters", "merged", "sources", "withheld"})
