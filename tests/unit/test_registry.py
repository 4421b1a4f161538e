"""Entries are found by name or by path, checked as a whole, and complete."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import authbench.shipped
from authbench.errors import InputError
from authbench.registry import load
from authbench.registry.entries import with_defaults
from authbench.registry.load import EntryKind, list_entries, load_entries, load_entry

SCHEMA = """
type: object
additionalProperties: false
required: [title]
properties:
  title: {type: string}
  kind: {enum: [plain, sized], default: plain}
  parameters: {type: object, default: {}}
allOf:
  - if: {properties: {kind: {const: sized}}, required: [kind]}
    then: {properties: {parameters: {$ref: "#/$defs/sized"}, refused: false}}
$defs:
  sized: {properties: {height: {default: 2}, width: {default: 3}}, additionalProperties: false}
"""
Thing = tuple[str, dict[str, Any]]


def no_empty_title(entry: dict[str, Any]) -> Iterator[str]:
    if not entry["title"]:
        yield "title: expected a word"


KIND: EntryKind[Thing] = EntryKind(
    "thing", "things", "thing.schema.yaml", lambda name, entry, _: (name, entry), no_empty_title
)


@pytest.fixture
def base(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A working directory beside a package that brings the things `one` and `two` along."""
    package = tmp_path / "package"
    for name, text in {
        "schemas/thing.schema.yaml": SCHEMA,
        "config/things/one.yaml": "title: packaged",
        "config/things/two.yaml": "{title: packaged, kind: sized, parameters: {width: 9}}",
    }.items():
        (package / name).parent.mkdir(parents=True, exist_ok=True)
        (package / name).write_text(text, encoding="utf-8")
    for module in (authbench.shipped, load):
        monkeypatch.setattr(module, "shipped", lambda name: package / name)
    (tmp_path / "here/config/things").mkdir(parents=True)
    return tmp_path / "here"


def test_a_name_finds_the_packaged_entry(base: Path) -> None:
    assert load_entry(KIND, "one", base) == ("one", {"title": "packaged", "kind": "plain", "parameters": {}})


def test_the_users_own_entry_lies_over_the_packaged_one_of_its_name(base: Path) -> None:
    (base / "config/things/one.yaml").write_text("title: mine", encoding="utf-8")
    assert load_entry(KIND, "one", base)[1]["title"] == "mine"
    assert {name: path.is_relative_to(base) for name, path in list_entries(KIND, base).items()} == {
        "one": True,
        "two": False,
    }


def test_a_path_finds_any_file_and_its_stem_is_the_name(base: Path) -> None:
    (base / "odd.yaml").write_text("title: odd", encoding="utf-8")
    assert load_entry(KIND, "odd.yaml", base)[0] == "odd"
    assert load_entry(KIND, str(base / "odd.yaml"))[0] == "odd"


def test_keys_with_defaults_come_first_in_the_order_of_the_schema(base: Path) -> None:
    _, entry = load_entry(KIND, "two", base)
    assert list(entry["parameters"].items()) == [("height", 2), ("width", 9)]


def test_defaults_are_added_in_place_of_nothing_that_is_given(base: Path) -> None:
    schema = base.parent / "package/schemas/thing.schema.yaml"
    given = {"title": "t", "kind": "sized", "parameters": {"width": 0, "height": None}}
    assert with_defaults(given, schema) == given


def test_an_unknown_name_is_answered_with_the_nearest(base: Path) -> None:
    with pytest.raises(InputError, match=r"no thing 'onee' \(a file config/things/onee\.yaml.*did you mean 'one'\?"):
        load_entry(KIND, "onee", base)
    with pytest.raises(InputError, match="there is no file elsewhere.yaml, which should describe a thing"):
        load_entry(KIND, "elsewhere.yaml", base)


def test_all_problems_of_all_entries_come_in_one_message(base: Path) -> None:
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


def test_every_model_and_verifier_has_the_parameters_of_its_kind() -> None:
    for noun in ("model", "verifier"):
        kind: EntryKind[Thing] = EntryKind(
            noun, f"{noun}s", f"{noun}.schema.yaml", lambda name, entry, _: (name, entry)
        )
        for name in list_entries(kind):
            assert isinstance(load_entry(kind, name)[1]["parameters"], dict)
