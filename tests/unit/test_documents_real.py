"""The document-shaped corpora of the data pack come out as clean texts, and every file of them is accounted for.

Needs the data pack: AUTHBENCH_DATA.
"""

import hashlib
import os
import zipfile
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import polars as pl
import pytest
import regex
import yaml

from authbench.ingest import IngestSettings, ingest_source, match_files

ROOT = Path(__file__).parents[2]
DATA = Path(os.environ.get("AUTHBENCH_DATA", ROOT.parent / "shared" / "data"))
TAGS = (
    "eltec_tei",
    "disco_sonnets_es",
    "dlk_poems_de",
    "blog_authorship_xml",
    "aozora_txt_ja",
    "openiti_ar",
    "ruslit_txt",
    "stihi_users_ru",
    "hindi_novels_txt",
)
# What no cleaned text may hold: marks of the format, and what gives the source away.
LEFT_OVER = {
    "eltec_tei": r"</|&[a-z]+;|ELTeC|teiHeader|Lou Burnard|Christof Schöch|COST Action",
    "disco_sonnets_es": r"</|rhymeTagger|Pablo Ruiz|Cervantes Virtual",
    "dlk_poems_de": r"</|thomashaider|Deutsches Lyrik Korpus|^\s*1L:",
    "blog_authorship_xml": r"</?post>|</?date>|\burlLink\b|\bmso-",
    "aozora_txt_ja": r"底本[：:]|［＃|《|｜|-{20}|青空文庫作成|この翻訳は「クリエイティブ|【テキスト中に",
    "openiti_ar": r"PageV|#META#|\bms\d|~~|%|(?m:^#)|\bAUTO\b|\bCHECK\b|_{4}|البحر\s*:|\(¬?\d+\)|\ufeff",
    "ruslit_txt": r"\ufeff|\{Далее|Библиотека Поэта|(?m:^Александр Пушкин$|^Максим Горький$|^Валерий Брюсов\.)",
    "stihi_users_ru": r"\n\s*\n\s*\n\s*\n|(?i:stihi\.ru)",
    "hindi_novels_txt": r"\ufeff|</?span|_groupheader",
}

pytestmark = pytest.mark.skipif(not DATA.is_dir(), reason=f"no data pack at {DATA}; set AUTHBENCH_DATA")


@cache
def ingested(tag: str) -> tuple[dict[str, Any], pl.DataFrame, pl.DataFrame, dict[str, str]]:
    """The counts and facts, the records, what was removed, and the files, of a corpus."""
    folder = DATA / tag
    if not folder.is_dir():
        pytest.skip(f"the data pack has no {tag}")
    source = yaml.safe_load((ROOT / "config" / "sources" / f"{tag}.yaml").read_text(encoding="utf-8"))
    files = {
        name: hashlib.sha256((folder / name).read_bytes()).hexdigest() for name in match_files(folder, source["files"])
    }
    with TemporaryDirectory() as out:
        shard, removed = Path(out) / "a.parquet", Path(out) / "b.parquet"
        counts = ingest_source(tag, source, folder, files, [shard], removed, IngestSettings())
        return counts, pl.read_parquet(shard), pl.read_parquet(removed), files


@pytest.mark.parametrize("tag", TAGS)
def test_every_real_file_yields_records_or_counted_reasons(tag: str) -> None:
    counts, records, removed, files = ingested(tag)
    here = counts["sources"][tag]
    assert here["in"] >= len(files)
    assert here["in"] == here["kept"] + sum(here["dropped"].values()) == records.height + removed.height
    read = set(records["file"]) | {files[name] for name in files if any(name in detail for detail in removed["detail"])}
    assert read == set(files.values())


@pytest.mark.parametrize("tag", TAGS)
def test_no_real_file_is_unreadable(tag: str) -> None:
    assert "bad_row" not in ingested(tag)[0]["sources"][tag]["dropped"]


@pytest.mark.parametrize("tag", TAGS)
def test_no_mark_of_the_format_is_left_in_real_texts(tag: str) -> None:
    mark = regex.compile(LEFT_OVER[tag])
    left = [(row["doc_key"], found[0]) for row in ingested(tag)[1].to_dicts() if (found := mark.search(row["content"]))]
    assert not left


@pytest.mark.parametrize("tag", TAGS)
def test_real_texts_keep_most_of_what_is_in_their_files(tag: str) -> None:
    _, records, _, files = ingested(tag)
    characters = records["content"].str.len_chars().sum()
    raw = sum((DATA / tag / name).stat().st_size for name in files)
    bytes_per_character = {"ar": 1.75, "ru": 1.75, "hi": 2.6, "ja": 2.0}.get(records["lang"][0], 1.0)
    shares = {
        "eltec_tei": 0.8,
        "disco_sonnets_es": 0.03,
        "dlk_poems_de": 0.15,
        "aozora_txt_ja": 0.55,
        "openiti_ar": 0.6,
    }
    assert characters * bytes_per_character > shares.get(tag, 0.85) * raw


@pytest.mark.parametrize("tag", [tag for tag in TAGS if tag != "openiti_ar"])
def test_few_real_texts_name_their_author(tag: str) -> None:
    assert ingested(tag)[0]["facts"]["names_author"] < 0.03


def test_names_of_real_files_and_folders_reach_no_key() -> None:
    for tag in ("eltec_tei", "dlk_poems_de", "stihi_users_ru", "openiti_ar", "ruslit_txt"):
        _, records, _, files = ingested(tag)
        keys = " ".join(records["doc_key"]) + " ".join(records["origin_id"])
        assert not any(part in keys for name in files for part in regex.findall(r"\p{L}{5,}", name) if part != tag)


def test_a_real_folder_and_the_same_blogs_zipped_give_the_same_texts(tmp_path: Path) -> None:
    _, records, _, files = ingested("blog_authorship_xml")
    archive = tmp_path / "data" / "blogs.zip"
    archive.parent.mkdir()
    with zipfile.ZipFile(archive, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as whole:
        for name in files:
            whole.write(DATA / "blog_authorship_xml" / name, f"blogs/{name}")
    source = yaml.safe_load((ROOT / "config" / "sources" / "blog_authorship.yaml").read_text(encoding="utf-8"))
    found = dict.fromkeys(match_files(tmp_path, source["files"]), "0")
    shard, removed = tmp_path / "a.parquet", tmp_path / "b.parquet"
    ingest_source("blog_authorship", source, tmp_path, found, [shard], removed, IngestSettings())
    columns = ["author_id", "genre", "date", "content"]
    zipped = pl.read_parquet(shard).select(columns).sort(columns)
    assert zipped.equals(records.select(columns).sort(columns))


def test_real_copies_of_a_diwan_and_of_a_story_share_their_origin() -> None:
    for tag, copies in (("openiti_ar", 6), ("aozora_txt_ja", 3)):
        assert ingested(tag)[1]["origin_id"].is_duplicated().sum() >= copies


def test_real_poems_of_an_account_are_told_apart() -> None:
    records = ingested("stihi_users_ru")[1]
    assert records.height > 10 * records["author_id"].n_unique()
    assert records["content"].str.len_chars().median() < 2000
