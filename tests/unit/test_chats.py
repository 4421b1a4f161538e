"""Messages of exported chats: who wrote what and when; what the sender did not write has no text, and says why."""

import json
from pathlib import Path

import pytest
from cases import cases, read_cases
from hypothesis import given
from hypothesis import strategies as st
from read_content import read_content

from authbench.config.registry.readers import ChatReader
from authbench.core.errors import InputError
from authbench.core.storage.raw_files import RawFile
from authbench.release.reading import chats
from authbench.release.reading.rows import BadRow

MARK = "\u200e"


def read(path, app, content, limit=10_000):
    return read_content(path, content, ChatReader(app), limit)


@cases
def test_a_line_of_whatsapp(line, author, date, text, tmp_path):
    more = f"{line}\r\nand on 13/02/24 too\r\n{line}\r\n"
    (first, second), units = read(tmp_path / "a.txt", "whatsapp", more)
    assert (second["from"], second["date"], second["text"]) == (author, date, text)
    assert second["left_out"] == (None if text else "system_or_media") and units.records == units.found == 2
    if text and "edited" not in line:
        assert first["text"] == f"{text}\nand on 13/02/24 too"
    assert chats.app_of(RawFile(tmp_path / "a.txt", "a.txt", "")) == "whatsapp"


def test_lines_before_the_first_message_and_long_ones_are_bad_rows(tmp_path):
    begins = "13/02/24, 21:05 - Ann: "
    content = f"x\n{begins}a\n{begins}c\n" + "d\n" * 99 + f"{begins}e\n{'z' * 91}"
    found, units = read(tmp_path / "a.txt", "whatsapp", content, 90)
    places = [row.position if isinstance(row, BadRow) else row["text"] for row in found]
    assert places == ["line 1", "a", "line 3", "line 103"]
    assert (units.found, units.records, units.bad) == (4, 1, 3)


@given(
    st.lists(st.sampled_from(["13/02/24, 21:05 - A: b\n", "\n", "text\n", "x" * 300 + "\n", f"{MARK}\n"]), min_size=1)
)
def test_every_message_of_whatsapp_has_an_outcome(tmp_path_factory, parts):
    found, units = read(tmp_path_factory.mktemp("chat") / "a.txt", "whatsapp", "".join(parts), 200)
    assert units.found == len(found) and sum(isinstance(row, BadRow) for row in found) == units.bad
    assert units.found >= sum(part.startswith("13") for part in parts)


TELEGRAM = read_cases(Path(__file__))["TELEGRAM"]
DISCORD = {
    "id": "1", "type": "Default", "timestamp": "2024-02-13T10:00:00.1+00:00", "content": "It rains.",
    "author": {"id": "7", "name": "Ann", "isBot": False},
}  # fmt: skip


@cases
def test_a_message_in_json(app, changed, expected, tmp_path):
    message = {**(TELEGRAM if app == "telegram" else DISCORD), **changed}
    chat = {"type": "private_group", "id": 5, "messages": [message]}
    whole = {"chats": {"list": [chat, {"messages": []}]}} if app == "telegram" else {"guild": {}, "channel": {}, **chat}
    [row], units = read(tmp_path / "a.json", app, json.dumps(whole))
    assert {key: row[key] for key in expected} == expected and units.records == 1
    assert chats.app_of(RawFile(tmp_path / "a.json", "a.json", "")) == app


def test_a_message_in_json_that_is_too_long_is_a_bad_row_with_its_line(tmp_path):
    messages = [TELEGRAM, {**TELEGRAM, "text": "x" * 500}, TELEGRAM]
    content = '{"messages": [\n' + ",\n".join(map(json.dumps, messages)) + "]}"
    found, units = read(tmp_path / "a.json", "telegram", content, 300)
    assert [isinstance(row, BadRow) for row in found] == [False, True, False] and found[1].position == "line 3"
    assert (units.found, units.records, units.bad) == (3, 2, 1)


@pytest.mark.parametrize(
    "content", ["[{}]", '{"messages": 1}', '{"type": "letter", "messages": []}', "", "Dear Ann,\n13/02/24"]
)
def test_other_files_are_no_chats(content, tmp_path):
    (tmp_path / "a").write_text(content)
    assert chats.app_of(RawFile(tmp_path / "a", "a", "")) is None


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ('{"a":' * 100_000, "nested too deeply"),
        ('{"messages": [' + "[" * 100_000, "nested too deeply"),
        ('{"messages": [{"id": 1}', "ends too early"),
        ('{"messages": []} x', "the chats end"),
        ('{"messages": [], 5: 1}', "expected a key"),
    ],
)
def test_damaged_json_is_named_in_one_line(content, said, tmp_path):
    with pytest.raises(InputError, match=said) as error:
        read(tmp_path / "a.json", "telegram", content)
    assert "\n" not in str(error.value)


def test_what_is_no_message_is_a_bad_row(tmp_path):
    deep = json.loads("[" * 150 + "]" * 150)
    content = json.dumps(
        {"messages": [1, {**TELEGRAM, "x": deep}, {**TELEGRAM, "text": "y" * 600}, TELEGRAM]}, indent=1
    )
    found, units = read(tmp_path / "a.json", "telegram", content, 500)
    assert [isinstance(row, BadRow) for row in found] == [True, True, True, False]
    assert (units.found, units.records, units.bad) == (4, 1, 3)
