"""Texts of a task type share no value of a field that `dedup.unique` names."""

from pathlib import Path

import orjson
import polars as pl
from dedup_stage import run_jobs
from hypothesis import given
from hypothesis import strategies as st

from authbench.dedup.jobs.decide import decide_all
from authbench.dedup.settings import DedupSettings
from authbench.dedup.unique import repeated_fields, values_of
from authbench.labels.shared import stand_ins
from authbench.records import REMOVED
from authbench.storage.json_files import read_json
from authbench.storage.parquet import read_columns, write_parquet

ORDER = ["early", "late"]


def text(key: str, source: str = "early", task: str = "essay", topic: str | None = None, **labels: str) -> dict:
    return {
        "doc_key": key, "source": source, "task": task, "topic": topic, "item": None,
        "labels": orjson.dumps(labels).decode(),
    }  # fmt: skip


def table(*texts: dict) -> pl.DataFrame:
    strings = dict.fromkeys(("doc_key", "source", "task", "topic", "item", "labels"), pl.String)
    return pl.DataFrame(texts, schema=strings).with_row_index("row").cast({"row": pl.Int64})


def gone(texts: pl.DataFrame, *fields: str) -> list[tuple[str, str, str]]:
    found = repeated_fields([values_of(texts, {"essay": fields}, ORDER)])
    return found.select("doc_key", "field", "first").rows()


def test_of_texts_with_one_prompt_the_first_in_corpus_order_stays():
    texts = table(text("b", "late", prompt="On war"), text("c", prompt="On war"), text("d", prompt="On peace"))
    assert gone(texts, "prompt") == [("b", "prompt", "c")]


def test_prompts_that_differ_in_case_width_or_white_space_alone_are_one():
    texts = table(text("a", prompt="On War"), text("b", prompt=" on\n war "), text("c", prompt="Ｏｎ ｗａｒ"))
    assert [key for key, _, _ in gone(texts, "prompt")] == ["b", "c"]


def test_all_chunks_of_a_document_stay_and_those_of_another_go():
    texts = table(*(text(f"{key}#chunk_{n}", prompt="On war") for key in ("a", "b") for n in (0, 1)))
    assert [key for key, _, _ in gone(texts, "prompt")] == ["b#chunk_0", "b#chunk_1"]


def test_other_task_types_and_texts_without_a_value_are_not_concerned():
    texts = table(
        text("a", prompt="x"), text("b", task="review", prompt="x"), text("c"), text("d"), text("e", prompt=" ")
    )
    assert gone(texts, "prompt") == []


def test_a_text_that_goes_holds_no_value():
    texts = table(text("a", prompt="x"), text("b", prompt="x", topic="war"), text("c", prompt="y", topic="war"))
    assert gone(texts, "prompt", "topic") == [("b", "prompt", "a")]


@given(
    st.lists(
        st.tuples(st.integers(0, 9), st.sampled_from(ORDER), st.sampled_from("xyz"), st.sampled_from("pq")), max_size=12
    ),
    st.randoms(use_true_random=False),
)
def test_no_two_documents_that_stay_share_a_value_in_whatever_order_they_are_read(rows, chance):
    texts = [
        text(f"{source}{number}#chunk_{place}", source, topic=topic, prompt=prompt)
        for place, (number, source, topic, prompt) in enumerate(rows)
    ]
    out = gone(table(*texts), "prompt", "topic")
    chance.shuffle(texts)
    assert gone(table(*texts), "prompt", "topic") == out
    left = [one for one in texts if one["doc_key"] not in {key for key, _, _ in out}]
    for field in ("topic", "labels"):
        documents = {(one[field], one["doc_key"].partition("#")[0]) for one in left}
        assert len({value for value, _ in documents}) == len(documents)
    assert bool(left) == bool(texts)


def decided(folder: Path, shards: int) -> tuple[list, dict]:
    words = (
        "The clocks were striking.",
        "A spectre is haunting Europe.",
        "Call me Ishmael.",
        "The clocks were striking.",
    )
    keys = ("a", "b", "c", "d")
    texts = pl.DataFrame(
        {"doc_key": keys, "source": "early", "author_id": keys, "lang": "en", "content": words, "task": "essay",
         "topic": None, "item": None, "labels": ['{"prompt":"p"}', "{}", '{"prompt":"P"}', '{"prompt":"q"}']},
        schema_overrides={"topic": pl.String, "item": pl.String},
    )  # fmt: skip
    settings = DedupSettings()
    run_jobs(folder, texts, settings, ORDER, shards=shards)
    signatures, whole = (
        [folder / f"{name}/{shard}.parquet" for shard in range(shards)] for name in ("signatures", "whole")
    )
    for shard, path in enumerate(whole):
        write_parquet(texts.gather_every(shards, shard), path)
    removed, counts = folder / "removed.parquet", folder / "counts.json"
    pairs = [folder / "pairs/0.parquet"], [folder / "pairs/0.json"]
    decide_all(signatures, [], *pairs, removed, counts, "chunks", ORDER, settings, whole, {"essay": ["prompt"]})
    return read_columns([removed]).select(REMOVED.names()).rows(named=True), read_json(counts)["sources"]["early"]


def test_a_stage_removes_copies_then_repeated_prompts_and_accounts_for_all_in_any_shards(tmp_path):
    rows, counts = decided(tmp_path / "one", 1)
    assert [(row["doc_key"], row["reason"], row["detail"]) for row in rows] == [
        ("d", "exact_duplicate", "stand-in a"),
        ("c", "repeated_field", "prompt of a"),
    ]
    assert counts == {"in": 4, "kept": 2, "gained": 0, "dropped": {"exact_duplicate": 1, "repeated_field": 1}}
    assert decided(tmp_path / "three", 3) == (rows, counts)
    assert stand_ins(pl.DataFrame(rows, schema=REMOVED))["doc_key"].to_list() == ["d"]  # a prompt in common is no copy
