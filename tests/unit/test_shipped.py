"""Data files are found wherever the package lies, and the working directory's own config entries come first."""

import re
from pathlib import Path

import pytest
from cases import cases

from authbench.core.errors import InputError
from authbench.core.shipped import config_folders, shipped

ROOT = Path(__file__).parents[2]


@cases
def test_a_data_file_of_a_checkout_is_the_one_at_its_top_level(name, place):
    assert shipped(name) == (ROOT / place).resolve()


def test_what_an_installed_package_lacks_is_said_with_its_cure():
    with pytest.raises(InputError, match="nowhere.yaml: missing from the installed package; install authbench anew"):
        shipped("config/nowhere.yaml")


def test_own_config_entries_come_before_the_shipped_ones(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert config_folders("models") == [shipped("config/models")]
    (tmp_path / "config/models").mkdir(parents=True)
    assert config_folders("models") == [tmp_path / "config/models", shipped("config/models")]
    assert config_folders("verifiers") == [shipped("config/verifiers")]


def test_a_checkout_has_its_config_entries_once(monkeypatch):
    monkeypatch.chdir(ROOT)
    assert config_folders("sources") == [shipped("config/sources")]


def test_no_module_looks_for_files_outside_the_package():
    sources = [path for path in (ROOT / "workflow/authbench").rglob("*.py") if "shipped/" not in path.as_posix()]
    climbing = re.compile(r"Path\(__file__\)[.\w()]*\.parents\[[1-9]\]|Path\(__file__\)\.parent\.parent")
    assert len(sources) > 200
    assert [path.name for path in sources if climbing.search(path.read_text(encoding="utf-8"))] == []
