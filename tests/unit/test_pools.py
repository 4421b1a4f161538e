"""Relations and pools: against brute force on made-up texts, and what becomes of small languages and authors."""

import math
from collections.abc import Callable
from itertools import product
from typing import Any

import numpy as np
import polars as pl
import pytest
from examples import costly
from hypothesis import given
from hypothesis import strategies as st
from small_corpus import SETTINGS, author, document, frame, release

from authbench.core.content_words import COLUMNS, Topic, content_vectors, fit_words
from authbench.core.dates import middle_day
from authbench.core.letters import may_ask
from authbench.core.records import primary_genre
from authbench.release.checking import relations
from authbench.release.checking.pools import ORDER, PAIR, Texts, check_matched, check_similar
from authbench.release.format.columns import PAIRS, POOLS, POSITIVES

Rows = list[dict[str, Any]]
WORDS = ["harbour", "lantern", "anchor", "sorrow", "meadow", "thistle", "copper", "violin"]
DRAWN = st.tuples(
    st.integers(0, 5),  # author
    st.integers(0, 2),  # work
    st.sampled_from(["en", "de"]),
    st.sampled_from(["news/a", "news/b", "blog"]),
    st.sampled_from(["one", "two"]),
    st.integers(3, 30),  # tokens
    st.lists(st.sampled_from(WORDS), max_size=5),
    st.sampled_from(["person"] * 5 + ["work"]),
    st.sampled_from([None, "1851", "1852", "1852-07-01", "1852-07-01", "1852-07-02", "1853-01", "1853"]),
)
BARRED = st.sets(st.tuples(st.integers(0, 39), st.integers(0, 39)), max_size=3)


def made(texts: list[tuple[Any, ...]], **settings: Any) -> Any:
    rows = frame(
        *(
            document(
                number,
                writer,
                "test",
                origin_id=f"work {writer} {work}",
                lang=lang,
                genre=genre,
                source=source,
                token_length=tokens,
                content=" ".join([*words, f"number{chr(97 + number // 26)}{chr(97 + number % 26)}"]),
                author_kind=kind,
                date=date,
            )
            for number, (writer, work, lang, genre, source, tokens, words, kind, date) in enumerate(texts)
        )
    )
    return release(rows, **{"positives": "other_work", "queries_per_author": "all", **settings})


def pairs_of(keys: set[tuple[int, int]], name: str) -> pl.DataFrame:
    named = sorted((f"{name}{a}", f"{name}{b}") for a, b in keys if a != b)
    return pl.DataFrame(named, schema={"a": pl.String, "b": pl.String}, orient="row")


class Brute:
    """What may be a negative of what, by the words of the documentation."""

    def __init__(self, contents: Any, contained: set[tuple[int, int]], topic: Topic = "words") -> None:
        documents = contents.documents
        self.by_id = {row["id"]: row for row in documents.iter_rows(named=True)}
        self.contained = {frozenset((f"news:{a}", f"news:{b}")) for a, b in contained}
        vectors = content_vectors(documents, fit_words([]), topic)  # the split `train` is empty
        self.row = {ident: place for place, ident in enumerate(documents["id"])}
        parts = [vectors[:, at : at + COLUMNS] for at in range(0, vectors.shape[1], COLUMNS)]
        by_part = [(part @ part.T).toarray() for part in parts]
        self.similar, self.by_words = sum(by_part), by_part[0]
        self.empty = {ident for ident, place in self.row.items() if vectors[place].nnz == 0}
        self.related = {(row["query_id"], row["candidate_id"]): row for row in contents.positives.iter_rows(named=True)}
        days = documents.select("id", days=middle_day("date"))
        self.days = {ident: math.nan if day is None else day for ident, day in days.iter_rows()}
        self.answers = {
            (row["query_id"], positive)
            for row in contents.queries.iter_rows(named=True)
            for positive in row["positive_ids"]
            if not self.related[row["query_id"], positive]["same_work"]
        }

    def similarity(self, one: str, other: str) -> float:
        return float(self.similar[self.row[one], self.row[other]])

    def similarity_in_time(self, one: str, other: str) -> float:
        return -abs(self.days[one] - self.days[other])

    def others(self, query: str, like: str, source: bool) -> list[str]:
        asked, model = self.by_id[query], self.by_id[like]
        own = {key for key, row in self.by_id.items() if row["author_id"] == asked["author_id"]}
        return [
            ident
            for ident, row in self.by_id.items()
            if ident not in own
            and row["author_kind"] == "person"
            and row["lang"] == model["lang"]
            and row["genre"].partition("/")[0] == model["genre"].partition("/")[0]
            and (row["source"] == model["source"] or not source)
            and not any(frozenset((row["doc_key"], self.by_id[one]["doc_key"])) in self.contained for one in own)
        ]

    def near_in_length(self, query: str, positive: str) -> list[str]:
        length = self.by_id[positive]["token_length"]
        return [
            ident
            for ident in self.others(query, positive, True)
            if length <= 2 * self.by_id[ident]["token_length"] <= 4 * length
        ]

    def signs(self, query: str, positive: str, ident: str, pool: str) -> tuple[int, ...]:
        """Return the signs of a text's differences from the positive: in topic, in time, in nearness to the length."""
        asked, *lengths = (self.by_id[one]["token_length"] for one in (query, ident, positive))
        far, near = ((max(length, asked), min(length, asked)) for length in lengths)
        measures = [self.measures(pool)(query, ident) - self.measures(pool)(query, positive)]
        if pool == "topic_matched":
            rows = [self.row[one] for one in (query, ident, positive)]
            measures.append(self.by_words[rows[0], rows[1]] - self.by_words[rows[0], rows[2]])
        if pool == "topic_time":
            measures.append(self.similarity_in_time(query, ident) - self.similarity_in_time(query, positive))
        return *map(int, np.sign(measures)), int(np.sign(near[0] * far[1] - near[1] * far[0]))

    def measures(self, pool: str) -> Callable[[str, str], float]:
        return self.similarity_in_time if pool == "time_matched" else self.similarity

    def may_match(self, query: str, ident: str, pool: str) -> bool:
        """Return whether both have what the pool compares: dates, content words."""
        both = {query, ident}
        dated = not any(math.isnan(self.days[one]) for one in both)
        return (dated or pool == "topic_matched") and not (pool != "time_matched" and both & self.empty)

    def matched(self, query: str, positive: str) -> tuple[list[int], int] | None:
        """Return the lengths of the negatives, and how many negatives are as long as the positive."""
        asked, length = self.by_id[query]["token_length"], self.by_id[positive]["token_length"]
        near = [self.by_id[ident]["token_length"] for ident in self.others(query, positive, True)]
        near = [one for one in near if 2 * one <= 3 * length and 3 * one >= 2 * length]
        equal = [one for one in near if one == length][:10]
        sides = [
            sorted((one for one in near if one < length), reverse=True),
            sorted(one for one in near if one > length),
        ]
        if asked > length:
            sides.reverse()

        def distance(one: int) -> float:
            return max(one, asked) / min(one, asked)

        sides[0] = [one for one in sides[0] if distance(one) < distance(length)]
        most = min((10 - len(equal)) // 2, *map(len, sides))
        found = sorted([*equal, *sides[0][:most], *sides[1][:most]])
        return (found, len(equal)) if len(found) >= 5 else None


def groups_of(contents: Any, pool: str) -> dict[tuple[str, str], list[str]]:
    found = {}
    for _, rows in contents.pairs.filter(pl.col("pool") == pool).group_by("group", maintain_order=True):
        assert rows["same"].to_list() == [True] + [False] * (rows.height - 1)
        assert rows["query_id"].n_unique() == 1
        negatives = rows["candidate_id"][1:].to_list()
        assert negatives == sorted(set(negatives))
        found[rows["query_id"][0], rows["candidate_id"][0]] = negatives
    return found


@given(st.lists(DRAWN, min_size=12, max_size=40), BARRED, st.sampled_from(["words", "words_and_pieces"]))
@costly(60)
def test_pools_are_those_of_a_brute_force(texts, contained, topic):
    contents = made(texts, topic=topic, containment=pairs_of(contained, "news:"))
    brute = Brute(contents, contained, topic)
    matched = groups_of(contents, "matched")
    assert matched.keys() <= brute.answers
    for query, positive in brute.answers:
        expected = brute.matched(query, positive)
        negatives = matched.get((query, positive))
        assert (negatives is None) == (expected is None)
        if negatives is not None and expected is not None:
            assert set(negatives) <= set(brute.others(query, positive, True))
            assert sorted(brute.by_id[ident]["token_length"] for ident in negatives) == expected[0]
    for (query, positive), negatives in groups_of(contents, "topic_adversarial").items():
        answers = [other for one, other in brute.answers if one == query and other not in brute.empty]
        assert brute.similarity(query, positive) == min(brute.similarity(query, other) for other in answers)
        values = sorted((brute.similarity(query, one) for one in brute.others(query, query, False)), reverse=True)
        assert sorted((brute.similarity(query, one) for one in negatives), reverse=True) == values[:20]


@given(st.lists(DRAWN, min_size=12, max_size=40), BARRED, st.sampled_from(["words", "words_and_pieces"]))
@costly(60)
def test_negatives_equal_the_positive_or_come_in_nearest_pairs_that_differ_from_it_oppositely(texts, contained, topic):
    contents = made(texts, topic=topic, containment=pairs_of(contained, "news:"))
    brute = Brute(contents, contained, topic)
    for pool in ("topic_matched", "time_matched", "topic_time"):
        groups, similarity = groups_of(contents, pool), brute.measures(pool)
        assert groups.keys() <= brute.answers
        for query, positive in brute.answers:
            kinds: dict[tuple[int, ...], list[float]] = {}
            if brute.may_match(query, positive, pool) and brute.by_id[positive]["author_kind"] == "person":
                for ident in brute.near_in_length(query, positive):
                    if pool == "topic_matched" or not math.isnan(brute.days[ident]):
                        apart = abs(similarity(query, ident) - similarity(query, positive))
                        kinds.setdefault(brute.signs(query, positive, ident, pool), []).append(apart)
            counts = {kind: min(len(kinds[kind]), len(kinds.get(tuple(-sign for sign in kind), []))) for kind in kinds}
            equal = min(10, sum(count for kind, count in counts.items() if not any(kind)))
            pairs = sum(count for kind, count in counts.items() if any(kind)) // 2
            wanted = equal + 2 * min((10 - equal) // 2, pairs)
            negatives = groups.get((query, positive), [])
            assert len(negatives) == (wanted if wanted > 1 else 0)
            chosen: dict[tuple[int, ...], list[float]] = {}
            for ident in negatives:
                apart = abs(similarity(query, ident) - similarity(query, positive))
                chosen.setdefault(brute.signs(query, positive, ident, pool), []).append(apart)
            for kind, found in chosen.items():
                assert not any(kind) or len(found) == len(chosen[tuple(-sign for sign in kind)])
                assert sorted(found) == sorted(kinds[kind])[: len(found)]


def complaints(contents, pairs, shared, topic):
    """The claims that pairs break in the release's check, with the query."""
    asked, ids = contents.queries["query_id"], pl.Enum(contents.documents["id"].sort())
    candidate = pl.lit(shared) | ~pl.col("id").is_in(asked.implode())
    rows = contents.documents.with_columns(
        pl.col("genre").map_elements(primary_genre, pl.String).alias("primary"),
        tokens="token_length",
        fits=candidate
        & (pl.col("author_kind") == "person")
        & may_ask(contents.documents, SETTINGS["min_letters_for_query"]),
    ).sort(ORDER)
    queries = rows.filter(pl.col("id").is_in(asked.implode())).select("tokens", query_id=pl.col("id").cast(ids))
    answers = contents.positives.filter(~pl.col("same_work")).join(
        contents.queries.explode("positive_ids"), left_on=PAIR, right_on=["query_id", "positive_ids"], how="semi"
    )
    texts = Texts(
        rows.select(pl.col("id").cast(ids), "author_id", "lang", "source", "primary", "tokens", "fits"),
        content_vectors(rows, fit_words([]), topic),
        rows.select(middle_day("date")).to_series().to_numpy().astype(np.float32),
        queries,
        answers.select(pl.col(PAIR).cast(ids)),
        pl.DataFrame(schema={"author_id": pl.String, "candidate_id": ids}),
    )
    stated = pairs.cast({"pool": pl.Enum(POOLS), **dict.fromkeys(PAIR, ids)})
    found = [*check_matched(stated, texts), *check_similar(stated, texts, POOLS, True)]
    return {(finding.code, finding.id) for finding in found}


@given(
    st.lists(DRAWN, min_size=12, max_size=40),
    st.booleans(),
    st.sampled_from(["words", "words_and_pieces"]),
    st.integers(0, 99),
)
@costly(30)
def test_the_check_misses_each_group_that_is_left_out_whatever_its_query_and_finds_sound_pools_sound(
    texts, shared, topic, which
):
    contents = made(texts, topic=topic, queries_in_candidates=shared)
    pairs = contents.pairs.drop("split")
    assert complaints(contents, pairs, shared, topic) == set()
    for pool, code in (
        ("matched", "matched_pairs"),
        ("topic_adversarial", "adversarial_pairs"),
        ("time_matched", "time_pairs"),
    ):
        groups = pairs.filter(pl.col("pool") == pool, "same")
        if groups.height:
            group, query = groups.row(which % groups.height, named=True), pl.col("group")
            found = complaints(contents, pairs.filter(query != group["group"]), shared, topic)
            assert found == {(code, group["query_id"])}


@pytest.mark.parametrize(("authors", "parts"), [("", [""]), ("a", ["a"]), ("bacbacbbb", ["aabbbbb", "cc"])])
def test_relations_are_checked_by_parts_with_whole_authors(authors, parts, monkeypatch):
    monkeypatch.setattr(relations, "_TEXTS_AT_ONCE", 3)
    texts = pl.DataFrame({"author_id": list(authors)}, {"author_id": pl.String})
    assert ["".join(part["author_id"]) for part in relations.by_authors(texts)] == parts


@given(st.lists(DRAWN, min_size=12, max_size=40), BARRED)
@costly(30)
def test_relations_are_those_of_a_brute_force(texts, contained):
    contents = made(texts, containment=pairs_of(contained, "news:"))
    brute = Brute(contents, contained)
    asked = set(contents.queries["query_id"])
    expected = {
        (one, other)
        for one, other in product(brute.by_id, repeat=2)
        if one != other and one in asked and brute.by_id[one]["author_id"] == brute.by_id[other]["author_id"]
    }
    assert brute.related.keys() == expected
    for (one, other), row in brute.related.items():
        query, candidate = brute.by_id[one], brute.by_id[other]
        assert row["same_work"] == (query["origin"] == candidate["origin"])
        beside = abs(query["ordinal"] - candidate["ordinal"]) == 1
        assert row["adjacent"] == (beside and query["source"] == candidate["source"])
        lengths = sorted((query["token_length"], candidate["token_length"]))
        assert row["length_ratio"] == pytest.approx(lengths[1] / lengths[0])
        if row["topic_similarity"] is None:
            assert {one, other} & brute.empty
        else:
            assert row["topic_similarity"] == pytest.approx(brute.similarity(one, other), abs=1e-6)


def test_days_or_years_documents_and_neighbours_are_told():
    chunk = {"file": "a" * 64, "ordinal": 1, "origin_id": "book"}
    rows = [
        document(0, 0, "test", **chunk, chunk_start=0, chunk_end=90, date="2020-05-17"),
        document(1, 0, "test", **chunk, chunk_start=91, chunk_end=200, date="2020-05-27"),
        document(2, 0, "test", **chunk, chunk_start=500, chunk_end=600, date="2020-05"),
        document(3, 0, "test", file="a" * 64, ordinal=2, origin_id="letter", date="2020-05-16"),
        document(4, 0, "test", file="b" * 64, ordinal=3, origin_id="essay"),
        document(5, 0, "test", file="b" * 64, ordinal=7, origin_id="poem", date="2017"),
    ]
    contents = release(frame(*rows), queries_per_author="all", positives="other_work")
    by_key = dict(contents.documents.select("doc_key", "id").iter_rows())
    told = {(row["query_id"], row["candidate_id"]): row for row in contents.positives.iter_rows(named=True)}

    def between(one: int, other: int) -> tuple[Any, ...]:
        row = told[by_key[f"news:{one}"], by_key[f"news:{other}"]]
        return row["same_document"], row["same_work"], row["adjacent"], row["days"], row["years"]

    assert between(0, 1) == between(1, 0) == (True, True, True, 10, None)
    assert between(1, 2) == (True, True, False, None, 0)
    assert between(0, 3) == (False, False, True, 1, None)
    assert between(0, 4) == (False, False, False, None, None)
    assert between(0, 5) == between(5, 2) == (False, False, False, None, 3)
    answers = {row["query_id"]: row["positive_ids"] for row in contents.queries.iter_rows(named=True)}
    assert answers[by_key["news:0"]] == sorted(by_key[f"news:{other}"] for other in (3, 4, 5))


@given(st.lists(DRAWN, min_size=12, max_size=40), st.randoms(use_true_random=False))
@costly(20)
def test_the_order_of_documents_makes_no_difference(texts, chance):
    first = made(texts)
    rows = first.documents.drop("id", "origin", "content_sha256", "scored")
    order = list(range(rows.height))
    chance.shuffle(order)
    again = release(rows[order], positives="other_work", queries_per_author="all")
    for name in ("documents", "queries", "positives", "pairs", "pools"):
        assert getattr(again, name).equals(getattr(first, name))


def many(writers: int, texts: int, **other: Any) -> Rows:
    words = np.array(WORDS)
    return [
        document(
            n,
            n % writers,
            "test",
            content=" ".join([*words[[n % 8, n * 3 % 8, n // 8 % 8]], "letters enough"]),
            token_length=20 + n % 7,
            **other,
        )
        for n in range(writers * texts)
    ]


def test_a_language_of_one_source_has_pairs_of_its_own():
    rows = [*many(8, 4), *({**row, "doc_key": f"de:{row['doc_key']}", "lang": "de", "source": "only",
                            "author_id": author(100 + n % 8), "content": f"{row['content']} ja"}
                           for n, row in enumerate(many(8, 4)))]  # fmt: skip
    contents = release(frame(*rows), positives="other_work", queries_per_author="all")
    lang = dict(contents.documents.select("id", "lang").iter_rows())
    assert {lang[query] for query in contents.pairs["query_id"]} == {"en", "de"}
    for query, candidate in contents.pairs.select("query_id", "candidate_id").iter_rows():
        assert lang[query] == lang[candidate]
    assert set(contents.pools["lang"]) == {"en", "de"}
    assert contents.pairs["group"].unique().sort().to_list() == list(range(contents.pairs["same"].sum()))
    assert contents.pairs["pool"].unique(maintain_order=True).to_list() == list(POOLS[:3])  # no text has a date
    assert contents.pools.filter(pl.col("pool").is_in(POOLS[3:]))["kept"].sum() == 0


def test_a_positive_with_fewer_than_five_negatives_is_left_out_and_counted():
    contents = release(frame(*many(2, 3)), positives="other_work", queries_per_author="all")
    counts = contents.pools.filter(pl.col("pool") == "matched").row(0, named=True)
    assert (counts["lang"], counts["source"], counts["positives"]) == ("en", "news", 12)
    assert counts["left_out"] == counts["positives"] and counts["kept"] == 0
    assert contents.pairs.filter(pl.col("pool") == "matched").is_empty()


def test_people_who_are_possibly_one_ignore_each_other_and_are_no_negatives():
    one, other = author(0), author(1)
    twins = pl.DataFrame({"a": [one], "b": [other], "unit": [True]})
    contents = release(frame(*many(6, 4)), positives="other_work", queries_per_author="all", possibly_one=twins)
    writer = dict(contents.documents.select("id", "author_id").iter_rows())
    ignored = {row["query_id"]: set(row["ignored_ids"]) for row in contents.queries.iter_rows(named=True)}
    for query, candidate, same in contents.pairs.select("query_id", "candidate_id", "same").iter_rows():
        assert same or {writer[query], writer[candidate]} != {one, other}
    for query, aside in ignored.items():
        if writer[query] in (one, other):
            twin = other if writer[query] == one else one
            assert {ident for ident, who in writer.items() if who == twin} <= aside
        else:
            assert not aside


def test_what_is_not_scored_is_a_candidate_and_nothing_else():
    rows = frame(*many(6, 4)).with_columns(scored=pl.Series([n != 7 for n in range(24)]))
    contents = release(rows, positives="other_work", queries_per_author="all")
    (noisy,) = contents.documents.filter(~pl.col("scored"))["id"]
    assert noisy not in set(contents.queries["query_id"]) | set(contents.pairs["candidate_id"])
    for row in contents.queries.iter_rows(named=True):
        assert noisy not in row["positive_ids"]
        assert (noisy in row["ignored_ids"]) == (row["author_id"] == author(1))


def test_a_text_of_few_letters_asks_nothing_and_stays_a_candidate():
    rows = many(6, 4)
    rows[3]["content"], rows[9]["content"] = "123456 789 [HANDLE] short", "一二三四五六七八九十"
    contents = release(frame(*rows), positives="other_work", queries_per_author="all", min_letters_for_query=20)
    by_key = dict(contents.documents.select("doc_key", "id").iter_rows())
    asked = set(contents.queries["query_id"])
    assert by_key["news:3"] not in asked and by_key["news:9"] in asked
    assert by_key["news:3"] in {ident for row in contents.queries["positive_ids"] for ident in row}
    assert by_key["news:3"] not in set(contents.pairs["candidate_id"])


def test_an_empty_release_has_empty_pools():
    contents = release(frame())
    assert contents.pairs.columns == ["split", *PAIRS.names]
    assert contents.pairs.drop("split").cast(PAIRS.schema).is_empty()
    assert contents.positives.drop("split").schema == POSITIVES.schema and contents.positives.is_empty()
