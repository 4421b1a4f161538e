import xml.etree.ElementTree as ET

import polars as pl
import pytest
from counted_documents import DOCUMENTS, FUNNEL, QUERIES
from hypothesis import given, settings
from hypothesis import strategies as st

from authbench.report import figures, statistics

SVG = "{http://www.w3.org/2000/svg}"


def drawn(documents: pl.DataFrame, funnel: list[dict[str, object]]) -> dict[str, str]:
    tables = statistics.tables(documents, QUERIES, ["train", "test"])
    return figures.pictures(tables, statistics.funnel_table(funnel))


def test_every_figure_is_well_formed_and_says_what_it_shows() -> None:
    pictures = drawn(DOCUMENTS, FUNNEL)
    assert sorted(pictures) == ["documents_per_author", "funnel", "genres", "languages", "lengths"]
    for picture in pictures.values():
        root = ET.fromstring(picture)
        assert root.find(f"{SVG}title") is not None and root.find(f"{SVG}desc") is not None
        assert not {"script", "image", "foreignObject", "use", "a"} & {
            element.tag.removeprefix(SVG) for element in root.iter()
        }
        assert "href" not in picture and picture.count("http") == 1


def test_an_empty_release_still_has_figures() -> None:
    for picture in drawn(DOCUMENTS.clear(), []).values():
        ET.fromstring(picture)


@given(st.text(min_size=1, max_size=40))
@settings(max_examples=60, deadline=None)
def test_no_name_of_a_source_or_genre_breaks_out_of_a_figure(name: str) -> None:
    funnel = [{**row, "source": name} for row in FUNNEL[2:]]
    for picture in drawn(DOCUMENTS.with_columns(genre=pl.lit(name)), funnel).values():
        ET.fromstring(picture)


def test_whiskers_and_boxes_stand_at_their_quantiles() -> None:
    quantiles = {"p10": 1.0, "p25": 10.0, "p50": 50.0, "p75": 100.0, "p90": 1000.0}
    table = pl.DataFrame([{"language": "en", "documents": 5, **quantiles}])
    box = next(e for e in ET.fromstring(figures.lengths(table)).iter(f"{SVG}rect") if e.get("rx"))
    decade = (figures.WIDTH - figures.LEFT - 14) / 3.11394  # the axis runs from 1 to 1.3 times the longest whisker
    assert float(box.get("x", 0)) == pytest.approx(figures.LEFT + decade, abs=0.1)
    assert float(box.get("width", 0)) == pytest.approx(decade, abs=0.1)


def test_a_source_is_divided_into_what_was_released_and_dropped_at_each_stage() -> None:
    table = statistics.funnel_table(FUNNEL).filter(pl.col("source") == "a")
    assert figures.fate(table) == {"released": 12, "filter": 5}


@pytest.mark.parametrize(("value", "written"), [(1.0, "1"), (0.1 + 0.2, "0.3"), (-0.001, "0"), (100, "100")])
def test_numbers_are_written_alike_everywhere(value: float, written: str) -> None:
    assert figures.number(value) == written


def test_wide_letters_count_twice_when_labels_are_cut() -> None:
    assert figures.shorten("旧港在雨中", 10) == "旧港在雨中"
    assert figures.shorten("旧港在雨中", 8) == "旧港在…"
