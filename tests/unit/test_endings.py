"""A signature is an ending of an author's own; it goes, whatever the shards, and nothing else does."""

import polars as pl
import pytest
import regex
from hypothesis import given
from hypothesis import strategies as st

from authbench.build.normalize import endings
from authbench.build.normalize.ending_kernels import LONGEST, MOST, find_endings
from authbench.build.normalize.endings import (
    WHOLE,
    by_author,
    count_endings,
    cut_signatures,
    find_signatures,
    without_ending,
)
from authbench.core.identity import author_id

TOPICS = ("of the sea", "of a long road", "of bread", "of snow in May", "of four friends")


def letters(author, texts, source="posts", kind="account"):
    rows = [
        {
            "doc_key": f"{author}:{place}",
            "source": source,
            "author_id": author_id("posts", author),
            "author_kind": kind,
            "origin_id": f"{author}:{place}",
            "lang": "en",
            "content": text,
        }
        for place, text in enumerate(texts)
    ]
    return pl.DataFrame(rows)


OTHERS = pl.concat(
    [letters(f"other {n}", [f"Other {n} tells {topic} with care" for topic in TOPICS]) for n in range(60)]
)


def signatures(*shards):
    counts = [part for shard in shards for part in by_author([count_endings(shard)])]

    def between(low, high):
        return (part.filter(pl.col("author").is_between(low, high)) for part in counts)

    return find_signatures(between, sum(part.height for part in counts))


def cut(records, *shards):
    return cut_signatures(records, signatures(*(shards or (records, OTHERS))), [])[0]["content"].to_list()


def test_a_signature_goes_with_its_signs_and_the_sentence_keeps_its_stop():
    signed = letters("ann", [f"I wrote {topic}. *~ann~*" for topic in TOPICS[:3]] + ["Nothing to say today."])
    assert cut(signed) == [f"I wrote {topic}." for topic in TOPICS[:3]] + ["Nothing to say today."]


def test_a_signature_on_a_line_of_its_own_leaves_no_line_behind():
    signed = letters("ann", [f"I wrote {topic}\n\nLove you,\nKatlyn!" for topic in TOPICS])
    assert cut(signed) == [f"I wrote {topic}" for topic in TOPICS]


@pytest.mark.parametrize(
    "texts",
    [
        ["A b. xo ann", "C d. xo ann", "E f.", "G h."],  # two texts
        ["A b. xo ann", "A b. xo ann", "A b. xo ann", "E f."],  # one text three times
        [*(f"{n} b. xo ann" for n in range(3)), *(f"I wrote of thing{n}" for n in range(8))],  # under 30 %
        ["A b: [URL]", "C d: [URL]", "E f: [URL]"],  # nothing of a name
        ["xo ann", "xo ann!", "xo ann"],
    ],
)
def test_what_is_no_signature_stays(texts):
    assert cut(letters("ann", texts)) == texts


def test_an_ending_that_others_have_too_is_none():
    shared = [f"I wrote {topic}, I think so" for topic in TOPICS]
    everybody = pl.concat(
        [letters(f"third {n}", [f"Third {n} thought {t}, I think so" for t in TOPICS]) for n in range(9)]
    )
    assert cut(letters("ann", shared), letters("ann", shared), everybody, OTHERS) == shared


def test_works_count_and_chapters_of_one_do_not():
    chapters = letters("ann", [f"I wrote {topic}. *ann*" for topic in TOPICS]).with_columns(origin_id=pl.lit("one"))
    assert cut(chapters) == chapters["content"].to_list()


def test_what_no_writer_stands_for_is_not_signed():
    lists = letters("ann", [f"I wrote {topic}. *ann*" for topic in TOPICS], kind="work")
    assert cut(lists, lists, OTHERS) == lists["content"].to_list()


def test_edited_texts_keep_theirs():
    signed = letters("ann", [f"I wrote {topic}. *ann*" for topic in TOPICS])
    kept, number = cut_signatures(signed, signatures(signed, OTHERS), ["posts"])
    assert kept.equals(signed) and number == {}


def test_shards_and_parts_do_not_show(monkeypatch):
    signed = pl.concat([letters(name, [f"I wrote {t}. *{name}*" for t in TOPICS]) for name in ("ann", "bob", "cid")])
    whole = pl.concat([signed, OTHERS])
    one = signatures(whole)
    assert one.height and one.equals(signatures(*[whole.gather_every(3, offset) for offset in range(3)]))
    monkeypatch.setattr(endings, "PART", 50)
    monkeypatch.setattr(endings, "GROUP", 7)
    assert one.equals(signatures(whole.gather_every(2), whole.gather_every(2, 1)))


def test_endings_stand_in_the_order_of_their_authors_some_at_a_time(monkeypatch):
    counts = count_endings(OTHERS)
    monkeypatch.setattr(endings, "GROUP", 7)
    assert pl.concat(by_author([counts, counts]))["author"].is_sorted()
    monkeypatch.setattr(endings, "SORTED", counts.height)
    groups = list(by_author([counts, counts]))
    assert max(one.height for one in groups) == 7
    both = pl.concat(groups)
    assert both[: counts.height].equals(both[counts.height :]) and both[: counts.height]["author"].is_sorted()


def test_no_texts_have_no_signatures():
    empty = OTHERS.clear()
    assert signatures(empty).is_empty()
    assert cut_signatures(empty, signatures(empty), [])[0].is_empty()


BEGINNING = regex.compile(
    r"[\p{Han}\p{Hiragana}\p{Katakana}]|(?<![\p{L}\p{M}\p{N}_])[\p{L}\p{M}\p{N}_]"
    r"|(?<![^\s\p{L}\p{M}\p{N}_])[^\s\p{L}\p{M}\p{N}_.,;:!?…。，、！？]"
)
PLACEHOLDER = regex.compile(r"\[[A-Z]{3,8}\]")


def beginnings(text):
    """Return by regular expressions where the endings of a text begin, the longest first."""
    tail = max(0, len(text) - LONGEST)
    inside = {at for match in PLACEHOLDER.finditer(text, tail) for at in range(match.start() + 1, match.end())}
    found = [at for match in BEGINNING.finditer(text, tail) if (at := match.start()) not in inside][-MOST:]
    letters = [at for match in regex.finditer(r"\p{L}", text[tail:]) if (at := tail + match.start()) not in inside]
    return [at for at in found if 0 < at <= letters[-3]] if len(letters) >= 3 else []


ALPHABET = st.sampled_from("abXYZ09_ .,!~*-[]\n\u00a0é\u0301漢かカ한हि。…😀\u200d\U000e0100\U00020000") | st.characters(
    exclude_categories=["Cs"]
)
TEXTS = st.lists(
    st.text(ALPHABET, max_size=90)
    | st.builds("{} [{}] {}".format, st.text(ALPHABET), st.text("ABC", max_size=9), st.text(ALPHABET)),
    max_size=5,
)


@given(TEXTS)
def test_endings_begin_where_the_regular_expressions_say(texts):
    rows, starts, hashes = find_endings(pl.Series(texts, dtype=pl.String))
    found = [(row, len(texts[row].encode()[:start].decode())) for row, start in zip(rows, starts, strict=True)]
    assert found == [(row, at) for row, text in enumerate(texts) for at in beginnings(text)]
    endings_of = [texts[row][at:] for row, at in found]
    assert len(set(hashes.tolist())) == len(set(endings_of)) == len(set(zip(endings_of, hashes.tolist(), strict=True)))
    assert WHOLE not in hashes
    assert [list(without_ending(text)) for text in texts] == [[t[:at].rstrip() for at in beginnings(t)] for t in texts]
