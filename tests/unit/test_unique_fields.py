"""Texts of a task type share no value of a field that `dedup.unique` names."""

import orjson
import polars as pl
import pytest
import sound_release
from cases import cases
from dedup_stage import run_jobs
from defaults import section
from hypothesis import given
from hypothesis import strategies as st

from authbench.build.dedup.jobs.decide import Compared, Decisions, Unique, decide_all
from authbench.build.dedup.unique import repeated_fields, values_of
from authbench.build.labels.shared import stand_ins
from authbench.build.release.tables import make_provenance
from authbench.core.errors import InputError
from authbench.core.identity import author_id
from authbench.core.records import REMOVED
from authbench.core.storage.json_files import read_json
from authbench.core.storage.parquet import read_columns, write_parquet
from authbench.release.checking import check_release
from authbench.release.checking.form import check_fields

ORDER = ["early", "late"]


def text(key, source="early", task="essay", topic=None, **labels):
    return {
        "doc_key": key, "source": source, "task": task, "topic": topic, "item": None,
        "labels": orjson.dumps(labels).decode(),
    }  # fmt: skip


def table(*texts):
    strings = dict.fromkeys(("doc_key", "source", "task", "topic", "item", "labels"), pl.String)
    return pl.DataFrame(texts, schema=strings).with_row_index("row").cast({"row": pl.Int64})


def gone(texts, *fields):
    found = repeated_fields([values_of(texts, {"essay": fields}, ORDER)])
    return found.select("doc_key", "field", "first").rows()


@cases
def test_of_texts_that_share_a_value_the_first_stays(texts, fields, expected):
    assert gone(table(*(text(key, **known) for key, known in texts)), *fields) == [tuple(row) for row in expected]


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


def decided(folder, shards):
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
    settings = section("dedup")
    run_jobs(folder, texts, settings, ORDER, shards=shards)
    signatures, whole = (
        [folder / f"{name}/{shard}.parquet" for shard in range(shards)] for name in ("signatures", "whole")
    )
    for shard, path in enumerate(whole):
        write_parquet(texts.gather_every(shards, shard), path)
    removed, counts = folder / "removed.parquet", folder / "counts.json"
    compared = Compared([folder / "pairs/0.parquet"], [folder / "pairs/0.json"])
    unique, decisions = Unique(whole, {"essay": ["prompt"]}), Decisions(removed, counts)
    decide_all(signatures, [], compared, decisions, "chunks", ORDER, settings, unique)
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


UNIQUE = {"authorship": ["topic", "prompt"]}


def published(monkeypatch, folder, prompts, *fields):
    """Return the claims that a release breaks whose fields are to be unique and whose texts have these prompts."""
    settings = {**sound_release.CONFIG["dedup"], "unique": {"authorship": list(fields)}}
    monkeypatch.setitem(sound_release.CONFIG, "dedup", settings)
    labels = pl.Series([orjson.dumps({"prompt": prompt}).decode() for prompt in prompts])
    sound_release.write_sound(folder, made=sound_release.documents().with_columns(labels=labels))
    return {violation.code for violation in check_release(folder)}


def test_a_release_states_its_prompts_by_their_digests_and_the_check_finds_one_twice(monkeypatch, tmp_path):
    many = sound_release.documents().height
    prompts = pl.Series([f"Prompt {number}" for number in range(many)])
    assert published(monkeypatch, tmp_path / "sound", prompts, "prompt") == set()
    table = pl.read_parquet(tmp_path / "sound/provenance.parquet")
    assert table["unique_values"].n_unique() == many
    assert not any("Prompt" in value for value in table["unique_values"])
    twice = prompts.scatter(3, " prompt\n9")
    assert published(monkeypatch, tmp_path / "forged", twice, "prompt") == {"unique_field"}


def provenance(*texts, key=None):
    """The provenance of documents with these names, topics and labels, whose topic and prompt are to be unique."""
    source = "babel_briefings"
    made = (
        sound_release.documents()
        .head(len(texts))
        .with_columns(
            id=pl.Series([f"doc_{number:06d}" for number in range(len(texts))]),
            author_id=pl.Series([author_id(source, name, key) for name, _, _ in texts]),
            topic=pl.Series([topic for _, topic, _ in texts], dtype=pl.String),
            labels=pl.Series([labels for _, _, labels in texts]),
            scored=pl.lit(True),
            origin=pl.lit("0" * 32),
            content_sha256=pl.lit("0" * 64),
        )
    )
    return make_provenance(made, None, sound_release.sources(), (), UNIQUE, key)


@pytest.mark.parametrize("key", [None, b"a secret"])
def test_of_an_author_s_own_name_a_release_states_no_digest(key):
    table = provenance(("Jane Roe", "Jane Roe", '{"prompt":"Jane Roe"}'), ("John Doe", "war", "{}"), key=key)
    assert [value and list(orjson.loads(value)) for value in table["unique_values"]] == [None, ["topic"]]
    assert list(check_fields(table, UNIQUE)) == []


def test_chunks_of_one_record_share_their_prompt_and_other_task_types_are_not_held_to_it():
    table = provenance(("Ann", None, '{"prompt":"x"}'), ("Bob", None, '{"prompt":"x"}'))
    assert [finding.id for finding in check_fields(table, UNIQUE)] == ["doc_000000 = doc_000001"]
    assert list(check_fields(table.with_columns(ordinal=pl.lit(1, pl.Int64)), UNIQUE)) == []
    assert list(check_fields(table, {"essay": ["prompt"]})) == []


def test_a_digest_that_is_not_that_of_the_topic_beside_it_is_found():
    table = provenance(("Ann", "war", "{}"), ("Bob", "peace", "{}"))
    other = table.with_columns(unique_values=table["unique_values"].reverse())
    assert [finding.id for finding in check_fields(other, UNIQUE)] == ["doc_000000", "doc_000001"]


@pytest.mark.parametrize("wrong", [["essay"], {"essay": "prompt"}, {"essay": [1]}])
def test_a_manifest_with_another_form_of_the_setting_is_an_error_that_says_the_form(wrong):
    with pytest.raises(InputError, match=r"dedup\.unique is .* Expected the fields of each task type"):
        list(check_fields(provenance(("Ann", None, "{}")), wrong))
