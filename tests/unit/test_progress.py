"""Long steps say how long they will take, and steps of over an hour say so at once."""

import itertools
import logging

import pytest

from authbench.core.runtime import progress as module
from authbench.core.runtime.job import _Seldom


@pytest.fixture
def seconds_apart(monkeypatch):
    """Let twenty seconds pass between two looks at the clock."""
    clock = itertools.count(0, 20)
    monkeypatch.setattr(module.time, "monotonic", lambda: next(clock))
    yield


@pytest.mark.parametrize(("total", "shown"), [(100, 0), (181, 0), (183, 1), (10_000, 1)])
def test_a_job_of_over_an_hour_says_so_at_once_and_only_once(total, shown, seconds_apart, caplog):
    with caplog.at_level(logging.WARNING, "authbench"):
        assert list(module.progress(range(3), "texts", total)) == [0, 1, 2]
    assert len(caplog.records) == 3
    assert sum(not hasattr(record, "progress") for record in caplog.records) == shown
    assert sum(_Seldom().filter(record) for record in caplog.records) == shown


def test_a_step_of_unknown_size_says_what_is_done(seconds_apart, caplog):
    with caplog.at_level(logging.WARNING, "authbench"):
        list(module.progress(range(1), "texts"))
    assert [record.args for record in caplog.records] == [("texts", "1", "", "20 s", "")]
