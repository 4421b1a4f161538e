"""What several modules of unit tests use."""

import shutil
from pathlib import Path

import pytest
from drawn_once import remembering
from made_once import made_once
from tiny_checkpoint import write_checkpoint

from authbench.core.presentation import charts


@pytest.fixture(scope="session", autouse=True)
def charts_drawn_once():
    """Let charts of equal content be drawn once; give what draws them each time."""
    draw = charts._drawn
    charts._drawn = remembering(draw)
    yield draw
    charts._drawn = draw


@pytest.fixture
def drawn_anew(charts_drawn_once, monkeypatch):
    """Draw each chart, for claims about how they are drawn."""
    monkeypatch.setattr(charts, "_drawn", charts_drawn_once)


@pytest.fixture(scope="session")
def checkpoint(tmp_path_factory):
    """A tiny transformer in a folder; look at it, and change copies of it only."""
    pytest.importorskip("sentence_transformers", reason="the extra `models` is not installed")
    folder = tmp_path_factory.mktemp("checkpoint")
    write_checkpoint(folder)
    return folder


@pytest.fixture(scope="session")
def paired(published, tmp_path_factory):
    """The release of `published` with pairs; look at it only."""
    from published import pair

    folder = Path(shutil.copytree(published[1], tmp_path_factory.mktemp("paired") / "release"))
    pair(folder)
    return folder


@pytest.fixture(scope="session")
def published(request, tmp_path_factory):
    """Raw files, a small release of them, and its public bundle; look at them, and change copies only."""
    from published import publish

    folder = made_once("published", publish, request.config, tmp_path_factory)
    return folder / "raw", folder / "release", folder / "public"
