"""A stage depends on what its code says, and on nothing else."""

import os
import shutil

import pytest

from authbench.core.runtime import code
from authbench.core.shipped import shipped


@pytest.fixture
def package(tmp_path, monkeypatch):
    """A package of a few modules in the place of the project's."""
    folder = tmp_path / "authbench"
    (folder / "stage").mkdir(parents=True)
    (folder / "used.py").write_text('"""Used?"""\n\nfrom authbench.deep import value\n', encoding="utf-8")
    (folder / "deep.py").write_text("import json\n\nvalue = 1\n", encoding="utf-8")
    (folder / "unused.py").write_text("value = 2\n", encoding="utf-8")
    (folder / "stage/__init__.py").write_text("from authbench.stage.inner import run\n", encoding="utf-8")
    (folder / "stage/inner.py").write_text(
        'def run() -> int:\n    """Run."""\n    from authbench.late import number\n\n    return number\n',
        encoding="utf-8",
    )
    (folder / "late.py").write_text("number = 3\n", encoding="utf-8")
    (tmp_path / "adapter.py").write_text(
        '"""Adapter."""\n\nfrom authbench import stage\nfrom authbench.used import value\n\nprint(value, stage)\n',
        encoding="utf-8",
    )
    monkeypatch.setattr(code, "PACKAGE", folder)
    monkeypatch.setattr(code, "_PARSED", {})
    return folder


def hash_of(package):
    code._read.cache_clear()
    return code.code_hash(package.parent / "adapter.py")


def change(path, edit):
    path.write_text(edit(path.read_text(encoding="utf-8")), encoding="utf-8")


def test_what_is_cached_changes_no_hash_and_an_edit_is_not_missed(package, tmp_path):
    before, cache = hash_of(package), tmp_path / "parsed.json"
    code.cache_parsed(cache)
    written = cache.read_text(encoding="utf-8")
    assert hash_of(package) == before
    code._PARSED.clear()
    code._read.cache_clear()
    code.cache_parsed(cache)
    assert cache.read_text(encoding="utf-8") == written
    change(package / "deep.py", lambda text: f"{text}\nmore = 1\n")
    assert hash_of(package) != before


@pytest.mark.parametrize("damaged", ["", "[1]", "{", '"x"'])
def test_a_damaged_cache_is_ignored(package, tmp_path, damaged):
    before, cache = hash_of(package), tmp_path / "parsed.json"
    cache.write_text(damaged, encoding="utf-8")
    code._PARSED.clear()
    code._read.cache_clear()
    code.cache_parsed(cache)
    assert hash_of(package) == before


@pytest.mark.parametrize(
    "module", ["used.py", "deep.py", "stage/__init__.py", "stage/inner.py", "late.py", "../adapter.py"]
)
def test_an_edit_of_the_adapter_and_of_any_module_that_is_imported_shows(package, module):
    before = hash_of(package)
    change(package / "unused.py", lambda text: f"{text}\nmore = 1\n")
    assert hash_of(package) == before
    change(package / module, lambda text: f"{text}\nmore = 'one'\n")
    assert hash_of(package) != before


def test_comments_docstrings_layout_times_and_place_do_not_show(package, tmp_path, monkeypatch):
    before = hash_of(package)
    change(package / "stage/inner.py", lambda text: text.replace('"""Run."""', '"""Run, and more."""'))
    change(package / "used.py", lambda text: text.replace('"""Used?"""', '"""Who uses it?"""\n# Nobody.\n'))
    change(package / "deep.py", lambda text: text.replace("value = 1", "value  =  (1)"))
    os.utime(package / "late.py", (1, 1))
    assert hash_of(package) == before

    elsewhere = tmp_path / "elsewhere"
    shutil.copytree(package, elsewhere / "authbench")
    shutil.copy(package.parent / "adapter.py", elsewhere)
    monkeypatch.setattr(code, "PACKAGE", elsewhere / "authbench")
    assert hash_of(elsewhere / "authbench") == before


def test_every_stage_of_the_workflow_has_a_hash_of_its_own():
    adapters = sorted(shipped("scripts").glob("*.py"))
    assert adapters
    assert len({code.code_hash(adapter) for adapter in adapters}) == len(adapters)


def test_a_file_hash_depends_on_contents_and_their_order_alone(tmp_path):
    one, two, copy = tmp_path / "one", tmp_path / "two", tmp_path / "copy"
    one.write_text("a")
    two.write_text("b")
    copy.write_text("a")
    assert code.file_hash(one) == code.file_hash(copy) == code.file_hash(None, one)
    assert len({code.file_hash(one, two), code.file_hash(two, one), code.file_hash(one), code.file_hash()}) == 4
