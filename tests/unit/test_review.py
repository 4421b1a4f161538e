"""Can a person judge the texts, and does the next build heed it?"""

import json
import time
from pathlib import Path

import polars as pl
import pytest
from hostile_sheet import THRESHOLDS, sheet
from hypothesis import given, settings
from hypothesis import strategies as st

from authbench.app.config import prepare
from authbench.build.filter.exclusions import excluded, read_exclusions, read_verdicts, review_problems
from authbench.config.filter_rules import filter_rules
from authbench.core.errors import InputError
from authbench.core.funnel import Tally
from authbench.core.records import REMOVED
from authbench.core.storage.parquet import write_parquet
from authbench.scoring.review.difference import SHOWN, difference, shown
from authbench.scoring.review.neighbours import excerpts, jaccard, kept_neighbours, passage_of, passages, removed_copies
from authbench.scoring.review.sheets import CELL, REASONS, choose_texts, measures
from authbench.scoring.review.summary import ALL, GOOD, OUT, lines, summarise


def documents(count):
    return pl.DataFrame(
        {
            "doc_key": [f"s:{n}" for n in range(count)],
            "lang": [("en", "ar")[n % 2] for n in range(count)],
            "genre": [("blog/art", "blog/law", "news")[n % 3] for n in range(count)],
            "length_bucket": [("short", "long")[n // 3 % 2] for n in range(count)],
        }
    )


# Which texts


def test_every_cell_gives_as_many_texts_as_it_has_and_may():
    chosen = choose_texts(documents(200), 3, seed=1)
    cells = documents(200).select("lang", pl.col("genre").str.split("/").list.first(), "length_bucket").n_unique()
    assert chosen.group_by(CELL).len()["len"].to_list() == [3] * cells
    assert choose_texts(documents(5), 3, seed=1).height == 5


@given(st.randoms(use_true_random=False), st.integers(0, 5))
@settings(max_examples=20)
def test_the_choice_is_of_seed_and_keys_alone(chance, seed):
    table = documents(60)
    shuffled = table.sample(fraction=1, shuffle=True, seed=chance.randint(0, 1 << 30))
    assert choose_texts(table, 2, seed).equals(choose_texts(shuffled, 2, seed))


def test_another_seed_shows_other_texts():
    one, other = (set(choose_texts(documents(200), 3, seed)["doc_key"]) for seed in (1, 2))
    assert one != other


# What stands beside them


TEXTS = st.text(max_size=60) | st.text("ab \n手机.", max_size=60)
WORDS = st.lists(st.sampled_from(["la", "di", "da", ",", "手"]), max_size=40)


def told(before, after, *kinds):
    return "".join(text for kind, text in difference(before, after) if kind in kinds)


@given(TEXTS, TEXTS)
def test_a_difference_holds_both_texts(before, after):
    assert told(before, after, "same", "gone") == before
    assert told(before, after, "same", "new") == after


@given(TEXTS, TEXTS, TEXTS)
def test_nothing_of_a_part_of_a_text_is_new(first, part, last):
    assert not told(first + part + last, part, "new")


@given(WORDS, WORDS, WORDS)
def test_no_word_of_a_run_of_words_is_new_whatever_the_white_space(first, run, last):
    assert not told("  ".join(first + run + last), "\n".join(run), "new").strip()


@given(WORDS, WORDS)
def test_as_many_words_as_possible_are_the_same(before, after):
    longest = [[0] * (len(after) + 1) for _ in range(len(before) + 1)]
    for row, one in enumerate(before):
        for column, other in enumerate(after):
            longest[row + 1][column + 1] = (
                longest[row][column] + 1 if one == other else max(longest[row][column + 1], longest[row + 1][column])
            )
    assert len(told(" ".join(before), " ".join(after), "same").split()) == longest[-1][-1]


def test_a_han_character_is_a_word_wherever_it_is():
    assert difference("iPhone手机", "iPhone手機") == [("same", "iPhone手"), ("gone", "机"), ("new", "機")]


def test_what_is_the_same_is_in_one_part_where_it_may_be():
    assert difference("the dog. the  cat sat", "the cat sat!") == [
        ("gone", "the dog. "), ("same", "the "), ("gone", " "), ("same", "cat sat"), ("new", "!")
    ]  # fmt: skip


@pytest.mark.parametrize("word", ["la ", "手", "?! "])
def test_a_long_text_of_few_words_is_aligned_in_bounded_time(word):
    text = word * (30_000 // len(word))
    start = time.process_time()
    assert told("menu\n" + text + "\nprint", text + "!", "new") == "!"
    assert time.process_time() - start < 5


@given(st.text())
def test_what_is_shown_has_no_character_that_is_not_seen(text):
    whole = "".join(f"⟦{part}⟧" if kind == "mark" else part for kind, part in shown(text))
    assert not any(char in whole for char in "\x00\x1b\u202e\u2066\ufeff\u200b")
    whole.encode()


def test_a_very_long_text_is_shown_in_part_and_says_so():
    (_, text), (kind, rest) = shown("a" * 1_000_000)
    assert len(text) == SHOWN and kind == "mark" and rest == "and 950,000 more characters"


def test_a_chunk_is_found_in_its_document_by_its_ends():
    raw = "Top.\n\nIt was   a dark&amp; stormy\nnight in the old town. The end of it came soon. More."
    text = "It was a dark& stormy night in the old town. The end of it came soon."
    assert passage_of(raw, text) == raw[6:-6]
    assert passage_of(raw, text.replace("was a", "was the")) is None  # a first word was changed
    assert passage_of(raw, "") is None


def test_passages_and_beginnings_come_from_the_files(tmp_path):
    table = pl.DataFrame({"doc_key": ["s:1", "s:2"], "content": ["One  two three four five six.", "x" * 2000]})
    write_parquet(table, tmp_path / "a.parquet")
    found = passages([tmp_path / "a.parquet"], {"s:1": "One two", "s:2#chunk_0": "other words", "s:9": "x"})
    assert found == {"s:1": "One  two three four five six."}
    assert len(excerpts([tmp_path / "a.parquet"], {"s:2"})["s:2"]) == 600


def test_the_copies_of_a_text_are_those_it_stands_for_whole_or_as_a_chunk():
    rows = [
        ("s", "s:2", "dedup_documents", "near_duplicate", 0.9, 0.8, "stand-in s:1"),
        ("s", "s:3", "dedup_documents", "exact_duplicate", 1.0, 0.8, "stand-in s:1"),
        ("s", "s:4#chunk_1", "dedup_chunks", "near_duplicate", 0.95, 0.8, "stand-in s:1#chunk_0"),
        ("s", "s:5", "dedup_documents", "exact_duplicate", 1.0, 0.8, "stand-in s:8"),
    ]
    removed = pl.DataFrame(rows, schema=REMOVED, orient="row")
    told = removed_copies(["s:1#chunk_0", "s:7"], removed)
    assert [key for key, _, _ in told["s:1#chunk_0"]] == ["s:3", "s:4#chunk_1", "s:2"]
    assert told["s:7"] == []


def test_the_neighbours_of_a_text_are_the_most_like_it_of_its_language():
    text = "the quick brown fox jumps over the lazy dog and runs home through the tall wet grass of the meadow"
    kept = pl.DataFrame(
        {
            "doc_key": ["s:1", "s:2", "s:3", "s:4"],
            "lang": ["en", "en", "en", "de"],
            "content": [text, text + " at night", "something else entirely, about ships", text],
        }
    )
    (near,) = kept_neighbours(kept[:1], [kept[:2], kept[2:]], 5).values()
    ((key, similarity, content),) = near
    assert key == "s:2" and content == kept["content"][1] and similarity == jaccard(text, content, 5)
    assert 0.8 < similarity < 1


@given(st.text(min_size=6, max_size=50))
def test_a_text_is_wholly_like_itself(text):
    assert jaccard(text, text, 5) == 1


def test_measurements_stand_beside_their_thresholds():
    told = measures(
        {"lang": "fr", "script": 0.9, "unique_words": 0.5, "symbols": None, "langid": "fr", "langid_probability": 0.91},
        filter_rules(THRESHOLDS),
    )
    assert told == [
        ("script", "0.9", "goes below 0.3"),
        ("langid probability", "0.91", ""),
        ("unique words", "0.5", "goes below 0.2"),
        ("langid", "fr", "goes unless fr"),
    ]


# What a person rules out


def written(tmp_path, *lines):
    path = tmp_path / "verdicts.jsonl"
    path.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    return path


def test_ruled_out_texts_are_removed_for_their_reason_and_accounted_for(tmp_path):
    path = written(
        tmp_path,
        {"doc_key": "s:1", "reason": "boilerplate", "note": "a menu"},
        {"doc_key": "s:2", "reason": None, "note": "fine"},
        {"doc_key": "s:1", "reason": "other", "note": ""},
        {"doc_key": "s:9", "reason": "other"},
    )
    table = pl.DataFrame({"doc_key": ["s:1", "s:2", "s:3"], "source": ["s"] * 3})
    removed = excluded(table, read_exclusions(path))
    assert removed.to_dicts() == [
        {
            "source": "s",
            "doc_key": "s:1",
            "stage": "filter",
            "reason": "review_boilerplate",
            "value": None,
            "threshold": None,
            "detail": "a menu",
        }
    ]
    tally = Tally("filter")
    tally.add(table, table.join(removed, on="doc_key", how="anti"), removed)
    assert tally.counts()["sources"]["s"] == {"in": 3, "kept": 2, "gained": 0, "dropped": {"review_boilerplate": 1}}


@pytest.mark.parametrize(
    "line", ["{", '"a"', "[]", '{"doc_key": 1, "reason": null}', '{"doc_key": "a", "reason": "Bad Reason"}', '{"a": 1}']
)
def test_a_line_that_is_no_verdict_is_named(tmp_path, line):
    path = tmp_path / "verdicts.jsonl"
    path.write_text(f'{{"doc_key": "s:1", "reason": null}}\n{line}\n')
    with pytest.raises(InputError, match="verdicts.jsonl, line 2: expected"):
        read_exclusions(path)


def test_a_list_that_cannot_be_read_stops_a_run_before_it_starts(tmp_path):
    path = tmp_path / "verdicts.jsonl"
    path.write_text("{\n")
    for part in ("config", "resources", "workflow"):
        (tmp_path / part).symlink_to(Path(__file__).parents[2] / part)
    with pytest.raises(InputError, match=r"filter.exclude: .*verdicts.jsonl, line 1: expected"):
        prepare({"filter": {"exclude": str(path)}}, tmp_path, need_files=False)


def test_an_empty_list_rules_nothing_out(tmp_path):
    (tmp_path / "none").write_bytes(b"\n")
    assert read_exclusions(tmp_path / "none").is_empty()


# The sheets


def test_the_same_texts_give_the_same_sheets(tmp_path):
    one, other = (sheet(tmp_path / name).read_bytes() for name in ("one", "other"))
    assert one == other


def test_every_reason_has_a_key_of_its_own_and_fits_the_list():
    assert len({key for key, _, _ in REASONS}) == len(REASONS)
    assert not {key for key, _, _ in REASONS} & set("gjkuns")
    assert all(set(reason) <= set("abcdefghijklmnopqrstuvwxyz_") for _, reason, _ in REASONS)


# --- what readers found ---

LANGUAGES = pl.DataFrame({"doc_key": [f"s:{n}" for n in range(40)], "lang": ["en"] * 30 + ["de"] * 10})


def row_of(table, **where):
    [row] = table.filter(*(pl.col(name) == value for name, value in where.items())).to_dicts()
    return row


def test_shares_of_verdicts_have_intervals_over_all_and_by_language():
    verdicts = {f"s:{n}": ("unsafe" if n < 3 else "other" if n == 30 else None) for n in range(34)}
    found = summarise({"ada": verdicts | {"t:9": "other"}}, LANGUAGES, 1)
    assert found.unknown == ["t:9"]
    every = row_of(found.verdicts, lang=ALL, verdict=OUT)
    assert (every["reader"], every["texts"], every["judged"]) == ("ada", 4, 34)
    assert (round(every["low"], 3), round(every["high"], 3)) == (0.033, 0.275)
    assert row_of(found.verdicts, lang="en", verdict="unsafe")["texts"] == 3
    assert row_of(found.verdicts, lang="de", verdict="unsafe")["texts"] == 0
    assert row_of(found.verdicts, lang="de", verdict=GOOD)["share"] == 3 / 4
    assert found.agreement.is_empty()


def test_the_agreement_of_two_readers_is_cohens_kappa():
    # Cohen (1960) by hand: 20 both good, 5 and 10 apart, 5 both out: seen .625, expected .5625
    pairs = [(None, None)] * 20 + [(None, "other")] * 5 + [("other", None)] * 10 + [("other", "unsafe")] * 5
    ada, ben = ({f"s:{n}": pair[side] for n, pair in enumerate(pairs)} for side in (0, 1))
    found = summarise({"ada": ada, "ben": ben}, LANGUAGES, 1)
    row = row_of(found.agreement, lang=ALL)
    assert (row["texts"], row["same_verdict"], row["same_reason"]) == (40, 25 / 40, 0.0)
    assert row["kappa"] == pytest.approx((0.625 - 0.5625) / (1 - 0.5625))
    assert row["low"] < row["kappa"] < row["high"]
    assert row_of(found.verdicts, reader=ALL, lang=ALL, verdict=OUT)["texts"] == 20
    assert summarise({"ben": ben, "ada": ada}, LANGUAGES, 1).agreement["kappa"].to_list() == pytest.approx(
        found.agreement["kappa"].to_list()
    )
    alike = summarise({"ada": {"s:1": None, "s:2": None}, "ben": {"s:1": None, "s:2": None}}, LANGUAGES, 1)
    assert row_of(alike.agreement, lang=ALL)["kappa"] is None
    assert "ada and ben: kappa undefined on 2 texts" in lines(alike)


def test_a_reader_without_a_verdict_on_the_build_is_named():
    found = summarise({"ada": {"s:1": None}, "ben": {}, "eve": {"t:1": None}}, LANGUAGES, 1)
    assert found.strangers == ["ben", "eve"]
    assert {line.partition(":")[0] for line in lines(found)} >= {"ben", "eve"}


def test_verdicts_on_no_text_of_the_build_are_refused():
    with pytest.raises(InputError, match="none of the verdicts is on a text of this build, e.g. 't:1'"):
        summarise({"ada": {"t:1": None}}, LANGUAGES, 1)
    with pytest.raises(InputError, match="review.verdicts is empty"):
        summarise({}, LANGUAGES, 1)


def test_a_reader_who_saved_one_file_twice_has_one_verdict_on_a_text(tmp_path):
    good, out = {"doc_key": "s:1", "reason": None}, {"doc_key": "s:1", "reason": "unsafe"}
    assert read_verdicts(written(tmp_path, good, out, good)) == {"s:1": "unsafe"}
    assert "unsafe" in {reason for _, reason, _ in REASONS}


def test_files_of_readers_are_checked_before_anything_runs(tmp_path):
    path = written(tmp_path, {"doc_key": 1, "reason": None})
    [problem] = review_problems({"review": {"verdicts": [str(path)]}})
    assert "review.verdicts" in problem and "line 1" in problem
    twice = [str(tmp_path / place / "ada.jsonl") for place in ("a", "b")]
    for file in map(Path, twice):
        file.parent.mkdir()
        file.write_text("")
    assert "two readers are called 'ada'" in list(review_problems({"review": {"verdicts": twice}}))[-1]
