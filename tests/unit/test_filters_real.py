"""All filters together cost at most 2 % of clean text, in every language and at every length.

The texts are excerpts of edited corpora, taken for clean as they are: novels, poems, abstracts, film reviews with a
word in the language. Pieces of four sizes stand for the four length buckets.
"""

import json
import math
import re
from html import unescape
from pathlib import Path

import polars as pl
import pytest
from cases import read_cases
from open_corpora import ROOT, decoded
from shared_folders import DATA, needs_corpora

from authbench.build.filter import decide as filters
from authbench.build.filter import measure
from authbench.config.registry.entries import read_yaml
from authbench.core.identity import keyed_hash

SETTINGS = read_yaml(ROOT / "config" / "config.yaml")["filter"]
SIZES = {"short": 20, "medium": 150, "long": 900, "extra_long": 3000}  # characters
SAMPLE = 1000  # pieces of each size per language
CASES = read_cases(Path(__file__))
CLEAN = CASES["CLEAN"]

pytestmark = needs_corpora


def running_text(lang, path):
    """The text of a raw file without headers, marks and notes; empty where the file cannot be read."""
    text = decoded(path, {"ja": ["cp932"], "ru": ["utf-8", "cp1251"]}.get(lang, ["utf-8"])) or ""
    if lang in ("en", "es", "fr", "de"):
        body = text.partition("<body")[2]
        return unescape(re.sub(r"<[^>]+>", " ", re.sub(r"(?s)<note.*?</note>", "", "<body" + body))) if body else ""
    if lang == "ar":
        body = text.partition("#META#Header#End#")[2]
        return re.sub(r"(?m)PageV\d+P\d+|\bms\d+|~~|^#+|[%|$]|AUTO|CHECK", "", body)
    if lang == "ja":
        body = text.partition("底本：")[0]
        return re.sub(r"《[^》]*》|［＃[^］]*］|｜", "", re.split(r"-{20,}", body)[-1])
    if lang == "ru":
        return text
    try:
        records = json.loads(text)
    except ValueError:
        return ""
    if lang == "hi":
        return " ".join(record.get("Sentence", "").strip() for record in records.values())
    if lang == "ko":
        reviews = (record.get("review") or "" for record in records)
        return "\n".join(review for review in reviews if re.search("[가-힣]", review))
    poems = (record for record in records if isinstance(record, dict))
    return "\n".join(line for poem in poems for line in poem.get("paragraphs", []))


def pieces(lang, text, size):
    """Whole sentences or lines, put together until they have `size` characters; Korean short ones stand alone."""
    parts = re.findall(r"[^.!?。！？।؟\n]+[.!?。！？।؟…\"'”»」』]*", text)
    made, piece = [], ""
    for part in parts:
        piece = f"{piece} {' '.join(part.split())}".strip()
        if len(piece) >= size or (lang == "ko" and size == SIZES["short"]):
            made.append(piece)
            piece = ""
    return made


@pytest.fixture(scope="module", params=CLEAN)
def clean(request):
    lang = request.param
    texts = {path.name: running_text(lang, path) for path in DATA.glob(CLEAN[lang]) if path.is_file()}
    chosen = sorted((name for name in texts if texts[name].strip()), key=lambda name: keyed_hash(1, name))[:24]
    if not chosen:
        pytest.skip(f"no text that can be read in {DATA / CLEAN[lang]}")
    text = "\n".join(texts[name][:120_000] for name in chosen)
    rows = []
    for bucket, size in SIZES.items():
        sample = sorted(pieces(lang, text, size), key=lambda piece: keyed_hash(1, bucket, piece))[:SAMPLE]
        rows += [(f"{bucket}:{number}", bucket, piece) for number, piece in enumerate(sample)]
    return pl.DataFrame(rows, schema=["doc_key", "length_bucket", "content"], orient="row").with_columns(
        lang=pl.lit(lang),
        source=pl.lit("pack"),
        genre=pl.lit("literature"),
        task=pl.lit("authorship"),
        token_length=100,
    )


def test_the_filters_cost_at_most_two_percent_of_clean_text_in_every_language_and_length_real(clean):
    """2 % as far as a sample can tell: two standard errors more are allowed."""
    measured = measure.measure_texts(clean, list(CLEAN))
    removed = filters.apply_filters(clean.join(measured, on="doc_key"), SETTINGS)
    for (bucket,), rows in clean.group_by("length_bucket"):
        gone = rows.join(removed, on="doc_key", how="semi")
        allowed = 0.02 * rows.height + 2 * math.sqrt(0.02 * 0.98 * rows.height)
        assert gone.height <= max(1, allowed), (bucket, gone["content"].to_list())


MISLABELLED = CASES["MISLABELLED"]


def test_text_under_the_label_of_another_language_does_not_pass_real(clean):
    wrong = clean.filter(pl.col("length_bucket") != "short").with_columns(pl.col("lang").replace(MISLABELLED))
    if wrong.is_empty():
        pytest.skip(f"all texts of {clean['lang'][0]} in this sample are short")
    measured = measure.measure_texts(wrong, list(CLEAN))
    removed = filters.apply_filters(wrong.join(measured, on="doc_key"), SETTINGS)
    assert wrong.height - removed["doc_key"].n_unique() <= max(1, 0.03 * wrong.height)
