"""What several modules of unit tests use."""

from pathlib import Path

import pytest
from made_once import made_once
from tiny_checkpoint import write_checkpoint


@pytest.fixture(scope="session")
def checkpoint(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A tiny transformer in a folder; look at it, and change copies of it only."""
    pytest.importorskip("sentence_transformers", reason="the extra `models` is not installed")
    folder = tmp_path_factory.mktemp("checkpoint")
    write_checkpoint(folder)
    return folder


@pytest.fixture(scope="session")
def published(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path, Path]:
    """Raw files, a small release of them, and its public bundle; look at them, and change copies only."""
    from published import publish

    folder = made_once("published", publish, request.config, tmp_path_factory)
    return folder / "raw", folder / "release", folder / "public"
