"""What does the user want? Values mean the same from a file and from the command line."""

from pathlib import Path

import pytest

from authbench.config import prepare
from authbench.errors import InputError


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """The project, where a test may write results."""
    for part in ("config", "resources", "workflow"):
        (tmp_path / part).symlink_to(Path(__file__).parents[2] / part)
    return tmp_path


def test_nested_values_from_the_command_line_are_numbers(root: Path) -> None:
    # Snakemake reads `--config filter={symbols: 0.4}` without types
    user = {"filter": {"symbols": "0.4"}, "split": {"splits": {"train": "60", "test": "40"}}}
    config = prepare(user, root).config
    assert config["filter"]["symbols"] == 0.4
    assert config["split"]["splits"] == {"train": 60, "test": 40}


def test_nested_words_and_null_from_the_command_line_are_what_they_say(root: Path) -> None:
    user = {
        "release": {"queries_per_author": "all"},
        "sample": {"fallback_documents_per_author": "null"},
        "authors": {"kinds": ["person", "work"]},
    }
    config = prepare(user, root).config
    assert config["release"]["queries_per_author"] == "all"
    assert config["sample"]["fallback_documents_per_author"] is None
    assert config["authors"]["kinds"] == ["person", "work"]


def test_a_wrong_value_is_still_named(root: Path) -> None:
    with pytest.raises(InputError, match=r"filter\.symbols: 'much' is not of type"):
        prepare({"filter": {"symbols": "much"}}, root)
