"""Claims about charts: the same bytes, well-formed, described in words, and true to their numbers."""

import os
import re
import subprocess
import sys
import warnings
import xml.etree.ElementTree as ET
from pathlib import Path

import matplotlib
import polars as pl
import pytest
from counted_documents import DOCUMENTS, FUNNEL, QUERIES
from every_chart import digests, every_kind
from examples import costly
from hypothesis import given
from hypothesis import strategies as st

from authbench.build.release import statistics
from authbench.config.registry.entries import read_yaml
from authbench.core.presentation.charts import LEFT, MARGIN, WIDTH, as_file, as_svg, legend_height, shorten
from authbench.core.presentation.palette import SERIES, mark_of, marks_of, series
from authbench.core.presentation.plots import Value, value_bars
from authbench.reports.report import figures

pytestmark = pytest.mark.usefixtures("drawn_anew")
SVG = "{http://www.w3.org/2000/svg}"
ROOT = Path(__file__).parents[2]
DRAW = """
import sys
import authbench.suites.style.figures
from every_chart import digests
for one in digests():
    print(one)
sys.exit("matplotlib.pyplot" in sys.modules)
"""


def drawn(documents, funnel):
    tables = statistics.tables(documents, QUERIES, ["train", "test"])
    charts = figures.charts(tables, statistics.funnel_table(funnel))
    return {chart.name: as_svg(chart) for chart in charts}


def test_another_process_draws_the_same_bytes_and_needs_no_pyplot():
    paths = os.pathsep.join(str(ROOT / place) for place in ("workflow", "tests/unit"))
    env = {**os.environ, "PYTHONPATH": paths, "PYTHONHASHSEED": "2"}
    other = subprocess.run([sys.executable, "-c", DRAW], env=env, capture_output=True, text=True, check=True)
    assert other.stdout.splitlines() == digests()


def test_drawing_leaves_matplotlibs_settings_alone():
    before = dict(matplotlib.rcParams)
    for chart in every_kind():
        as_svg(chart)
    assert dict(matplotlib.rcParams) == before


def test_settings_of_a_user_change_no_chart():
    chart = every_kind()[1]
    before = as_svg(chart)
    with matplotlib.rc_context({"font.size": 30, "axes.grid": True, "axes.facecolor": "red"}):
        assert as_svg(chart) == before


def test_every_figure_is_well_formed_and_says_what_it_shows():
    pictures = drawn(DOCUMENTS, FUNNEL)
    assert sorted(pictures) == ["documents_per_author", "funnel", "genres", "languages", "lengths"]
    for picture in pictures.values():
        root = ET.fromstring(picture)
        assert root.find(f"{SVG}title") is not None and root.find(f"{SVG}desc") is not None
        assert not {"script", "image", "foreignObject", "a"} & {
            element.tag.removeprefix(SVG) for element in root.iter()
        }
        assert all(target.startswith("#") for target in re.findall(r'href="([^"]*)"', picture))
        assert picture.count("http") == 2  # the names of SVG and of its links


def test_an_empty_release_still_has_figures():
    for picture in drawn(DOCUMENTS.clear(), []).values():
        ET.fromstring(picture)


@given(st.text(min_size=1, max_size=40))
@costly(12)
def test_no_name_breaks_out_of_a_chart_or_is_taken_for_mathematics(name):
    for chart in every_kind(name):
        ET.fromstring(as_svg(chart))


def test_no_name_of_a_source_or_genre_breaks_out_of_a_figure():
    name = "<script>&\"'$x^2$\x00旧"
    funnel = [{**row, "source": name} for row in FUNNEL[2:]]
    for picture in drawn(DOCUMENTS.with_columns(genre=pl.lit(name)), funnel).values():
        ET.fromstring(picture)
        assert "<script" not in picture


def test_pdf_and_png_have_a_glyph_for_every_character_and_svg_leaves_them_to_the_browser():
    [chart] = [chart for chart in every_kind("旧港 café Ж") if chart.name == "bars"]
    assert "旧港 café Ж" in as_svg(chart)
    with warnings.catch_warnings():
        warnings.simplefilter("error")  # matplotlib warns of a character without a glyph
        assert as_file(chart, "pdf").startswith(b"%PDF") and as_file(chart, "png").startswith(b"\x89PNG")


def test_a_model_has_one_mark_whatever_stands_beside_it():
    assert mark_of("tfidf") == mark_of("tfidf") != mark_of("char-ngram")
    assert mark_of("a model of mine") == mark_of("a model of mine")
    of_the_demo = read_yaml(ROOT / "config/config.yaml")["evaluate"]["models"]
    assert len({mark_of(model) for model in of_the_demo}) == len(of_the_demo) > 4


def test_systems_of_one_page_have_colours_of_their_own_whatever_they_are_called():
    names = [f"answers_team{number}20-large" for number in range(13)] + ["naive", "tfidf"]
    assert len({mark_of(name).colour for name in names}) < len(names)
    marks = marks_of(names)
    assert len({mark.colour for mark in marks.values()}) == len(names)
    assert marks == marks_of(reversed(names)) and marks["naive"] == mark_of("naive")


def test_models_that_stand_in_one_chart_have_colours_of_their_own():
    """Those of the default leaderboard, PAN and RAVEN."""
    shipped = ("tfidf", "char-ngram", "function-words", "stylometric", "naive", "ppm", "topicfit", "ensemble")
    rows = [model for model in read_yaml(ROOT / "config/config.yaml")["evaluate"]["models"] if model not in shipped]
    names = (*shipped, *rows)
    assert len({mark_of(name).colour for name in names}) == len(names)


def test_series_of_other_things_take_colours_in_turn():
    assert series(["train", "dev"]) == {"train": SERIES[0], "dev": SERIES[1]}
    assert len(series(map(str, range(40)))) == 40


def test_bars_end_at_their_values():
    values = [Value(str(value), value, mark_of("x"), f"tip {value}") for value in (0.25, 0.5)]
    picture = as_svg(value_bars("b", "", "", values))
    ends = dict(re.findall(r"<title>tip ([\d.]+)</title>\s*<path d=\"M [^z]*?L ([\d.]+) ", picture))
    start = LEFT + MARGIN
    assert (float(ends["0.5"]) - start) == pytest.approx(2 * (float(ends["0.25"]) - start), abs=0.01)


def test_boxes_stand_at_their_quantiles():
    quantiles = {"p10": 1.0, "p25": 10.0, "p50": 50.0, "p75": 100.0, "p90": 1000.0}
    table = pl.DataFrame([{"language": "en", "documents": 5, **quantiles}])
    picture = as_svg(figures.lengths(table))
    start, end = re.search(r"English: p10[^<]*</title>\s*<path d=\"M ([\d.]+) [^z]*?L ([\d.]+) ", picture).groups()
    decade = (WIDTH - 14 - LEFT) / 3.11394  # the axis runs from 1 to 1.3 times the longest whisker
    assert float(start) == pytest.approx(LEFT + MARGIN + decade, abs=0.1)
    assert float(end) - float(start) == pytest.approx(decade, abs=0.1)


def test_a_source_is_divided_into_what_was_released_and_dropped_at_each_stage():
    table = statistics.funnel_table(FUNNEL).filter(pl.col("source") == "a")
    assert figures.fate(table) == {"released": 12, "filter": 5}


def test_names_are_cut_where_they_do_not_fit_and_wide_letters_take_more_room():
    assert shorten("a short name", 140) == "a short name"
    assert shorten("a name that is far too long for its place", 140).endswith("…")
    assert len(shorten("旧港在雨中旧港在雨中", 60)) < len(shorten("abcdefghij", 60))


def test_a_legend_takes_as_many_lines_as_it_needs():
    assert legend_height([]) == 0
    assert legend_height(["a", "b"]) < legend_height(["a long name of a stage"] * 9)
