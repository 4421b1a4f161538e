"""De-duplication on real corpora: poems and reviews as they are on disk."""

import json
import os
from collections import Counter
from pathlib import Path

import polars as pl
import pytest

from authbench.dedup.containment import ContainmentSettings, contained_pairs
from authbench.dedup.duplicates import DedupSettings, find_duplicates, sign_texts, similar_pairs

DATA = Path(os.environ.get("AUTHBENCH_DATA", Path(__file__).parents[2] / "../shared/data"))
pytestmark = pytest.mark.skipif(not DATA.is_dir(), reason=f"no real corpora in {DATA} (set AUTHBENCH_DATA)")


def multiset(text: str) -> Counter[str]:
    text = " ".join(text.split())
    return Counter(text[i : i + 5] for i in range(len(text) - 4)) if len(text) >= 5 else Counter([text])


@pytest.fixture(scope="module")
def real_reviews() -> pl.DataFrame:
    """Korean film reviews, mostly short and many alike."""
    rows = [
        (f"nsmc:{review['review_id']}", review["author"], " ".join(review["review"].split()))
        for file in sorted((DATA / "nsmc_raw_ko").rglob("*.json"))
        for review in json.loads(file.read_text(encoding="utf-8"))
    ]
    return (
        pl.DataFrame(rows, schema=["doc_key", "author_id", "content"], orient="row")
        .unique("doc_key", keep="first", maintain_order=True)
        .sort("doc_key")
        .head(2500)
    )


def test_real_reviews_lose_what_comparing_all_pairs_would_take(real_reviews):
    settings = DedupSettings()
    table = real_reviews.sample(fraction=1.0, shuffle=True, seed=1).with_columns(
        source=pl.lit("nsmc"), place=pl.lit(0, pl.UInt32)
    )
    table = pl.concat([table, sign_texts(table["content"], table["content"], settings)], how="horizontal")
    removed, _ = find_duplicates(table, lambda rows: table["content"].gather(rows).to_list(), settings)

    expected: dict[str, str] = {}
    accepted: list[tuple[str, Counter[str]]] = []
    holders: dict[str, list[int]] = {}
    for key, text in real_reviews.sort("doc_key").select("doc_key", "content").iter_rows():
        grams = multiset(text)
        best, stand_in = 0.0, ""
        for other in sorted({i for gram in grams for i in holders.get(gram, [])}):
            similarity = (grams & accepted[other][1]).total() / (grams | accepted[other][1]).total()
            if similarity > best:
                best, stand_in = similarity, accepted[other][0]
        if best >= settings.threshold:
            expected[key] = stand_in
            continue
        for gram in grams:
            holders.setdefault(gram, []).append(len(accepted))
        accepted.append((key, grams))
    assert expected
    assert dict(removed.select("doc_key", "stand_in").iter_rows()) == expected


def test_real_poems_in_two_editions_are_similar_pairs():
    """Aozora keeps several uploads of some works: with and without reading aids."""
    files = sorted((DATA / "aozora_txt_ja").rglob("*.txt"))
    if not files:
        pytest.skip("the pack holds no Aozora texts")
    texts = [file.read_bytes().decode("cp932", "replace") for file in files]
    pairs = similar_pairs([str(file) for file in files], texts, 0.7)
    assert pairs.height > 0
    for a, b, similarity in pairs.head(20).iter_rows():
        one, other = (multiset(Path(file).read_bytes().decode("cp932", "replace")) for file in (a, b))
        assert similarity == (one & other).total() / (one | other).total()


def test_real_editions_contain_each_other():
    files = sorted((DATA / "aozora_txt_ja").rglob("*.txt"))[:40]
    if not files:
        pytest.skip("the pack holds no Aozora texts")
    keys = [str(file) for file in files]
    texts = [file.read_bytes().decode("cp932", "replace") for file in files]
    table = pl.DataFrame({"doc_key": keys, "origin_id": keys, "content": texts})
    halves = table.with_columns(
        doc_key=pl.col("doc_key") + "#half",
        origin_id=pl.col("origin_id") + "#half",
        content=pl.col("content").str.head(pl.col("content").str.len_chars() // 2),
    )
    found = set(contained_pairs(pl.concat([table, halves]), ContainmentSettings()).select("a", "b").rows())
    long = halves.filter(pl.col("content").str.len_chars() >= 500)["doc_key"]
    assert long.len() > 5
    assert all((key.removesuffix("#half"), key) in found for key in long)
