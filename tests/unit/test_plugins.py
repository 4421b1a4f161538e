"""What packages of others add: found by name, imported only then, stated with version and digest, told where wrong."""

import json
import re
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from plugged import PLUGINS, install
from published import ABOUT, opened, publish

from authbench.config import CHECKS
from authbench.errors import InputError
from authbench.export import run
from authbench.export.run import export
from authbench.plugins import find_plugin, identities, plugin_problems
from authbench.registry.entries import default_settings
from authbench.settings.publish import FORMS

PAGE = Path(__file__).parents[2] / "docs/plug-ins.md"


@pytest.fixture
def site(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A folder of installed packages on the path of Python."""
    folder, before = tmp_path / "site", set(sys.modules)
    folder.mkdir()
    monkeypatch.syspath_prepend(str(folder))
    yield folder
    for name in set(sys.modules) - before:
        if str(getattr(sys.modules[name], "__file__", "")).startswith(str(folder)):
            del sys.modules[name]


@pytest.fixture(scope="module")
def release(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return publish(tmp_path_factory.mktemp("made"))[1]


def test_the_examples_of_the_guide_are_the_packages_tested_here() -> None:
    there = "\n".join(path.read_text(encoding="utf-8") for path in PLUGINS.glob("*/*.*"))
    examples = re.findall(r"^```(?:python|toml)\n(.*?)^```", PAGE.read_text(encoding="utf-8"), re.M | re.S)
    assert examples and [example for example in examples if example.strip() not in there] == []


def test_the_digest_is_of_the_whole_package_and_nothing_is_imported_for_it(site: Path) -> None:
    module = install("titles", site)
    first = find_plugin("exports", "titles")
    assert (first.package, first.version, first.target) == ("authbench-titles", "1.0", "titles:write")
    module.write_text(module.read_text() + "\n# changed\n")
    assert find_plugin("exports", "titles").code_sha256 != first.code_sha256
    module.unlink()
    (site / "titles").mkdir()
    for name in ("__init__.py", "words.txt"):
        (site / "titles" / name).write_text("")
    inside = find_plugin("exports", "titles").code_sha256
    (site / "titles/words.txt").write_text("a list")
    assert find_plugin("exports", "titles").code_sha256 != inside
    assert "titles" not in sys.modules


def test_a_name_that_is_missing_misspelt_or_twice_there_is_told(site: Path) -> None:
    install("titles", site)
    (problem,) = plugin_problems("publish.forms", "exports", ["beir", "titels"], FORMS)
    assert "publish.forms" in problem and "did you mean 'titles'?" in problem
    config = {**default_settings(), "publish": {"forms": ["titles", "berr"]}}
    assert [problem for check in CHECKS for problem in check(config) if "'beir'" in problem]  # type: ignore[arg-type]
    shutil.copytree(site / "authbench_titles-1.0.dist-info", site / "other-2.dist-info")
    (site / "other-2.dist-info/METADATA").write_text("Metadata-Version: 2.1\nName: other\nVersion: 2\n")
    with pytest.raises(InputError, match=r"(?=.*authbench-titles 1\.0)(?=.*other 2)"):
        find_plugin("exports", "titles")
    (site / "titles.py").unlink()
    shutil.rmtree(site / "other-2.dist-info")
    with pytest.raises(InputError, match="titles of authbench-titles 1.0"):
        identities("exports", ["titles"])


def test_the_names_of_forms_are_stated_once_more_for_the_settings() -> None:
    assert set(FORMS) == set(run.FORMS)


def test_a_form_of_a_plug_in_is_written_and_its_code_stated(site: Path, release: Path, tmp_path: Path) -> None:
    install("titles", site)
    export(opened(release), "beir", tmp_path / "beir", ABOUT, True)
    assert "titles" not in sys.modules
    export(opened(release), "titles", tmp_path / "out", ABOUT, True)
    assert (tmp_path / "out/test.txt").read_text().startswith("doc_")
    assert "test.txt" in (tmp_path / "out/SHA256SUMS").read_text()
    graph = {one["@id"]: one for one in json.loads((tmp_path / "out/ro-crate-metadata.json").read_text())["@graph"]}
    stated = graph[graph["#export"]["instrument"]["@id"]]
    assert (stated["softwareVersion"], stated["sha256"]) == ("1.0", find_plugin("exports", "titles").code_sha256)


def test_a_form_that_fails_or_writes_nothing_is_told_by_its_package(site: Path, release: Path, tmp_path: Path) -> None:
    module = install("titles", site)
    with pytest.raises(InputError, match=r"broken of authbench-titles 1\.0 raised KeyError: .*titles\.py, line"):
        export(opened(release), "broken", tmp_path / "out", ABOUT, True)
    del sys.modules["titles"]
    module.write_text("def write(folder, release, about):\n    pass  # a module of another size\n")
    with pytest.raises(InputError, match=r"titles of authbench-titles 1\.0 wrote no file"):
        export(opened(release), "titles", tmp_path / "out", ABOUT, True)
    assert not (tmp_path / "out").exists()
