"""Claims about scoring answers: what is read, what is refused, what is told and written."""

import shutil

import numpy as np
import orjson
import polars as pl
import pytest
from cases import cases
from shared_folders import DATA, skip_without_corpus
from sklearn.metrics import f1_score, roc_auc_score

from authbench.app.cli import main
from authbench.core.errors import InputError
from authbench.core.presentation.tables import BEST
from authbench.release.format.pan import read_pairs, read_problems, read_truth, write_answers, write_pairs, write_truth
from authbench.scoring.metrics.pan import evaluate
from authbench.scoring.verifiers.requested import controls, load_verifiers
from authbench.suites.pan.compare import (
    CHANCE,
    META,
    Systems,
    by_chance,
    by_data_set,
    by_team,
    leading,
    meta,
    scores_table,
    silence_pays,
    where_answered,
)
from authbench.suites.pan.page import measure_table

TRUTH = ['{"id": "a", "same": true, "authors": ["x", "x"]}', '{"id": "b", "same": false, "authors": ["x", "y"]}',
         '{"id": "c", "same": true, "authors": ["z", "z"]}']  # fmt: skip
ANSWERS = ['{"id": "c", "value": 0.5}', '{"id": "a", "value": 1}', '{"id":"b","value":0.0}']


@pytest.fixture
def task(tmp_path):
    """A truth file, and a function that writes answers and scores them."""
    (tmp_path / "truth.jsonl").write_text("\n".join(TRUTH) + "\n")

    def score(*lines, truth="truth.jsonl", end="\n", name="sys.jsonl", more=()):
        path = tmp_path / name
        path.parent.mkdir(exist_ok=True)
        path.write_bytes((end.join(lines) + end).encode() if lines else b"")
        return main(["pan", "evaluate", "--truth", str(tmp_path / truth), "--answers", str(path), *more])

    return score


def test_json_tells_each_measure_by_the_name_of_file_or_folder(task, capsys):
    for name, system in (("sys.jsonl", "sys"), ("team/answers.jsonl", "team")):
        assert task(*ANSWERS, name=name, more=["--json"]) == 0
        told = orjson.loads(capsys.readouterr().out)
        assert list(told) == [system]
        found = evaluate(np.array([True, False, True]), np.array([1.0, 0.0, 0.5]))
        bounds = told[system].pop("intervals")
        assert told[system] == pytest.approx(found)
        assert set(bounds) == set(found)
        assert all(low <= found[name] <= high for name, (low, high) in bounds.items())


@cases
def test_a_run_as_tira_keeps_it_is_found_and_called_by_its_system(task, tmp_path, capsys, place):
    file = tmp_path / place
    file.parent.mkdir(parents=True)
    assert task(*ANSWERS, name=place, more=["--json"]) == 0
    measures = list(orjson.loads(capsys.readouterr().out).values())
    folder = file.parent.parent if file.parent.name == "output" else file.parent
    for given in {folder, file.parent} if file.name == "answers.jsonl" else {folder}:
        assert main(["pan", "evaluate", "--truth", str(tmp_path), "--answers", str(given), "--json"]) == 0
        assert orjson.loads(capsys.readouterr().out) == {"team": measures[0]}


def test_a_folder_without_answers_or_with_two_files_of_them_is_refused_by_name(task, tmp_path, refused):
    (tmp_path / "team").mkdir()
    command = ["pan", "evaluate", "--truth", str(tmp_path), "--answers", str(tmp_path / "team")]
    assert "files that may hold answers are none. Expected answers.jsonl" in refused(command)
    for name in ("one.jsonl", "two.txt"):
        (tmp_path / "team" / name).write_text("\n".join(ANSWERS))
    assert "files that may hold answers are one.jsonl, two.txt" in refused(command)


@pytest.mark.parametrize("values", [("[0.5]", "[1]", "[0.0]"), ('"0.5"', '"1"', '"0.0"'), ('["5e-1"]', '"1."', '".0"')])
def test_numbers_in_lists_and_in_quotation_marks_are_read_and_told(task, capsys, values):
    task(*ANSWERS, more=["--json"])
    plain = capsys.readouterr().out
    lines = [f'{{"value": {value}, "id": "{name}"}}' for name, value in zip("cab", values, strict=True)]
    assert task(*lines, more=["--json"]) == 0
    said = capsys.readouterr()
    assert said.out == plain
    listed, quoted = sum("[" in value for value in values), sum('"' in value for value in values)
    assert (f"sys: {listed} values stand in a list of one" in said.err) == bool(listed)
    assert (f"sys: {quoted} values stand in quotation marks" in said.err) == bool(quoted)


def test_lines_may_end_in_crlf_and_stand_in_any_order(task, capsys):
    task(*ANSWERS, more=["--json"])
    plain = capsys.readouterr().out
    task(*reversed(ANSWERS), end="\r\n", more=["--json"])
    assert capsys.readouterr().out == plain


def test_a_missing_answer_counts_as_none_given_and_is_told(task, capsys):
    task(*ANSWERS[1:], more=["--json"])
    said = capsys.readouterr()
    assert "1 of 3 problems have no line and count as 0.5 (c)" in said.err
    task(*ANSWERS, more=["--json"])
    assert capsys.readouterr().out == said.out


@pytest.mark.parametrize("value", [1.5, -0.1])
def test_a_score_outside_0_to_1_is_scored_as_pan_scores_it_and_told(task, capsys, value):
    assert task(*ANSWERS[:2], f'{{"id": "b", "value": {value}}}', more=["--json"]) == 0
    said = capsys.readouterr()
    assert "1 scores are outside [0, 1] (b)" in said.err
    found = evaluate(np.array([True, False, True]), np.array([1.0, value, 0.5]))
    told_ = orjson.loads(said.out)["sys"]
    assert told_.pop("intervals")["brier"] is None
    assert told_ == pytest.approx(found)
    assert found["brier"] == 0


@cases
def test_answers_that_are_none_are_refused_with_the_line(task, capsys, lines, said):
    assert task(*lines) == 2
    assert said in capsys.readouterr().err


@cases
def test_a_truth_that_is_none_is_refused(task, tmp_path, capsys, lines, said):
    (tmp_path / "truth.jsonl").write_text("\n".join(lines))
    assert task(*ANSWERS) == 2
    assert said in capsys.readouterr().err


def test_absent_files_and_unknown_names_are_told(task, tmp_path, capsys):
    assert task(*ANSWERS, truth="other.jsonl") == 2
    assert "there is no such file" in capsys.readouterr().err
    assert task(*ANSWERS, more=["--answers", str(tmp_path / "other/sys.jsonl")]) == 2
    assert "there is a system 'sys' already" in capsys.readouterr().err


@pytest.mark.parametrize("option", ["--baseline", "--subset"])
def test_an_unknown_name_is_told_before_anything_is_read(task, capsys, option):
    assert task("no answer", truth="absent.jsonl", more=[option, "sis", "--out", "report"]) == 2
    told = capsys.readouterr()
    assert option in told.err and "'sys'" in told.err and not told.out


def test_problems_of_one_class_are_scored_as_pan_scores_them_and_told(task, tmp_path, capsys):
    (tmp_path / "truth.jsonl").write_text("\n".join([TRUTH[0], TRUTH[2]]))
    assert task(*ANSWERS[:2], more=["--json"]) == 0
    said = capsys.readouterr()
    assert orjson.loads(said.out)["sys"]["auc"] == 0
    assert "one class" in said.err


def test_an_undefined_measure_is_null(task, tmp_path, capsys):
    (tmp_path / "truth.jsonl").write_text(TRUTH[1])
    assert task('{"id": "b", "value": 0.1}', more=["--json"]) == 0
    told = orjson.loads(capsys.readouterr().out)["sys"]
    assert told["f0.5u"] is told["overall"] is None
    assert told["c@1"] == 1


def test_the_year_decides_the_mean(task, capsys):
    task(*ANSWERS, more=["--json", "--year", "2020"])
    told = orjson.loads(capsys.readouterr().out)["sys"]
    assert told["overall"] == pytest.approx(np.mean([told[name] for name in ("auc", "c@1", "f1", "f0.5u")]))


def test_what_is_written_is_read_again(tmp_path):
    names = ["id", "text1", "text2", "same", "topic1", "topic2", "author1", "author2", "lang"]
    rows = [("b", "é\n", "\u2028", True, "t", "u", "p", "p", "de"), ("a", "x", '"', False, "u", "v", "p", "q", None)]
    pairs = pl.DataFrame(rows, names, orient="row")
    write_pairs(pairs, tmp_path / "pairs.jsonl")
    write_truth(pairs, tmp_path / "truth.jsonl")
    again = read_problems(tmp_path)
    assert again.select(pairs.columns).equals(pairs)


def test_the_language_of_a_pair_is_a_text(tmp_path):
    (tmp_path / "pairs.jsonl").write_text('{"id": "a", "pair": ["x", "y"], "lang": 3}\n')
    with pytest.raises(InputError, match="line 1: lang is 3"):
        read_pairs(tmp_path / "pairs.jsonl")


def test_pairs_without_topics_and_truth_without_authors_are_read(tmp_path):
    (tmp_path / "pairs.jsonl").write_text('{"id": "a", "pair": ["x", "y"]}\n')
    (tmp_path / "truth.jsonl").write_text('{"id": "a", "same": true}\n')
    assert read_pairs(tmp_path / "pairs.jsonl")["topic1"].to_list() == [None]
    assert read_truth(tmp_path / "truth.jsonl")["author2"].to_list() == [None]


def test_pairs_and_truth_of_other_problems_are_refused(tmp_path):
    (tmp_path / "pairs.jsonl").write_text('{"id": "a", "pair": ["x", "y"]}\n{"id": "b", "pair": ["x", "y"]}\n')
    (tmp_path / "truth.jsonl").write_text('{"id": "a", "same": true}\n')
    with pytest.raises(InputError, match="pairs.jsonl has 1 ids that truth.jsonl does not .b."):
        read_problems(tmp_path)


def some_systems(count=400):
    random = np.random.default_rng(1)
    truth = random.random(count) < 0.5
    right = {"team1-large": 0.9, "team1-small": 0.85, "team2-small": 0.8, "poor-small": 0.5, "naive": 0.7}
    scores = {}
    for name, share in right.items():
        said = np.where(random.random(count) < share, truth, ~truth)
        scores[name] = np.where(random.random(count) < 0.1, 0.5, np.clip(said * 0.6 + 0.2 * random.random(count), 0, 1))
    return Systems(pl.Series("id", [f"p{k}" for k in range(count)]), truth, scores, ("naive",))


def test_the_best_system_of_each_team_above_the_baselines_leads():
    systems = some_systems()
    table = scores_table(systems)
    assert table["system"].to_list()[0] == "team1-large"
    assert leading(table, systems.baselines) == ["team1-large", "team2-small"]


def test_the_meta_system_is_the_mean_of_all_but_the_baselines():
    systems = some_systems()
    others = [scores for name, scores in systems.scores.items() if name != "naive"]
    assert meta(systems) == pytest.approx(sum(others) / len(others))


def test_a_subset_holds_the_problems_that_one_system_answers():
    systems = some_systems()
    part = where_answered(systems, "team2-small")
    answered = systems.scores["team2-small"] != 0.5
    row = part.row(by_predicate=pl.col("system") == "team1-large", named=True)
    expected = evaluate(systems.truth[answered], systems.scores["team1-large"][answered])
    assert row["overall"] == pytest.approx(expected["overall"])
    assert part.row(by_predicate=pl.col("system") == "team2-small", named=True)["non_answers"] == 0


def test_data_sets_stand_side_by_side():
    table = scores_table(some_systems())
    told = by_data_set({"2020": table.filter(pl.col("system") != "naive"), "2021": table})
    assert told.columns == ["system", "2020", "2021"]
    assert told.row(by_predicate=pl.col("system") == "naive")[1] is None


def test_table_3_stands_by_team_and_year():
    def table(**values):
        return pl.DataFrame({"system": list(values), "c@1": list(values.values())})

    first = table(**{"bo20-large": 0.9, "bo20-small": 0.8, "naive": 0.5})
    found = by_team({"2020": first, "2021": table(**{"bo21-large": 0.95, "bo20-large": 0.91, "ga21": 0.7})})
    assert found.columns == ["team", "trained on", "2020", "2020, systems of 2020", "2021, systems of 2020",
                             "2021, systems of 2021"]  # fmt: skip
    assert found.rows() == [
        ("bo", "large", None, 0.9, 0.91, 0.95),
        ("bo", "small", None, 0.8, None, None),
        ("ga", "", None, None, None, 0.7),
        ("naive", "", 0.5, None, None, None),
    ]
    assert by_team({"one": table(naive=0.5)}).is_empty()


def test_the_overviews_signed_rank_test_comes_out_of_its_figures():
    c_at_1 = [0.95, 0.93, 0.92, 0.91, 0.90, 0.89]
    found = silence_pays(pl.DataFrame({"non_answers": [1000, 600, 10, 0, 5, 2], "c@1": c_at_1}))
    assert found["w"] is not None
    assert 0.5 < found["rho"] < 1
    few = silence_pays(pl.DataFrame({"non_answers": [1000, 600, 10], "c@1": c_at_1[:3]}))
    assert few["w"] is None and few["rho"] is None
    assert silence_pays(pl.DataFrame({"non_answers": [1], "c@1": [0.5]}))["p"] is None


@pytest.mark.parametrize(("share", "year"), [(0.5, 2021), (0.2, 2021), (0.8, 2020), (0.0, 2021), (1.0, 2021)])
def test_chance_is_what_scores_that_know_nothing_come_to(share, year):
    random = np.random.default_rng(7)
    truth = random.random(200_000) < share
    found, expected = evaluate(truth, random.random(len(truth)), year=year), by_chance(truth, year)
    assert {name: expected[name] for name in found} == pytest.approx(found, abs=0.01)


def test_a_report_holds_every_table_and_picture_and_is_the_same_again(tmp_path, capsys):
    systems = some_systems()
    truth = pl.DataFrame({"id": systems.ids, "same": systems.truth})
    write_truth(truth, tmp_path / "data/truth.jsonl")
    words = np.array([f"w{chr(97 + k // 26)}{chr(97 + k % 26)}" for k in range(80)])
    random = np.random.default_rng(3)
    texts = [" ".join(words[random.integers(80, size=12)]) for _ in range(2 * len(systems.ids))]
    pairs = truth.with_columns(text1=pl.Series(texts[::2]), text2=pl.Series(texts[1::2]))
    write_pairs(pairs, tmp_path / "data/pairs.jsonl")
    answers = []
    for name, scores in systems.scores.items():
        write_answers(pl.DataFrame({"id": systems.ids, "value": scores}), tmp_path / name / "answers.jsonl")
        answers += ["--answers", str(tmp_path / name)]
    asked = ["pan", "evaluate", "--truth", str(tmp_path / "data"), *answers, "--baseline", "naive"]
    more = ["--pairs", str(tmp_path / "data"), "--topics", "4"]
    for out in ("one", "other"):
        assert main([*asked, *more, "--out", str(tmp_path / out)]) == 0
    names = {path.relative_to(tmp_path / "one").as_posix() for path in (tmp_path / "one").rglob("*.*")}
    assert {"index.html", "scores.md", "significance.csv", "answered_by_team1-large.md", "topics.json",
            "likelihood_ratios.csv", "intervals.csv", "significance_overall.md", "figures/tippett.svg",
            "figures/det.svg", "figures/precision_recall.svg", "figures/topics_by_answer.svg"} <= names  # fmt: skip
    for name in names:
        assert (tmp_path / "one" / name).read_bytes() == (tmp_path / "other" / name).read_bytes(), name
    page = (tmp_path / "one/index.html").read_text()
    assert META in page
    assert "***" in page and "Wilcoxon" not in page
    *_, mean, chance = pl.read_csv(tmp_path / "one/scores.csv").rows(named=True)
    assert mean["system"] == META and chance["system"] == CHANCE and chance["AUC"] == 0.5
    assert "by chance" in page and "| **" not in (tmp_path / "one/scores.md").read_text().partition("| *by chance*")[2]
    ratios = pl.read_csv(tmp_path / "one/likelihood_ratios.csv")
    assert ratios.height == len(systems.ids) and set(systems.scores) | {META} <= set(ratios.columns)
    same = ratios.filter("same")["team1-large"].mean()
    assert same > 0 > ratios.filter(~pl.col("same"))["team1-large"].mean()
    topics = orjson.loads((tmp_path / "one/topics.json").read_bytes())
    assert topics["topics"] == 4
    assert 0 <= topics["regression"]["all"]["r2"] <= 1
    assert main([*asked, "--out", str(tmp_path / "third"), "--beside", str(tmp_path / "one")]) == 0
    assert pl.read_csv(tmp_path / "third/data_sets.csv").columns == ["system", "one", "data"]

    for place in ("two/one", "two/data"):
        shutil.copytree(tmp_path / "one", tmp_path / place)
        more = ["--beside", str(tmp_path / "one"), "--beside", str(tmp_path / place)]
        assert main([*asked, "--out", str(tmp_path / "fourth"), *more]) == 2
    assert not (tmp_path / "fourth").exists()


def plain_value(value):
    return float(value[0] if isinstance(value, list) else value)


def test_real_answers_of_pan_2020_are_scored_as_scikit_learn_scores_them():
    folder = DATA / "pan20_av_truth"
    if not folder.is_dir():
        skip_without_corpus(folder)
    from authbench.suites.pan.run import name_systems, read_systems

    def lines(file):
        return [orjson.loads(line) for line in file.read_bytes().splitlines() if line.strip()]

    files = sorted(folder.glob("answers_*.jsonl"))
    systems, _ = read_systems(folder, name_systems(files))
    table = scores_table(systems)
    truth = {row["id"]: row["same"] for row in lines(folder / "truth.jsonl")}
    same = np.array(list(truth.values()))
    assert table.height == len(files) > 0
    for file in files:
        values = {row["id"]: plain_value(row["value"]) for row in lines(file)}
        given = np.array([values.get(ident, 0.5) for ident in truth])
        (found,) = table.filter(pl.col("system") == file.stem).to_dicts()
        answered = given != 0.5
        assert found["auc"] == pytest.approx(roc_auc_score(same, given), abs=1e-9)
        assert found["f1"] == pytest.approx(f1_score(same[answered], given[answered] > 0.5, zero_division=0))
        assert 0 <= found["overall"] <= 1


def test_table_3_comes_of_two_commands_by_the_names_of_pans_files(task, tmp_path, capsys):
    for value, file in ((0.9, "answers_bo20-large"), (0.4, "answers_bo20-small"), (0.6, "mine")):
        answers = [f'{{"id": "{one}", "value": {value}}}' for one in "abc"]
        (tmp_path / f"{file}.jsonl").write_text("\n".join(answers), encoding="utf-8")
    given = [part for one in ("answers_bo20-large", "answers_bo20-small") for part in ("--answers", f"{one}.jsonl")]
    given = [str(tmp_path / part) if part.endswith("jsonl") else part for part in given]
    command = ["pan", "evaluate", "--truth", str(tmp_path / "truth.jsonl")]
    assert main([*command, *given, "--year", "2020", "--out", str(tmp_path / "pan20")]) == 0
    (tmp_path / "pan21").mkdir()
    (tmp_path / "pan21/truth.jsonl").write_bytes((tmp_path / "truth.jsonl").read_bytes())
    command[-1] = str(tmp_path / "pan21")
    more = [
        "--answers",
        str(tmp_path / "mine.jsonl"),
        "--beside",
        str(tmp_path / "pan20"),
        "--out",
        str(tmp_path / "o"),
    ]
    assert main([*command, *given[:2], *more]) == 0
    told = pl.read_csv(tmp_path / "o/teams.csv")
    assert told.columns == ["team", "trained on", "pan20, systems of 2020", "pan21", "pan21, systems of 2020"]
    right = {"all": pytest.approx(2 / 3), "none": pytest.approx(1 / 3)}
    assert told.rows() == [
        ("bo", "large", right["all"], None, right["all"]),
        ("bo", "small", right["none"], None, None),
        ("mine", "", None, right["all"], None),
    ]


def test_a_file_of_pairs_that_is_none_is_refused_without_a_word_of_its_texts(tmp_path):
    secret = "a secret sentence of somebody"
    for row in ({"id": "a", "pair": [secret] * 3}, {"id": "a", "pair": secret}, {"id": "a", "text1": secret}, [secret]):
        (tmp_path / "pairs.jsonl").write_bytes(orjson.dumps(row) + b"\n")
        with pytest.raises(InputError, match="line 1") as told:
            read_pairs(tmp_path / "pairs.jsonl")
        assert "secret" not in str(told.value)


def test_a_byte_order_mark_and_a_key_twice_are_seen(task, tmp_path, capsys):
    task(*ANSWERS, more=["--json"])
    plain = capsys.readouterr().out
    task("\ufeff" + ANSWERS[0], *ANSWERS[1:], more=["--json"])
    assert capsys.readouterr().out == plain
    truth = (tmp_path / "truth.jsonl").read_text()
    (tmp_path / "truth.jsonl").write_text(truth.replace('"same": true', '"same": false, "same": true', 1))
    assert task(*ANSWERS) == 2
    assert "the key 'same' comes twice" in capsys.readouterr().err


def test_a_control_is_neither_ranked_nor_marked_in_a_table_of_measures():
    data = pl.DataFrame({"system": ["format", "naive", "tfidf"], "AUC": [0.9, 0.7, 0.8]})
    table = measure_table("scores", "Scores", data, baselines=controls(load_verifiers(data["system"])))
    assert [(row.cells[1].place, row.cells[1].grey) for row in table.rows] == [(0, False), (BEST, False), (0, True)]
    assert [row.group for row in table.rows] == ["", "", "sanity"] and table.data.equals(data)


@pytest.mark.parametrize("topics", ["0", "-1"])
def test_a_topic_model_has_a_topic(topics, tmp_path):
    with pytest.raises(SystemExit) as ended:
        main(["pan", "evaluate", "--truth", str(tmp_path), "--answers", str(tmp_path), "--topics", topics])
    assert ended.value.code == 2
