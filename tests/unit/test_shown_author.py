"""A source that would publish its authors as topics or labels is refused before anything runs."""

import pytest
import yaml
from cases import cases
from source_page import source_page

from authbench.config.registry.expressions import shown_author
from authbench.config.registry.source_entry import Author, Description, Impurity
from authbench.config.registry.sources import find_sources
from authbench.config.registry.typed_schema import from_plain
from authbench.core.errors import InputError

FIELDS = {"text": "text", "author": "user", "lang": {"const": "en"}, "genre": {"const": "blog"}}
ENTRY = source_page(fields=FIELDS)


def problems(label, topic, **others):
    fields = {**ENTRY["fields"], "author": label, "topic": topic}
    return [problem.partition(":")[0] for problem in shown_author({**ENTRY, "fields": fields, **others})]


@pytest.mark.parametrize(("estimator", "field"), [("same_item", "item"), ("account", "account")])
def test_an_estimate_from_a_field_that_is_not_there_is_a_problem(tmp_path, estimator, field):
    entry = {**ENTRY, "author": {"kind": "account", "impurity": {"estimator": estimator}}}
    (tmp_path / "posts.yaml").write_text(yaml.safe_dump(entry), encoding="utf-8")
    with pytest.raises(InputError, match=f"fields.{field}, which is not there"):
        find_sources(["posts.yaml"], tmp_path)
    entry = {**entry, "fields": {**ENTRY["fields"], field: "shop"}}
    (tmp_path / "posts.yaml").write_text(yaml.safe_dump(entry), encoding="utf-8")
    assert find_sources(["posts.yaml"], tmp_path)


@cases
def test_a_topic_that_is_the_author_is_a_problem(author, topic):
    assert problems(author, topic) == ["fields.topic"]


@cases
def test_a_topic_of_another_field_or_part_is_none(author, topic):
    assert problems(author, topic) == []


def test_derived_fields_and_paths_are_looked_into():
    derive = {"name": {"field": "name", "lower": True}, "poet": {"any": ["name", "user"]}}
    assert problems("poet", "user", derive=derive) == ["fields.topic"]
    assert problems("user", "poet", derive=derive) == ["fields.topic"]
    assert problems("user", "name", derive=derive) == []
    assert problems("account", "file_name", path_fields=r"(?P<account>\w+)\.csv") == ["fields.topic"]
    assert problems("user", None, author={"kind": "account", "name": "shown"}) == []
    assert problems("user", "shown", author={"kind": "account", "name": "shown"}) == ["fields.topic"]


def test_the_entry_of_such_a_source_is_refused_by_key(tmp_path):
    path = tmp_path / "posts.yaml"
    path.write_text(yaml.safe_dump({**ENTRY, "fields": {**ENTRY["fields"], "labels": {"who": "user"}}}))
    with pytest.raises(InputError, match=r"fields\.labels\.who: shows 'user', of which the author's label is made"):
        find_sources([str(path)])


def test_a_group_of_authors_that_is_the_author_is_a_problem():
    fields = {**ENTRY["fields"], "author_group": {"field": "user", "lower": True}}
    (problem,) = shown_author({**ENTRY, "fields": fields})
    assert problem.startswith("fields.author_group: shows 'user'")


@cases
def test_an_estimator_without_what_it_computes_from_is_refused(tmp_path, impurity, message):
    path = tmp_path / "posts.yaml"
    path.write_text(yaml.safe_dump({**ENTRY, "author": {"kind": "account", "impurity": impurity}}))
    with pytest.raises(InputError, match=message):
        find_sources([str(path)])


def test_an_entry_says_of_its_labels_and_texts_what_a_release_needs(tmp_path):
    impurity = {"estimator": "stated", "value": 0.02, "reference": "A. Author, 2020"}
    author = {"kind": "person", "names": "full", "own_name": "keep", "impurity": impurity}
    path = tmp_path / "posts.yaml"
    path.write_text(
        yaml.safe_dump({**ENTRY, "author": author, "text": "edited", "genre_of": "author", "fame": "classic"})
    )
    description = from_plain(Description, find_sources([str(path)])["posts"].entry)
    assert (description.text, description.genre_of, description.fame) == ("edited", "author", "classic")
    known = description.author
    assert (known.names, known.own_name, known.impurity) == (
        "full",
        "keep",
        Impurity("stated", (), 10, 0.02, "A. Author, 2020"),
    )
    path.write_text(yaml.safe_dump(ENTRY))
    plain = from_plain(Description, find_sources([str(path)])["posts"].entry)
    assert (plain.text, plain.genre_of, plain.fame, plain.author) == ("typed", "text", "none", Author("account"))
