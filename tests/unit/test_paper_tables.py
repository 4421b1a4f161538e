"""Claims about the tables and figures of a paper: what they hold, what they refuse, that they compile."""

import csv
import json
import re
import shutil
import subprocess
from pathlib import Path

import polars as pl
import pytest
from cases import cases
from scored_release import evaluated, write_scored_release
from split_folder import write_release

from authbench.app.cli import main
from authbench.config.registry.entries import read_yaml
from authbench.config.registry.load import load_entry
from authbench.core.errors import InputError
from authbench.core.presentation.latex import as_latex, escaped
from authbench.core.presentation.tables import Cell, Column, Row, Table, as_markdown
from authbench.core.shipped import shipped
from authbench.models.entries import MODELS as KIND
from authbench.release.format.release import open_release
from authbench.reports.leaderboard.collect import collect
from authbench.reports.tables.documents import CHARACTERS, examples, shortened
from authbench.reports.tables.models import Choice, size_in_words
from authbench.reports.tables.scores import Slices, chosen, overall_table, slice_tables
from authbench.reports.tables.write import write_tables
from authbench.scoring.train.records import read_curves

MODELS = ("random", "metadata", "tfidf")


@pytest.fixture(scope="module")
def scored(tmp_path_factory):
    folder = tmp_path_factory.mktemp("paper")
    release = write_scored_release(folder / "release", authors=24)
    evaluated(release, folder / "scores", *MODELS, options=["--unverified"])
    return folder


@pytest.fixture(scope="module")
def curves(scored):
    path = scored / "curves.csv"
    ends = ("0,1,{},2.0,0.1,0.5,0.4", "0,2,{},1.0,0.3,0.6,0.2", "1,2,{},3.0,0.5,,0.2")
    places = ("dev,overall,all", "test,overall,all", "dev,by_language,en", "test,by_length,short")
    rows = [f"mine,{end.format(place)}" for end in ends for place in places]
    path.write_text("\n".join(["model,seed,step,split,facet,slice,loss,success@5,auc_matched,eer", *rows, ""]))
    return path


@pytest.fixture(scope="module")
def paper(scored, curves, tmp_path_factory):
    (scored / "release/funnel.csv").write_text("source,stage,reason,documents\ns,ingest,in,9\ns,ingest,kept,9\n")
    out = tmp_path_factory.mktemp("out") / "paper"
    release = ["--release", str(scored / "release"), "--unverified"]
    options = [*release, "--out", str(out), "--curves", str(curves)]
    assert main(["publish", "tables", str(scored / "scores"), *options]) == 0
    return out


@pytest.fixture(scope="module")
def results(scored):
    return collect([scored / "scores"])


def rows_of(path):
    with path.open(encoding="utf-8", newline="") as lines:
        return list(csv.DictReader(lines))


@pytest.fixture(scope="module")
def checklist():
    """The rows of the checklist: numbers in the papers, and files."""
    page = (Path(__file__).parents[2] / "docs/tables.md").read_text(encoding="utf-8")
    listed = page.partition("## What the papers have")[2].partition("Where the papers are read")[0]
    rows = [row.split("|")[1:] for row in listed.splitlines() if re.match(r"\| (table|figure|\()", row)]
    return [(number.strip(), re.findall(r"`([a-z_0-9.]+)`", file)) for number, _, file, _ in rows]


def test_the_checklist_has_every_table_and_figure_of_both_papers(checklist):
    numbered = {"table": set(), "figure": set()}
    for place, _ in checklist:
        kind = "table" if "table" in place else "figure"
        for first, last in re.findall(r"(\d+)(?:-(\d+))?", place):
            numbered[kind] |= set(range(int(first), int(last or first) + 1))
    assert numbered == {"table": set(range(1, 19)), "figure": set(range(1, 12))}


def test_every_table_and_figure_of_the_checklist_is_written_and_holds_something(paper, checklist):
    for name in {name for _, files in checklist for name in files}:
        table, drawn = paper / f"tables/{name}.csv", [paper / f"figures/{name}.{kind}" for kind in ("svg", "pdf")]
        assert name == "examples.jsonl" or table.is_file() or all(one.stat().st_size > 1000 for one in drawn), name
        if table.is_file() and name != "examples":  # of texts that may be passed on, of which this release has none
            assert any(any(value for key, value in row.items() if value) for row in rows_of(table)), name
            assert all(table.with_suffix(kind).stat().st_size > 100 for kind in (".md", ".tex")), name
    assert (paper / "examples.jsonl").is_file()
    assert len(list(paper.glob("tables/*.tex"))) >= 10 and len(list(paper.glob("figures/*.svg"))) >= 5


def test_two_runs_give_the_same_bytes_and_the_page_links_every_file_and_back(scored, paper, curves, tmp_path):
    out = tmp_path / "out"
    trainings = [read_curves(curves)]
    write_tables([scored / "scores"], open_release(scored / "release"), out, Choice(), trainings, "../index.html")
    files = {path.relative_to(out).as_posix() for path in out.rglob("*") if path.is_file()} - {"index.html"}
    assert len(files) > 80 and all((out / file).read_bytes() == (paper / file).read_bytes() for file in files)
    links = set(re.findall(r'href="([^"#]+)"', (out / "index.html").read_text()))
    assert links == files | {"../index.html"}


def test_documents_authors_and_their_mean_are_those_of_the_release(paper):
    counted = {row["category"]: float(row["documents"]) for row in rows_of(paper / "tables/statistics.csv")}
    assert (counted["Total"], counted["Authors"], counted["Mean documents per author"]) == (192, 48, 4)
    assert counted["English (en)"] == counted["German (de)"] == 96
    splits = {row["split"]: row for row in rows_of(paper / "tables/splits.csv")}
    assert splits["test"]["queries"] == splits["test"]["candidates"] == "96"


def test_scores_are_those_of_the_results(scored, paper):
    for row in rows_of(paper / "tables/overall.csv"):
        scores = json.loads((scored / "scores" / row["model"] / "scores.json").read_text())
        assert float(row["S@5"]) == scores["overall"]["success@5"]
        assert float(row["EER"]) == scores["overall"]["eer"]


def test_the_topic_pool_is_shown_beside_the_default_one(scored, paper):
    row = next(row for row in rows_of(paper / "tables/topic_pool.csv") if row["model"] == "tfidf")
    overall = json.loads((scored / "scores/tfidf/scores.json").read_text())["overall"]
    assert float(row["S@5, topic pool"]) == overall["within_topic"]["success@5"]
    assert float(row["EER, topic pool"]) == overall["eer_same_topic"]


def test_a_slice_under_the_minimum_has_counts_and_no_score(paper):
    table = (paper / "tables/by_language_success_at_5.md").read_text()
    assert "| *queries* |  | *48* | *48* |" in table and "| *query authors* |  | *12* | *12* |" in table
    assert re.search(r"\| tfidf \| n/a \| – \| – \|", table)
    lines = [row for row in rows_of(paper / "slices.csv") if row["facet"] == "by_language"]
    assert lines and all(row["value"] == "" and row["authors"] == "12" for row in lines)


def test_a_slice_that_is_computed_from_queries_and_pairs_has_the_score_that_evaluation_gives(results):
    """All queries are of one primary genre, which evaluate scores, too: both ways must agree."""
    result = next(one for one in results if one.name == "tfidf")
    told = Slices(result).of("by_primary_genre")["blog"].scores
    computed = Slices(result)._computed("by_primary_genre", "blog")
    assert {"success@5", "ndcg@10", "mrr", "eer", "eer_matched", "eer_same_topic"} <= computed.keys() & told.keys()
    for key in computed.keys() & told.keys():
        assert computed[key] == pytest.approx(told[key], abs=1e-12), key


def named(tables, name):
    return next(table for table in tables if table.name == name)


def test_fewer_query_authors_may_be_asked_for(scored, results):
    tables, long = slice_tables(chosen(results, Choice()), Choice(least=1))
    data = named(tables, "by_language_success_at_5").data
    queries = pl.read_parquet(scored / "scores/tfidf/queries.parquet").filter(pl.col("lang") == "de")
    assert data.filter(pl.col("model") == "tfidf")["de"][0] == pytest.approx(queries["success@5"].mean())
    assert long["value"].null_count() == 0


def test_models_columns_and_precision_are_chosen(results):
    choice = Choice(("tfidf",), ("success@1",), digits=1)
    table = overall_table(chosen(results, choice), choice)
    assert table.data.columns == ["group", "model", "parameters", "S@1"] and table.data.height == 1
    assert re.search(r"\| tfidf \| n/a \| \d\.\d \|", as_markdown(table))
    assert {one.name for one in slice_tables(results, choice)[0]} >= {"by_length_success_at_1"}


def test_the_best_is_that_of_a_group_or_of_a_column(results):
    texts = [as_latex(overall_table(results, Choice(marks=marks))) for marks in ("group", "column")]
    assert [r"tfidf & n/a & \textbf" in text for text in texts] == [False, True]


def test_models_stand_by_score_or_by_name_within_groups_in_the_papers_order(results):
    for order in ("score", "name"):
        ranked = chosen(results, Choice(order=order))
        assert [one.group for one in ranked] == ["lexical", "sanity", "sanity"]
        assert [one.name for one in ranked[1:]] == (["metadata", "random"])


@cases
def test_a_choice_that_cannot_be_made_is_one_line(scored, tmp_path, options, told, capsys):
    release = ["--release", str(scored / "release"), "--unverified", "--out", str(tmp_path / "out")]
    given = [one.format(this_file=__file__) for one in options]
    assert main(["publish", "tables", str(scored / "scores"), *release, *given]) == 2
    assert told in capsys.readouterr().err and not (tmp_path / "out").exists()


def test_scores_of_another_release_are_refused(scored, tmp_path):
    other = write_release(tmp_path / "release", authors=30)
    with pytest.raises(InputError, match="These scores are not of release"):
        write_tables([scored / "scores"], open_release(other), tmp_path / "out")


def test_a_release_without_provenance_and_without_scores_has_its_tables(tmp_path):
    release = write_release(tmp_path / "release", authors=30)
    found = write_tables([], open_release(release), tmp_path / "out")
    assert found.lacking["results"] == "no scores were given"
    [total, *_] = rows_of(tmp_path / "out/tables/statistics.csv")
    assert total["documents"] == "90.0"


def test_texts_of_tier_b_or_of_no_known_tier_are_never_shown(scored):
    release = open_release(scored / "release")
    assert len(examples(release, "test", {"s": "A"}, 1)) == 2
    assert examples(release, "test", {"s": "B"}, 1) == examples(release, "test", {}, 1) == []


def test_an_example_is_one_line_of_few_characters():
    assert shortened("a\nb\t c") == "a b c"
    assert len(shortened("word " * 100)) <= CHARACTERS + 2 and shortened("字" * 500) == "字" * CHARACTERS + " …"


def test_training_is_drawn_as_a_mean_over_seeds_and_by_slice(paper):
    assert {path.stem for path in paper.glob("figures/training_*.svg")} == {
        "training_loss", "training_success_at_5", "training_auc_matched", "training_eer",
    }  # fmt: skip
    drawn = (paper / "figures/mine_by_language.svg").read_text()
    assert "S@5, dev" in drawn and "S@5, test" not in drawn and drawn.count("<title>en</title>") == 4
    assert "S@5, test" in (paper / "figures/training_success_at_5.svg").read_text()


def test_sizes_are_written_as_in_the_paper():
    sizes = (33_360_512, 559_890_432, 6_740_512_768, 8_030_261_248, None)
    assert [size_in_words(size) for size in sizes] == ["33M", "560M", "6.7B", "8B", "n/a"]


def test_the_registry_states_the_size_of_every_checkpoint():
    entries = {path.stem: read_yaml(path) for path in shipped("config/models").glob("*.yaml")}
    assert [name for name, one in entries.items() if one["kind"] == "transformer" and not one.get("size")] == []
    assert load_entry(KIND, "all-minilm-l6-v2").size == 22_713_728 and load_entry(KIND, "tfidf").size is None


HOSTILE = "a_b%{}\\&#$^~<>|\"`'\x00\u202e\u200b 中文 عربي 🔥 é ß \n\r \\input{/etc/passwd} $x$ ÀŁ"


def test_letters_without_a_font_stand_in_a_macro_and_controls_go():
    assert escaped("x 中 文 y") == r"x \otherscript{中 文}{[\ldots]} y"
    assert escaped("é\u202e\x00") == "é"
    assert escaped("中") == r"\otherscript{中}{[U+4E2D]}"


@pytest.mark.parametrize("engine", ["pdflatex", "lualatex"])
def test_every_table_compiles_and_so_do_hostile_cells(paper, tmp_path, engine):
    if shutil.which(engine) is None:
        pytest.skip(f"no {engine}")
    shutil.copytree(paper, tmp_path / "paper")
    hostile = Table("hostile", HOSTILE, [Column(HOSTILE, words=True)], [Row([Cell(HOSTILE)], HOSTILE)],
                    pl.DataFrame(), [HOSTILE])  # fmt: skip
    (tmp_path / "paper/tables/overall.tex").write_text(as_latex(hostile), encoding="utf-8")
    command = [engine, "-interaction=nonstopmode", "-halt-on-error", "paper.tex"]
    done = subprocess.run(command, cwd=tmp_path / "paper", capture_output=True, timeout=300, check=False)
    assert done.returncode == 0, done.stdout.decode("utf-8", "replace")[-2000:]


def test_a_choice_of_an_unknown_score_is_refused():
    with pytest.raises(InputError, match="Expected one of success@1"):
        Choice(metrics=["far"])
