"""Texts of the open corpora are found again by their places, whatever the sample."""

import hashlib
from pathlib import Path

import polars as pl
import pytest
from open_corpora import ingested, load_source
from shared_folders import DATA, needs_corpora

from authbench.build.chunk.cut import chunk_records
from authbench.build.normalize.table import normalize_records
from authbench.config.registry.entries import read_yaml
from authbench.config.registry.source_entry import make_source
from authbench.core.identity import keyed_hashes
from authbench.core.storage.raw_paths import match_files
from authbench.core.tokens import load_tokenizer
from authbench.publish.rebuild.texts import texts_of_source

ROOT = Path(__file__).parents[2]
CONFIG = read_yaml(ROOT / "config/config.yaml")
PAGES = {path.stem: load_source(path.stem) for path in sorted((ROOT / "config/sources").glob("*.yaml"))}
RECORDS = 30  # of a corpus, by hash; the longest among them too, so that some are cut


def smallest_of_each_format():
    """Of the corpora that are there the smallest in every format that is read."""
    sizes = {}
    for tag, page in PAGES.items():
        folder = DATA / str(page.get("folder", tag))
        found = match_files(folder, page["files"]) if folder.is_dir() else []
        if found:
            one = sum((folder / name).stat().st_size for name in found), tag
            form = page["reader"]["format"]
            sizes[form] = min(one, sizes.get(form, one))
    return sorted(tag for _, tag in sizes.values())


pytestmark = needs_corpora


@pytest.mark.parametrize("tag", smallest_of_each_format())
def test_a_text_of_a_real_corpus_is_found_again_by_its_place(tag):
    source, records = load_source(tag), ingested(tag).records
    drawn = records.with_columns(keyed_hashes(1, "real", records["doc_key"]).alias("rank")).sort("rank", "doc_key")
    longest = records.sort(pl.col("content").str.len_bytes(), "doc_key", descending=True).head(1)
    chosen = pl.concat([drawn.drop("rank").head(RECORDS), longest]).unique("doc_key", maintain_order=True)
    rules = {tag: make_source(tag, source).normalize}
    normal, *_ = normalize_records(chosen, rules, CONFIG["normalize"])
    documents, _ = chunk_records(normal, load_tokenizer(), CONFIG["chunk"], CONFIG["seed"])
    digests = [hashlib.sha256(text.encode()).hexdigest() for text in documents["content"]]
    wanted = documents.with_columns(pl.Series("content_sha256", digests, dtype=pl.String)).with_row_index("row")
    parts = list(texts_of_source(tag, source, DATA, wanted, CONFIG))
    found = {row: text for part in parts for row, text in part.texts.items()}
    assert [found[row] for row in wanted["row"]] == wanted["content"].to_list()
