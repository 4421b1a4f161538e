from pathlib import Path

import numpy as np
import polars as pl
import pytest
import regex
from cases import cases, read_cases
from defaults import section
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from linear_time import takes_linear_time
from shared_folders import DATA, skip_without_corpus

from authbench.build.chunk.cut import chunk_records, extra_long_chances
from authbench.build.chunk.sentences import LONGEST_END, last_sentence_start, sentence_starts
from authbench.build.normalize.table import normalize_records
from authbench.build.normalize.text import normalize_text
from authbench.core.records import DOCUMENT, RECORD
from authbench.core.tokens import load_encoding, load_tokenizer

CONFIG = section("chunk")
ORDINARY = {**CONFIG, "extra_long_share": 0.0}
SENTENCES = read_cases(Path(__file__))["SENTENCES"]


@pytest.fixture(scope="module")
def encoding():
    return load_encoding()


def records(*contents, source="s"):
    rows = [{"doc_key": f"{source}:{n}", "source": source, "content": text} for n, text in enumerate(contents)]
    return pl.DataFrame(rows, schema=RECORD)


def without_space(text):
    return regex.sub(r"\s", "", text)


def story(lang, sentences, per_paragraph=7):
    told = [f"{SENTENCES[lang]}{n} " if n % 3 == 0 else SENTENCES[lang] for n in range(sentences)]
    paragraphs = ["".join(told[n : n + per_paragraph]) for n in range(0, sentences, per_paragraph)]
    return normalize_text("\n\n".join(paragraphs))


def assert_sound(text, documents, encoding):
    assert documents.schema == DOCUMENT
    for content, tokens, chars, start, end in documents.select(
        "content", "token_length", "char_length", "chunk_start", "chunk_end"
    ).iter_rows():
        assert tokens == len(encoding.encode_ordinary(content)) <= 2000
        assert chars == len(content) and content == content.strip() and "\n\n" not in content
        if start is not None:
            assert content == text[start:end].replace("\n\n", "\n")
    assert (documents["token_length"][:-1] >= 50).all()
    assert without_space("".join(documents["content"])) == without_space(text)


@pytest.mark.parametrize("lang", SENTENCES)
def test_long_texts_of_every_language_become_sound_chunks(lang, encoding):
    text = story(lang, 150)
    documents, over = chunk_records(records(text), load_tokenizer(), CONFIG, 1)
    assert documents.height > 2 and not over
    assert_sound(text, documents, encoding)
    assert documents["doc_key"].to_list() == [f"s:0#chunk_{k}" for k in range(documents.height)]
    ends = tuple(".。।?؟!»」0123456789")
    assert all(content.endswith(ends) for content in documents["content"])


def test_short_texts_stay_whole_with_one_break_between_paragraphs():
    documents, _ = chunk_records(records("One.\n\nTwo.", "<|endoftext|>"), load_tokenizer(), CONFIG, 1)
    assert documents.select("doc_key", "content", "chunk_start", "length_bucket").rows() == [
        ("s:0", "One.\nTwo.", None, "short"),
        ("s:1", "<|endoftext|>", None, "short"),
    ]


def test_texts_may_end_with_a_line_break_that_is_counted(encoding):
    texts = records("One", " ".join(["a"] * 10), story("en", 90))
    documents, ended = (chunk_records(texts, load_tokenizer(), CONFIG, 1, newline)[0] for newline in (False, True))
    assert ended.schema == DOCUMENT and ended["content"].to_list() == [f"{text}\n" for text in documents["content"]]
    assert ended["token_length"].to_list() == [len(encoding.encode_ordinary(text)) for text in ended["content"]]
    assert ended["char_length"].to_list() == [len(text) for text in ended["content"]]
    assert (documents["length_bucket"][1], ended["length_bucket"][1]) == ("short", "medium")


def test_ordinary_chunks_have_100_to_500_tokens_but_the_last():
    documents, _ = chunk_records(records(story("en", 400)), load_tokenizer(), ORDINARY, 1)
    assert documents["token_length"].max() <= 500
    assert (documents["token_length"][:-1] >= 100).all()


def test_cuts_fall_between_paragraphs_where_these_fill_half_the_room():
    text = story("en", 200, per_paragraph=10)
    documents, _ = chunk_records(records(text), load_tokenizer(), ORDINARY, 1)
    assert all(text[end : end + 2] == "\n\n" for end in documents["chunk_end"][:-1])


@given(
    st.lists(
        st.one_of(
            st.sampled_from(
                [
                    *SENTENCES.values(),
                    "don't've ",
                    "1234",
                    "\n\n",
                    "\n",
                    "word ",
                    "漢字",
                    "👩‍👩‍👧",
                    "e\u0301\u0323",
                    "क्षि",
                    "...",
                    "x" * 40,
                ]
            ),
            st.text(max_size=8),
        ),
        min_size=1,
        max_size=30,
    ),
    st.integers(1, 30),
    st.integers(0, 99),
)
@settings(deadline=None, max_examples=60)
def test_chunks_are_the_text_up_to_white_space(parts, times, seed):
    encoding = load_encoding()
    text = normalize_text("".join(parts) * times)
    small = {**CONFIG, "max_tokens": 60, "min_tokens": 20, "remainder_tokens": 10, "extra_long_tokens": [61, 200]}
    documents, over = chunk_records(records(text), load_tokenizer(), {**small, "max_chunks_per_document": 10**6}, seed)
    assert without_space("".join(documents["content"])) == without_space(text) and not over
    assert documents["token_length"].to_list() == [len(encoding.encode_ordinary(c)) for c in documents["content"]]
    assert documents["token_length"].max() <= 200
    inside = {found.end() for found in regex.finditer(r"\X", text)} | {0}
    starts = documents["chunk_start"].drop_nulls().to_list()
    assert all(start in inside or text[start - 1].isspace() for start in starts)


@pytest.mark.parametrize(
    "text", ["漢字仮名" * 1500, "क्षि" * 1500, "👩‍👩‍👧" * 700, "x" * 30_000, "word " * 4000, "ก็ดี" * 1500, "=-" * 15_000]
)
def test_an_overlong_sentence_is_cut_at_words_or_graphemes(text, encoding):
    text = text.strip()
    documents, _ = chunk_records(records(text), load_tokenizer(), CONFIG, 3)
    assert_sound(text, documents, encoding)
    graphemes = {found.end() for found in regex.finditer(r"\X", text)}
    if "word" in text:
        assert all(content.endswith("word") for content in documents["content"])
    else:
        assert set(documents["chunk_end"]) <= graphemes


def test_a_grapheme_larger_than_the_room_is_cut_after_all():
    text = "a" + "\u0323" * 5000
    documents, _ = chunk_records(records(text), load_tokenizer(), ORDINARY, 1)
    assert "".join(documents["content"]) == text
    assert documents["token_length"].max() <= 500


def test_a_text_of_700_tokens_may_stay_whole_or_be_cut():
    text = "word " * 700
    documents, _ = chunk_records(records(*[text.strip()] * 60), load_tokenizer(), CONFIG, 1)
    whole = documents.filter(pl.col("chunk_start").is_null())
    assert 0 < whole.height < 60
    assert set(whole["token_length"]) == {700} and not whole["doc_key"].str.contains("#chunk").any()


def test_the_share_of_extra_long_segments_is_reached_by_tokens():
    texts = [story(lang, 130 + 7 * n, per_paragraph=3 + n % 7) for lang in ("en", "ru", "de") for n in range(30)]
    documents, _ = chunk_records(records(*texts), load_tokenizer(), CONFIG, 5)
    extra = documents.filter(pl.col("token_length") > 500)["token_length"].sum()
    assert extra / documents["token_length"].sum() == pytest.approx(0.4, abs=0.06)


def test_the_chance_of_an_extra_long_segment_settles_away_from_the_end():
    chances = extra_long_chances(501, 2000, CONFIG["extra_long_share"], CONFIG["max_tokens"])
    assert (chances[:501] == 0).all() and ((chances >= 0) & (chances <= 1)).all()
    assert np.ptp(chances[-2000:]) < 0.01
    assert not extra_long_chances(501, 2000, ORDINARY["extra_long_share"], ORDINARY["max_tokens"]).any()


def test_a_very_long_text_gives_as_many_chunks_as_the_cap_spread_over_it():
    text = story("en", 9000)
    documents, over = chunk_records(records(text), load_tokenizer(), CONFIG, 1)
    assert documents.height == 50 and over == {"s": 1}
    starts = documents["chunk_start"].to_list()
    assert starts == sorted(starts) and starts[0] < len(text) / 3 and starts[-1] > len(text) * 2 / 3
    assert all(
        content == text[start:end].replace("\n\n", "\n")
        for content, start, end in documents.select("content", "chunk_start", "chunk_end").iter_rows()
    )


@pytest.mark.parametrize("cap", [3, 30])
def test_the_cap_takes_chunks_of_the_uncapped_text(cap):
    text = story("en", 600)
    free, _ = chunk_records(records(text), load_tokenizer(), {**CONFIG, "max_chunks_per_document": 10**6}, 1)
    capped, over = chunk_records(records(text), load_tokenizer(), {**CONFIG, "max_chunks_per_document": cap}, 1)
    assert capped.height == min(cap, free.height) and over == ({"s": 1} if free.height > cap else {})
    assert set(capped["content"]) <= set(free["content"])


def test_a_text_of_several_windows_under_the_cap_loses_nothing(encoding):
    text = story("en", 2000)
    free = {**CONFIG, "max_chunks_per_document": 10**6}
    assert len(text.encode()) > 60_000
    documents, over = chunk_records(records(text), load_tokenizer(), free, 1)
    assert not over
    assert_sound(text, documents, encoding)


def test_a_document_is_cut_the_same_in_any_company():
    frame = records(*[story(lang, 100) for lang in SENTENCES])
    together, _ = chunk_records(frame, load_tokenizer(), CONFIG, 1)
    alone = [chunk_records(frame[row], load_tokenizer(), CONFIG, 1)[0] for row in reversed(range(frame.height))]
    assert together.equals(pl.concat(alone[::-1]))
    assert not together.equals(chunk_records(frame, load_tokenizer(), CONFIG, 2)[0])


def test_an_empty_batch_gives_empty_tables():
    documents, over = chunk_records(records(), load_tokenizer(), CONFIG, 1)
    assert documents.schema == DOCUMENT and not documents.height and not over


@cases
def test_sentences_end_as_their_readers_would_say(sentences):
    text = "".join(sentences)
    starts = np.cumsum([len(sentence) for sentence in sentences])[:-1].tolist()
    assert list(sentence_starts(text, 0, len(text))) == starts


@settings(max_examples=300)
@given(
    pieces=st.lists(
        st.sampled_from(
            [". ", "…", "。", "！？", "»", " », ", '"', "\n", "Mr.", "z. B. ", "word ", "Ein Wort ", "他说", "\u0301"]
        ),
        min_size=1,
        max_size=12,
    ),
    times=st.integers(1, 200),
    bounds=st.tuples(st.floats(0, 1), st.floats(0, 1)),
)
def test_the_last_sentence_looked_for_backwards_is_the_last_of_all(pieces, times, bounds):
    text = "Once. " + "".join(pieces) * times + " at the end"
    assume(not regex.search(rf"[\W_\p{{M}}]{{{LONGEST_END},}}", text))
    low, high = sorted(1 + int(bound * (len(text) - 2)) for bound in bounds)
    places = [place for place in sentence_starts(text, 0, len(text)) if low <= place <= high]
    assert last_sentence_start(text, 0, low, high) == max(places, default=0)


@pytest.mark.parametrize("unit", [". ", "。", '"', " »", "a.", "\n\n", "\u0301", "A. ", "…"])
def test_time_is_linear_whatever_the_text(unit):
    text = normalize_text(("x" + unit * 5) * (150_000 // (5 * len(unit) + 1)))
    tokenizer = load_tokenizer()
    assert takes_linear_time(lambda size: chunk_records(records(text[:size]), tokenizer, CONFIG, 1), len(text), soon=2)


@cases
def test_real_books_become_sound_chunks(files, codec, lang, encoding):
    books = [book for book in sorted(DATA.glob(files)) if book.stat().st_size][:12]
    if not books:
        skip_without_corpus(files)
    texts = [book.read_text(encoding=codec, errors="replace") for book in books]
    frame = records(*texts).with_columns(author_id=pl.lit("a"), lang=pl.lit(lang))
    kept, *_ = normalize_records(frame, {}, {"mask": ["email", "phone", "handle", "url"], "quotes": "keep"})
    documents, over = chunk_records(kept, load_tokenizer(), CONFIG, 1)
    for doc_key, text in kept.select("doc_key", "content").iter_rows():
        own = documents.filter(pl.col("doc_key").str.replace(r"#chunk_\d+$", "") == doc_key)
        assert 0 < own.height <= 50
        if not over:
            assert_sound(text, own, encoding)
    assert documents["token_length"].is_between(1, 2000).all()


@pytest.mark.parametrize(("stop", "end"), [(".", "a"), ("!?", "a"), ("…", "a"), ("。", "\u0301")])
def test_long_runs_of_stops_are_read_in_linear_time(stop, end):
    def read(stops):
        text = stop * stops + end
        assert list(sentence_starts(text, 0, len(text))) == []

    assert takes_linear_time(read, 50_000, soon=3)
