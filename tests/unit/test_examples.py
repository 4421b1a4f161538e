"""Claims about how many examples a property is tried with."""

from types import SimpleNamespace

import pytest
from examples import try_more
from hypothesis import given, settings
from hypothesis import strategies as st


@pytest.mark.parametrize("times", [1, 20])
def test_a_property_is_tried_with_so_many_times_its_examples_however_many_cases_it_has(times: int) -> None:
    tried = []

    @settings(max_examples=30, database=None)
    @given(st.integers())
    def prop(number: int) -> None:
        tried.append(number)

    for _case in range(3):
        try_more(SimpleNamespace(obj=prop), times)  # type: ignore[arg-type]
    prop()
    assert len(tried) == 30 * times


def test_a_test_without_examples_stays_as_it_is() -> None:
    try_more(SimpleNamespace(obj=len), 20)  # type: ignore[arg-type]
    try_more(SimpleNamespace(), 20)  # type: ignore[arg-type]
