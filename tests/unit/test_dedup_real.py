"""De-duplication on real corpora: poems and reviews as they are on disk."""

import json
import re
from collections import Counter

import polars as pl
import pytest
from dedup_stage import deduplicate
from defaults import section
from open_corpora import decoded, files_of
from shared_folders import needs_corpora

from authbench.build.dedup.containment import contained_pairs
from authbench.build.dedup.similar_pairs import similar_pairs

pytestmark = needs_corpora
MANY = 1000  # film reviews among which there are always some copies


def multiset(text):
    text = " ".join(text.split())
    return Counter(text[i : i + 5] for i in range(len(text) - 4)) if len(text) >= 5 else Counter([text])


@pytest.fixture(scope="module")
def real_reviews():
    """Korean film reviews, mostly short and many alike."""
    records = [record for file in files_of("nsmc_raw_ko")[0] for record in json.loads(file.read_text("utf-8-sig"))]
    wanted = ("review_id", "author", "review")
    rows = [
        (f"nsmc:{record['review_id']}", record["author"], " ".join(record["review"].split()))
        for record in records
        if all(record.get(name) for name in wanted)
    ]
    if not rows:
        pytest.skip(f"no record of nsmc_raw_ko has {', '.join(wanted)}")
    return (
        pl.DataFrame(rows, schema=["doc_key", "author_id", "content"], orient="row")
        .unique("doc_key", keep="first", maintain_order=True)
        .sort("doc_key")
        .head(2500)
    )


def test_real_reviews_lose_what_comparing_all_pairs_would_take(real_reviews):
    settings = section("dedup")
    table = real_reviews.sample(fraction=1.0, shuffle=True, seed=1).with_columns(
        source=pl.lit("nsmc"), lang=pl.lit("ko")
    )
    removed, _ = deduplicate(table, settings, ["nsmc"])

    expected = {}
    accepted = []
    holders = {}
    for key, text in real_reviews.sort("doc_key").select("doc_key", "content").iter_rows():
        grams = multiset(text)
        best, stand_in = 0.0, ""
        for other in sorted({i for gram in grams for i in holders.get(gram, [])}):
            similarity = (grams & accepted[other][1]).total() / (grams | accepted[other][1]).total()
            if similarity > best:
                best, stand_in = similarity, accepted[other][0]
        if best >= settings["threshold"]:
            expected[key] = stand_in
            continue
        for gram in grams:
            holders.setdefault(gram, []).append(len(accepted))
        accepted.append((key, grams))
    assert expected or real_reviews.height < MANY
    found = dict(removed.select("doc_key", "kept").iter_rows())
    grams_of = {key: multiset(text) for key, text in real_reviews.select("doc_key", "content").iter_rows()}
    for one, other in ((grams_of[key], grams_of[stand_in]) for key, stand_in in found.items()):
        assert (one & other).total() >= settings["threshold"] * (one | other).total()
    differ = {key for key in found.keys() | expected.keys() if found.get(key) != expected.get(key)}
    assert len(differ) <= 1 + 0.01 * len(expected)  # banding may miss a pair just at the threshold


@pytest.fixture(scope="module")
def japanese_works():
    """Names and texts of some works, header and reading aids included."""
    files = files_of("aozora_txt_ja")[0][:40]
    return [file.as_posix() for file in files], [decoded(file, "cp932") or "" for file in files]


def test_real_works_with_and_without_reading_aids_are_similar_pairs(japanese_works):
    names, texts = japanese_works
    plain = [re.sub(r"《[^》\n]*》|｜", "", text) for text in texts]
    pairs = similar_pairs([*names, *(f"{name}#plain" for name in names)], texts + plain, 0.7)
    found = {(a, b): similarity for a, b, similarity in pairs.iter_rows()}
    expected = {}
    for name, one, other in zip(names, map(multiset, texts), map(multiset, plain), strict=True):
        similarity = (one & other).total() / (one | other).total()
        if similarity >= 0.7:
            expected[name, f"{name}#plain"] = similarity
    own = {pair: similarity for pair, similarity in found.items() if pair[1] == f"{pair[0]}#plain"}
    assert own.items() <= expected.items()
    if not expected:
        pytest.skip("no work of this sample of aozora_txt_ja is 0.7 similar without its reading aids")
    assert len(own) >= 0.98 * len(expected) - 1  # banding may miss a pair near 0.7


def test_real_works_contain_their_first_halves(japanese_works):
    names, texts = japanese_works
    table = pl.DataFrame({"doc_key": names, "origin_id": names, "content": texts})
    halves = table.with_columns(
        doc_key=pl.col("doc_key") + "#half",
        origin_id=pl.col("origin_id") + "#half",
        content=pl.col("content").str.head(pl.col("content").str.len_chars() // 2),
    )
    found = set(contained_pairs(pl.concat([table, halves]), section("split.containment")).pairs.select("a", "b").rows())
    long = halves.filter(pl.col("content").str.len_chars() >= 500)["doc_key"]
    if long.is_empty():
        pytest.skip("no work of this sample of aozora_txt_ja has 1,000 characters")
    assert [key for key in long if (key.removesuffix("#half"), key) not in found] == []
