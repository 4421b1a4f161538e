"""Options of the tests, how they draw examples (few and anew on a desk, many and always the same where CI is set), and
the demo, built once in a copy of the project for all tests of whole runs."""

import gc
import os
from functools import partial

import pytest
import pytest_randomly
from examples import try_more
from hypothesis import settings
from made_once import made_once
from order import group_of, scheduled
from process_settings import changes, process_settings
from project import Project, copy_project
from tiny import NAME, RECIPE, make_tiny

from authbench.app.cli import main
from authbench.core.runtime import jit
from authbench.core.runtime.caches import compiled_code

# A claim is not broken by a machine that is busy: no example has a deadline.
settings.register_profile("desk", deadline=None, max_examples=25)
settings.register_profile("ci", deadline=None, derandomize=True)
os.environ |= {"HF_HUB_OFFLINE": "1", "HF_DATASETS_OFFLINE": "1"}  # no test asks the network
settings.load_profile("ci" if os.environ.get("CI") else "desk")
# Before each test Python's and numpy's chance begin anew. Thinc, a part of spaCy, would import torch for that in every
# process, and take milliseconds each time; a test that draws with torch says torch.manual_seed.
pytest_randomly.entrypoint_reseeds = []
# Kernels are compiled once for all processes of the tests and the runs that they start.
os.environ.setdefault("NUMBA_CACHE_DIR", str(compiled_code()))
jit.stay_plain = lambda: None  # what a command on few texts leaves plain would be slow for the tests after it


def pytest_addoption(parser):
    parser.addoption("--update-golden", action="store_true", help="rewrite tests/pipeline/golden")


def pytest_itemcollected(item):
    """Keep tests that share something costly in one process: with `--dist loadgroup` all others go to any."""
    if isinstance(item, pytest.Function) and (group := group_of(item)):
        item.add_marker(pytest.mark.xdist_group(group))
    try_more(item)


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(items):
    """Begin with what takes longest."""
    items[:] = scheduled(items)


def pytest_collection_finish():
    """Let the collector of garbage leave alone what stays to the end: the modules and the tests."""
    gc.freeze()
    gc.set_threshold(20_000, 20, 50)


@pytest.fixture(autouse=True)
def unchanged_process():
    """No test, and so no call of the library, leaves a setting of the process changed."""
    before = process_settings()
    yield
    assert changes(before, process_settings()) == {}


def said(capsys, status, stream, command):
    """What a command that ends with a status says on a stream."""
    assert main([str(word) for word in command]) == status
    return getattr(capsys.readouterr(), stream)


@pytest.fixture
def refused(capsys):
    """Run a command that is refused; return what it says."""
    return partial(said, capsys, 2, "err")


@pytest.fixture
def printed(capsys):
    """Run a command that is done; return what it prints."""
    return partial(said, capsys, 0, "out")


@pytest.fixture(scope="session")
def fresh(tmp_path_factory):
    """The project without results, for runs that are refused before anything is done."""
    return copy_project(tmp_path_factory.mktemp("fresh"))


@pytest.fixture(scope="session")
def demo(request, tmp_path_factory):
    """The finished demo, one for all processes of the tests. Look at it, and change copies of it only."""

    def build(folder):
        copy_project(folder).build()

    return Project(made_once("demo", build, request.config, tmp_path_factory))


@pytest.fixture(scope="session")
def published_demo(demo, request, tmp_path_factory):
    """The demo with its public bundle in every form, one for all processes. Look at it only."""

    def publish(folder):
        demo.copy(folder).build("publish")

    return Project(made_once("published demo", publish, request.config, tmp_path_factory))


@pytest.fixture(scope="session")
def tiny(request, tmp_path_factory):
    """The finished release of a few dozen texts, one for all processes, for what does not depend on the demo's."""

    def build(folder):
        project = make_tiny(folder)
        project.build("release", *project.recipe(RECIPE))

    return Project(made_once("tiny", build, request.config, tmp_path_factory), NAME)


@pytest.fixture(scope="session")
def bench(demo, tmp_path_factory):
    """A copy of the finished demo for dry runs: whoever changes a file changes it back."""
    return demo.copy(tmp_path_factory.mktemp("bench"))


@pytest.fixture
def another(demo, tmp_path):
    """A copy of the finished demo to work on."""
    return demo.copy(tmp_path / "copy")
