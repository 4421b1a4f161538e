"""Claims about pairs made of documents: what no topic, author or text gives away."""

from pathlib import Path

import orjson
import polars as pl
import pytest
from defaults import section
from hypothesis import given, settings
from hypothesis import strategies as st
from real_blogs import blogs_by_month
from shared_folders import needs_corpora

from authbench.app.cli import main
from authbench.core.errors import InputError
from authbench.release.format.pan import read_problems
from authbench.suites.pan.build import build_released, write_sets
from authbench.suites.pan.pairs import LARGE, SMALL, TEST, both, build, violations


def made_up(authors=40, topics=10, texts=6, lang=lambda author: "en"):
    """Authors who write on a few of the topics each."""
    rows = [
        (
            f"d{author:03d}-{text}",
            f"author {author}",
            f"topic {(author * 3 + text * (1 + author % 3)) % topics}",
            lang(author),
        )
        for author in range(authors)
        for text in range(texts)
    ]
    table = pl.DataFrame(rows, schema=["id", "author", "topic", "lang"], orient="row")
    return table.with_columns(text=pl.lit("text of ") + pl.col("id"))


@given(
    st.integers(6, 40),
    st.integers(4, 14),
    st.integers(2, 9),
    st.sampled_from(["open", "closed"]),
    st.sampled_from([0.3, 0.5, 0.6]),
    st.integers(0, 3),
)
@settings(max_examples=25)
def test_what_is_built_breaks_no_rule(authors, topics, texts, setting, same, seed):
    asked = section("pan", setting=setting, same=same)
    try:
        sets = build(made_up(authors, topics, texts), asked, seed)
    except InputError:
        return
    assert not violations(sets, asked)
    assert set(sets) == {LARGE, SMALL, TEST}
    assert sets[SMALL].height < sets[LARGE].height or sets[LARGE].height <= 2


def test_the_open_setting_tests_on_unseen_authors_and_topics_and_the_closed_one_on_seen_ones():
    documents = made_up()
    of_open, of_closed = (build(documents, section("pan", setting=setting), 1) for setting in ("open", "closed"))
    for what in ("author", "topic"):
        seen, tested = (set(both(of_open[name], what)[what]) for name in (LARGE, TEST))
        assert tested
        assert not seen & tested
        seen, tested = (set(both(of_closed[name], what)[what]) for name in (LARGE, TEST))
        assert tested <= seen


def test_the_closed_setting_tests_on_no_author_whom_train_lost_when_it_was_balanced():
    sets = build(made_up(authors=33, topics=4, texts=4), section("pan", setting="closed", same=0.6), 1)
    assert not violations(sets, section("pan", setting="closed", same=0.6))


def test_pairs_depend_on_no_order_and_on_the_seed():
    documents = made_up()
    sets = build(documents, section("pan"), 1)
    shuffled = build(documents.sample(fraction=1, shuffle=True, seed=5), section("pan"), 1)
    for name, pairs in sets.items():
        assert pairs.equals(shuffled[name])
    assert not build(documents, section("pan"), 2)[LARGE].equals(sets[LARGE])


def test_pairs_by_two_authors_are_in_one_language_and_of_texts_that_stand_in_pairs_by_one():
    documents = made_up(lang=lambda author: ("en", "fr")[author % 2])
    pairs = build(documents, section("pan"), 1)[LARGE]
    lang = dict(documents.select("id", "lang").iter_rows())
    assert all(lang[one] == lang[other] for one, other in pairs.select("doc1", "doc2").iter_rows())
    same, others = (set(both(pairs.filter(pl.col("same") == told), "doc")["doc"]) for told in (True, False))
    assert others
    assert others <= same


def test_an_author_on_more_than_six_topics_gives_six_of_them_and_one_on_a_single_topic_none():
    documents = pl.concat(
        [
            made_up(),
            pl.DataFrame(
                {
                    "id": [f"x{k}" for k in range(20)],
                    "author": "busy",
                    "lang": "en",
                    "text": [f"busy {k}" for k in range(20)],
                    "topic": [f"topic {k % 10}" for k in range(20)],
                }
            ).select("id", "author", "topic", "lang", "text"),
            pl.DataFrame(
                {"id": ["y1", "y2"], "author": "narrow", "topic": "topic 1", "lang": "en", "text": ["n1", "n2"]}
            ),
        ]
    )
    sets = build(documents, section("pan", setting="closed"), 1, per_author=100)
    sides = both(pl.concat([sets[LARGE], sets[TEST]]), "author", "topic")
    assert sides.filter(pl.col("author") == "busy")["topic"].n_unique() == 6
    assert "narrow" not in set(sides["author"])


def test_the_build_notices_a_broken_rule():
    asked = section("pan")
    sets = build(made_up(), asked, 1)
    test = sets[TEST]
    for change, said in (
        ({TEST: test.with_columns(topic2="topic1")}, "on one topic"),
        ({TEST: test.with_columns(same=~pl.col("same"))}, "truth is not"),
        ({TEST: sets[LARGE]}, "share"),
        ({TEST: pl.concat([test, test])}, "twice"),
        ({SMALL: test}, "not within"),
        ({TEST: test.filter("same")}, "a share of 1.000"),
    ):
        assert any(said in line for line in violations({**sets, **change}, asked)), said


@pytest.mark.parametrize(
    ("documents", "said"),
    [
        (made_up(topics=1), "writes on 2 topics"),
        (made_up(topics=2), "leaves no pair by one author"),
        (made_up(authors=1, topics=6, texts=6), "leaves no pair|no two authors"),
    ],
)
def test_documents_that_make_no_task_are_refused_with_the_reason(documents, said):
    with pytest.raises(InputError, match=said):
        build(documents, section("pan"), 1)


def test_a_table_becomes_folders_in_pans_format(tmp_path):
    made_up().rename({"text": "content", "author": "author_id"}).write_parquet(tmp_path / "records.parquet")
    facts = write_sets(tmp_path / "records.parquet", tmp_path / "pairs", section("pan"), "topic", 1)
    for name, told in facts["sets"].items():
        problems = read_problems(tmp_path / "pairs" / name)
        assert problems.height == told["pairs"] > 0
        assert int(problems["same"].sum()) == told["same"]
    again = write_sets(tmp_path / "records.parquet", tmp_path / "again", section("pan"), "topic", 1)
    assert again == facts
    for path in (tmp_path / "pairs").rglob("*.*"):
        assert path.read_bytes() == (tmp_path / "again" / path.relative_to(tmp_path / "pairs")).read_bytes()


@pytest.mark.parametrize(
    ("table", "said"),
    [
        (pl.DataFrame({"author": ["a"], "text": ["t"]}), "no column for topic"),
        (
            pl.DataFrame({"author": ["a"], "text": ["t"], "topic": [None]}, schema_overrides={"topic": pl.String}),
            "none of",
        ),
    ],
)
def test_a_table_that_tells_too_little_is_refused(tmp_path, table, said):
    table.write_parquet(tmp_path / "t.parquet")
    with pytest.raises(InputError, match=said):
        write_sets(tmp_path / "t.parquet", tmp_path / "out", section("pan"), "topic", 1)


@pytest.mark.parametrize("name", ["t.txt", "absent.parquet"])
def test_what_is_no_table_is_refused(tmp_path, name):
    (tmp_path / "t.txt").write_text("x")
    with pytest.raises(InputError):
        write_sets(tmp_path / name, tmp_path / "out", section("pan"), "topic", 1)


def test_three_commands_lead_from_records_to_scores(tmp_path, capsys, printed, refused):
    documents = made_up().with_columns(
        text=pl.lit("The same old story, told by ") + pl.col("author") + ": " + pl.col("id")
    )
    documents.write_ndjson(tmp_path / "records.jsonl")
    pairs, answers = str(tmp_path / "pairs"), str(tmp_path / "answers")
    assert "train-small: " in printed(["pan", "pairs", str(tmp_path / "records.jsonl"), "--out", pairs])
    learn = ["--train", f"{pairs}/train-large", "--calibrate", f"{pairs}/train-small", "--test", f"{pairs}/test"]
    assert main(["pan", "run", *learn, "--verifier", "naive", "--verifier", "ppm", "--out", answers]) == 0
    capsys.readouterr()
    named = ["--answers", f"{answers}/naive", "--answers", f"{answers}/ppm"]
    assert main(["pan", "evaluate", "--truth", f"{pairs}/test", *named, "--json"]) == 0
    assert set(orjson.loads(capsys.readouterr().out)) == {"naive", "ppm"}
    assert "did you mean 'naive'?" in refused(["pan", "run", *learn, "--verifier", "nave", "--out", answers])


@pytest.mark.parametrize("share", ["0", "1", "-0.5", "much"])
def test_a_share_lies_between_0_and_1(tmp_path, share):
    with pytest.raises(SystemExit):
        main(["pan", "pairs", str(tmp_path), "--out", str(tmp_path / "out"), "--same", share])


class Stated:
    """Splits of a release with documents and pairs: each author's texts, one positive of each, and two negatives."""

    folder = Path("stated")
    splits = ("train", "dev", "test")

    def __init__(self, authors=12):
        rows, pairs = [], {split: [] for split in self.splits}
        for split in ("dev", "test"):
            for author in range(authors):
                for text in range(4):
                    name = f"{split}-{author:02d}-{text}"
                    rows.append((name, f"{split} author {author}", "news", "en", f"text of {name}"))
                for query, positive in ((0, 1), (0, 2), (2, 3), (3, 1)):
                    group = author * 4 + query
                    of = [(author, positive, True)] + [((author + step) % authors, query, False) for step in (1, 2)]
                    for other, text, same in of:
                        ids = f"{split}-{author:02d}-{query}", f"{split}-{other:02d}-{text}"
                        pairs[split].append(("matched", 10 * group + positive, *ids, same))
        self.documents = pl.DataFrame(rows, schema=["id", "author", "topic", "lang", "text"], orient="row")
        schema = {"pool": pl.String, "group": pl.Int32, "query_id": pl.String, "candidate_id": pl.String}
        schema |= {"same": pl.Boolean}
        self._pairs = {split: pl.DataFrame(own, schema=schema, orient="row") for split, own in pairs.items()}

    def pairs(self, split):
        return self._pairs[split]


@pytest.mark.parametrize("same", [0.4, 0.5, 0.6])
def test_pairs_of_a_release_are_those_that_it_states(same):
    release, asked = Stated(), section("pan", setting="matched", same=same)
    sets = build_released(release, release.documents, asked, 1)
    assert not violations(sets, asked)
    for name, split in ((LARGE, "dev"), (TEST, "test")):
        stated = {frozenset(row[:2]): row[2] for row in release.pairs(split)[:, 2:].rows()}
        pairs = sets[name]
        assert pairs.height > 10
        for one, other, told in pairs.select("doc1", "doc2", "same").iter_rows():
            assert stated[frozenset((one, other))] is told
    queries = {row[0] for row in release.pairs("test").filter("same")[:, 2:].rows()}
    others = sets[TEST].filter(~pl.col("same"))
    assert all(one in queries or other in queries for one, other in others.select("doc1", "doc2").iter_rows())
    shuffled = release.documents.sample(fraction=1, shuffle=True, seed=3)
    for name, pairs in build_released(release, shuffled, asked, 1).items():
        assert pairs.equals(sets[name])
    assert not build_released(release, release.documents, asked, 2)[TEST].equals(sets[TEST])


def test_a_release_whose_pairs_cannot_be_learnt_from_is_told(tmp_path, refused):
    release = Stated()
    with pytest.raises(InputError, match=r"none has pairs of the pool topic_matched\. Expected two"):
        build_released(release, release.documents, section("pan", setting="topic_matched"), 1)
    release._pairs["dev"] = release._pairs["dev"].clear()
    with pytest.raises(InputError, match="test has pairs of the pool matched"):
        build_released(release, release.documents, section("pan", setting="matched"), 1)
    made_up().write_parquet(tmp_path / "t.parquet")
    command = ["pan", "pairs", str(tmp_path / "t.parquet"), "--out", str(tmp_path / "o"), "--setting", "matched"]
    assert "the setting matched takes pairs of a release" in refused(command)


@needs_corpora
def test_the_closed_setting_holds_on_real_blogs_by_month():
    documents = blogs_by_month(2_000)
    asked = section("pan", setting="closed", test=0.3)
    sets = build(documents, asked, 1)
    assert not violations(sets, asked)
    assert sets[TEST].height >= 20 and sets[LARGE].height >= 100
    authors, topics = (set(both(sets[LARGE], what)[what]) for what in ("author", "topic"))
    assert set(both(sets[TEST], "author")["author"]) <= authors and set(both(sets[TEST], "topic")["topic"]) <= topics
