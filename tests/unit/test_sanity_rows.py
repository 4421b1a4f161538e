"""Claims about models that see no style, or style and no topic."""

import codecs
import json
from datetime import date
from itertools import product
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from split_folder import write_release

from authbench.app.cli import main
from authbench.config.registry.entries import read_yaml
from authbench.config.registry.load import load_entry
from authbench.core.content_words import content_vectors, fit_words
from authbench.core.errors import InputError
from authbench.models.entries import MODELS
from authbench.models.lexical import distort, frequent_words
from authbench.models.open import open_model
from authbench.models.stylometric import measure_format
from authbench.release.format.release import open_release
from authbench.scoring.evaluation.split import read_split

ROOT = Path(__file__).parents[2]
CONFIG = read_yaml(ROOT / "config/config.yaml")
TOPICS = ("topic-model", "content-characters")
SHORTCUTS = ("random", "metadata", "date", "format", "edges", "content-words", *TOPICS)
ROWS = (*SHORTCUTS, "punctuation", "masked")
TEXTS = st.lists(st.text("abcXYZ ,.!?\n'0159\u3000[]üé雨的", min_size=1, max_size=60), min_size=2, max_size=6)


def documents(texts, **columns):
    usual = {"lang": "en", "source": "s", "genre": "blog", "token_length": 50}
    ids = [f"doc_{k:06d}" for k in range(len(texts))]
    return pl.DataFrame(
        {"id": ids, "content": texts} | {name: columns.get(name, [value] * len(texts)) for name, value in usual.items()}
    )


def vectors(name, table, reference=None):
    found = open_model(load_entry(MODELS, name)).compare(
        table, table.height, np.arange(table.height, dtype=np.int32), reference
    )
    rows = found.candidates
    return rows if isinstance(rows, np.ndarray) else rows.toarray()


def test_every_table_has_the_rows_and_the_first_are_shortcuts():
    entries = {name: load_entry(MODELS, name) for name in ROWS}
    assert {entry.group for entry in entries.values()} == {"sanity"}
    assert [name for name, entry in entries.items() if entry.shortcut] == list(SHORTCUTS)
    assert CONFIG["evaluate"]["models"][: len(ROWS)] == list(ROWS)
    undated = [row for row in ROWS if row not in ("date", *TOPICS)]
    assert CONFIG["style"]["models"][: len(undated)] == undated
    of_pairs = set(undated) - {"metadata"}  # which pairs of texts do not have
    assert of_pairs <= set(CONFIG["pan"]["verifiers"])
    assert of_pairs <= set(CONFIG["raven"]["verifiers"])


@given(TEXTS)
def test_the_format_row_sees_no_letter_and_tells_no_sign_from_another(texts):
    other = str.maketrans({",": ";", ".": ":", "!": "…", "?": "–", "é": "ö", "雨": "山"})
    changed = [codecs.encode(text, "rot13").translate(other) for text in texts]
    assert [measure_format(text) for text in changed] == [measure_format(text) for text in texts]
    assert (vectors("format", documents(changed)) == vectors("format", documents(texts))).all()


def test_the_format_row_sees_lines_ends_digits_capitals_emoji_stickers_and_placeholders():
    plain = measure_format("one two three four")
    for text, what in (
        ("one two\nthree four", "line breaks"),
        ("one two 3 four", "digits"),
        ("One two Three four", "capitals"),
        ("one two three 🌧", "emoji"),
        ("one two [doge] four", "stickers"),
        ("one two [URL] four", "placeholders"),
        ("one two three four.", "lines ended with sign"),
    ):
        assert measure_format(text)[what] > plain[what], what
    assert measure_format("see [URL]") == measure_format("see [FAX]")
    assert measure_format("ha [doge] ha") == measure_format("ha [love] ha")


@given(TEXTS)
def test_the_punctuation_row_sees_marks_and_no_letter(texts):
    changed = [codecs.encode(text, "rot13").replace("0", "1").replace("雨", "山") for text in texts]
    assert (vectors("punctuation", documents(changed)) == vectors("punctuation", documents(texts))).all()


def test_punctuation_tells_marks_of_any_script_apart():
    found = vectors("punctuation", documents(["a، b، c", "x، y، z", "a, b, c", "雨。雨", "山。山"]))
    assert found[0] @ found[1] > 0.99 > 0.5 > found[0] @ found[2]
    assert found[3] @ found[4] > 0.99


def test_the_edges_row_sees_twelve_characters_of_either_end():
    ends = "Dear friends", "yours, Emily"
    texts = [f"{ends[0]}{middle}{ends[1]}" for middle in ("one thing", "quite another, longer thing")]
    found = vectors("edges", documents([*texts, "nothing of the kind is in here at all"]))
    assert found[0] @ found[1] == pytest.approx(1.0, abs=1e-6)
    assert found[0] @ found[2] < 0.5


def by_date(dates, queries, candidates=None):
    table = documents(["text"] * len(dates)).with_columns(pl.Series("date", dates, pl.String))
    asked = np.array(queries, np.int32)
    return open_model(load_entry(MODELS, "date")).compare(table, candidates or len(dates), asked)(0, len(asked))


def test_the_date_row_scores_by_days_apart_and_an_unknown_date_as_the_middle_of_all_distances():
    dates = ["2020-01-01", "2020-01-02", "2020-01-11", None, "2020-04-10", "no date"]
    assert by_date(dates, [0, 3]).tolist() == [[0, -1, -10, -10, -100, -10], [-10] * 6]  # of 1, 9, 10, 90, 99, 100


def test_years_are_equally_far_from_the_year_before_and_the_year_after_and_months_are_within_their_year():
    (found,) = by_date(["1851", "1850", "1852", "1851", "1851-07-02", "1851-06", "1851-01-01"], [0])
    assert found[0] == found[3] == 0 and found[1] == found[2] == -365.25
    assert -1 < found[4] <= 0 and -31 < found[5] < 0 and -184 < found[6] < -180


@given(st.lists(st.none() | st.dates().map(str) | st.dates().map(lambda day: str(day)[:4]), min_size=1, max_size=9))
def test_distances_of_dates_are_exact_in_any_century_and_the_same_both_ways(dates):
    found = by_date(dates, range(len(dates)))
    assert (found == found.T).all() and (found <= 0).all()
    whole = [told if told and len(told) == 10 else None for told in dates]
    for (one, first), (other, second) in product(enumerate(whole), repeat=2):
        if first and second:
            assert -found[one, other] == abs((date.fromisoformat(first) - date.fromisoformat(second)).days)
    assert [-found[k, k] for k, told in enumerate(dates) if told] == [0] * sum(told is not None for told in dates)


def test_without_dates_every_score_is_equal_and_a_release_without_provenance_has_none():
    assert len(np.unique(by_date([None] * 4, [0, 1, 3], candidates=3))) == 1
    table = documents(["a", "b", "c"])
    scorer = open_model(load_entry(MODELS, "date")).compare(table, 2, np.array([2], np.int32))
    assert scorer(0, 1).tolist() == [[0.0, 0.0]]


def test_the_date_row_gives_no_text_a_vector():
    with pytest.raises(InputError, match="scores pairs"):
        open_model(load_entry(MODELS, "date")).embed(documents(["a"]))


def test_content_words_are_weighted_as_the_similarity_of_topics_of_a_release():
    texts = documents(["the glacier and the flood", "a glacier, a boat", "of cats and dogs"])
    reference = [documents(["the river", "the cat and a river", "a boat"])]
    found = vectors("content-words", texts, reference)
    assert (found == content_vectors(texts, fit_words(reference)).toarray()).all()
    assert found[0] @ found[1] > 0 == found[0] @ found[2]


def test_the_topic_model_row_learns_the_topics_of_each_language_from_the_reference():
    sea, farm = "harbour lantern anchor sail", "plough barley cattle barn"
    reference = [documents([f"the {sea}", f"the {farm}"] * 20), documents([f"la {farm}"] * 4, lang=["es"] * 4)]
    texts = documents(
        ["a harbour, an anchor", "sail and lantern", "barley or cattle", "glacier", "harbour sail"],
        lang=["en", "en", "en", "en", "fr"],
    )
    found = vectors("topic-model", texts, reference)
    alike = found @ found.T
    assert alike[0, 1] > 0.99 and alike[0, 2] < 0.01
    assert not found[3:].any()  # no word of the reference, and no text of the language
    assert vectors("topic-model", texts[:0], reference).shape[0] == 0


def test_the_content_characters_row_finds_forms_of_a_word_and_sees_no_function_word():
    reference = [documents([f"the {word}" for word in ("river", "mountain", "lantern")])]
    texts = documents(["the glacier", "of two glaciers", "a lantern", "glacier and the", "the of"])
    found = vectors("content-characters", texts, reference)
    alike = found @ found.T
    assert alike[0, 1] > 0.5 > alike[0, 2] and alike[0, 3] == pytest.approx(1.0)
    assert not found[4].any()
    words = vectors("content-words", texts, reference)
    assert words[0] @ words[1] == 0
    assert vectors("content-characters", texts[:0], reference).shape[0] == 0


def test_the_masked_row_keeps_words_that_are_frequent_in_the_reference_alone():
    reference = [documents(["the cat and the dog", "the hen and the pig"] * 3)]
    assert frequent_words(reference, 2) == {"en": frozenset({"the", "and"})}
    texts = ["the hen and the cow, 12", "the pig and the ant, 34", "for hen for cow: 12"]
    kept = frozenset({"the", "and"})
    assert distort(texts[0], kept) == distort(texts[1], kept) == "the *** and the ***, ##"
    assert distort("The cat's paw; 的确雨", kept | {"的"}) == "The ***** ***; 的**"
    assert distort("مِن البَيت", frozenset({"مِن"})) == "مِن ******"


def test_masked_texts_differ_by_no_rare_word():
    words = [f"word{letter * 3}" for letter in "abcdefghijklmnopqrstuvwxyz"]
    reference = [documents([f"the and of {' '.join(f'w{k}x{j}' for j in range(20))}" for k in range(40)] * 2)]
    one, two = (f"the {words[k]} of {words[k + 1]} and the {words[k + 2]}!" for k in (0, 9))
    found = vectors("masked", documents([one, two, "quite different; and – other signs"]), reference)
    assert found[0] @ found[1] == pytest.approx(1.0, abs=1e-5)
    assert found[0] @ found[2] < 0.9


def test_the_ids_row_finds_the_nearest_number():
    found = vectors(
        "ids", documents([""] * 5).with_columns(id=pl.Series([f"doc_{n:06d}" for n in (1, 2, 90, 91, 500)]))
    )
    nearest = (found @ found.T - 2 * np.eye(5)).argmax(axis=1)
    assert nearest.tolist() == [1, 0, 3, 2, 3]


def test_words_are_learnt_from_the_train_split_where_there_is_one(tmp_path):
    folder = write_release(tmp_path / "release", authors=4)
    alone = read_split(open_release(folder), "test")
    assert (alone.reference, alone.fitted_on) == (None, "candidates")
    (write_release(tmp_path / "other", authors=2) / "test").rename(folder / "train")
    split = read_split(open_release(folder), "test")
    assert split.fitted_on == "train"
    for _ in range(2):  # it can be read again
        assert sum(batch.height for batch in split.reference) == 6
    command = ["evaluate", str(folder), "--model", "content-words", "--unverified"]
    assert main([*command, "--out", str(tmp_path / "out")]) == 0
    scores = json.loads(next((tmp_path / "out/content-words").rglob("scores.json")).read_text())
    assert scores["settings"]["fitted_on"] == "train"
