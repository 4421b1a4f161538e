"""Raw files damaged in every way chance finds: refused by name or read, every row kept or counted, in bounded time."""

import pytest
from mutated_files import KINDS, outcomes_of


@pytest.mark.parametrize("name", KINDS)
def test_a_mutated_file_is_refused_by_name_or_every_row_is_accounted_for(name, tmp_path):
    assert outcomes_of(name, tmp_path, 0, 16).keys() == {"read", "refused"}
