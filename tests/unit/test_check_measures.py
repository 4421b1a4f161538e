"""What the check says of measurements is what the filter decides, and what it counts is what was measured.

The conditions are declared once (filter_rules); measurements are counted in two ways, by arrays of code points here and
by compiled loops there.
"""

from pathlib import Path
from types import SimpleNamespace

import numpy as np
import polars as pl
import pytest
from cases import cases
from hypothesis import given, settings
from hypothesis import strategies as st

from authbench.build.filter.decide import apply_filters
from authbench.build.filter.measure import NUMBERS, measure_numbers
from authbench.config.registry.entries import read_yaml
from authbench.core.errors import InputError
from authbench.core.shipped import shipped
from authbench.release.checking.measures import check_measured, check_measures

CONFIG = read_yaml(shipped("config/config.yaml"))
LANGS = ("en", "zh", "hi", "es", "fr", "ar", "ru", "de", "ja", "ko", "other")


def release(documents=None):
    return SimpleNamespace(manifest={}, folder=Path("here"), documents=documents)


def measured(many, seed):
    """Documents with random measurements, many of them at a threshold, none or null."""
    draw = np.random.default_rng(seed)

    def column(dtype):
        if dtype == pl.Float64:
            values = draw.choice([0.0, 0.2, 0.25, 0.4, 0.5, 0.9, 1.0, 0.3, 0.7], many)
        else:
            values = draw.choice([0, 1, 5, 6, 7, 8, 9, 10, 19, 20, 21, 60, 100], many)
        series = pl.Series(values, dtype=dtype)
        return series.zip_with(pl.Series(draw.random(many) > 0.1), pl.Series([None] * many, dtype=dtype))

    numbers = {name: column(dtype) for name, dtype in NUMBERS.items()}
    words = {
        "lang": draw.choice(LANGS, many),
        "genre": draw.choice(["news", "literature", "literature/novel", "poetry", "blog/poetry"], many),
        "source": draw.choice(["german_pd", "french_pd_books", "novels", "pds_sample"], many),
        "task": draw.choice(["authorship", "chat"], many),
        "langid": draw.choice([*LANGS, None], many),
    }
    return pl.DataFrame(
        {
            "id": [f"doc_{row:06d}" for row in range(many)],
            **{name: pl.Series(list(values), dtype=pl.String) for name, values in words.items()},
            "token_length": draw.choice([1, 2, 3, 1999, 2000, 2001], many),
            **numbers,
            "langid_probability": column(pl.Float64()),
            "toxicity": 0.0,
            "author_kind": "person",
            "n_authors": 1,
        }
    )


@pytest.mark.parametrize("preset", ["robust", "paper"])
@cases
def test_the_check_finds_what_the_filter_drops(preset, more):
    provenance = measured(4000, seed=len(preset) + len(more))
    filters = {**CONFIG["filter"], "preset": preset, **more}
    sample = {"languages": dict.fromkeys(LANGS, 1)}
    dropped = apply_filters(provenance.with_columns(doc_key="id"), filters)["doc_key"]
    found = check_measures(release(), provenance, {**CONFIG, "filter": filters, "sample": sample})
    assert {finding.id for finding in found} == set(dropped)
    assert 0 < dropped.n_unique() < provenance.height


TEXTS = st.lists(
    st.text(max_size=40)
    | st.text("ab é1½²-!😀字あ한ाि\u200d\u0301 \n\u3000", max_size=60)
    | st.sampled_from(["[URL] a [EMAIL]", "www.example.org/x and :smile: <URL>", "一二 [捂脸R] 三", "a" * 50]),
    min_size=1,
    max_size=6,
) | st.lists(
    st.tuples(st.text("ab é1½'.!😀字あ한ाि\u200d\u0301 \n", min_size=1, max_size=30), st.integers(20, 300)).map(
        lambda drawn: (drawn[0] + " ") * drawn[1] + "end"
    ),
    min_size=1,
    max_size=2,
)


@settings(max_examples=150)
@given(TEXTS, st.sampled_from(LANGS[:10]))
def test_counting_again_gives_what_was_measured(contents, lang):
    documents = pl.DataFrame({"id": [f"doc_{row}" for row in range(len(contents))], "lang": lang, "content": contents})
    provenance = documents.select("id").hstack(measure_numbers(documents))
    assert list(check_measured(release(documents), provenance)) == []


def test_words_of_a_text_that_repeats_itself_are_counted_again():
    documents = pl.DataFrame({"id": ["doc_0"], "lang": "en", "content": ["it is so, " * 60 + "never again"]})
    provenance = documents.select("id").hstack(measure_numbers(documents))
    for column in ("unique_words", "dominant_word"):
        found = list(check_measured(release(documents), provenance.with_columns(pl.lit(0.5).alias(column))))
        assert [finding.note for finding in found] == [f"{column} of doc_0"]


def test_another_number_is_found():
    documents = pl.DataFrame({"id": ["doc_0", "doc_1"], "lang": "en", "content": ["one text", "and an other"]})
    provenance = documents.select("id").hstack(measure_numbers(documents))
    for column in ("visible", "all_letters", "symbols_paper", "alphabetic_paper", "tokens_ws", "unique_tokens_ws"):
        changed = pl.when(pl.col("id") == "doc_1").then(pl.col(column) + 1).otherwise(column)
        found = check_measured(release(documents), provenance.with_columns(changed.alias(column)))
        assert [(finding.id, finding.note) for finding in found] == [("doc_1", f"{column} of doc_1")]


@pytest.mark.parametrize("threshold", ["a lot", True, [1], {"default": "x"}])
def test_a_threshold_that_cannot_be_compared_is_an_error(threshold):
    filters = {**CONFIG["filter"], "symbols": threshold}
    with pytest.raises(InputError, match="do not fit"):
        list(check_measures(release(), measured(3, 1), {**CONFIG, "filter": filters}))
