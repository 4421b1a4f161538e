"""The folders that tests share and the repository does not hold: real corpora, reference values and published scores.

AUTHBENCH_DATA, AUTHBENCH_ORACLES and AUTHBENCH_PUBLISHED name them; by default the first two lie in `shared` beside the
checkout, the third beside the first. Tests that need what is not there are skipped, with what is missing as the reason.
"""

import os
from pathlib import Path

import orjson
import pytest

_BESIDE = Path(__file__).resolve().parents[2] / "shared"
DATA = Path(os.environ.get("AUTHBENCH_DATA", _BESIDE / "data"))
ORACLES = Path(os.environ.get("AUTHBENCH_ORACLES", _BESIDE / "oracles"))
PUBLISHED = Path(os.environ.get("AUTHBENCH_PUBLISHED", DATA.parent / "published"))

needs_corpora = pytest.mark.skipif(not DATA.is_dir(), reason=f"no corpora in {DATA}; AUTHBENCH_DATA names their folder")


def skip_without_corpus(missing):
    """Skip the test that calls this, as it lacks what is named."""
    pytest.skip(f"no {missing}; AUTHBENCH_DATA names the folder of the corpora ({DATA})")


def skip_without_oracle(missing):
    """Skip the test that calls this, as it lacks the reference values that are named."""
    pytest.skip(f"no reference values {missing}; AUTHBENCH_ORACLES names their folder")


def oracle(name):
    """Return the reference values of a name; skip the test that calls this where there are none."""
    path = ORACLES / f"{name}.json"
    if not path.is_file():
        skip_without_oracle(path)
    return orjson.loads(path.read_bytes())


def published(name):
    """Return a file or folder of the scores that the benchmark's authors published; skip the test without it."""
    path = PUBLISHED / name
    if not path.exists():
        pytest.skip(f"no {path}; AUTHBENCH_PUBLISHED names the folder of published scores")
    return path
