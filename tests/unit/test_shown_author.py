"""A source that would publish its authors as topics or labels is refused before anything runs."""

from pathlib import Path
from typing import Any

import pytest
import yaml

from authbench.errors import InputError
from authbench.registry.expressions import shown_author
from authbench.registry.sources import find_sources

ENTRY: dict[str, Any] = {
    "title": "Posts",
    "about": "Of nobody.",
    "license": {"name": "MIT", "tier": "A"},
    "acquire": {"from": "local", "where": "here", "how": "Write them."},
    "files": ["*.csv"],
    "reader": {"format": "csv"},
    "fields": {"text": "text", "author": "user", "lang": {"const": "en"}, "genre": {"const": "blog"}},
    "author": {"kind": "account"},
}


def problems(label: Any, topic: Any, **others: Any) -> list[str]:
    fields = {**ENTRY["fields"], "author": label, "topic": topic}
    return [problem.partition(":")[0] for problem in shown_author({**ENTRY, "fields": fields, **others})]


@pytest.mark.parametrize(
    ("author", "topic"),
    [
        ("user", "user"),
        ("user", {"field": "user", "lower": True}),
        ("user", {"field": "user", "hash": True}),
        ({"field": "user", "lower": True}, "user"),
        ({"any": ["user", "name"]}, "name"),
        ("user", {"any": ["kind", "user"]}),
        ("user", {"compose": "{kind} {user?}"}),
        ({"field": "label", "match": "([^/]+)$"}, "label"),
        ({"field": "label", "match": "([^/]+)$"}, {"field": "label", "match": "([^/]+)$"}),
    ],
)
def test_a_topic_that_is_the_author_is_a_problem(author: Any, topic: Any) -> None:
    assert problems(author, topic) == ["fields.topic"]


@pytest.mark.parametrize(
    ("author", "topic"),
    [
        ("user", "kind"),
        ("user", {"const": "user"}),
        ({"field": "label", "match": "([^/]+)$"}, {"field": "label", "match": "^([^/]+)/"}),
        ({"compose": "{forum} {user}"}, {"field": "forum", "map": {"a": "b"}}),
    ],
)
def test_a_topic_of_another_field_or_part_is_none(author: Any, topic: Any) -> None:
    assert problems(author, topic) == []


def test_derived_fields_and_paths_are_looked_into() -> None:
    derive = {"name": {"field": "name", "lower": True}, "poet": {"any": ["name", "user"]}}
    assert problems("poet", "user", derive=derive) == ["fields.topic"]
    assert problems("user", "poet", derive=derive) == ["fields.topic"]
    assert problems("user", "name", derive=derive) == []
    assert problems("account", "file_name", path_fields=r"(?P<account>\w+)\.csv") == ["fields.topic"]
    assert problems("user", None, author={"kind": "account", "name": "shown"}) == []
    assert problems("user", "shown", author={"kind": "account", "name": "shown"}) == ["fields.topic"]


def test_the_entry_of_such_a_source_is_refused_by_key(tmp_path: Path) -> None:
    path = tmp_path / "posts.yaml"
    path.write_text(yaml.safe_dump({**ENTRY, "fields": {**ENTRY["fields"], "labels": {"who": "user"}}}))
    with pytest.raises(InputError, match=r"fields\.labels\.who: shows 'user', of which the author's label is made"):
        find_sources([str(path)])
