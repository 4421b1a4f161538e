"""Texts in a wrong language are listed for a person, who may give them the right one."""

import json

import polars as pl
import pytest
from cases import cases
from sound_release import documents, write_sound

from authbench.app.cli import main
from authbench.audit.auditing.languages import audit_languages, suspects
from authbench.build.chunk.cut import chunk_records
from authbench.build.chunk.retag import read_retags, retag
from authbench.build.filter.measure import measure_texts
from authbench.config.registry.entries import read_yaml
from authbench.core.errors import InputError
from authbench.core.identity import sha256_of_text
from authbench.core.records import RECORD
from authbench.core.shipped import shipped
from authbench.core.tokens import load_tokenizer

GERMAN = (
    "Die Leute am Fluss hatten den Winter über nichts gehört, und als der Schnee schmolz, gingen sie zum Hafen, "
    "um nach den Booten zu sehen, die dort seit dem Herbst lagen."
)
KOREAN = "오늘은 날씨가 아주 좋아서 공원에 가서 친구를 만나고 같이 점심을 먹었습니다. " * 3
ENGLISH = (
    "The people by the river had heard nothing all winter, and when the snow melted they went down to the harbour. " * 2
)


def measured(texts, langs):
    rows = pl.DataFrame({"doc_key": [f"k{n}" for n in range(len(texts))], "lang": langs, "content": texts})
    numbers = measure_texts(rows, ["en", "de", "zh", "ko", "ja"]).drop("doc_key", "lang", strict=False)
    return rows.rename({"doc_key": "id"}).hstack(numbers)


def test_texts_in_another_language_or_script_are_suspects_and_no_others():
    found = suspects(
        measured([GERMAN, GERMAN, ENGLISH, KOREAN, "Ja, gut.", KOREAN], ["en", "de", "en", "zh", "en", "ko"])
    )
    assert found["id"].to_list() == ["k0", "k3"]
    assert found["language"].to_list()[0] and found["langid"].to_list() == ["de", "ko"]
    assert found["low_script"].to_list() == [False, True]


def test_a_text_is_given_the_language_that_a_person_wrote():
    rows = pl.DataFrame({"content": [GERMAN, ENGLISH], "lang": ["en", "en"]})
    assert retag(rows, {sha256_of_text(GERMAN): "de"})["lang"].to_list() == ["de", "en"]
    assert retag(rows, {}) is rows


def test_the_section_of_settings_with_a_list_is_taken_by_the_cut():
    settings = read_yaml(shipped("config/config.yaml"))["chunk"]
    made = documents().head(2).select(RECORD.names())
    kept, _ = chunk_records(made, load_tokenizer(), settings | {"retag": "list.jsonl"}, 1)
    assert kept["content"].to_list() == made["content"].to_list()


@pytest.fixture(scope="module")
def release(tmp_path_factory):
    """A release with an English text that is German, whose filters are as they were measured."""
    folder = tmp_path_factory.mktemp("language") / "release"
    made = documents()
    first = made.filter(pl.col("lang") == "en")["doc_key"][0]
    made = made.with_columns(content=pl.when(pl.col("doc_key") == first).then(pl.lit(GERMAN)).otherwise("content"))
    write_sound(folder, made=made)
    return folder


def test_the_list_can_be_corrected_and_given_to_a_build(release, tmp_path):
    assert main(["release", "languages", str(release), "--out", str(tmp_path / "out")]) == 0
    rows = [json.loads(line) for line in (tmp_path / "out/suspects.jsonl").read_text().splitlines()]
    (one,) = [row for row in rows if row["text_preview"] == GERMAN[:300]]
    assert (one["lang"], one["detected_lang"], one["reasons"], one["removed"]) == ("en", "de", ["language"], None)
    summary = json.loads((tmp_path / "out/summary.json").read_text())
    assert summary["another_language"]["en->de"] >= 1 and summary["inspected"] == documents().height
    corrected = [{**row, "lang": row["detected_lang"]} for row in rows]
    path = tmp_path / "corrected.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in corrected))
    assert read_retags(path)[sha256_of_text(GERMAN)] == "de"


def test_suspects_beyond_the_number_are_counted_but_not_listed(release, tmp_path):
    audit_languages(release, tmp_path / "all")
    few = audit_languages(release, tmp_path / "few", most=0)
    assert few["listed"] == 0 and sum(few["another_language"].values()) >= 1


@cases
def test_a_list_that_cannot_be_used_is_refused_with_its_line(tmp_path, lines, words):
    path = tmp_path / "list.jsonl"
    path.write_text(lines)
    with pytest.raises(InputError, match=words):
        read_retags(path)


def test_a_folder_without_a_build_or_a_release_is_refused(tmp_path):
    (tmp_path / "results/chunk").mkdir(parents=True)
    with pytest.raises(InputError, match="Build it first"):
        audit_languages(tmp_path / "results", tmp_path / "out")
    assert not (tmp_path / "out").exists()
