"""How noisy the labels of real corpora are, by what their entries name."""

import polars as pl
import pytest
from open_corpora import ingested, load_source
from shared_folders import needs_corpora

from authbench.build.labels.count import count_texts
from authbench.build.labels.judge import judge_labels
from authbench.config.registry.source_entry import Impurity
from authbench.config.registry.typed_schema import from_plain

pytestmark = needs_corpora
NOTHING_REMOVED = pl.DataFrame(schema={"doc_key": pl.String, "stand_in": pl.String})


def judged(tag, shards=1):
    """Return what `judge_labels` gives for a corpus as it is on disk."""
    records = ingested(tag).records
    rule = from_plain(Impurity, load_source(tag)["author"]["impurity"])
    texts = [records.gather_every(shards, shard) for shard in range(shards)]
    parts = [count_texts([part], NOTHING_REMOVED, {tag: rule.estimator}) for part in texts]
    return judge_labels([part[0] for part in parts], [part[1] for part in parts], {tag: rule}, 0.2, (2, 10))


def test_masks_of_film_reviewers_are_not_taken_for_people():
    _, statistics = judged("nsmc_raw_ko")
    assert "clean" not in statistics["decision"].to_list()


@pytest.mark.parametrize("tag", ["exorde_sample", "weibo_users_gbk", "stihi_users_ru"])
def test_labels_that_hold_the_account_have_one_account_each(tag):
    authors, statistics = judged(tag)
    assert set(statistics["impurity"]) <= {0.0, None}
    assert "impure" not in authors["decision"].to_list()


@pytest.mark.parametrize("tag", ["nsmc_raw_ko", "douban_dmr"])
def test_intervals_enclose_the_impurity_and_shards_change_nothing(tag):
    authors, statistics = judged(tag)
    for row in statistics.drop_nulls("impurity").iter_rows(named=True):
        assert 0 <= row["low"] <= row["impurity"] <= row["high"] <= 1
    assert all(one.equals(eight) for one, eight in zip((authors, statistics), judged(tag, shards=8), strict=True))
