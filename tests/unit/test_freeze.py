"""A release is frozen by one command: its recipe then names it, and nothing else is published as that version."""

import hashlib
from dataclasses import replace
from pathlib import Path

import pytest
from cases import read_cases
from published import opened

from authbench.app.cli import main
from authbench.core.errors import InputError
from authbench.publish.export.freeze import freeze, read_publication

STATED = read_cases(Path(__file__))["STATED"]


def digest(release):
    return hashlib.sha256((release / "SHA256SUMS").read_bytes()).hexdigest()


@pytest.mark.parametrize(
    ("text", "frozen"),
    [
        (STATED, STATED.replace("null ", '"{digest}" ')),
        (STATED.replace("sha256: null          #", "sha256:  #"), STATED.replace("null          #", '"{digest}"  #')),
        (
            STATED.replace("  sha256: null          # once it is built\n", ""),
            STATED.replace("  sha256: null          # once it is built\n", "").replace(
                "# frozen\n", '# frozen\n  sha256: "{digest}"\n'
            ),
        ),
    ],
)
def test_freezing_changes_one_line_of_the_recipe(published, tmp_path, capsys, text, frozen):
    recipe = tmp_path / "mine.yaml"
    recipe.write_text(text)
    for _ in range(2):
        assert main(["release", "freeze", str(published[1]), "--config", str(recipe)]) == 0
        assert recipe.read_text() == frozen.replace("{digest}", digest(published[1]))
    said = capsys.readouterr().out
    assert f"version 2.0.0 of 2026-11-23 is the release {digest(published[1])}" in said
    assert "set publish.doi" in said


def test_nothing_else_is_published_as_a_frozen_version(published, tmp_path):
    recipe = tmp_path / "mine.yaml"
    recipe.write_text(STATED)
    freeze(opened(published[1]), recipe)
    assert read_publication(recipe)["sha256"] == digest(published[1])
    recipe.write_text(recipe.read_text().replace(digest(published[1]), "a" * 64))
    command = ["release", "export", str(published[1]), "--form", "public", "--config", str(recipe)]
    assert main([*command, "--out", str(tmp_path / "o")])
    assert not (tmp_path / "o").exists()
    with pytest.raises(InputError, match=r"version 2\.0\.0 is another release already"):
        freeze(opened(published[1]), recipe)


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        (STATED.replace('  date: "2026-11-23"\n', ""), "needs publish.date"),
        ('publish: {version: 2.0.0, date: "2026-11-23", creators: [Ann Lee]}\n', "has no section `publish:`"),
        (STATED.replace("\n  ", "\n    ").replace("    sha256: null          # once it is built\n", ""), "another way"),
    ],
)
def test_a_recipe_that_cannot_be_frozen_stays_as_it_is(published, tmp_path, text, problem):
    recipe = tmp_path / "mine.yaml"
    recipe.write_text(text)
    with pytest.raises(InputError, match=problem):
        freeze(opened(published[1]), recipe)
    assert recipe.read_text() == text


def test_a_bundle_and_a_release_that_is_not_verified_are_refused(published, tmp_path):
    recipe = tmp_path / "mine.yaml"
    recipe.write_text(STATED)
    assert main(["release", "freeze", str(published[2]), "--config", str(recipe)]) == 2
    with pytest.raises(InputError, match="is not verified"):
        freeze(replace(opened(published[1]), unverified="no checksums"), recipe)
    assert recipe.read_text() == STATED
