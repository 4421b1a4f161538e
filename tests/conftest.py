"""Options of the tests, how they draw examples (few and anew on a desk, many and always the same where CI is set), and
the demo, built once in a copy of the project for all tests of whole runs."""

import fcntl
import os
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from hypothesis import settings
from order import of_whole_runs, scheduled
from process_settings import changes, process_settings
from project import Project, copy_project

from authbench.runtime.caches import compiled_code

# A claim is not broken by a machine that is busy: no example has a deadline.
settings.register_profile("desk", deadline=None, max_examples=25)
settings.register_profile("ci", deadline=None, derandomize=True)
os.environ |= {"HF_HUB_OFFLINE": "1", "HF_DATASETS_OFFLINE": "1"}  # no test asks the network
settings.load_profile("ci" if os.environ.get("CI") else "desk")
# Kernels are compiled once for all processes of the tests and the runs that they start.
os.environ.setdefault("NUMBA_CACHE_DIR", str(compiled_code()))


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--update-golden", action="store_true", help="rewrite tests/pipeline/golden")


def pytest_itemcollected(item: pytest.Item) -> None:
    """Keep a module of whole runs in one process: with `--dist loadgroup` all other tests go to any."""
    if of_whole_runs(item):
        item.add_marker(pytest.mark.xdist_group(f"{item.path.parent.name}/{item.path.stem}"))


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Begin with what takes longest."""
    items[:] = scheduled(items)


@pytest.fixture(autouse=True)
def unchanged_process() -> Iterator[None]:
    """No test, and so no call of the library, leaves a setting of the process changed."""
    before = process_settings()
    yield
    assert changes(before, process_settings()) == {}


@pytest.fixture(scope="session")
def fresh(tmp_path_factory: pytest.TempPathFactory) -> Project:
    """The project without results, for runs that are refused before anything is done."""
    return copy_project(tmp_path_factory.mktemp("fresh"))


@pytest.fixture(scope="session")
def demo(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Project:
    """The finished demo, one for all processes of the tests. Look at it, and change copies of it only."""

    def build(folder: Path) -> None:
        copy_project(folder).build()

    return Project(made_once("demo", build, request.config, tmp_path_factory))


@pytest.fixture(scope="session")
def published_demo(demo: Project, request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Project:
    """The demo with its public bundle in every form, one for all processes. Look at it only."""

    def publish(folder: Path) -> None:
        demo.copy(folder).build("publish")

    return Project(made_once("published demo", publish, request.config, tmp_path_factory))


def made_once(
    name: str, make: Callable[[Path], None], config: pytest.Config, tmp_path_factory: pytest.TempPathFactory
) -> Path:
    """Return the folder of a name that all processes of the tests share, made by the first that asks for it."""
    base = tmp_path_factory.getbasetemp()
    folder = (base.parent if hasattr(config, "workerinput") else base) / name
    with folder.with_suffix(".lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not folder.with_suffix(".built").exists():
            shutil.rmtree(folder, ignore_errors=True)  # what a process left that failed
            folder.mkdir()
            make(folder)
            folder.with_suffix(".built").touch()
    return folder


@pytest.fixture(scope="session")
def bench(demo: Project, tmp_path_factory: pytest.TempPathFactory) -> Project:
    """A copy of the finished demo for dry runs: whoever changes a file changes it back."""
    return demo.copy(tmp_path_factory.mktemp("bench"))


@pytest.fixture
def another(demo: Project, tmp_path: Path) -> Project:
    """A copy of the finished demo to work on."""
    return demo.copy(tmp_path / "copy")
