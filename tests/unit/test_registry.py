"""Entries are found by name or by path, and checked as a whole."""

from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

import pytest
from cases import cases, read_cases

import authbench.core.shipped
from authbench.config.registry.entries import schema_problems
from authbench.config.registry.load import EntryKind, list_entries, load_entries, load_entry
from authbench.config.registry.typed_schema import COMPUTED, schema_of_kinds
from authbench.core.errors import InputError

SCHEMA = read_cases(Path(__file__))["SCHEMA"]


def no_empty_title(entry):
    if not entry["title"]:
        yield "title: expected a word"


KIND = EntryKind("thing", "things", lambda: SCHEMA, lambda name, entry, _: (name, entry), no_empty_title)


@pytest.fixture
def base(tmp_path, monkeypatch):
    """A working directory beside a package that brings the things `one` and `two` along."""
    package = tmp_path / "package"
    for name, text in {
        "config/things/one.yaml": "title: packaged",
        "config/things/two.yaml": "{title: packaged, kind: sized}",
    }.items():
        (package / name).parent.mkdir(parents=True, exist_ok=True)
        (package / name).write_text(text, encoding="utf-8")
    monkeypatch.setattr(authbench.core.shipped, "shipped", lambda name: package / name)
    (tmp_path / "here/config/things").mkdir(parents=True)
    return tmp_path / "here"


def test_a_name_finds_the_packaged_entry(base):
    assert load_entry(KIND, "one", base) == ("one", {"title": "packaged"})


def test_the_users_own_entry_lies_over_the_packaged_one_of_its_name(base):
    (base / "config/things/one.yaml").write_text("title: mine", encoding="utf-8")
    assert load_entry(KIND, "one", base)[1]["title"] == "mine"
    assert {name: path.is_relative_to(base) for name, path in list_entries(KIND, base).items()} == {
        "one": True,
        "two": False,
    }


def test_a_path_finds_any_file_and_its_stem_is_the_name(base):
    (base / "odd.yaml").write_text("title: odd", encoding="utf-8")
    assert load_entry(KIND, "odd.yaml", base)[0] == "odd"
    assert load_entry(KIND, str(base / "odd.yaml"))[0] == "odd"


def test_an_unknown_name_is_answered_with_the_nearest(base):
    with pytest.raises(InputError, match=r"no thing 'onee' \(a file config/things/onee\.yaml.*did you mean 'one'\?"):
        load_entry(KIND, "onee", base)
    with pytest.raises(InputError, match="there is no file elsewhere.yaml, which should describe a thing"):
        load_entry(KIND, "elsewhere.yaml", base)


def test_all_problems_of_all_entries_come_in_one_message(base):
    (base / "config/things/bad.yaml").write_text("{titel: x, kind: plane}", encoding="utf-8")
    (base / "config/things/empty.yaml").write_text("title: ''", encoding="utf-8")
    with pytest.raises(InputError) as refused:
        load_entries(KIND, ["bad", "one", "tow", "empty"], base)
    lines = str(refused.value).splitlines()
    assert lines[0].startswith("config/things/bad.yaml, line 1: titel: ")
    assert "titel: unknown key; did you mean 'title'?" in str(refused.value)
    assert "config/things/bad.yaml, line 1: kind: 'plane' is not one of plain, sized; did you mean 'plain'?" in lines
    assert any("there is no thing 'tow'" in line for line in lines)
    assert lines[-1] == "config/things/empty.yaml, line 1: title: expected a word"


@dataclass(frozen=True)
class Written:
    title: str
    kind: str
    made: int = field(default=0, metadata=COMPUTED)


@dataclass(frozen=True)
class Sized:
    size: tuple[int, int]
    tags: tuple[Literal["a", "b"], ...] = ()


@dataclass(frozen=True)
class Plain:
    pass


@cases
def test_the_kind_of_an_entry_decides_its_parameters(entry, refused):
    schema = schema_of_kinds(Written, {"plain": Plain, "sized": Sized})
    assert [key for key, _ in schema_problems(entry, lambda: schema)] == refused
