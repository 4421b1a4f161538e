"""Claims about leaderboards: what may be compared, what is marked, what is written."""

import json
import re
import shutil
from html.parser import HTMLParser

import polars as pl
import pytest
from scored_release import evaluated, write_scored_release
from split_folder import write_release

from authbench.app.cli import main
from authbench.core.errors import InputError
from authbench.core.presentation.latex import as_latex
from authbench.core.presentation.tables import as_markdown, as_text
from authbench.reports.leaderboard.collect import collect
from authbench.reports.leaderboard.headline import power_line, unmeasured_note
from authbench.reports.leaderboard.pairwise import not_told_apart
from authbench.reports.leaderboard.tables import CHOICES, FACETS, Metric, every_score, every_slice, score_table
from authbench.reports.leaderboard.write import Edition, write_leaderboard
from authbench.scoring.evaluation.gain import Comparison
from authbench.scoring.evaluation.scores import MACRO

SCORE, ERROR = Metric("s", "S@5"), Metric("e", "EER", more_is_better=False)


def table(*rows, seen=None):
    schema = {"group": pl.String, "model": pl.String, "s": pl.Float64, "e": pl.Float64}
    return score_table("overall", "All", (SCORE, ERROR), pl.DataFrame(rows, schema=schema, orient="row"), seen)


def places(held, column):
    return [row.cells[column].place for row in held.rows]


@pytest.fixture(scope="module")
def results(tmp_path_factory):
    folder = tmp_path_factory.mktemp("results")
    release = write_release(folder / "release", authors=44)
    return evaluated(release, folder / "out", "random", "metadata", "tfidf")


def test_best_and_second_are_marked_within_a_group_and_for_errors_less_is_better():
    held = table(("a", "one", 0.5, 0.2), ("a", "two", 0.7, 0.1), ("a", "three", 0.1, 0.3), ("b", "alone", 0.9, 0.0))
    assert places(held, 1) == places(held, 2) == [2, 1, 0, 0]
    assert "| two | **0.700** | **0.100** |" in as_markdown(held)
    assert r"one & \underline{0.500} & \underline{0.200}" in as_latex(held)


def test_controls_are_not_ranked():
    held = table(
        ("sanity", "one", 0.9, 0.0), ("sanity", "two", 0.8, 0.1), ("a", "three", 0.5, 0.2), ("a", "four", 0.4, 0.3)
    )
    assert places(held, 1) == places(held, 2) == [0, 0, 1, 2]
    assert re.findall(r"^\w+", as_text(held), re.MULTILINE) == ["model", "three", "four", "controls", "one", "two"]


def test_what_is_not_told_apart_from_the_leader_is_told_by_the_tests_of_pairs():
    rows = [("s", "a", "b", 0.05), ("s", "c", "a", 0.2), ("s", "b", "c", 0.9)]
    rows += [("s", "a", "d", 0.049), ("t", "a", "d", 1.0)]
    pairs = pl.DataFrame(rows, schema=["metric", "model", "other", "p_holm"], orient="row")
    assert not_told_apart(pairs, "s", "a") == {"b", "c"}


def test_a_model_that_may_know_the_texts_has_a_dagger_that_is_explained():
    rows = ("a", "one", 0.5, 0.2), ("a", "two", 0.7, 0.1)
    held, marked = table(*rows), table(*rows, seen={"two": ["blogs"]})
    assert "| two † | **0.700**" in as_markdown(marked)
    assert "† two may have been trained on blogs." in as_markdown(marked)
    assert r"two $^\dagger$ & \textbf{0.700}" in as_latex(marked)
    assert "†" not in as_markdown(held)


def test_what_a_model_was_trained_on_counts_where_the_split_has_queries_from_there(results, tmp_path):
    def trained(scores):
        scores["model"]["trained_on"] = ["nowhere", *list(scores["by_source"])[:1]]

    [other] = collect([spoilt(results, tmp_path, trained)])
    assert other.seen == list(other.scores["by_source"])[:1]
    assert all(not result.seen for result in collect([results]))


def test_scores_that_look_equal_are_equally_good():
    held = table(("a", "one", 0.50004, None), ("a", "two", 0.50001, None))
    assert places(held, 1) == [1, 1]
    assert places(held, 2) == [0, 0]


@pytest.mark.parametrize(
    ("writer", "hostile", "safe"), [(as_markdown, "a|b*<i>", r"a\|b\*\<i\>"), (as_latex, "a_b%{", r"a\_b\%\{")]
)
def test_names_cannot_break_out_of_a_table(writer, hostile, safe):
    assert safe in writer(table(("g", hostile, 0.1, 0.2)))


def test_a_leaderboard_is_written_whole_in_every_form(results, tmp_path):
    assert main(["leaderboard", str(results), "--out", str(tmp_path / "board"), "--pdf"]) == 0
    names = {path.relative_to(tmp_path / "board").as_posix() for path in (tmp_path / "board").rglob("*.*")}
    for table_name in ("overall", "by_language_success", "by_language_eer", "by_length_eer"):
        assert {f"{table_name}.{ending}" for ending in ("csv", "md", "tex")} <= names
    assert {"scores.csv", "pairwise.csv", "index.html", "figures/eer_by_language.svg"} <= names
    assert {f"figures/{name}.svg" for name in ("success", "recall", "ndcg", "eer")} <= names
    assert (tmp_path / "board/figures/success.pdf").read_bytes().startswith(b"%PDF")
    overall = pl.read_csv(tmp_path / "board/overall.csv")
    by_model = dict(zip(overall["model"], overall["S@5 over shortcut"], strict=True))
    gain = dict(zip(overall["model"], overall["S@5"], strict=True))
    assert by_model["tfidf"] == pytest.approx(gain["tfidf"] - gain["metadata"])
    assert by_model["metadata"] is None
    HTMLParser().feed((tmp_path / "board/index.html").read_text())
    pairs = pl.read_csv(tmp_path / "board/pairwise.csv").filter(pl.col("metric") == "mrr")
    assert pairs.height == 3
    assert (pairs["p_holm"] >= pairs["p"]).all()
    tfidf = pairs.filter((pl.col("model") == "tfidf") | (pl.col("other") == "tfidf"))
    assert (tfidf["p_holm"] < 0.001).all()


def test_the_scores_csv_holds_what_the_results_hold(results, tmp_path):
    main(["leaderboard", str(results), "--out", str(tmp_path / "board")])
    scores = pl.read_csv(tmp_path / "board/scores.csv")
    held = json.loads((results / "random/scores.json").read_text())["by_language"]["de"]
    [row] = scores.filter(
        (pl.col("model") == "random") & (pl.col("slice") == "de") & (pl.col("metric") == "eer")
    ).to_dicts()
    assert (row["value"], [row["low"], row["high"]]) == (held["eer"], held["intervals"]["eer"])


UNHEARD_OF = {"value": 5e300, "authors": 3, "queries": 3}


def spoilt(results, folder, change):
    """A copy of one result with its scores changed."""
    (folder / "other").mkdir(parents=True)
    scores = json.loads((results / "tfidf/scores.json").read_text())
    scores["model"]["name"] = "other"
    change(scores)
    (folder / "other/scores.json").write_text(json.dumps(scores))
    return folder


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda scores: scores["benchmark"].update(checksum="else"), "compared: their benchmark differ in checksum"),
        (lambda scores: scores["settings"].update(seed=9), "their settings differ in seed"),
        (lambda scores: scores.pop("overall"), "overall: is required"),
        (lambda scores: scores.update(headline={"auc_matched": UNHEARD_OF}), "5e.300"),
        (lambda scores: scores["overall"].update(random_expectation={"mrr": None}), "random_expectation.mrr"),
        (lambda scores: scores["overall"].update(eer={}), "overall.eer"),
        (lambda scores: scores["by_primary_genre"]["blog"].pop(MACRO), MACRO),
        (lambda scores: scores["by_primary_genre"]["blog"][MACRO].update(sub_genres=None), "sub_genres"),
    ],
)
def test_what_cannot_be_compared_is_refused_with_the_reason(results, tmp_path, change, message):
    with pytest.raises(InputError, match=message):
        collect([results, spoilt(results, tmp_path, change)])


def test_of_a_model_that_two_folders_share_the_first_is_taken_and_the_other_is_named(results, tmp_path, capsys):
    def renamed(scores):
        scores["model"]["name"] = "tfidf"
        scores["overall"]["mrr"] = None  # as of a ranking of few candidates

    other = spoilt(results, tmp_path, renamed)
    held = {result.name: result.folder for result in collect([results, other])}
    assert held["tfidf"] == results / "tfidf"
    told = capsys.readouterr().err
    assert f"{other / 'other'} is left out: {results / 'tfidf'} has results of tfidf, too (other scores)" in told
    assert {result.name for result in collect([results, results])} == set(held)
    assert "(the same scores)" in capsys.readouterr().err


@pytest.fixture(scope="module")
def board(tmp_path_factory):
    """The leaderboard of a release with relations and pools."""
    folder = tmp_path_factory.mktemp("headline")
    release = write_scored_release(folder / "release", authors=44)
    (release / "statistics").mkdir()
    header = "source,labels,texts,estimator,impurity,low,high,decision"
    labels = [header, "s,9,90,voices,,,,clean", "elsewhere,9,90,,,,,unmeasured", ""]
    (release / "statistics/labels.csv").write_text("\n".join(labels))
    evaluated(release, folder / "out", "random", "metadata", "tfidf")
    assert main(["leaderboard", str(folder / "out"), "--out", str(folder / "board")]) == 0
    return folder / "board"


def test_a_leaderboard_opens_with_the_headline_scores_in_their_order(board):
    page = (board / "index.html").read_text()
    places = [page.index(f"<button>{name}") for name in ("AUC matched", "AUC topic", "AUC time", "S@5 other", "EER")]
    assert places == sorted(places)
    assert page.index("<strong>") < page.index("<svg") < page.index("shortcut to beat: metadata") < places[0]
    band = page.partition('<tbody class="controls">')[2].partition("</tbody>")[0]
    assert "Controls, not ranked" in page and re.findall(r"</i><span>([a-z]+)</span>", band) == ["metadata", "random"]
    basis = re.findall(r"<dt>AUC matched</dt><dd[^>]*>(.*?)</dd>", page)
    assert basis == ["44 of 44 authors, 2 of 2 languages, 0% of queries left out"]


def test_what_models_score_themselves_is_enough_for_a_leaderboard(board, tmp_path):
    folders = sorted((board.parent / "out").glob("*/own"))
    assert main(["leaderboard", *map(str, folders), "--out", str(tmp_path / "board")]) == 0
    files = sorted(path.relative_to(board) for path in board.rglob("*") if path.is_file())
    assert len(folders) == 3 and "unsolved" in (board / "pools.csv").read_text()
    for file in files:
        assert (tmp_path / "board" / file).read_bytes() == (board / file).read_bytes(), file


def test_where_no_difference_can_be_shown_the_line_of_power_says_so():
    def line_of(difference):
        cell = {"difference": 0.2, "macro": difference, "by_language": {"hi": {"difference": difference, "authors": 4}}}
        power = {"auc_topic": cell | {"not_supported": ["hi"]}}
        return power_line(Comparison({}, pl.DataFrame(), 3, power, pl.DataFrame(), {}))

    few = line_of(1.15)
    assert "AUC topic 0.200, macro none (hi none)." in few and "so few authors ask that no difference" in few
    assert "1.15" not in few
    enough = line_of(0.95)
    assert "macro 0.950 (hi 0.950)" in enough and "none" not in enough


def test_a_leaderboard_names_its_benchmark_and_version(board, tmp_path):
    assert "<h1>test split</h1>" in (board / "index.html").read_text()  # of a release without a manifest
    shutil.copytree(board.parent / "out", tmp_path / "out")
    for path in (tmp_path / "out").glob("*/scores.json"):
        scores = json.loads(path.read_text())
        assert scores["benchmark"]["name"] is None
        scores["benchmark"]["name"] = "mine"
        path.write_text(json.dumps(scores))
    write_leaderboard([tmp_path / "out"], tmp_path / "board", back="../index.html", edition=Edition("1.2.0"))
    page = (tmp_path / "board/index.html").read_text()
    assert "<h1>mine 1.2.0, test split</h1>" in page and 'href="../index.html"' in page


def test_rows_are_sorted_by_the_first_headline_score(board):
    held = pl.read_csv(board / "headline.csv").filter(pl.col("score") == "auc_matched")
    assert held["value"].to_list() == sorted(held["value"], reverse=True)
    order = held["model"].to_list()
    assert pl.read_csv(board / "overall.csv")["model"].to_list() == order
    page = (board / "index.html").read_text()
    shown = re.findall(r"</i><span>([a-z]+)</span>", page)
    assert shown[: len(order)] == order


def test_a_chart_s_data_are_the_scores_that_it_draws(board):
    drawn, scores = (pl.read_csv(board / name) for name in ("figures/auc_matched.csv", "scores.csv"))
    expected = scores.filter(facet="overall", metric="auc_matched")
    assert drawn.height > 1 and drawn.sort("model").equals(expected.select(drawn.columns).sort("model"))


def test_the_page_links_files_that_are_there(board):
    links = set(re.findall(r'href="([^"#]+)"', (board / "index.html").read_text()))
    figures = {f"figures/auc_matched.{ending}" for ending in ("svg", "png", "csv")}
    assert {"headline.tex", "overall.csv", "scores.csv"} | figures <= links
    assert [link for link in links if not (board / link).is_file()] == []


def test_letters_say_what_the_tests_of_pairs_say(board):
    pairs = pl.read_csv(board / "pairwise.csv").filter(pl.col("metric") == "auc_matched")
    assert pairs.height == 3
    [line] = [text for text in (board / "headline.tex").read_text().splitlines() if text.startswith("tfidf")]
    best = re.search(r"\$\^\{\\mathrm\{(\w+)\}\}\$", line)[1]
    for row in pairs.to_dicts():
        if "tfidf" in (row["model"], row["other"]):
            other = row["other"] if row["model"] == "tfidf" else row["model"]
            [line] = [text for text in (board / "headline.tex").read_text().splitlines() if text.startswith(other)]
            theirs = re.search(r"\$\^\{\\mathrm\{(\w+)\}\}\$", line)[1]
            assert bool(set(best) & set(theirs)) == (row["p_holm"] >= 0.05)


def test_headline_files_hold_what_the_joined_results_hold(board):
    held = json.loads((board.parent / "out/tfidf/scores.json").read_text())
    rows = pl.read_csv(board / "headline.csv").filter(pl.col("model") == "tfidf")
    for row in rows.to_dicts():
        cell = held["headline"][row["score"]]
        assert (row["value"], row["low"], row["macro"]) == (cell["value"], cell["low"], cell["macro"])
        gain = cell["gain"]
        assert (row["against"], row["gain_value"], row["p_holm"]) == (gain["against"], gain["value"], gain["p"])
    assert (board / "figures/s_other_work.svg").exists() and (board / "figures/auc_matched_by_language.svg").exists()
    assert json.loads((board / "power.json").read_text()) == held["power"]
    by_slice = pl.read_csv(board / "gains.csv").filter((pl.col("slice") == "de") & (pl.col("score") == "auc_topic"))
    assert by_slice["value"].to_list() == [held["by_language"]["de"]["headline"]["auc_topic"]["gain"]["value"]]
    scores = pl.read_csv(board / "scores.csv").filter((pl.col("metric") == "auc_matched") & (pl.col("slice") == "de"))
    assert scores.height == 3


def test_a_slice_without_a_gain_is_grey_and_shortcuts_are_not(board):
    tables = {"md": "*{}*", "tex": r"\textcolor{{gray}}{{{}}}"}
    scores = pl.read_csv(board / "by_language_auc_matched.csv")
    gains = pl.read_csv(board / "gains.csv").filter(
        (pl.col("facet") == "by_language") & (pl.col("score") == "auc_matched")
    )
    for lang in ("de", "en"):
        value = f"{scores.filter(pl.col('model') == 'tfidf')[lang].item():.3f}"
        grey = gains.filter(pl.col("slice") == lang)["low"].item() <= 0
        for ending, mark in tables.items():
            text = (board / f"by_language_auc_matched.{ending}").read_text()
            [line] = [line for line in text.splitlines() if line.lstrip("| ").startswith("tfidf")]
            assert (mark.format(value) in line) == grey
    lines = (board / "by_language_auc_matched.md").read_text().splitlines()
    [line] = [line for line in lines if line.startswith("| metadata")]
    assert "*" not in line


def test_the_table_of_slices_leaves_out_slices_of_few_authors_and_greys_as_gains_say():
    scores = pl.DataFrame(
        [("g", model, *slice_, "auc_matched", 0.7, 0.6, 0.8, 30, authors, True) for model in ("a", "b")
         for *slice_, authors in (("by_language", "de", 20), ("by_language", "fr", 19), ("overall", "all", 30))],
        schema=every_score([]).schema, orient="row",
    )  # fmt: skip
    gains = pl.DataFrame(
        {
            "model": "a",
            "facet": ["overall", "by_language"],
            "slice": ["all", "de"],
            "score": "auc_matched",
            "low": [0.0, 0.1],
        }
    )
    rows = [[*(cell.text for cell in row.cells), row.cells[2].grey] for row in every_slice(scores, gains, FACETS).rows]
    assert rows == [["a", "all texts", "0.700", True], ["b", "all texts", "0.700", False],
                    ["a", "language: German", "0.700", False], ["b", "language: German", "0.700", False]]  # fmt: skip


def test_sources_whose_labels_are_unmeasured_are_named_beside_the_scores(board, results):
    note = "How often two texts of one label are by two people is not measured in s.\n"
    assert (board / "headline.md").read_text().endswith(note)
    [other] = collect([results / "tfidf"])
    assert other.scores["benchmark"]["unmeasured_sources"] is None
    assert unmeasured_note([other]).startswith("The release does not state")


def half_measured(folder, authors):
    """Write a release with measured labels of half of its authors, none of whom is in the pool matched in time."""
    release = write_scored_release(folder, authors)
    english = set()
    for path in release.glob("*/[cq]*.jsonl"):
        rows = list(map(json.loads, path.read_text().splitlines()))
        rows = [row | ({"source": "t"} if row["lang"] == "de" else {}) for row in rows]
        path.write_text("".join(json.dumps(row) + "\n" for row in rows))
        english |= {row["query_id"] for row in rows if row["lang"] != "de" and "query_id" in row}
    for path in release.glob("*/pairs.parquet"):
        of_english = pl.col("query_id").cast(pl.String).is_in(list(english))
        pl.read_parquet(path).filter((pl.col("pool") != "time_matched") | ~of_english).write_parquet(path)
    (release / "statistics").mkdir()
    labels = ["source,labels,texts,estimator,impurity,low,high,decision"]
    labels += ["s,30,120,account,0.0,0.0,0.02,clean", "t,30,120,,,,,unmeasured", ""]
    (release / "statistics/labels.csv").write_text("\n".join(labels))
    return release


def test_few_authors_with_measured_labels_do_not_lead(tmp_path):
    release = half_measured(tmp_path / "release", 18)
    evaluated(release, tmp_path / "out", "random", "tfidf")
    assert main(["leaderboard", str(tmp_path / "out"), "--out", str(tmp_path / "board")]) == 0
    scores = json.loads((tmp_path / "out/tfidf/scores.json").read_text())
    assert scores["by_labels"]["measured"]["headline"]["auc_matched"]["authors"] == 9
    assert not (tmp_path / "board/headline_measured.csv").exists()


def test_scores_of_sources_with_measured_labels_lead_where_others_are_not_measured(tmp_path, capsys):
    release = half_measured(tmp_path / "release", 60)
    evaluated(release, tmp_path / "out", "random", "metadata", "tfidf")
    scores = json.loads((tmp_path / "out/tfidf/scores.json").read_text())
    assert scores["by_labels"].keys() == {"measured", "unmeasured"}
    capsys.readouterr()
    assert main(["leaderboard", str(tmp_path / "out"), "--out", str(tmp_path / "board")]) == 0
    assert "(30 authors with measured labels)" in capsys.readouterr().out
    leading, whole = (pl.read_csv(tmp_path / f"board/{name}.csv") for name in ("headline_measured", "headline"))
    of_tfidf = leading.filter(model="tfidf", score="auc_matched").row(0, named=True)
    assert of_tfidf["authors"] == 30 and whole["authors"].max() == 60
    assert of_tfidf["tests"] == leading["p_holm"].is_not_null().sum() == whole["tests"].max() - 1
    assert of_tfidf["value"] == scores["by_labels"]["measured"]["headline"]["auc_matched"]["value"]
    assert of_tfidf["gain_value"] == scores["by_labels"]["measured"]["headline"]["auc_matched"]["gain"]["value"]
    page = (tmp_path / "board/index.html").read_text()
    assert page.index("of sources whose labels were measured") < page.index("Means over languages")


def test_no_scores_lead_where_all_labels_are_measured_or_none(board):
    assert not (board / "headline_measured.csv").exists()


def test_the_lengths_of_buckets_are_told_by_language(board):
    lengths = pl.read_csv(board / "lengths.csv")
    assert lengths.columns == ["lang", "bucket", "texts", "words", "characters", "tokens"]
    assert set(lengths["lang"]) == {"de", "en"} and lengths["texts"].sum() == 44 * 4


def test_without_headline_scores_the_page_says_why(results, tmp_path):
    main(["leaderboard", str(results), "--out", str(tmp_path / "board")])
    page = (tmp_path / "board/index.html").read_text()
    assert "There are no headline scores: auc_matched, as the release has no pairs.parquet;" in page
    assert not (tmp_path / "board/headline.csv").exists()
    assert not (tmp_path / "board/figures/auc_matched.svg").exists()


def test_queries_of_another_type_are_refused(results, tmp_path):
    folder = spoilt(results, tmp_path, lambda scores: None)
    table = pl.read_parquet(results / "tfidf/queries.parquet")
    for broken, message in (
        (table.drop("lang"), "column lang is absent"),
        (table.with_columns(auc_matched=pl.lit("x")), "column auc_matched is String. Expected Float64"),
        (table[:-1], "holds other queries"),
    ):
        broken.write_parquet(folder / "other/queries.parquet")
        with pytest.raises(InputError, match=message):
            write_leaderboard([results, folder], tmp_path / "board")


def test_a_shortcut_that_does_not_state_its_headline_scores_leaves_the_page_whole(board, tmp_path):
    folder = tmp_path / "metadata"
    folder.mkdir()
    scores = json.loads((board.parent / "out/metadata/scores.json").read_text())
    del scores["headline"], scores["overall"]["intervals"]
    scores["matched_pairs"] = {"eer": {"value": "x"}}
    (folder / "scores.json").write_text(json.dumps(scores))
    (folder / "queries.parquet").write_bytes((board.parent / "out/metadata/queries.parquet").read_bytes())
    write_leaderboard([folder, board.parent / "out/tfidf"], tmp_path / "board")
    assert "metadata" in (tmp_path / "board/headline.md").read_text()


def test_a_board_has_further_columns_on_request(results, tmp_path, capsys, refused):
    metrics = ["--metric", "roc_auc", "--metric", "eer_all"]
    assert main(["leaderboard", str(results), "--out", str(tmp_path), *metrics]) == 0
    board = pl.read_csv(tmp_path / "overall.csv")
    scores = json.loads((results / "tfidf/scores.json").read_text())["overall"]
    [row] = board.filter(pl.col("model") == "tfidf").to_dicts()
    assert (row["ROC-AUC"], row["EER, all negatives"]) == (scores["roc_auc"], scores["eer_all"])
    told = capsys.readouterr().out
    assert re.search(r"^tfidf +\d", told, re.MULTILINE) and not re.search(r"[|*<\\\[]", told)
    told = refused(["leaderboard", results, "--out", tmp_path, "--metric", "xyzzy"])
    assert "'xyzzy'" in told and all(told.count(f" {key},") < 2 for key in CHOICES)
