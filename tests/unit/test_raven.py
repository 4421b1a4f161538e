"""RAVEN tells verifiers that lean on topics from those that do not, and says what it cannot do."""

import json
import re
import sys
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from defaults import section
from hypothesis import given, settings
from hypothesis import strategies as st

from authbench.app.cli import main
from authbench.core.errors import InputError
from authbench.core.storage.json_files import read_json
from authbench.core.storage.parquet import read_columns
from authbench.release.format.pan import read_pairs, read_problems
from authbench.scoring.metrics.significance import p_of_fold_means, p_of_unpaired_means
from authbench.scoring.verifiers import Bench
from authbench.scoring.verifiers.parameters import ExternalParameters
from authbench.scoring.verifiers.requested import VerifierEntry
from authbench.suites.raven import layout
from authbench.suites.raven.answers import write_answers
from authbench.suites.raven.checks import from_arguments, load_verifiers, settings_problems
from authbench.suites.raven.command import run
from authbench.suites.raven.covariates import ALIKE, comparable_limit
from authbench.suites.raven.documents import Design, planted_documents, read_keys, with_enough, write_documents
from authbench.suites.raven.duration import PACE, expected
from authbench.suites.raven.encoders import TopicEncoder, load_encoder
from authbench.suites.raven.folds import fold_pairs, topics_tested
from authbench.suites.raven.layout import lay_out, likeness
from authbench.suites.raven.page import write_report
from authbench.suites.raven.results import Run, fold_scores
from authbench.suites.raven.subsets import batches, fold_parts, plan, select_topics, similarities, take_all
from authbench.suites.raven.tables import all_tables
from authbench.suites.raven.vectors import document_rows, read_topics, sample_rows, topic_vectors
from authbench.suites.raven.verdict import (
    LEANS,
    REFERENCE,
    UNSHOWN,
    WITHHELD,
    not_comparable,
    shared_topics,
    shortcut_test,
)

MEASURED = Path(__file__).parents[2] / "docs/measured"
SETTINGS = section(
    "raven",
    encoders=["tfidf"],
    topics=24,
    folds=4,
    seeds=5,
    sizes=[],
    group=False,
    min_documents=2,
    documents_per_topic=None,
    verifiers=["topicfit", "stylometric", "masked", "punctuation"],
    folds_per_job=4,
)


@pytest.fixture(scope="module")
def planted(tmp_path_factory):
    """A finished run on a small planted corpus, and what it said."""
    out = tmp_path_factory.mktemp("raven")
    pl.concat(planted_documents(1, Design(single=22, large=4, many=12))).write_parquet(out / "planted.parquet")
    return out, run({**SETTINGS, "documents": str(out / "planted.parquet")}, 1, out)


def shortcut(out):
    return pl.read_csv(out / "report/table_11_shortcut.csv")


def of_student(out, verifier):
    """Return the p of Overall that the paper's test gives, which takes folds for independent."""
    own = pl.read_csv(out / "report/scores.csv").filter(pl.col("verifier") == verifier)
    hits = pl.col("subset") == "hits"
    return p_of_unpaired_means(*(own.filter(part)["overall"].to_numpy() for part in (hits, ~hits)))


def test_a_verifier_of_topics_is_found_out_and_one_of_style_is_not(planted):
    rows = {row["verifier"]: row for row in shortcut(planted[0]).to_dicts()}
    topics, style = rows["topicfit"], rows["stylometric"]
    assert topics["verdict"] == LEANS and topics["random"] - topics["hits"] > 0.2 and topics["p_beyond"] < 0.01
    assert style["verdict"] == UNSHOWN and style["hits"] > 0.7
    assert rows["masked"]["verdict"] == REFERENCE and style["place"] < topics["place"]


def test_the_record_has_all_corpora_judged_right_by_twenty_seeds_and_is_that_of_this_code(planted):
    record = pl.read_csv(MEASURED / "verdicts.csv").filter(pl.col("seed") < 20)
    judged = record.group_by("design", "verifier").agg(pl.col("seed").n_unique(), pl.col("right").sum())
    assert sorted(judged.rows()) == [
        (design, verifier, 20, 20) for design in ("few", "plain", "short") for verifier in ("stylometric", "topicfit")
    ]
    now = {row["verifier"]: row for row in shortcut(planted[0]).to_dicts()}
    for row in record.filter(pl.col("design") == "plain", pl.col("seed") == 1).to_dicts():
        own = now[row["verifier"]]
        assert own["verdict"] == row["verdict"]
        assert (own["random"], own["hits"]) == pytest.approx((row["random"], row["hits"]), abs=1e-4)


@pytest.fixture(scope="module")
def short(tmp_path_factory):
    """A corpus whose unlike topics have short texts."""
    path = tmp_path_factory.mktemp("short") / "short.parquet"
    pl.concat(planted_documents(1, Design(single=22, large=4, many=12, alone=30))).write_parquet(path)
    return path


def test_verdicts_are_right_where_unlike_topics_have_short_texts(short, tmp_path):
    run({**SETTINGS, "documents": str(short)}, 1, tmp_path)
    found = dict(shortcut(tmp_path).select("verifier", "verdict").iter_rows())
    assert (found["topicfit"], found["stylometric"]) == (LEANS, UNSHOWN)
    facts = read_json(tmp_path / "subsets.json")
    hits, chance = (facts[name]["covariates"]["characters"] for name in ("hits", "random-0"))
    assert hits / chance == pytest.approx(1, abs=0.1) and hits < facts["hits"]["most_characters"]
    for path in (tmp_path / "report/index.html", tmp_path / "report/covariates.md"):
        assert f"the first {facts['hits']['most_characters']} characters" in path.read_text(encoding="utf-8")


def test_verdicts_are_right_where_unlike_topics_have_few_texts(tmp_path):
    documents = tmp_path / "few.parquet"
    pl.concat(planted_documents(1, Design(single=22, large=4, many=12, alone_texts=2))).write_parquet(documents)
    run({**SETTINGS, "documents": str(documents)}, 1, tmp_path / "run")
    found = dict(shortcut(tmp_path / "run").select("verifier", "verdict").iter_rows())
    assert (found["topicfit"], found["stylometric"]) == (LEANS, UNSHOWN)
    facts = read_json(tmp_path / "run/subsets.json")["random-0"]
    tested = pl.read_parquet(tmp_path / "run/pairs/random-0.parquet")
    drawn = pl.concat([tested["first"], tested["second"]]).unique().str.replace("-author.*", "")
    assert set(drawn.value_counts()["count"]) == {facts["most_texts"]} == {6} and facts["most_characters"] is None
    page = (tmp_path / "run/report/index.html").read_text(encoding="utf-8")
    assert "given at most 6 texts of a topic." in page


def test_documents_drawn_of_a_topic_keep_pairs_by_one_author_whatever_their_order():
    rows = [
        (f"{topic}{author}{text}", f"a{author}", topic) for topic in "xy" for author in range(30) for text in range(3)
    ]
    rows += [("zz", "a0", "z")]
    documents = pl.DataFrame(rows, schema=["id", "author", "topic"], orient="row")
    found = layout._drawn(documents, 10, 1)
    assert dict(found["topic"].value_counts().iter_rows()) == {"x": 10, "y": 10, "z": 1}
    authors = {
        topic: part["author"].value_counts() for (topic,), part in found.partition_by("topic", as_dict=True).items()
    }
    assert set(authors["x"]["count"]) == {2} and authors["x"].sort("author").equals(authors["y"].sort("author"))
    assert set(layout._drawn(documents.reverse(), 10, 1)["id"]) == set(found["id"])
    assert set(layout._drawn(documents, 80, 1).filter(pl.col("topic") == "x")["author"]) == {f"a{n}" for n in range(30)}


def test_no_verdict_is_given_where_unlike_topics_have_short_texts_and_nothing_is_matched(short, tmp_path):
    run({**SETTINGS, "documents": str(short), "match": False}, 1, tmp_path)
    rows = {row["verifier"]: row for row in shortcut(tmp_path).to_dicts()}
    assert rows["topicfit"]["verdict"] == rows["stylometric"]["verdict"] == WITHHELD
    assert of_student(tmp_path, "stylometric") < 0.05 < rows["stylometric"]["p_beyond"]
    page = (tmp_path / "report/index.html").read_text(encoding="utf-8")
    assert "No verdict is given" in page and "times as long" in page


def test_verifiers_and_exported_folds_get_texts_as_they_are_cut(short, tmp_path):
    run({**SETTINGS, "documents": str(short), "seeds": 1, "verifiers": ["format"]}, 1, tmp_path)
    cut = read_json(tmp_path / "subsets.json")["hits"]["most_characters"]
    whole = set(pl.read_parquet(short)["content"])
    assert main(["raven", "folds", str(tmp_path), "--subset", "random-0", "--out", str(tmp_path / "folds")]) == 0
    given = read_problems(tmp_path / "folds/fold-0/train")
    texts = [*given["text1"], *given["text2"]]
    assert max(map(len, texts)) == cut and {text[:cut] for text in whole} >= set(texts) != whole & set(texts)


@settings(max_examples=200)
@given(st.lists(st.integers(1, 300), min_size=1), st.lists(st.integers(1, 300), min_size=1))
def test_a_limit_makes_means_alike_and_is_the_greatest_that_does(hits, random):
    def apart(limit):
        one, other = (np.minimum(side, limit).mean() for side in (hits, random))
        return float(abs(np.log(one / other)))

    least = min(np.mean(hits), np.mean(random)) / 2
    tried = {limit: apart(limit) for limit in {*hits, *random} if limit >= least}
    greatest = max(limit for limit, own in tried.items() if own <= max(np.log(ALIKE), min(tried.values())))
    found = comparable_limit(pl.Series(hits), pl.Series(random))
    assert found == (greatest if greatest < max(*hits, *random) else None)


def test_random_topics_are_drawn_without_lengths_where_only_those_of_hits_have_their_length():
    names = [f"topic-{number}" for number in range(8)]
    vectors = np.vstack([np.eye(5)[:4], np.tile(np.eye(5)[4], (4, 1))])
    fine = {name: "short" if number < 4 else "long" for number, name in enumerate(names)}
    coarse = dict.fromkeys(names, "any")
    asked = section("raven", encoders=["any"], topics=4, seeds=20, sizes=[], group=False)
    hits, *random = take_all(asked, {"any": (names, vectors)}, 1, (fine, coarse)).values()
    assert set(hits[0]) == set(names[:4])
    assert {name for members, _ in random for name in members} == set(names)
    by_length = take_all(asked, {"any": (names, vectors)}, 1, (fine,))
    assert all(set(members) == set(names[:4]) for members, _ in by_length.values())


def test_hits_takes_a_topic_of_each_family_and_chance_takes_relatives(planted):
    facts = json.loads((planted[0] / "subsets.json").read_text(encoding="utf-8"))
    families = {name: len({topic[:9] for topic in facts[name]["members"]}) for name in ("hits", "random-0")}
    assert families["hits"] == SETTINGS["topics"] > families["random-0"]
    assert max(facts["hits"]["max_similarity"]) < min(facts["random-0"]["max_similarity"])


def test_subsets_have_the_order_in_which_hits_takes_topics_and_what_for(planted):
    facts = json.loads((planted[0] / "subsets.json").read_text(encoding="utf-8"))
    names, vectors = read_topics(planted[0] / "topics/tfidf.parquet")
    taken, scores = select_topics(vectors, SETTINGS["topics"])
    assert facts["hits"]["order"] == [names[row] for row in taken] != sorted(facts["hits"]["order"])
    assert facts["hits"]["leakage"] == pytest.approx(scores)
    alike = similarities(vectors)[np.ix_(taken, taken)]
    assert scores[5] == pytest.approx(alike[5, :5].mean() * alike[5, :5].max())
    assert set(facts["random-0"]["order"]) == set(facts["random-0"]["members"])


def test_table_3_shows_a_text_without_its_frequent_words(planted):
    rows = pl.read_csv(planted[0] / "report/table_3_masked.csv")
    original, masked = rows["text"]
    assert rows["version"].to_list() == ["original", "masked"] and len(original) == len(masked)
    assert any(set(word) == {"*"} for word in re.findall(r"[*\w]+", masked))
    kept = set(re.findall(r"\w+", masked))
    assert kept and kept <= set(re.findall(r"\w+", original)) and "the" not in kept


def test_folds_are_exported_as_pans_files(planted, tmp_path):
    assert main(["raven", "folds", str(planted[0]), "--subset", "random-1", "--out", str(tmp_path / "folds")]) == 0
    drawn = pl.read_parquet(planted[0] / "pairs/random-1.parquet")
    known = {ident: row for ident, *row in pl.read_parquet(planted[0] / "documents.parquet").iter_rows()}
    for fold in range(SETTINGS["folds"]):
        for part, name in (("train", "train"), ("calibrate", "calibration"), ("test", "test")):
            found = read_problems(tmp_path / f"folds/fold-{fold}" / name)
            here = drawn.filter((pl.col("fold") == fold) & (pl.col("part") == part))
            assert found.select("id", "same").rows() == here.select("id", "same").rows()
            for pair, first, second in zip(found.iter_rows(named=True), here["first"], here["second"], strict=True):
                for number, ident in (("1", first), ("2", second)):
                    author, topic, lang, content = known[ident]
                    assert (pair[f"author{number}"], pair[f"topic{number}"]) == (author, topic)
                    assert (pair[f"text{number}"], pair["lang"]) == (content, lang)


def test_an_external_verifier_gets_the_fandoms_and_the_authors_it_may_learn_from(planted, tmp_path):
    script = "import pathlib, sys; pathlib.Path(sys.argv[1], 'answers.jsonl').write_text('')"
    parameters = ExternalParameters(f'{sys.executable} -c "{script}" {{out}}', 60)
    pairs, out = planted[0] / "pairs/hits.parquet", tmp_path / "answers.parquet"
    with pytest.raises(InputError, match="answers.jsonl"):  # it answers nothing
        external = VerifierEntry("mine", "mine", "external", parameters)
        read = planted[0] / "documents.parquet", planted[0] / "subsets.json"
        write_answers(*read, [pairs], external, [0], Bench(1, tmp_path), out)
    problems = read_problems(tmp_path / "hits/mine/answers/train")
    authors = (problems["author1"] == problems["author2"]).to_list()
    assert authors == problems["same"].to_list() and True in authors and False in authors
    assert problems["topic1"].str.contains(r"^family-\d+-topic-\d+$").all()
    answered = read_pairs(tmp_path / "hits/mine/answers/test/pairs.jsonl")
    assert not set(answered["topic1"]) & set(problems["topic1"])
    assert not (tmp_path / "hits/mine/answers/test/truth.jsonl").exists()


def test_folds_that_cannot_be_exported_are_refused(planted, tmp_path, refused):
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine/documents.parquet").touch()
    for folder, subset, out, told in (
        (tmp_path / "mine", "hits", "folds", "ended before"),
        (planted[0], "random-7", "folds", "no subset random-7. Expected one of hits, random-0, random-1, "),
        (tmp_path, "hits", "folds", "Expected a folder that authbench raven run wrote"),
        (planted[0], "hits", "mine", "is there already"),
    ):
        assert told in refused(["raven", "folds", str(folder), "--subset", subset, "--out", str(tmp_path / out)])
    assert sorted(path.name for path in tmp_path.iterdir()) == ["mine"]


def test_a_run_tells_beforehand_how_long_its_verifiers_take(planted):
    facts = read_json(planted[0] / "subsets.json")
    texts = pl.read_parquet(planted[0] / "documents.parquet").with_columns(characters=pl.col("content").str.len_chars())
    seen = [texts.filter(pl.col("topic").is_in(list(about["members"])))["characters"].sum() for about in facts.values()]
    assert [about["characters"] for about in facts.values()] == [4 * characters for characters in seen]
    assert set(PACE) == set(section("raven")["verifiers"])
    half = {"trained": True, "characters": int(1e6 * 1800 / PACE["naive"])}
    hour = {"hits": half, "group": half, "hits-9": {**half, "trained": False}}
    short = {"hits": {**half, "characters": 1}}
    told = "raven: 1 verifier will take some 60 minutes of CPU time, 30 minutes on two cores."
    assert expected(["naive"], hour) == told
    assert "61 minutes of CPU time" in expected(["naive"], hour, jobs=10)
    assert expected(["naive", "mine"], short).endswith("1 minute on two cores, and mine as long as they take.")
    assert expected(["mine"], short) == "raven: no verifier of known pace, and mine as long as they take."


def test_random_subsets_are_told_in_the_order_of_their_seeds():
    facts = {f"random-{seed}": {"how": "random", "trained": True, "seed": seed} for seed in (10, 2, 1)}
    assert Run(facts, pl.DataFrame(), []).random() == ["random-1", "random-2", "random-10"]


def test_every_table_is_told_as_numbers_as_markdown_and_on_the_page(planted):
    report = planted[0] / "report"
    page = (report / "index.html").read_text(encoding="utf-8")
    for number in (1, 2, 3, 4, 5, 6, 7, 11):
        (csv,) = report.glob(f"table_{number}_*.csv")
        markdown = csv.with_suffix(".md").read_text(encoding="utf-8")
        assert pl.read_csv(csv).height
        assert markdown.startswith(f"**Table {number}. ") and f">Table {number}. " in page
    assert page.count("<svg") == len(list((report / "figures").glob("*.svg"))) == 3
    told = [line.split()[0] for line in planted[1].splitlines()]
    assert told[1:] == pl.read_csv(report / "table_11_shortcut.csv")["verifier"].to_list() and "|" not in planted[1]
    assert pl.read_csv(report / "scores.csv").height == (1 + SETTINGS["seeds"]) * 4 * SETTINGS["folds"]


def test_folds_answered_in_two_jobs_are_answered_the_same(planted, tmp_path):
    assert list(fold_parts({**SETTINGS, "folds_per_job": 3}).values()) == [[0, 1, 2], [3]]
    out, paths = planted[0], [tmp_path / "one.parquet", tmp_path / "two.parquet"]
    answered = pl.concat(map(pl.read_parquet, (out / "answers").glob("*/topicfit/*")))
    for path, folds in zip(paths, ([0, 1, 2], [3]), strict=True):
        verifier = load_verifiers(SETTINGS)["topicfit"]
        pairs = [out / "pairs/hits.parquet"]
        write_answers(out / "documents.parquet", out / "subsets.json", pairs, verifier, folds, Bench(1, tmp_path), path)
    assert read_columns(paths).equals(answered.filter(pl.col("subset") == "hits"))


def test_subsets_are_as_many_jobs_as_asked_for():
    subsets = {**SETTINGS, "seeds": 3}
    alone = {name: [name] for name in ("hits", "random-0", "random-1", "random-2")}
    assert batches(subsets, 1) == alone and list(batches(subsets, 20).values()) == [list(alone)]
    assert [len(part) for part in batches(subsets, 3).values()] == [3, 1] and len(batches(subsets, 3)) == 2


def corpus(authors, texts, topics):
    """Each author writes `texts` texts, two on a topic, on one topic after another."""
    return pl.DataFrame(
        [(f"a{a}-{t}", f"a{a}", f"topic-{(a + t // 2) % topics}") for a in range(authors) for t in range(texts)],
        schema=["id", "author", "topic"],
        orient="row",
    ).with_columns(lang=pl.lit("en"), characters=pl.lit(100, pl.UInt32))


@settings(max_examples=15)
@given(st.integers(0, 99), st.integers(2, 5))
def test_no_pair_crosses_a_fold_and_every_topic_is_tested_once(seed, count):
    documents = corpus(120, 4, 20)
    members = {topic: [topic] for topic in documents["topic"].unique()}
    pairs = fold_pairs("any", documents, members, count, seed)
    topic = dict(documents.select("id", "topic").iter_rows())
    author = dict(documents.select("id", "author").iter_rows())
    tests = topics_tested(members, count, seed)
    assert sorted(sum(tests, [])) == sorted(members)
    seen = {}
    for fold, part, ident, first, second, same in pairs.iter_rows():
        assert first < second and ident == f"{first}|{second}" and same == (author[first] == author[second])
        seen.setdefault((fold, part), set()).update((topic[first], topic[second]))
    for fold in range(count):
        assert seen[fold, "test"] <= set(tests[fold])
        assert not seen[fold, "train"] & seen[fold, "calibrate"]
        assert not (seen[fold, "train"] | seen[fold, "calibrate"]) & set(tests[fold])
    assert not pairs.select("fold", "id").is_duplicated().any()


def test_the_order_of_documents_and_topics_decides_nothing():
    documents = corpus(80, 4, 16)
    members = {topic: [topic] for topic in documents["topic"].unique().sort()}
    turned = dict(reversed(members.items()))
    assert fold_pairs("any", documents, members, 4, 7).equals(fold_pairs("any", documents.reverse(), turned, 4, 7))


def test_topics_that_joined_another_share_its_fold():
    documents = corpus(120, 4, 20)
    names = sorted(documents["topic"].unique())
    vectors = np.random.default_rng(1).normal(size=(20, 6))
    asked, topics = section("raven", encoders=["any"], topics=8, folds=4, sizes=[]), (names, vectors)
    (group,) = (subset for subset in plan(asked) if subset.how == "group")
    taken = take_all(asked, {"any": topics}, 1)[group.name]
    facts, pairs = lay_out(group, taken, documents, topics, asked["folds"], 1)
    assert sorted(sum(facts["members"].values(), [])) == names and facts["documents"] == documents.height
    leader = {topic: taken for taken, joined in facts["members"].items() for topic in joined}
    topic = dict(documents.select("id", "topic").iter_rows())
    for fold, _, _, first, second, _ in pairs.filter(pl.col("part") == "test").iter_rows():
        assert {leader[topic[first]], leader[topic[second]]} <= set(facts["folds"][fold])


def test_an_author_with_one_text_gives_pairs_by_two_authors_alone():
    lone = corpus(1, 1, 1).with_columns(id=pl.lit("x"), author=pl.lit("lone"), topic=pl.lit("topic-1"))
    documents = pl.concat([corpus(80, 4, 16), lone])
    pairs = fold_pairs("any", documents, {topic: [topic] for topic in documents["topic"].unique()}, 4, 1)
    mine = pairs.filter((pl.col("first") == "x") | (pl.col("second") == "x"))
    assert mine.height and not mine["same"].any()


@pytest.mark.parametrize(("authors", "texts"), [(200, 1), (1, 60)])
def test_a_corpus_without_pairs_of_both_kinds_is_refused(authors, texts):
    documents = corpus(authors, texts, 10)
    with pytest.raises(InputError, match="has no pairs by one author, or none by two, to calibrate on"):
        fold_pairs("hits", documents, {topic: [topic] for topic in documents["topic"].unique()}, 5, 1)


def answers_of(pairs):
    return pairs.filter(pl.col("part") == "test").select("fold", "id", value=pl.col("same").cast(pl.Float64))


def test_a_fold_without_pairs_of_both_kinds_has_no_scores_and_the_page_names_it(tmp_path):
    documents = corpus(120, 4, 20)
    names = sorted(documents["topic"].unique())
    vectors = np.random.default_rng(1).normal(size=(20, 6))
    facts, scores = {}, []
    asked, topics = section("raven", encoders=["any"], topics=12, seeds=2, sizes=[], group=False), (names, vectors)
    taken = take_all(asked, {"any": topics}, 1)
    for subset in plan(asked):
        about, pairs = lay_out(subset, taken[subset.name], documents, topics, 3, 1)
        facts[subset.name] = about | {"most_texts": None, "most_characters": None}
        pairs = pairs.filter((pl.col("fold") != 1) | (pl.col("part") != "test") | ~pl.col("same"))
        found = fold_scores(pairs, answers_of(pairs))
        assert found["overall"].is_null().to_list() == [False, True, False] and found["same"][1] == 0
        who = (pl.lit(subset.name).alias("subset"), pl.lit("<b>any</b>").alias("verifier"))
        scores.append(found.select(*who, pl.all()))
    asked = {**SETTINGS, "documents": "<i>any</i>"}
    write_report(Run(facts, pl.concat(scores), ["<b>any</b>"]), asked, tmp_path / "report", {})
    page = (tmp_path / "report/index.html").read_text(encoding="utf-8")
    assert "fold 1 of hits, fold 1 of random-0, fold 1 of random-1" in page
    assert "<b>any" not in page and "<i>any" not in page and "&lt;b&gt;any" in page
    assert pl.read_csv(tmp_path / "report/table_11_shortcut.csv")["random"].to_list() == [1.0]


def test_a_fold_whose_test_pairs_are_gone_has_no_scores():
    documents = corpus(120, 4, 20)
    pairs = fold_pairs("any", documents, {topic: [topic] for topic in documents["topic"].unique()}, 4, 1)
    pairs = pairs.filter((pl.col("fold") != 2) | (pl.col("part") != "test"))
    found = fold_scores(pairs, answers_of(pairs))
    assert found.select("pairs", "same", "auc").row(2) == (0, 0, None)
    assert found["auc"].drop_nulls().to_list() == [1.0] * 3


def test_a_pair_without_an_answer_counts_as_left_open():
    documents = corpus(120, 4, 20)
    pairs = fold_pairs("any", documents, {topic: [topic] for topic in documents["topic"].unique()}, 4, 1)
    found = fold_scores(pairs, answers_of(pairs).head(0))
    assert found["auc"].to_list() == [0.5] * 4 and found["c@1"].to_list() == [0.0] * 4


def test_more_topics_than_the_corpus_has_are_refused_with_what_to_change():
    with pytest.raises(InputError, match=r"hits asks for 6 topics, and 3 have enough documents. Lower raven.topics"):
        take_all(section("raven", encoders=["any"], topics=6, sizes=[]), {"any": (["a", "b", "c"], np.eye(3))}, 1)
    with pytest.raises(InputError, match="none of 20 topics has 1000 documents"):
        with_enough(corpus(120, 4, 20), 1000, None, 1)


def test_more_folds_than_topics_and_unknown_names_are_all_told_before_a_run():
    asked = {**SETTINGS, "folds": 25, "verifiers": ["topicfitt"], "encoders": ["nfm"]}
    told = "\n".join(settings_problems(asked))
    assert "25 folds of 24 topics" in told and "topicfit" in told and "raven.encoders" in told
    assert not list(settings_problems(section("raven")))


def test_the_shell_refuses_what_cannot_be_run(tmp_path, refused):
    for arguments, told in (
        (["planted", "--topics", "5"], "10 folds of 5 topics"),
        (["planted", "--seeds", "0"], "raven.seeds"),
        ([str(tmp_path / "nowhere")], "cannot be read as documents"),
    ):
        assert told in refused(["raven", "run", *arguments, "--out", str(tmp_path / "out")])


def test_arguments_stand_over_the_defaults():
    asked = from_arguments({"documents": "planted", "topics": 20, "encoder": ["nmf"], "seed": 3, "folds": None})
    assert asked == section("raven", encoders=["nmf"], topics=20)


TEXTS = [("u1", "t1", "one text"), ("u1", "t2", "a second"), ("u2", "t1", "one text"), ("u2", "t1", "")]


def test_a_table_becomes_documents_and_copies_and_empty_texts_stay_out(tmp_path):
    rows = [dict(zip(("author_id", "fandom", "text"), row, strict=True)) for row in [*TEXTS, TEXTS[0]]]
    pl.DataFrame(rows).write_parquet(tmp_path / "t.parquet")
    told = write_documents(str(tmp_path / "t.parquet"), tmp_path / "documents.parquet", 0)
    assert told == "3 documents, 2 left out (copies, or incomplete)"
    held = read_columns([tmp_path / "documents.parquet"])
    assert held.select("author", "topic", "content").sort("author", "topic").rows() == [
        ("u1", "t1", "one text"), ("u1", "t2", "a second"), ("u2", "t1", "one text"),
    ]  # fmt: skip


def pan_files(folder, newline="\n"):
    pairs = [
        {"id": "p1", "fandoms": ["X", "Y"], "pair": ["one", "two"]},
        {"id": "p2", "fandoms": ["X", "X"], "pair": ["one", "three"]},
    ]
    truth = [{"id": "p2", "same": False, "authors": ["1", "2"]}, {"id": "p1", "same": True, "authors": ["1", "1"]}]
    for name, rows in (("pan20-small.jsonl", pairs), ("pan20-small-truth.jsonl", truth)):
        (folder / name).write_bytes("".join(json.dumps(row) + newline for row in rows).encode())


@pytest.mark.parametrize("newline", ["\n", "\r\n"])
def test_the_texts_of_pans_pairs_become_documents_once(tmp_path, newline):
    pan_files(tmp_path, newline)
    write_documents(str(tmp_path), tmp_path / "documents.parquet", 0)
    held = read_columns([tmp_path / "documents.parquet"])
    assert sorted(held.select("author", "topic", "content").iter_rows()) == [
        ("1", "X", "one"), ("1", "Y", "two"), ("2", "X", "three"),
    ]  # fmt: skip


def test_pans_files_that_do_not_fit_are_refused(tmp_path):
    pan_files(tmp_path)
    truth = tmp_path / "pan20-small-truth.jsonl"
    truth.write_text(truth.read_text(encoding="utf-8").splitlines()[0] + "\n", encoding="utf-8")
    with pytest.raises(InputError, match="does not tell of the pair p1"):
        write_documents(str(tmp_path), tmp_path / "documents.parquet", 0)
    truth.write_text('{"id": "p1"}\n', encoding="utf-8")
    with pytest.raises(InputError, match="line 1: expected an object with id, authors"):
        write_documents(str(tmp_path), tmp_path / "documents.parquet", 0)
    (tmp_path / "pan20-small.jsonl").unlink()
    with pytest.raises(InputError, match="there is no such file"):
        write_documents(str(tmp_path), tmp_path / "documents.parquet", 0)


def test_a_table_without_a_topic_is_refused(tmp_path):
    pl.DataFrame({"author": ["a"], "text": ["b"], "topic": [None]}).write_parquet(tmp_path / "t.parquet")
    with pytest.raises(InputError, match="none of 1 documents"):
        write_documents(str(tmp_path / "t.parquet"), tmp_path / "documents.parquet", 0)
    assert not (tmp_path / "documents.parquet").exists()


def test_of_a_large_topic_so_many_documents_stay_whatever_their_order(planted):
    keys = read_keys(planted[0] / "documents.parquet")
    held = with_enough(keys, 1, 4, 1)
    assert set(held.group_by("topic").len()["len"]) == {4}
    assert set(with_enough(keys.reverse(), 1, 4, 1)["id"]) == set(held["id"])


@pytest.mark.parametrize("name", ["nmf", "lda", "tfidf"])
def test_topics_of_a_family_have_like_vectors(name, monkeypatch):
    monkeypatch.setattr("authbench.suites.raven.vectors.COMPONENTS", 6)  # of as many families
    documents = pl.concat(planted_documents(2, Design(single=4, large=2, many=4, authors=2)))
    names = sorted(documents["topic"].unique())
    vectors = topic_vectors(names, [documents], document_rows(load_encoder(name), documents, True, 1))
    alike = similarities(vectors)
    family = np.array([topic[:9] for topic in names])
    same = family[:, None] == family
    relatives = alike[same & ~np.eye(len(names), dtype=bool)]
    assert relatives.mean() > alike[~same].mean() + 0.1


def test_a_model_fitted_on_a_sample_gives_batches_the_vectors_it_gives_the_whole():
    documents = pl.concat(planted_documents(2, Design(single=3, large=1, many=3)))
    rows = document_rows(load_encoder("tfidf"), documents, False, 1)
    names = sorted(documents["topic"].unique())
    together = topic_vectors(names, [documents], rows)
    apart = topic_vectors(names, documents.iter_slices(7), rows)
    assert together @ together.T == pytest.approx(apart @ apart.T, abs=1e-6)


def test_a_sample_to_learn_from_is_bounded_and_no_matter_of_order(monkeypatch):
    monkeypatch.setattr("authbench.suites.raven.vectors.FIT_DOCUMENTS", 10)
    ids = pl.Series("id", [f"d{number}" for number in range(50)])
    sizes = pl.Series("size", [1] * 50)
    drawn = set(ids.gather(sample_rows(ids, sizes, 3)))
    assert len(drawn) == 10
    assert set(ids.reverse().gather(sample_rows(ids.reverse(), sizes, 3))) == drawn
    assert len(sample_rows(ids, sizes * (1 << 30), 3)) == 1


def test_a_topic_model_without_a_word_to_learn_is_refused():
    documents = pl.concat(planted_documents(2, Design(single=2, large=0))).with_columns(content=pl.lit("one"))
    with pytest.raises(InputError, match="no word is in two"):
        document_rows(TopicEncoder("nmf"), documents, True, 1)


def test_likeness_is_told_of_train_and_test_topics_alone():
    vectors = np.array([[1.0, 0.0], [1.0, 0.0], [0.0, 1.0], [0.0, 1.0]])
    told = likeness(list("abcd"), [["a", "c"], ["b", "d"]], list("abcd"), vectors)
    assert told["mean_similarity"] == [0.5, 0.5] and told["max_similarity"] == [1.0, 1.0]
    assert told["most_alike"][0] == {"train": "b", "test": "a", "similarity": 1.0}
    assert len(told["most_alike"]) == 4


def test_tables_that_a_run_did_not_ask_for_are_left_out(planted):
    made = {path.stem for path in (planted[0] / "report").glob("table_*.csv")}
    assert not {name for name in made if name.startswith(("table_8", "table_9", "table_10"))}


def made_up_run(encoders):
    chance = np.random.default_rng(5)
    facts, scores = {}, []
    for subset in plan(section("raven", encoders=list(encoders), topics=12, seeds=3, sizes=[10])):
        about = {"members": {subset.name: [subset.name]}, "folds": [[], []], "documents": 5}
        about |= {"most_texts": None, "most_characters": None}
        sizes = dict.fromkeys(("train_pairs", "train_authors", "test_pairs", "test_authors", "authors_in_both"), 3)
        alike = {"mean_similarity": [0.1], "max_similarity": [0.2]}
        alike |= {"most_alike": [{"train": "a", "test": "b", "similarity": 0.2}]}
        alike |= {"covariates": {"characters": 100.0, "langs": {"en": 1.0}, "test_pairs": 9.0}}
        facts[subset.name] = {**vars(subset), **about, "sizes": [sizes], **alike}
        for verifier, skill in (("good", 0.9), ("fair", 0.7), ("poor", 0.5)):
            for fold in range(6):
                values = {key: skill + 0.01 * chance.normal() for key in ("auc", "c@1", "f0.5u", "f1", "overall")}
                row = {"subset": subset.name, "verifier": verifier, "fold": fold, **values}
                scores.append(row)
    return Run(facts, pl.DataFrame(scores), ["good", "fair", "poor"])


def test_all_tables_of_the_paper_are_made_of_a_whole_run():
    tables = {
        table.name.removeprefix("table_").split("_")[0]: table for table in all_tables(made_up_run(["any", "nmf"]))
    }
    assert list(tables) == ["1", "2", "4", "5", "6", "7", "8", "9", "10", "11", "covariates"]
    assert tables["4"].data["dataset"].to_list() == ["HITS", "R0", "R1", "R2", "R avg"]
    assert tables["4"].data["overall"].to_list() == pytest.approx([1.0] * 5)
    assert tables["5"].data.select("good", "fair", "poor").row(0) == (1, 2, 3)
    assert tables["9"].data["topics_not_taken"].to_list() == ["Cut", "Group"]
    assert tables["10"].data["topic_vectors"].to_list() == ["any", "nmf"]
    for table in tables.values():
        assert all(len(row.cells) == len(table.columns) for row in table.rows)
        assert len(table.rows) == table.data.height


def verdicts(run):
    return dict(shortcut_test(run).select("verifier", "verdict").iter_rows())


def with_names(run, names):
    renamed = pl.col("verifier").replace_strict(run.verifiers, names)
    return Run(run.facts, run.scores.with_columns(renamed), names)


def test_no_verdict_is_given_without_a_verifier_of_style_alone():
    run = made_up_run(["any"])
    assert set(verdicts(run).values()) == {WITHHELD}
    assert not_comparable(run) == ["no verifier of style alone took part (masked or punctuation)"]
    known = verdicts(with_names(run, ["good", "fair", "masked"]))
    assert known == {"good": UNSHOWN, "fair": UNSHOWN, "masked": REFERENCE}


def test_folds_that_share_training_texts_convict_nobody_on_a_chance_difference():
    run = with_names(made_up_run(["any"]), ["good", "fair", "masked"])
    on_hits, own = pl.col("subset") == "hits", pl.col("verifier") == "fair"
    worse = run.scores.with_columns(overall=pl.col("overall") - pl.when(on_hits & own).then(0.011).otherwise(0))
    hits, random = (
        worse.filter(own & part)["overall"].to_numpy() for part in (on_hits, pl.col("subset").is_in(run.random()))
    )
    assert p_of_unpaired_means(hits, random) < 0.05 < p_of_fold_means(hits, random, 6)
    assert verdicts(Run(run.facts, worse, run.verifiers))["fair"] == UNSHOWN


def test_no_verifier_is_cleared_where_most_random_topics_are_those_of_hits():
    run = with_names(made_up_run(["any"]), ["good", "fair", "masked"])
    hits = {f"topic-{number}": [] for number in range(12)}
    for shared, verdict in ((8, UNSHOWN), (9, WITHHELD)):
        drawn = {name if number < shared else f"other-{number}": [] for number, name in enumerate(hits)}
        facts = {name: {**about, "members": hits if name == "hits" else drawn} for name, about in run.facts.items()}
        assert shared_topics(Run(facts, run.scores, run.verifiers)) == pytest.approx(shared / 12)
        assert verdicts(Run(facts, run.scores, run.verifiers))["fair"] == verdict
        lower = pl.when((pl.col("subset") == "hits") & (pl.col("verifier") == "fair")).then(0.2).otherwise(0)
        worse = run.scores.with_columns(overall=pl.col("overall") - lower)
        assert verdicts(Run(facts, worse, run.verifiers))["fair"] == LEANS


def test_lower_scores_on_hits_bear_an_asterisk_and_higher_ones_do_not():
    run = made_up_run(["any"])
    here = (pl.col("subset") == "hits") & (pl.col("verifier") == "fair")
    lower = run.scores.with_columns(f1=pl.when(here).then(pl.col("f1") - 0.3).otherwise("f1"))
    higher = run.scores.with_columns(f1=pl.when(here).then(pl.col("f1") + 0.3).otherwise("f1"))
    for scores, marked in ((lower, True), (higher, False)):
        table = next(table for table in all_tables(Run(run.facts, scores, run.verifiers)) if "scores" in table.name)
        at = [column.heading for column in table.columns].index("F1")
        assert table.rows[1].cells[at].text.endswith("*") == marked
        assert table.data["f1_p"][1] < 0.05
