"""The explorer shows what evaluations hold, and quotes texts only with their release; its pages load nothing."""

import json
import re
import shutil
from html import unescape

import polars as pl
import pytest
from published import seal
from scored_release import evaluated, write_scored_release
from split_folder import write_release

from authbench.app.cli import main
from authbench.reports.explorer import pages
from authbench.reports.explorer.ranked import ANSWERS, draw, errors_by_slice, explore, listed, margins, outcomes, ranked
from authbench.reports.leaderboard.collect import collect

AUTHORS = 44
HOSTILE = "\"'><script>document.title='RUN'</script><img src=x onerror=1>\u202egnp.exe\u2066 "
TEXT = re.compile(r"habit\d+ of the topic")


def rows_of(page):
    """Return the text of the cells of every row of a page."""
    rows = [re.findall(r"<t[dh][^>]*>(.*?)</t[dh]>", row) for row in re.findall(r"<tr>(.*?)</tr>", page)]
    return [[unescape(" ".join(re.sub(r"<[^>]*>", " ", cell).split())) for cell in row] for row in rows]


def read(folder):
    return {path.name: path.read_text(encoding="utf-8") for path in sorted(folder.iterdir())}


@pytest.fixture(scope="module")
def scored(tmp_path_factory):
    """A release, and the scores of two models on it."""
    folder = tmp_path_factory.mktemp("explored")
    release = write_scored_release(folder / "release", AUTHORS)
    return release, evaluated(release, folder / "scores", "random", "tfidf")


@pytest.fixture(scope="module")
def shown(scored, tmp_path_factory):
    out = tmp_path_factory.mktemp("shown") / "out"
    assert main(["explore", str(scored[1]), "--release", str(scored[0]), "--out", str(out)]) == 0
    return out


def test_the_errors_of_a_slice_are_those_of_the_scores(scored, shown):
    results = collect([scored[1]])
    table = errors_by_slice(outcomes({result.name: result.queries() for result in results}))
    for result in results:
        own = table.filter(model=result.name)
        assert 1 - own.filter(facet="all")["wrong"].item() == pytest.approx(result.scores["overall"]["success@1"])
        for row in own.filter(facet="lang").iter_rows(named=True):
            cell = json.loads((result.folder / "scores.json").read_text())["by_language"][row["slice"]]
            assert (row["queries"], row["authors"]) == (cell["queries"], cell["authors"])
            assert 1 - row["wrong"] == pytest.approx(cell["success@1"])
    rows = rows_of(read(shown)["index.html"])
    for row in table.filter(facet="lang").iter_rows(named=True):
        name = {"de": "German", "en": "English"}[row["slice"]]
        assert f"{row['wrong']:.3f}" in next(cells for cells in rows if cells[0] == name)


def test_a_query_s_page_shows_the_ranks_and_scores_of_queries_parquet(scored, shown):
    tables = {result.name: result.queries() for result in collect([scored[1]])}
    order = explore(collect([scored[1]]), pages.QUERIES).models
    index = rows_of(read(shown)["index.html"])
    for number, part in enumerate(read(shown)["queries-001.html"].split("<article>")[1:]):
        rows = rows_of(part)
        places = rows[next(at for at, row in enumerate(rows) if row[0] == "Rank ↓") + 1 :][:10]
        own = [tables[model].row(number, named=True) for model in order]
        for at, query in enumerate(own):
            shown_here = [row[at + 1].replace("✓", "").split() for row in places]
            scores = [f"{score:.3f}".replace("-", "−") for score in query["scores"]]
            assert shown_here == [list(pair) for pair in zip(query["nearest"], scores, strict=True)]
            assert ("✓" in places[0][at + 1]) == (query["success@1"] == 1)
        ranks = [f"{round(1 / query['mrr'])}" for query in own]
        assert ranks == next(row for row in index if row[0] == own[0]["id"])[4:]


def test_a_candidate_links_to_its_text(shown):
    page = read(shown)["queries-001.html"]
    texts = dict(
        re.findall(r'<code>(\S+)</code>(?:(?!<details).)*?<div class="text" id="(\S+)"', page.split("</article>")[0])
    )
    links = re.findall(r'<a href="#(\S+)">(\S+?)(?: ✓)?</a>', page.split("</article>")[0])
    assert len(texts) == len(set(texts.values())) > 10 and {(texts[name], name) for _, name in links} == set(links)


def test_the_margin_is_between_the_first_right_and_the_first_wrong_candidate():
    queries = pl.DataFrame({"id": ["q", "r"], "nearest": [["a", "b", "c"], ["a"]], "scores": [[0.9, 0.8, 0.5], [0.7]]})
    answers = pl.DataFrame(
        [("q", "b", 0.8, 2), ("q", "z", 0.1, 30), ("r", "a", 0.7, 1), ("r", "y", None, None)],
        schema={"query": pl.String, "candidate": pl.String, "score": pl.Float64, "rank": pl.Int32},
        orient="row",
    )
    rows = ranked(queries, answers).with_columns(model=pl.lit("m"))
    found = margins(rows).sort("query").select("rank", "score", "wrong_score", pl.col("margin").round(6))
    assert found.rows() == [(2, 0.8, 0.9, -0.1), (1, 0.7, None, None)]
    assert listed(rows).filter(query="q")["candidate"].to_list() == ["a", "b", "c", "z"]


def test_of_many_answers_those_with_the_best_ranks_are_listed():
    answers = [("q", f"a{n:02}", 1 / n, 50 - n, "one") for n in range(1, 31)] + [("q", "a01", 0.9, 11, "two")]
    schema = {"query": pl.String, "candidate": pl.String, "score": pl.Float64, "rank": pl.Int32, "model": pl.String}
    rows = listed(pl.DataFrame(answers, schema, orient="row").with_columns(right=True))
    kept = rows["candidate"].unique(maintain_order=True).to_list()
    assert kept == ["a01", *(f"a{n}" for n in range(30, 31 - ANSWERS, -1))] and rows["more"][0] == 30 - ANSWERS


def test_the_queries_shown_are_drawn_by_their_own_hashes(scored, tmp_path, monkeypatch):
    ids = pl.Series([f"d{n}" for n in range(100)])
    assert set(draw(ids.reverse().head(60), 10, 7)) >= set(draw(ids, 10, 7)) & set(ids.reverse().head(60))
    assert draw(ids, 10, 7) != draw(ids, 10, 8) and draw(ids, 1000, 7) == ids.sort().to_list()
    monkeypatch.setattr(pages, "QUERIES", 21)
    pages.write_explorer([scored[1]], tmp_path / "out")
    index = (tmp_path / "out/index.html").read_text(encoding="utf-8")
    assert f"21 of {AUTHORS * 4} queries" in index and index.count('href="queries-') == 21
    assert sorted(path.name for path in (tmp_path / "out").glob("queries-*")) == [
        "queries-001.html",
        "queries-002.html",
    ]


def test_texts_are_shown_with_their_release_only_and_author_ids_never(scored, shown, tmp_path):
    assert main(["explore", str(scored[1]), "--out", str(tmp_path / "out")]) == 0
    bare, full = (" ".join(read(folder).values()) for folder in (tmp_path / "out", shown))
    assert not TEXT.search(bare) and TEXT.search(full)
    assert not re.search(r"\b0{50}[0-9a-f]{14}\b", bare + full)


def test_the_same_results_give_the_same_bytes_and_no_page_refers_elsewhere(scored, shown, tmp_path):
    assert main(["explore", str(scored[1]), "--release", str(scored[0]), "--out", str(tmp_path / "out")]) == 0
    assert read(tmp_path / "out") == read(shown)
    for page in read(shown).values():
        links = {link.partition("#")[0] for link in re.findall(r"""\b(?:href|src)\s*=\s*["']?([^"'\s>]*)""", page)}
        assert links and links - {""} <= read(shown).keys() and "default-src 'none'" in page
        assert not re.search(r"https?://|url\(|fetch\(|import\(|XMLHttp", page)


def test_hostile_ids_labels_and_texts_are_shown_and_cut_never_run(tmp_path):
    release, hostile = write_release(tmp_path / "release", authors=12), json.dumps(HOSTILE)[1:-1]
    for path in (release / "test").glob("*.jsonl"):
        text = path.read_text(encoding="utf-8").replace("blog/arts", hostile).replace("doc_000003", f"{hostile}3")
        path.write_text(text.replace("word1 ", hostile + "w" * 50_000), encoding="utf-8")
    scores = evaluated(release, tmp_path / "scores", "random")
    assert main(["explore", str(scores), "--release", str(release), "--out", str(tmp_path / "out")]) == 0
    found = read(tmp_path / "out")
    for name, page in found.items():
        assert "<img" not in page and page.count("<script") == 1 + (name == "index.html")
        assert not set("\u202e\u2066") & set(page) and "w" * (pages.TEXT + 1) not in page
    page = found["queries-001.html"]
    assert "U+202E" in page and "&lt;script&gt;" in page and "more characters" in page


def test_a_model_that_ranks_no_candidates_is_left_out(scored, tmp_path):
    shutil.copytree(scored[1] / "tfidf", tmp_path / "tfidf")
    own = shutil.copytree(scored[1] / "random", tmp_path / "pairs")
    table = pl.read_parquet(own / "queries.parquet").with_columns(pl.lit(None, pl.Float64).alias("success@1"))
    table.write_parquet(own / "queries.parquet")
    found = explore(collect([tmp_path]), 3)
    assert (found.models, found.left_out, found.queries.height) == (["tfidf"], ["random"], 3)


def test_a_query_without_a_known_candidate_is_shown(scored, tmp_path):
    own = shutil.copytree(scored[1] / "tfidf", tmp_path / "scores")
    nothing = (pl.col(name).list.head(0) for name in ("nearest", "scores"))
    pl.read_parquet(own / "queries.parquet").head(1).with_columns(nothing).write_parquet(own / "queries.parquet")
    pl.read_parquet(own / "pairs.parquet").clear().write_parquet(own / "pairs.parquet")
    pages.write_explorer([own], tmp_path / "out")
    assert ["tfidf", "–", "–", "–", "–"] in rows_of(read(tmp_path / "out")["queries-001.html"])


def test_a_release_that_was_not_evaluated_is_refused(scored, tmp_path):
    other = write_scored_release(tmp_path / "other", 12)
    assert main(["explore", str(scored[1]), "--release", str(other), "--out", str(tmp_path / "out")]) == 2
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize(
    "wrong",
    [
        pl.lit(None, pl.Float64).alias("success@1"),
        pl.lit("x").alias("nearest"),
        pl.col("scores").list.head(3),
    ],
    ids=["nothing ranked", "another type", "fewer scores"],
)
def test_queries_that_cannot_be_explored_are_refused(wrong, scored, tmp_path):
    (tmp_path / "scores").mkdir()
    for name in ("scores.json", "pairs.parquet"):
        (tmp_path / "scores" / name).write_bytes((scored[1] / "random" / name).read_bytes())
    pl.read_parquet(scored[1] / "random/queries.parquet").with_columns(wrong).write_parquet(
        tmp_path / "scores/queries.parquet"
    )
    assert main(["explore", str(tmp_path / "scores"), "--out", str(tmp_path / "out")]) == 2
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize("line", ["explore {1} --release {0} --out {0}/e", "evaluate {0} --model random --out {0}/s"])
def test_nothing_is_written_into_a_release_that_is_given(line, scored, tmp_path):
    release = shutil.copytree(scored[0], tmp_path / "release")
    seal(release)
    before = sorted(release.rglob("*"))
    assert main(line.format(release, scored[1]).split()) == 2
    assert sorted(release.rglob("*")) == before


@pytest.mark.parametrize("line", ["explore {0} --out {1}", "leaderboard {0} --out {1}", "tables {0} --out {1}"])
def test_a_folder_with_an_input_is_not_replaced(line, scored, tmp_path):
    scores = shutil.copytree(scored[1], tmp_path / "out/scores")
    for out in (scores, tmp_path / "out"):
        assert main(line.format(scores, out).split()) == 2
    assert (scores / "random/scores.json").is_file()
    (tmp_path / "loop").symlink_to(tmp_path / "loop")
    assert main(line.format(tmp_path / "loop", tmp_path / "new").split()) == 2
