"""Values that fit a plain schema are told apart without jsonschema's walk, to the same verdicts and messages."""

from pathlib import Path

import yaml
from cases import cases, read_cases
from hypothesis import given
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

from authbench.config.registry.entries import schema_problems
from authbench.config.registry.validator import fits, validator_of

KINDS = st.sampled_from(["null", "boolean", "integer", "number", "string", "array", "object"])
LEAVES = st.one_of(st.none(), st.booleans(), st.integers(), st.floats(allow_nan=False), st.text(max_size=2))
VALUES = st.recursive(LEAVES, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=1), inner))
PLAIN = st.recursive(
    st.fixed_dictionaries({"type": KINDS | st.lists(KINDS, min_size=1, max_size=2, unique=True)}),
    lambda inner: st.fixed_dictionaries(
        {"type": KINDS}, optional={"items": inner, "minItems": st.integers(0, 2), "maxItems": st.integers(1, 3)}
    ),
    max_leaves=3,
)
SCHEMA = read_cases(Path(__file__))["SCHEMA"]


@given(VALUES, PLAIN)
def test_a_value_fits_a_plain_schema_where_jsonschema_finds_no_error(value, schema):
    found = validator_of(schema).is_valid(value)
    assert fits(value, schema) == found
    if not isinstance(value, float) or not value.is_integer():  # 1.0 is an integer to jsonschema, and none to a setting
        assert "integer" in repr(schema) or found == Draft202012Validator(schema).is_valid(value)


@cases
def test_what_does_not_fit_is_named_as_before(value, said, tmp_path):
    path = tmp_path / "some.schema.yaml"
    path.write_text(SCHEMA, encoding="utf-8")
    assert [problem for _, problem in schema_problems(value, path)] == said


def test_a_list_of_settings_is_searched_for_values_that_no_setting_can_have(tmp_path):
    path = tmp_path / "some.schema.yaml"
    path.write_text("type: object\n", encoding="utf-8")
    value = yaml.safe_load('{"deep": [1, {"a": .nan}, ["\\0"], 2020-01-01]}')
    assert [problem.partition(":")[0] for _, problem in schema_problems(value, path)] == [
        "deep.1.a", "deep.2.0", "deep.3",
    ]  # fmt: skip
