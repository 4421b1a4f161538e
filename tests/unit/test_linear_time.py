"""Claims about the way in which tests tell linear time from more."""

import pytest
from linear_time import takes_linear_time


class Clock:
    """A clock on which work of a size takes `seconds(size)`."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, power: float, speed: float) -> None:
        self.now, self.power, self.speed, self.asked = 0.0, power, speed, 0
        monkeypatch.setattr("time.thread_time", lambda: self.now)

    def work(self, size: int) -> None:
        self.asked += 1
        self.now += size**self.power / self.speed


@pytest.mark.parametrize("speed", [1e3, 1e5])
def test_linear_work_passes_on_a_slow_machine_and_quadratic_work_nowhere(
    monkeypatch: pytest.MonkeyPatch, speed: float
) -> None:
    assert takes_linear_time(Clock(monkeypatch, 1, speed).work, 100_000, 0.5)
    assert takes_linear_time(Clock(monkeypatch, 1.2, speed).work, 100_000, 0.5)
    assert not takes_linear_time(Clock(monkeypatch, 2, speed).work, 100_000, 0.5)


def test_what_is_done_soon_is_measured_once(monkeypatch: pytest.MonkeyPatch) -> None:
    clock = Clock(monkeypatch, 1, 1e6)
    assert takes_linear_time(clock.work, 100_000, 0.5)
    assert clock.asked == 1
