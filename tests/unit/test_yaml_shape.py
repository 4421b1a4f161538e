"""A YAML file of a few kB exhausts neither the stack nor the time."""

import pytest

from authbench.config.registry.entries import read_yaml
from authbench.config.registry.yaml_lines import shape_problem
from authbench.core.errors import InputError

ALIASES = "a0: &a0 [x, x, x, x, x, x, x, x, x]\n" + "".join(
    f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 9)}]\n" for n in range(1, 9)
)


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("a: " + "[" * 100_000 + "]" * 100_000, "nested deeper than 64 levels"),
        ("a: " + "{b: " * 100_000 + "1" + "}" * 100_000, "nested deeper than 64 levels"),
        ("- " * 100_000 + "a", "nested deeper than 64 levels"),
        ("? " * 100_000 + "a", "nested deeper than 64 levels"),
        (ALIASES, "more than 1,000,000 values"),
        ("a: &a [*a]", "contains itself"),
    ],
    ids=["lists", "mappings", "block", "keys", "aliases", "itself"],
)
def test_a_bomb_is_refused_before_it_is_built(tmp_path, text, problem):
    (tmp_path / "entry.yaml").write_text(text)
    with pytest.raises(InputError, match=problem):
        read_yaml(tmp_path / "entry.yaml")


def test_anchors_and_long_lists_are_read(tmp_path):
    text = "a: &one {b: 1}\nc: *one\nd: {<<: *one, e: 2}\nf:\n" + "".join(f"- {n}\n" for n in range(2_000))
    (tmp_path / "entry.yaml").write_text(text)
    assert shape_problem(text) == ""
    assert read_yaml(tmp_path / "entry.yaml")["d"] == {"b": 1, "e": 2}
