"""The compiled measurements are what a reader would count by hand."""

from pathlib import Path

import numpy as np
import polars as pl
import pytest
import regex
from cases import read_cases
from hypothesis import given, settings
from hypothesis import strategies as st
from plain_measures import WORD, measure_plainly

from authbench.build.filter import measure, scripts
from authbench.build.filter.text_kernels import decode
from authbench.core.records import LANGUAGES
from authbench.core.text_bytes import utf8

# A few sentences per language, written for these tests.
TEXTS = read_cases(Path(__file__))["TEXTS"]
AWKWARD = "aàßбв日々カーひ한ㅋहिि़ा\u200d\u200c'’.:,_·-12٣½²\n\r \u3000«»\"“”„>…😀👍🏽❤️\ufe0fﾞ\u0301אʼ"
awkward_texts = st.text(st.one_of(st.sampled_from(AWKWARD), st.characters(exclude_categories=["Cs"])), max_size=60)


def measured(text, lang="en"):
    documents = pl.DataFrame({"doc_key": ["d"], "lang": [lang], "content": [text]})
    return measure.measure_texts(documents, LANGUAGES).row(0, named=True)


def assert_as_by_hand(text, lang):
    text = measure.without_placeholders(pl.Series([text])).item()
    row = measured(text, lang)
    expected = measure_plainly(text, lang)
    assert {name: row[name] for name in expected} == {name: pytest.approx(value) for name, value in expected.items()}


@given(awkward_texts, st.sampled_from(list(TEXTS)))
@settings(max_examples=80, deadline=None)
def test_every_measurement_is_what_plain_python_counts(text, lang):
    assert_as_by_hand(text, lang)


@pytest.mark.parametrize("lang", TEXTS)
def test_every_measurement_is_what_plain_python_counts_in_ten_languages(lang):
    assert_as_by_hand(TEXTS[lang], lang)
    assert_as_by_hand(" ".join([TEXTS[lang]] * 12) + " so", lang)


@pytest.mark.parametrize("lang", ["en", "hi", "es", "fr", "ar", "ru", "de", "ko"])
def test_words_are_those_of_unicode_annex_29(lang):
    expected = [word for word in regex.findall(r"(?w)\b\w.*?\b", TEXTS[lang]) if not regex.search(r"\p{Han}", word)]
    words = [word for word in WORD.findall(TEXTS[lang]) if regex.search(r"[\p{L}\p{N}]", word)]
    assert [word for word in words if not regex.search(r"\p{Han}", word)] == expected
    assert measured(TEXTS[lang], lang)["words"] == len(words)


def test_variety_is_that_of_the_median_window_of_two_hundred_words():
    varied = [f"w{number}" for number in range(200)]
    assert measured(" ".join([*varied, *["la"] * 200, *varied]))["unique_words"] == 1.0
    assert measured(" ".join([*varied, *["la"] * 199]))["unique_words"] == 1.0
    assert measured("la la la la")["unique_words"] == 0.25


@pytest.mark.parametrize(
    ("text", "share"),
    [("he said “so” to", 2 / 12), ("„ja“ »ja« 「は」", 5 / 11), ("“never closed\nso", 0.0), ("> all\nab", 4 / 6)],
)
def test_quoted_text_stands_between_marks_of_one_line_or_on_cited_lines(text, share):
    assert measured(text)["quoted_share"] == pytest.approx(share)


def test_placeholders_addresses_and_emoji_codes_count_for_nothing():
    text = "재미있다"
    noisy = f"{text} [URL] https://example.org/a?b=c [email] [doge] :smile: urlLink"
    assert measured(noisy, "ko") == measured(text, "ko")


def test_langid_is_asked_where_the_script_is_mixed_or_cannot_tell_and_for_long_latin_texts():
    assert measured(TEXTS["ru"], "ru")["langid"] is None
    assert measured(TEXTS["ru"], "de")["langid"] in ("ru", "uk")
    assert measured(TEXTS["ko"] + " OST", "ko")["langid"] == "ko"
    assert measured("Only fifty letters or so, hence not asked.", "en")["langid"] is None
    assert measured(TEXTS["es"] * 2, "en")["langid"] == "es"
    assert measured("", "en")["langid"] is None


def test_foreign_hashtags_do_not_make_a_sentence_foreign():
    text = "So proud and happy to be here tonight, what a concert that was! #원호 #디에잇_스타더스트 #정국 #공연 #노래"
    assert measured(text, "en")["langid"] == "en"


def test_measurements_do_not_depend_on_the_company():
    documents = pl.DataFrame({"doc_key": list(TEXTS), "lang": list(TEXTS), "content": list(TEXTS.values())})
    together = measure.measure_texts(documents, list(TEXTS))
    apart = [measure.measure_texts(row, list(TEXTS)) for row in documents.iter_slices(1)]
    assert together.equals(pl.concat(apart))
    assert together.schema == measure.MEASURES


def test_no_documents_have_no_measurements():
    empty = pl.DataFrame(schema={"doc_key": pl.String, "lang": pl.String, "content": pl.String})
    assert measure.measure_texts(empty, ["en"]).equals(pl.DataFrame(schema=measure.MEASURES))


def test_the_bytes_of_a_text_are_where_the_offsets_say():
    texts = ["aé", "", "😀", "so"]
    assert [part.tolist() for part in utf8(pl.Series(["", ""]))] == [[], [0, 0, 0]]
    for series in (pl.Series(texts), pl.Series(["left out", *texts])[1:]):
        content, offsets = utf8(series)
        assert [bytes(content[a:b]).decode() for a, b in zip(offsets, offsets[1:], strict=False)] == texts


def test_a_null_is_no_text():
    with pytest.raises(ValueError, match="1 of 2 texts are null"):
        utf8(pl.Series(["", None], dtype=pl.String))


@given(awkward_texts)
@settings(deadline=None)
def test_a_text_is_decoded_to_its_code_points(text):
    codes, properties = (np.empty(len(text.encode()), np.uint32) for _ in range(2))
    length, said = decode(np.frombuffer(text.encode(), np.uint8), scripts.properties(), codes, properties)
    assert codes[:length].tolist() == [ord(character) for character in text]
    assert (properties[:length] == scripts.properties()[codes[:length]]).all()
    assert bool(said & scripts.QUOTING) == any(mark in text for mark in (*scripts.QUOTES, ">"))


def test_nothing_is_known_of_code_points_that_are_not_assigned():
    beyond = "".join(
        map(chr, (code for start, end in ((0x40000, 0xE0000), (0xE1000, 0x110000)) for code in range(start, end)))
    )
    used = r"[\p{L}\p{M}\p{N}\p{White_Space}\p{Scx=Common}\p{Scx=Inherited}\p{WB=Extend}\p{WB=Format}\p{Han}]"
    assert regex.search(rf"(?V1){used}", beyond) is None
