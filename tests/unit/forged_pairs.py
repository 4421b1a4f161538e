"""Relations and pairs made anew from the rows of a forged release, and the forgeries of them."""

import polars as pl
from defaults import section

from authbench.build.release.contents import content_words_of, pair_up
from authbench.build.split.leakage import find_leaks
from authbench.release.format.columns import PAIRS, POOLS, POSITIVES

Frame = pl.DataFrame
_ABSENT = {"chunk_start": pl.Int64, "chunk_end": pl.Int64}


def remake_pairs(folder, provenance, rows, settings, seed):
    """Write positives.parquet, pairs.parquet and statistics/pools.csv that follow from rows of a release."""
    texts = {row["candidate_id"]: row["content"] for files in rows.values() for row in files["candidates"]}
    texts |= {row["query_id"]: row["content"] for files in rows.values() for row in files["queries"]}
    documents = provenance.filter(pl.col("id").is_in(list(texts))).with_columns(
        pl.col("id").replace_strict(texts, return_dtype=pl.String).alias("content"), doc_key="id"
    )
    documents = documents.with_columns(
        pl.lit(None, kind).alias(name) for name, kind in _ABSENT.items() if name not in documents.columns
    )
    truth = [
        (split, row["query_id"], row["author_id"], row["positive_ids"], row.get("ignored_ids") or [])
        for split, files in rows.items()
        for row in files["ground_truth"]
    ]
    schema = {"split": pl.String, "query_id": pl.String, "author_id": pl.String}
    queries = pl.DataFrame(
        truth, {**schema, "positive_ids": pl.List(pl.String), "ignored_ids": pl.List(pl.String)}, orient="row"
    ).filter(pl.col("query_id").is_in(list(texts)))
    works = documents.select("doc_key", "lang", "content", origin_id="origin")
    contained = find_leaks(works, 0.7, 0.8, 5, section("split.containment")).contained
    positives, pairs, pools = pair_up(
        documents,
        queries,
        settings,
        list(rows),
        seed,
        content_words_of(documents, list(rows), settings),
        contained,
        None,
    )
    for split in rows:
        for table, found in ((POSITIVES, positives), (PAIRS, pairs)):
            found.filter(pl.col("split") == split).select(table.names).cast(table.schema).write_parquet(
                folder / split / table.file
            )
    if (folder / "statistics").is_dir():
        pools.write_csv(folder / "statistics/pools.csv")


def declare(files):
    """Declare the forgeries of files about pairs, by the decorator of `forgeries`."""

    def table(lie, claim, name="pairs", split="test"):
        def of(alter):
            def forge(folder):
                path = folder / split / f"{name}.parquet"
                before = pl.read_parquet(path)
                after = alter(before)
                assert not after.equals(before)
                after.write_parquet(path)

            forge.__name__ = alter.__name__
            files(lie, claim)(forge)

        return of

    last = pl.int_range(pl.len()).over("group") == pl.len().over("group") - 1
    matched, topical, hard, timed, topic_time = (pl.col("pool") == pool for pool in POOLS)

    def in_order(rows):
        order = pl.col("pool").replace_strict({pool: place for place, pool in enumerate(POOLS)})
        return rows.sort(order, "group", "same", "candidate_id", descending=[False, False, True, False])

    def replaced(rows, which, candidate):
        """Return rows in which the first of the negatives is another text."""
        at = rows.with_row_index("at").filter(which & ~pl.col("same"))["at"][0]
        new = pl.when(pl.int_range(pl.len()) == at).then(pl.lit(candidate)).otherwise("candidate_id")
        return in_order(rows.with_columns(new.alias("candidate_id")))

    @table("positives.parquet calls a text written on the query's day a month apart", "relations", "positives")
    def false_days(rows):
        return rows.with_columns(days=pl.col("days") + 30)

    @table("positives.parquet calls texts of one year texts of two", "relations", "positives")
    def false_years(rows):
        return rows.with_columns(years=pl.lit(1, pl.Int32))

    @table("positives.parquet calls texts of one work texts of two", "relations", "positives", "train")
    def false_work(rows):
        return rows.with_columns(~pl.col("same_work"))

    @table("positives.parquet calls texts of one topic unlike", "relations", "positives")
    def false_topic(rows):
        return rows.with_columns(pl.lit(0.0, pl.Float32).alias("topic_similarity"))

    @table("positives.parquet leaves out a pair", "relations", "positives")
    def relation_left_out(rows):
        return rows.head(-1)

    @table("pairs.parquet is empty, as if nothing could be matched", "matched_pairs")
    def no_pairs(rows):
        return rows.clear()

    @table("a hard positive is left out of `matched`", "matched_pairs")
    def positive_not_matched(rows):
        return rows.filter(pl.col("group") != rows.filter(matched)["group"].max())

    @table("negatives of `matched` are fewer than there are", "matched_pairs")
    def fewer_negatives(rows):
        first = pl.int_range(pl.len()).over("group") < 3
        return rows.filter(~matched | first)

    @table("negatives of `matched` are far shorter than their positives", "matched_pairs")
    def shorter_negatives(rows):
        candidates = rows.filter(matched)["candidate_id"].unique().sort()
        of_group = rows.filter(matched & (pl.col("group") == 0))["candidate_id"]
        return replaced(
            rows, matched & (pl.col("group") == 0), next(c for c in candidates if c not in of_group.to_list())
        )

    @table("a negative is by the query's author", "pair_stranger")
    def own_negative(rows):
        first = rows.filter(matched).row(0, named=True)
        same_query = pl.col("same") & (pl.col("query_id") == first["query_id"])
        own = rows.filter(same_query, pl.col("candidate_id") != first["candidate_id"])["candidate_id"]
        return replaced(rows, matched & (pl.col("group") == first["group"]), own[0])

    @table("a text of another author is called the positive of a group", "pair_answer")
    def foreign_pair(rows):
        chosen = matched & (pl.col("group") == 0)
        second = pl.int_range(pl.len()).over("group") == 1
        return in_order(rows.with_columns(same=pl.when(chosen).then(second).otherwise("same")))

    @table("a group has two positives", "pair_form")
    def two_positives(rows):
        second = pl.int_range(pl.len()).over("group") == 1
        return in_order(rows.with_columns(same=pl.col("same") | (matched & (pl.col("group") == 0) & second)))

    @table("pairs.parquet is in another order", "pair_form")
    def pairs_reversed(rows):
        return rows.reverse()

    @table("negatives of `topic_matched` are all less like the query than its positive", "topic_pairs")
    def one_sided_topics(rows):
        return rows.filter(~(topical & last))

    @table("a positive is left out of `topic_matched`", "topic_pairs")
    def topic_left_out(rows):
        return rows.filter(pl.col("group") != rows.filter(topical)["group"].max())

    @table("`topic_adversarial` has other negatives than the most topical", "adversarial_pairs")
    def milder_negatives(rows):
        return rows.filter(~(hard & last))

    @table("negatives of `time_matched` are all nearer in time than their positive", "time_pairs")
    def one_sided_dates(rows):
        return rows.filter(~(timed & last))

    @table("a positive is left out of `time_matched`", "time_pairs")
    def date_left_out(rows):
        return rows.filter(pl.col("group") != rows.filter(timed)["group"].max())

    @table("negatives of `topic_time` are all on one side of their positive", "time_pairs")
    def one_sided_topics_and_dates(rows):
        return rows.filter(~(topic_time & last))

    @files("the pools matched in time are removed, and from the statistics", "time_pairs")
    def no_time(folder):
        untimed = ~pl.col("pool").is_in(["time_matched", "topic_time"])
        for path in folder.glob("*/pairs.parquet"):
            pl.read_parquet(path).filter(untimed).write_parquet(path)
        path = folder / "statistics/pools.csv"
        pl.read_csv(path).filter(untimed).write_csv(path)

    @table("pairs.parquet pairs texts of train", "pair_form", split="train")
    def pairs_of_train(rows):
        return Frame([("matched", 0, "doc_000000", "doc_000001", True)], PAIRS.schema, orient="row")

    @files("statistics/pools.csv says that nothing was left out", "statistics")
    def nothing_left_out(folder):
        path = folder / "statistics/pools.csv"
        told = pl.read_csv(path)
        told.with_columns(positives="kept", left_out=pl.lit(0)).write_csv(path)
