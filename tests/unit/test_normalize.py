import unicodedata

import polars as pl
import pytest
from cases import cases
from hypothesis import given, settings
from hypothesis import strategies as st
from linear_time import takes_linear_time

from authbench.build.normalize import text as edition
from authbench.build.normalize.boilerplate import strip
from authbench.build.normalize.personal import mask
from authbench.build.normalize.table import normalize_records
from authbench.build.normalize.text import normalize_text, not_composed, undo_html, unify
from authbench.config.registry.source_entry import Normalize
from authbench.core.records import RECORD

SETTINGS = {"mask": ["email", "phone", "handle", "url"], "quotes": "keep"}
TROUBLE = st.text(
    st.one_of(
        st.characters(),
        st.sampled_from(
            "\t\n\r\x0b\x0c\x00\x85\xa0\xad\u200b\u200c\u200d\u2028\u2029\u2060\u202a\u3000\ufeff\u0301-a字é’“<&;\ud800"
        ),
    ),
    max_size=60,
)


@cases
def test_a_text_becomes_what_its_source_asks_for(raw, how, normal):
    assert normalize_text(raw, **how) == normal


def test_half_a_character_is_replaced():
    assert normalize_text("a\ud800b \ud83d\ude00") == "a\ufffdb 😀"


@given(TROUBLE, st.booleans(), st.sampled_from(["keep", "straight"]))
def test_normalising_twice_is_normalising_once(text, unwrap, quotes):
    once = normalize_text(text, unwrap=unwrap, quotes=quotes)
    assert normalize_text(once, unwrap=unwrap, quotes=quotes) == once


@given(TROUBLE)
def test_normal_text_has_no_stray_white_space_or_controls(text):
    normal = normalize_text(text)
    assert normal == normal.strip() or normal[0] in "\x1c\x1d\x1e\x1f"
    assert "\n\n\n" not in normal and "  " not in normal and " \n" not in normal and "\n " not in normal
    assert all(c == "\n" or unicodedata.category(c) not in ("Cc", "Cs") for c in normal)
    assert unicodedata.is_normalized("NFC", normal)


@given(TROUBLE, st.integers(0, 2))
def test_markup_is_undone_without_an_error_whatever_the_text(text, times):
    normalize_text(text, html=times)


@pytest.mark.parametrize("unit", ["<", "<!--", '<a "', "<script>", "<a ", "&", "&#1", "<p '\"", "</", "<!"])
def test_markup_takes_linear_time_whatever_the_text(unit):
    assert takes_linear_time(lambda size: undo_html(unit * (size // len(unit)), 2), 300_000, soon=2)


def records(*rows):
    plain = {"author_id": "a", "lang": "en", "source": "s", "task": "authorship"}
    return pl.DataFrame([{"doc_key": f"s:{n}", **plain, **row} for n, row in enumerate(rows)], schema=RECORD)


def test_records_are_normalised_as_their_source_says_and_masks_are_counted():
    rows = records({"content": "a&amp;b  @x me@example.org"}, {"content": "a&amp;b", "source": "t"})
    kept, removed, masked, _ = normalize_records(rows, {"s": Normalize(html=1)}, SETTINGS)
    assert kept["content"].to_list() == ["a&b [HANDLE] [EMAIL]", "a&amp;b"]
    assert kept.schema == RECORD and not removed.height
    assert masked == {"s": {"handle": 1, "email": 1}}


@given(
    st.lists(TROUBLE.map(lambda text: text.encode(errors="replace").decode() + "“ @ab"), min_size=1, max_size=5),
    st.integers(0, 1),
    st.booleans(),
    st.booleans(),
    st.sampled_from(["keep", "straight"]),
)
@settings(deadline=None)
def test_a_table_is_normalised_as_its_texts_are_one_by_one(texts, html, unwrap, boilerplate, quotes):
    texts = [text + "\nall rights reserved" * (n % 2) for n, text in enumerate(texts)]
    source = Normalize(html, unwrap, boilerplate)
    kept, *_ = normalize_records(
        records(*[{"content": text} for text in texts]), {"s": source}, {**SETTINGS, "quotes": quotes}
    )
    normal = [normalize_text(text, html, unwrap, quotes) for text in texts]
    if boilerplate:
        normal = [normalize_text(strip(text, "en")) for text in normal]
    assert kept["content"].to_list() == [mask(text, SETTINGS["mask"])[0] for text in normal]


@pytest.mark.parametrize(
    "marks", ["\u0323\u0301", "\u0301\u0323", "\u0301\u093c\u0344\u0315", "\u05b0\u0591", "\u094d", "\u0f73"]
)
def test_a_letter_with_a_hundred_thousand_marks_is_composed_in_linear_time(marks):
    assert takes_linear_time(lambda size: normalize_text("a" + marks * (size // len(marks))), 100_000, soon=3)
    bomb = normalize_text("a" + marks * (100_000 // len(marks)))
    assert unicodedata.is_normalized("NFC", bomb)
    short = "a" + marks * 100
    assert normalize_text(short) == unicodedata.normalize("NFC", short)


def test_no_text_out_of_composed_form_goes_unnoticed():
    singles = [chr(code) for code in range(32, 0x30000) if not 0xD800 <= code < 0xE000]
    decomposed = [unicodedata.normalize("NFD", character) for character in singles]
    accented = [f"a\u0323{character}" for character in singles]
    texts = pl.Series([*singles, *decomposed, *accented])
    unnoticed = texts.filter(~texts.str.contains(not_composed()))
    assert all(unicodedata.is_normalized("NFC", text) for text in unnoticed)


def test_boilerplate_leaves_the_text_where_the_source_asks():
    rows = records(
        {"content": "Text.\nAll rights reserved."}, {"content": "Text.\nAll rights reserved.", "source": "t"}
    )
    kept, *_ = normalize_records(rows, {"s": Normalize(boilerplate=True)}, SETTINGS)
    assert kept["content"].to_list() == ["Text.", "Text.\nAll rights reserved."]


def test_every_removed_record_has_its_reason():
    rows = records({"content": " \u200b"}, {"content": None}, {"content": "x", "author_id": None}, {"content": "x"})
    kept, removed, *_ = normalize_records(rows, {}, SETTINGS)
    assert kept["doc_key"].to_list() == ["s:3"]
    assert removed.select("doc_key", "stage", "reason", "detail").rows() == [
        ("s:0", "normalize", "empty_text", "content"),
        ("s:1", "normalize", "empty_text", "content"),
        ("s:2", "normalize", "missing_field", "author_id"),
    ]


def test_an_empty_batch_gives_empty_tables():
    kept, removed, masked, _ = normalize_records(records(), {}, SETTINGS)
    assert kept.schema == RECORD and not kept.height and not removed.height and masked == {}


@pytest.mark.parametrize("letters", ["a", "我", "कि"])
def test_a_word_without_end_is_unwrapped_in_linear_time(letters):
    def unwrapped(size):
        word = letters * (size // len(letters))
        assert normalize_text(f"{word} exam-\nple", unwrap=True) == f"{word} exam-ple"

    assert takes_linear_time(unwrapped, 50_000, soon=3)


def test_a_text_that_holds_itself_twice_keeps_its_first_half_and_is_counted():
    poem = "The moon has risen over the wood,\nand nobody is awake at this hour of the night."
    rows = records({"content": f"{poem}\n\n{poem}"}, {"content": poem}, {"content": ""})
    kept, removed, _, repeated = normalize_records(rows, {}, SETTINGS)
    assert kept["content"].to_list() == [poem, poem] and repeated == {"s": 1}
    assert removed["reason"].to_list() == ["empty_text"]


def test_white_space_is_collapsed_where_asked_after_what_needs_lines():
    poem = "The moon has risen over the wood,\nand nobody is awake at this hour of the night."
    rows = records({"content": f"{poem}\n\n{poem}"}, {"content": "a \t b\r\n\r\n\r\nc"})
    for how, between in (("lines", "\n"), ("collapse", " ")):
        contents = normalize_records(rows, {}, {**SETTINGS, "white_space": how})[0]["content"].to_list()
        assert contents == [poem.replace("\n", between), "a b" + (between * 2).replace("  ", " ") + "c"]


EDITED = Normalize(edited=True)


@cases
def test_two_editions_of_a_text_become_one_where_the_source_is_edited(lang, one, other):
    rows = records({"content": one, "lang": lang}, {"content": other, "lang": lang})
    first, second = normalize_records(rows, {"s": EDITED}, {**SETTINGS, "edition_marks": "unify"})[0]["content"]
    assert first == second
    for rules, marks in (({"s": Normalize()}, "unify"), ({"s": EDITED}, "keep")):
        kept = normalize_records(rows, rules, {**SETTINGS, "edition_marks": marks})[0]["content"]
        assert kept.to_list() == [one, other]


@given(TROUBLE, st.sampled_from(["fr", "ar", "ja"]))
def test_unifying_keeps_the_letters_of_a_text(text, lang):
    normal = normalize_text(text)
    assert [c for c in unify(normal, lang) if c.isalpha()] == [c for c in normal if c.isalpha()]


def test_unifying_keeps_letters_and_placeholders():
    assert unify("قال: [NAME] (قفا)", "ar") == "قال [NAME] قفا"
    assert unify("So he said: 'no'; [URL] - yes!", "en") == "So he said: 'no'; [URL] — yes!"


@given(st.text(st.sampled_from("«»„‹›  ..-–—―()[]\n\n,;:!?…1IXab"), max_size=16))
def test_no_step_of_an_edition_is_passed_over_that_finds_something(text):
    for pattern, _, hints in (edition.INSIDE, *edition.STEPS, edition.SPACES):
        if pattern.search(text):
            assert any(hint in text for hint in hints)
    assert unify(text, "fr") == "\n".join(line.strip(" ") for line in unify(text, "fr").split("\n")).strip()
