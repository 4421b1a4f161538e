"""Do people judge the pairs that models are scored on, without the answers, and are both scored alike?"""

import json
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from cases import cases
from hypothesis import given
from hypothesis import strategies as st
from scored_release import write_scored_release

from authbench.app.cli import main
from authbench.app.config import prepare
from authbench.config.registry.load import load_entry
from authbench.core.errors import InputError
from authbench.core.storage.json_files import write_plain_json
from authbench.models.entries import MODELS
from authbench.models.model import VectorCache
from authbench.release.format.release import open_release
from authbench.reports.leaderboard.people import people_table
from authbench.scoring.evaluation.joined import comparable_results, join
from authbench.scoring.evaluation.run import evaluate
from authbench.scoring.evaluation.split import read_split
from authbench.scoring.metrics.auc import auc
from authbench.scoring.people.draw import DRAWN, choose_pairs, drawn_pairs, named_pairs
from authbench.scoring.people.score import measured, score_people
from authbench.scoring.people.sheets import choices, write_pair_sheets
from authbench.scoring.people.verdicts import mean_sureness, read_verdicts, verdicts_on

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def release(tmp_path_factory):
    return open_release(write_scored_release(tmp_path_factory.mktemp("release"), 160))


@pytest.fixture(scope="module")
def drawn(release):
    return drawn_pairs(release, "test", 40, seed=7)


def written(path, *verdicts):
    lines = [json.dumps({"pair": pair, "same": same, "sure": sure, "note": ""}) for pair, same, sure in verdicts]
    path.write_text("".join(line + "\n" for line in lines), encoding="utf-8")
    return path


# Which pairs


def test_half_of_the_pairs_are_by_one_author_and_no_author_is_in_two(release, drawn):
    author = {row["id"]: row["author_id"] for batch in release.texts("test") for row in batch.iter_rows(named=True)}
    seen = set()
    for query, candidate, asked, same in drawn.select("query_id", "candidate_id", "author_id", "same").iter_rows():
        both = {author[query], author[candidate]}
        assert asked == author[query] and same == (len(both) == 1)
        assert not seen & both
        seen |= both
    assert drawn.group_by("lang", "same").len().sort("lang", "same").rows() == [
        (lang, same, 20) for lang in ("de", "en") for same in (False, True)
    ]


def test_every_pair_is_one_of_the_pool_with_the_texts_as_released(release, drawn):
    pool = release.pairs("test").filter(pl.col("pool") == "matched")
    on = ["query_id", "candidate_id", "same"]
    assert drawn.join(pool.unique(on), on=on, how="semi").height == drawn.height == 80
    texts = {row["id"]: row["content"] for batch in release.texts("test") for row in batch.iter_rows(named=True)}
    for row in drawn.iter_rows(named=True):
        assert (row["query"], row["candidate"]) == (texts[row["query_id"]], texts[row["candidate_id"]])


def test_the_draw_depends_on_seed_and_ids_alone(release, drawn):
    assert drawn_pairs(release, "test", 40, seed=7).equals(drawn)
    assert not set(drawn_pairs(release, "test", 40, seed=8)["pair"]) & set(drawn["pair"])
    pool = release.pairs("test").filter(pl.col("pool") == "matched")
    everyone = pl.concat(release.texts("test"))
    maps = (dict(everyone.select("id", name).iter_rows()) for name in ("author_id", "lang"))
    authors, languages = maps
    shuffled = pool.sample(fraction=1, shuffle=True, seed=3)
    one, other = (choose_pairs(table, authors, languages, 40, 7) for table in (pool, shuffled))
    assert one.equals(other)


def test_few_authors_give_few_pairs_but_as_many_of_either_kind():
    pairs = pl.DataFrame(
        {
            "group": [0, 0, 1, 1, 2, 2],
            "query_id": ["a1", "a1", "b1", "b1", "c1", "c1"],
            "candidate_id": ["a2", "b1", "b2", "a1", "c2", "a1"],
            "same": [True, False] * 3,
        }
    )
    authors = {ident: ident[0] for ident in ("a1", "a2", "b1", "b2", "c1", "c2")}
    for seed in range(20):
        chosen = choose_pairs(pairs, authors, dict.fromkeys(authors, "en"), 40, seed)
        assert sorted(chosen["same"]) in ([], [False, True])
        assert len({*chosen["author_id"], *(authors[one] for one in chosen["candidate_id"])}) == max(
            0, chosen.height + chosen.filter(~pl.col("same")).height
        )


def test_a_verdict_on_other_texts_has_another_name():
    chosen = pl.DataFrame(
        [("en", "q", "c", "a", True)], schema=["lang", "query_id", "candidate_id", "author_id", "same"], orient="row"
    )
    one, other = (named_pairs(chosen, {"q": "text", "c": words}, 1)["pair"][0] for words in ("before", "after"))
    assert one != other and not {"q", "c"} & {one, other}


def test_a_split_without_a_pool_says_so(release, tmp_path):
    folder = write_scored_release(tmp_path / "r", 12)
    (folder / "test/pairs.parquet").unlink()
    with pytest.raises(InputError, match="no pairs of the pool `matched`"):
        drawn_pairs(open_release(folder), "test", 40, 1)
    with pytest.raises(InputError, match="has no split nowhere, only"):
        drawn_pairs(release, "nowhere", 40, 1)


# The sheets


def test_a_sheet_holds_neither_ids_nor_answers(drawn, tmp_path):
    turned = drawn.with_columns(~pl.col("same"), author_id=pl.lit("f" * 64))
    for name, table in (("one", drawn), ("other", turned)):
        (tmp_path / name).mkdir()
        write_pair_sheets(tmp_path / name, "demo", table, 40)
    for page in ("en.html", "de.html", "index.html"):
        words = (tmp_path / "one" / page).read_text(encoding="utf-8")
        assert words == (tmp_path / "other" / page).read_text(encoding="utf-8")
        assert not any(ident in words for ident in (*drawn["query_id"], *drawn["candidate_id"], *drawn["author_id"]))
    assert words.count("<td>40</td>") == words.count("<td>0.14</td>") == 2  # 30 of 40: .588 to .873


def test_the_order_of_pairs_tells_nothing(drawn):
    for (_,), part in drawn.group_by("lang"):
        answers = part["same"].to_list()
        assert answers not in (sorted(answers), sorted(answers, reverse=True))
        assert sum(one != other for one, other in zip(answers, answers[1:], strict=False)) < len(answers) - 1


def test_every_verdict_has_a_key_of_its_own_and_can_be_read(tmp_path):
    keys = [choice.key for choice in choices()]
    assert len(set(keys)) == len(keys) == 6 and not set(keys) & set("jknsu")
    told = []
    for choice in choices():
        line = json.dumps({"pair": "p", **json.loads(choice.verdict), "note": ""})
        (tmp_path / "one").write_text(line)
        told.append(read_verdicts(tmp_path / "one")["p"])
    assert told == [-3, -2, -1, 1, 2, 3]


# What people said


@cases
def test_a_line_that_is_no_verdict_is_named(tmp_path, line):
    path = tmp_path / "mine.jsonl"
    path.write_text(f'{{"pair": "a", "same": true, "sure": 1}}\n\n{line}\n')
    with pytest.raises(InputError, match="mine.jsonl, line 3: expected"):
        read_verdicts(path)


def test_bytes_that_are_no_text_a_missing_and_an_empty_file_are_named(tmp_path):
    (tmp_path / "bytes").write_bytes(b"\xff\xfe\x00")
    (tmp_path / "empty").write_bytes(b"\n")
    with pytest.raises(InputError, match="bytes, line 1: expected"):
        read_verdicts(tmp_path / "bytes")
    with pytest.raises(InputError, match="empty: holds no verdict"):
        read_verdicts(tmp_path / "empty")
    (tmp_path / "marked").write_bytes(b'\xef\xbb\xbf{"pair": "a", "same": true, "sure": 2}\r\n')
    assert read_verdicts(tmp_path / "marked") == {"a": 2}
    (tmp_path / "doubled").write_text('{"pair": "a", "same": true, "sure": 2, "same": false}\n')
    with pytest.raises(InputError, match="doubled, line 1: expected .*the key 'same' comes twice"):
        read_verdicts(tmp_path / "doubled")
    with pytest.raises(InputError, match="nowhere: cannot be read"):
        read_verdicts(tmp_path / "nowhere")


def test_a_pair_that_is_judged_twice_by_one_person_is_named(tmp_path):
    path = written(tmp_path / "two", ("a", True, 1), ("b", True, 1), ("a", False, 3))
    with pytest.raises(InputError, match=r"line 3: judges the pair 'a' again \(line 1 did\)"):
        read_verdicts(path)


def test_verdicts_on_other_sheets_are_refused(drawn):
    mine = {drawn["pair"][0]: 3}
    assert verdicts_on(drawn, {"mine": mine}) == {"mine": mine}
    with pytest.raises(
        InputError, match="old.jsonl: 1 of its 2 verdicts are on pairs that the sheets of this build do"
    ):
        verdicts_on(drawn, {"old.jsonl": mine | {"f" * 32: 1}})


def test_bad_verdicts_stop_a_run_before_it_starts(tmp_path):
    for part in ("config", "resources", "workflow"):
        (tmp_path / part).symlink_to(ROOT / part)
    (tmp_path / "bad").write_text("{\n")
    settings = {"people": {"verdicts": [str(tmp_path / "bad"), str(tmp_path / "nowhere")], "pairs_per_language": 7}}
    with pytest.raises(InputError) as told:
        prepare({"people": settings["people"] | {"pairs_per_language": 40}}, tmp_path, need_files=False)
    assert "people.verdicts: " in str(told.value) and "bad, line 1: expected" in str(told.value)
    assert f"people.verdicts: there is no file {tmp_path}/nowhere" in str(told.value)
    with pytest.raises(InputError, match="people.pairs_per_language: 7 is not an even number from 2 to 10000"):
        prepare(settings, tmp_path, need_files=False)


# Scores


def test_the_mean_of_several_people_counts():
    table = pl.DataFrame({"pair": ["a", "b", "c"]})
    assert mean_sureness(table, [{"a": 3, "b": -1}, {"a": -1}]).to_list() == [1.0, -1.0, None]


@given(st.lists(st.tuples(st.integers(-3, 3), st.booleans()), min_size=2, max_size=30))
def test_within_one_language_the_area_is_that_of_other_metrics(rows):
    scores = np.array([float(score) for score, _ in rows])
    same = np.array([truth for _, truth in rows])
    found = measured(scores, same, np.array(["en"] * len(rows)), np.ones((3, len(rows))), {"en": 0.0})
    assert found.values["auc"] == pytest.approx(auc(same, scores), nan_ok=True)
    assert found.replicates["auc"] == pytest.approx([auc(same, scores)] * 3, nan_ok=True)
    right = [0.5 if score == 0 else float((score > 0) == truth) for score, truth in rows]
    assert found.values["accuracy"] == pytest.approx(np.mean(right))


def test_scores_of_two_languages_are_not_compared_with_each_other():
    languages = np.array(["de", "de", "en", "en"])
    same = np.array([True, False, True, False])
    found = measured(np.array([0.2, 0.1, 0.9, 0.8]), same, languages, np.ones((1, 4)), {"de": 0.15, "en": 0.85})
    assert found.values == {"auc": 1.0, "accuracy": 1.0}


def perfect(drawn):
    return {pair: 3 if same else -3 for pair, same in drawn.select("pair", "same").iter_rows()}


def released_scores(drawn, scores):
    return drawn.select(
        pool=pl.lit("matched"), query="query_id", candidate="candidate_id", score=pl.Series(scores, dtype=pl.Float64)
    )


def test_people_and_a_model_that_answer_alike_score_alike(drawn):
    model = released_scores(drawn, [0.9 if same else 0.1 for same in drawn["same"]])
    people, theirs = score_people(drawn, [perfect(drawn)], {"m": model}, 1)["rows"]
    assert people["auc"] == theirs["auc"] == {"value": 1.0, "low": 1.0, "high": 1.0}
    assert people["accuracy"] == theirs["accuracy"]
    assert theirs["auc_over_people"] == {"value": 0.0, "low": 0.0, "high": 0.0}


def test_guessing_scores_a_half_with_an_interval_around_it(drawn):
    guesses = {pair: 1 + int(pair[0], 16) % 3 if int(pair[-1], 16) % 2 else -1 for pair in drawn["pair"]}
    (people,) = score_people(drawn, [guesses], {}, 1)["rows"]
    for measure in ("auc", "accuracy"):
        low, value, high = (people[measure][key] for key in ("low", "value", "high"))
        assert low < 0.5 < high and 0.3 < value < 0.7 and 0.1 < high - low < 0.5


def test_models_are_scored_on_the_judged_pairs_alone(drawn):
    judged = drawn.filter(pl.col("lang") == "en")
    right = [0.9 if same == (lang == "en") else 0.1 for same, lang in drawn.select("same", "lang").iter_rows()]
    found = score_people(drawn, [perfect(judged)], {"m": released_scores(drawn, right)}, 1)
    assert found["judged"] == {"en": 40} and found["drawn"] == {"de": 40, "en": 40}
    assert found["rows"][1]["auc"]["value"] == 1.0 and found["rows"][1]["pairs"] == 40


def test_a_model_without_scores_is_left_out_and_few_pairs_have_no_interval(drawn):
    few = pl.concat([drawn.filter("same").head(3), drawn.filter(~pl.col("same")).head(3)])
    model = released_scores(drawn, [float("nan")] * drawn.height)
    people, theirs = score_people(drawn, [perfect(few)], {"m": model}, 1)["rows"]
    assert people["auc"]["low"] is None
    assert theirs == {"name": "m", "left_out": "no score of 6 of 6 pairs"}


def test_how_often_people_agree_is_stated(drawn):
    first, second, third = drawn["pair"].head(3)
    found = score_people(drawn, [{first: 3, second: 1}, {first: 1, second: -1}, {third: 2}], {}, 1)
    assert found["agreement"] == 0.5
    assert score_people(drawn, [{first: 3}], {}, 1)["agreement"] is None


def test_the_leaderboard_shows_people_beside_models_on_the_same_pairs(release, drawn, tmp_path):
    model = load_entry(MODELS, "char-ngram", ROOT)
    evaluate(model, read_split(release, "test"), 7, tmp_path, VectorCache(tmp_path / "vectors", False))
    released = pl.read_parquet(tmp_path / "char-ngram/released_pairs.parquet")
    found = score_people(drawn, [perfect(drawn)], {"char-ngram": released}, 7)
    write_plain_json(tmp_path / "people.json", found)
    (table,) = people_table(tmp_path / "people.json")
    assert [row.cells[0].text for row in table.rows] == ["people", "char-ngram"]
    assert table.rows[0].cells[1].text == "1.000 [1.000, 1.000]"
    wanted = drawn.join(
        released.filter(pl.col("pool") == "matched").select(query_id="query", candidate_id="candidate", score="score"),
        on=["query_id", "candidate_id"],
        maintain_order="left",
    )
    english = wanted.filter(pl.col("lang") == "en")
    expected = auc(english["same"].to_numpy(), english["score"].to_numpy())
    assert table.data.filter(pl.col("model") == "char-ngram")["auc_en"][0] == pytest.approx(expected)
    assert "80 of 80 pairs" in table.notes[0]
    assert people_table(None) == []
    join(comparable_results(tmp_path, "char-ngram"))
    board = ["leaderboard", str(tmp_path), "--out", str(tmp_path / "board")]
    assert main([*board, "--people", str(tmp_path / "people.json")]) == 0
    page = (tmp_path / "board/index.html").read_text(encoding="utf-8")
    assert "People and models on the same pairs" in page
    assert pl.read_csv(tmp_path / "board/people.csv")["model"].to_list() == ["people", "char-ngram"]
    assert main([*board, "--people", str(tmp_path / "char-ngram/scores.json")]) == 2
    assert wanted.columns[: len(DRAWN)] == DRAWN.names()
