"""A slip in a file of YAML is told with file, line and key, in words of those who wrote it, all slips in one round."""

from pathlib import Path

import pytest
from cases import cases, read_cases

from authbench.app.config import prepare
from authbench.core.errors import InputError

RECIPE = "name: mine\nsources: [mail.yaml]\nraw_dir: raw\nsample:\n  documents: 1000\n"
SOURCE = read_cases(Path(__file__))["SOURCE"]


def told(folder, recipe=RECIPE, source=SOURCE):
    """Return the problems of a recipe, and of its source, as prepare tells them."""
    import yaml

    (folder / "mine.yaml").write_text(recipe, encoding="utf-8")
    (folder / "mail.yaml").write_text(source, encoding="utf-8")
    (folder / "raw/mail").mkdir(parents=True)
    (folder / "raw/mail/letters.csv").write_text("author,body\n", encoding="utf-8")
    with pytest.raises(InputError) as refused:
        prepare(yaml.safe_load(recipe), folder, recipes=["mine.yaml"])
    return [line.strip().removeprefix("../" * 9) for line in str(refused.value).splitlines()[1:]]


@cases
def test_a_slip_in_a_recipe_has_its_line(old, new, where, tmp_path):
    lines = told(tmp_path, recipe=RECIPE.replace(old, new))
    assert any(f"mine.yaml, {where}" in line for line in lines), lines


@cases
def test_a_slip_in_an_entry_has_its_line(old, new, where, tmp_path):
    lines = told(tmp_path, source=SOURCE.replace(old, new, 1))
    assert any(line.startswith(f"mail.yaml, {where}") for line in lines), lines


def test_slips_of_recipe_and_entry_come_in_one_round(tmp_path):
    recipe = RECIPE.replace("1000", "many") + "filter: {min_tokens: -5}\n"
    lines = told(tmp_path, recipe, SOURCE.replace("kind: person", "kind: persn").replace("tier: A", "tier: Z"))
    places = ("sample.documents:", "filter.min_tokens:", "author.kind:", "license.tier:")
    assert all(any(place in line for line in lines) for place in places), lines
