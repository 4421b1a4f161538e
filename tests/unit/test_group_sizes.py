"""Stages account for every text of languages of 0, 1, 20 and 4,001 texts."""

from collections import Counter

import polars as pl
from group_sizes import SIZES, results, texts


def test_every_text_of_a_language_of_any_size_is_kept_or_left_out_with_a_reason():
    rows = texts(0)
    made = dict(results(rows))
    assert {"de", "en"} <= set(made["sample"]["lang"]) and 900 < made["sample"].height <= 1_000
    kept, gone = made["split"], made["left_out"]
    assert Counter(kept["doc_key"]) + Counter(gone["doc_key"]) == Counter(rows["doc_key"])
    assert gone["reason"].null_count() == 0 and gone.height
    assert made["documents"]["doc_key"].sort().equals(kept["doc_key"].sort())
    of_all = made["statistics/languages"].filter(pl.col("split") == "all")
    counted = dict(of_all.select("language", "documents").iter_rows())
    sizes = {lang: kept.filter(pl.col("lang") == lang).height for lang, size in SIZES.items() if size}
    assert counted == {**sizes, "all": kept.height}
    pools = made["pools"]
    assert (pools["positives"] == pools["kept"] + pools["left_out"]).all()
    assert made["checked/similar"].height == made["similar"].height > 50
    assert made["checked/contained"].select("a", "b").equals(made["contained"].select("a", "b"))
    assert made["contained"].height > 20
