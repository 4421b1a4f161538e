"""The tables hold what the AuthBench papers published: their result files give their figures, ours give ours."""

from pathlib import Path

import polars as pl
import pytest
from cases import read_cases
from shared_folders import published

from authbench.app.cli import main
from authbench.reports.leaderboard.collect import Result
from authbench.reports.tables.models import Choice, size_in_words, size_of
from authbench.reports.tables.scores import chosen, overall_table, slice_tables

SPLIT = "v1-test"
KEYS = {"S@1": "success@1", "S@5": "success@5", "R@5": "recall@5", "nDCG@5": "ndcg@5", "EER": "eer"}
FACETS = {"language": "by_language", "genre": "by_genre", "length": "by_length", "source": "by_source",
          "primary_genre_pooled": "by_primary_genre"}  # fmt: skip
CHOICE = Choice(metrics=tuple(KEYS.values()), least=1, order="name")
# What the first paper prints: table 3 (S@5, R@5, nDCG@5, EER) and the sizes there.
TABLE_3 = read_cases(Path(__file__))["TABLE_3"]


@pytest.fixture(scope="module")
def rows():
    path = published("published_results.csv")
    return pl.read_csv(path, infer_schema_length=None).filter(pl.col("split") == SPLIT)


def cell(row):
    """Return a row as a cell of scores.json; every author of that split asks once."""
    scores = {key: row[column] for column, key in KEYS.items()}
    counts = {"queries": row["queries"], "authors": row["queries"], "pool": row["candidates"]}
    return counts | scores | {"intervals": {}}


@pytest.fixture(scope="module")
def results(rows):
    found = []
    for (model, group), part in rows.group_by("model", "group", maintain_order=True):
        scores = {
            "model": {"name": model, "group": group, "title": model, "trained_on": []},
            "benchmark": {"split": "test", "checksum": "", "candidates": 1059, "queries": 1012, "verified": True},
            "settings": {"seed": 13, "negatives_per_query": 50},
            "versions": {},
            **{facet: {} for facet in FACETS.values()},
        }
        for row in part.iter_rows(named=True):
            if row["slice"] == "overall":
                scores["overall"] = cell(row)
            elif row["slice"] in FACETS:
                scores[FACETS[row["slice"]]][row["key"]] = cell(row)
        found.append(Result(Path(str(model)), scores))
    return chosen(found, CHOICE)


@pytest.fixture(scope="module")
def slices(results):
    return {table.name: table for table in slice_tables(results, CHOICE)[0]}


def test_the_overall_table_is_table_3_of_the_paper(results):
    table = overall_table(results, CHOICE)
    shown = {row.cells[0].text: [one.text for one in row.cells[1:]] for row in table.rows}
    for model, (size, *scores) in TABLE_3.items():
        assert shown[model][0] == size
        told = [float(shown[model][at]) for at in (2, 3, 4, 5)]
        assert told == pytest.approx(scores, abs=0.0011), model  # the file is rounded to four decimals before
    assert shown["tfidf"][2:] == ["0.326", "0.321", "0.264", "0.177"]
    assert len(shown) == 50


def test_lengths_are_read_by_name_and_the_paper_prints_them_reversed(rows, slices):
    data = slices["by_length_success_at_5"].data
    lengths = rows.filter(pl.col("slice") == "length")
    for model, key, paper, value in lengths.select("model", "key", "paper_column", "S@5").iter_rows():
        [row] = data.filter(pl.col("model") == model).to_dicts()
        assert row[key.replace("_", " ")] == value
        assert paper == {"short": "extra_long", "medium": "long", "long": "medium", "extra_long": "short"}[key]
    tfidf = next(row for row in slices["by_length_success_at_5"].rows if row.cells[0].text == "tfidf")
    printed = ["0.444", "0.424", "0.262", "0.227"]  # the paper's table 6, under short to extra_long
    assert [one.text for one in tfidf.cells[2:]] == printed[::-1]


@pytest.mark.parametrize(("column", "metric"), [("S@5", "success_at_5"), ("EER", "eer")])
def test_primary_genres_are_the_papers_means_over_sub_genres(rows, slices, column, metric):
    data = slices[f"by_primary_genre_mean_{metric}"].data
    means = rows.filter(pl.col("slice") == "primary_genre_mean_of_subgenres")
    assert means.height > 300
    for model, key, value in means.select("model", "key", column).iter_rows():
        [row] = data.filter(pl.col("model") == model).to_dicts()
        assert row[key.replace("_", " ")] == pytest.approx(value, abs=1e-4), (model, key)


def test_languages_are_the_papers(rows, slices):
    for column, metric in (("S@5", "success_at_5"), ("EER", "eer")):
        data = slices[f"by_language_{metric}"].data
        for model, key, value in rows.filter(slice="language").select("model", "key", column).iter_rows():
            assert data.filter(pl.col("model") == model)[key][0] == value


def test_sizes_are_those_that_the_authors_print(results):
    sizes = pl.read_csv(published("model_sizes.csv"))
    known = {model: size_in_words(int(size)) for model, size in sizes.select("model", "parameters_v1").rows() if size}
    told = {one.name: size_in_words(size_of(one)) for one in results}
    assert {name: told[name] for name in known.keys() & told.keys()} == {
        name: known[name] for name in known.keys() & told.keys()
    }


def test_tfidf_on_the_published_dev_split_scores_what_it_did(tmp_path):
    release = published("dev").parent
    scored = ["evaluate", str(release), "--unverified", "--split", "dev", "--model", "tfidf"]
    assert main([*scored, "--out", str(tmp_path / "scores")]) == 0
    told = ["publish", "tables", str(tmp_path / "scores"), "--least-authors", "1", "--out", str(tmp_path / "paper")]
    assert main(told) == 0
    [row] = pl.read_csv(tmp_path / "paper/tables/overall.csv").to_dicts()
    assert (round(row["S@5"], 3), round(row["EER"], 3)) == (0.364, 0.181)
    lengths = pl.read_csv(tmp_path / "paper/tables/by_length_success_at_5.csv")
    assert lengths.select("short", "medium", "long", "extra long").null_count().row(0) == (0, 0, 0, 0)
