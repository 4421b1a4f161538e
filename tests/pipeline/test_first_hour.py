"""What goes wrong in the first hour with a corpus of one's own is named before any job runs."""

import json
import shutil
from contextlib import suppress
from functools import reduce

import pytest
from cases import cases
from project import ROOT
from tiny import LETTERS, csv_text, rows

from authbench.app.config import prepare
from authbench.app.preflight import at_start
from authbench.app.preflight.at_start import expect_usable
from authbench.core.errors import InputError

DATES = LETTERS.replace("id: number,", "id: number, date: {field: day, date: '%d.%m.%Y'},")
SAMPLE = {"min_documents_per_author": 2, "fallback_documents_per_author": None}


def preflight(folder, content, entry=LETTERS, settings=None):
    """Return the warnings on a folder with one file of raw texts."""
    for name in ("config/languages.yaml", "config/persons.yaml"):
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(ROOT / name, folder / name)
    (folder / "raw/letters").mkdir(parents=True, exist_ok=True)
    (folder / "raw/letters/all.csv").write_bytes(content)
    (folder / "letters.yaml").write_text(entry, encoding="utf-8")
    recipe = {"name": "own", "raw_dir": "raw", "sources": ["letters.yaml"], "sample": SAMPLE, **(settings or {})}
    setup = prepare(recipe, folder)
    return expect_usable(setup, folder / "raw", folder / "results/own/preflight.json", for_release=True)


@pytest.fixture(scope="module")
def table():
    return list(rows("en", 0))


def changed(table, change):
    """Return a file of the rows, of which a change makes others."""
    made = change([dict(row) for row in table])
    return made if isinstance(made, bytes) else csv_text(made).encode()


def of_one_author(table):
    return [{**row, "writer": "Ada Brook"} for row in table]


def two_each(table):
    return [row for place, row in enumerate(table) if place % 4 < 2]


def short(table):
    return [{**row, "body": f"No {row['number']}."} for row in table]


def dated(day, unlike="", share=0.0):
    return lambda table: [
        {**row, "day": unlike if place < share * len(table) else day} for place, row in enumerate(table)
    ]


def unchanged(table):
    return table


MADE = {
    "as it is": unchanged,
    "of one author": of_one_author,
    "two each": two_each,
    "short": short,
    "UTF-16": lambda table: csv_text(table).encode("utf-16"),
    "a line of Latin-1": lambda table: csv_text(table).encode() + b"9,W,caf\xe9,w\r\n",
    "empty": lambda _: b"",
    "a header": lambda table: csv_text(table).splitlines()[0].encode(),
}


@cases
def test_an_error_of_the_first_hour_is_named_before_any_job(table, made, edits, settings, named, tmp_path):
    entry = reduce(lambda text, edit: text.replace(*edit), edits, LETTERS)
    change = MADE[made] if isinstance(made, str) else dated(**made)
    with pytest.raises(InputError) as refused:
        preflight(tmp_path, changed(table, change), entry, settings)
    told = str(refused.value)
    assert told.startswith("Nothing was run: 1 problem to mend")
    for words in named:
        assert words in told
    assert table[0]["body"][:20] not in told and "Writer en" not in told


def test_a_corpus_that_is_enough_has_no_warning(table, tmp_path):
    assert preflight(tmp_path, changed(table, unchanged)) == []
    assert json.loads((tmp_path / "results/own/preflight.json").read_text())["letters"]["found"]["kept"] == 28


def test_a_loss_over_half_is_told_and_one_under_it_is_not(table, tmp_path):
    (warning,) = preflight(tmp_path / "much", changed(table, dated("03.02.2024", "3 Feb", 0.6)), DATES)
    assert "letters: fields.date: nothing is made of 17 of 28 values, e.g. of '3 Feb'" in warning
    assert preflight(tmp_path / "less", changed(table, dated("03.02.2024", "3 Feb", 0.4)), DATES) == []


def test_of_few_authors_who_may_be_enough_the_run_is_warned(table, tmp_path):
    few = [row for place, row in enumerate(table) if place < 8 or place % 4 < 2]
    (warning,) = preflight(tmp_path, csv_text(few).encode())
    assert "At most 2 authors can have queries: of 18 texts in the sources, 10 by authors with fewer than 3" in warning


def test_an_example_is_never_of_what_names_the_author(table, tmp_path):
    entry = LETTERS.replace("id: number,", "id: number, topic: {field: writer, match: '^Xx'},")
    with pytest.raises(InputError) as refused:
        preflight(tmp_path, changed(table, unchanged), entry)
    assert "fields.topic: nothing is made of 28 of 28 values" in str(refused.value)
    assert "Writer" not in str(refused.value)


def test_long_texts_of_few_authors_can_be_enough(table, tmp_path):
    long = [{**row, "body": " ".join([row["body"]] * 40)} for row in table if row["number"].endswith("0")]
    with pytest.raises(InputError, match="one work"):
        preflight(tmp_path / "one", csv_text(long).encode(), LETTERS)
    assert preflight(tmp_path / "any", csv_text(long).encode(), LETTERS, {"release": {"positives": "any"}}) == []


def test_of_a_large_source_the_first_records_are_read_and_its_authors_are_not_counted(table, tmp_path):
    many = [{**row, "number": f"{row['number']}-{copy}", "writer": "Ada Brook"} for copy in range(50) for row in table]
    assert preflight(tmp_path, csv_text(many).encode()) == []
    kept = json.loads((tmp_path / "results/own/preflight.json").read_text())["letters"]["found"]
    assert kept["records"] == 1000 and not kept["whole"] and kept["authors"] == []


def test_of_a_source_whose_first_record_is_huge_nothing_is_said(table, tmp_path):
    huge = [{**table[0], "body": "word " * 1_000_000}, *table]
    assert preflight(tmp_path, csv_text(huge).encode()) == []
    kept = json.loads((tmp_path / "results/own/preflight.json").read_text())["letters"]["found"]
    assert kept["records"] == 0 and not kept["whole"]


def test_what_is_known_of_a_source_is_read_again_when_its_entry_or_its_files_change(table, tmp_path, monkeypatch):
    read = []
    first = at_start.read_first
    monkeypatch.setattr(at_start, "read_first", lambda tag, *more: read.append(tag) or first(tag, *more))
    content = changed(table, unchanged)
    for times, (raw, entry) in enumerate(
        [(content, LETTERS), (content, LETTERS), (content, DATES.replace("day", "work")), (content + b"\r\n", LETTERS)]
    ):
        with suppress(InputError):
            preflight(tmp_path, raw, entry)
        assert len(read) == (1, 1, 2, 3)[times]
