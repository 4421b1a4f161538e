"""What a configuration may say follows from the types of its sections."""

from collections.abc import Mapping
from typing import Annotated, Literal, TypedDict

from cases import cases

from authbench.config.registry.entries import read_yaml, schema_problems
from authbench.config.registry.typed_schema import schema_of
from authbench.config.settings.config import Config
from authbench.config.settings.values import Keywords
from authbench.core.shipped import shipped

Small = Annotated[int, Keywords(maximum=9)]


class Section(TypedDict):
    number: Small | None
    switch: Literal["all"] | Small
    by_key: Small | Mapping[Annotated[str, Keywords(pattern="^[a-z]$")], Small]


@cases
def test_a_section_takes_what_its_types_say(key, fitting, refused):
    assert [value for value in fitting if list(schema_problems({key: value}, Section))] == []
    assert [value for value in refused if not list(schema_problems({key: value}, Section))] == []


def test_a_later_keyword_takes_the_place_of_an_earlier_one():
    assert schema_of(Annotated[Small, Keywords(maximum=5)]) == {"type": "integer", "maximum": 5}


def one_sided(schema, value):
    """Return the keys that have a type and no default, or a default and no type."""
    typed = schema.get("properties", {})
    inner = [one_sided(typed[key], value[key]) for key in typed.keys() & value.keys()] if typed else []
    return set().union(typed.keys() ^ value.keys() if typed else (), *inner)


def test_every_default_has_a_type_that_it_fits_and_every_type_a_default():
    defaults = read_yaml(shipped("config/config.yaml"))
    assert [problem for section, problem in schema_problems(defaults, Config) if section != "sources"] == []
    assert one_sided(schema_of(Config), defaults) == set()
    del defaults["split"]["bridge"]["documents"]
    assert one_sided(schema_of(Config), defaults) == {"documents"}
