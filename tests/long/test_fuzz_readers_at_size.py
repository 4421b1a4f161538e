"""As tests/unit/test_fuzz_readers.py, with more files of each kind."""

import pytest
from mutated_files import KINDS, outcomes_of


@pytest.mark.parametrize("name", KINDS)
def test_a_mutated_file_is_refused_by_name_or_every_row_is_accounted_for(name, tmp_path):
    assert outcomes_of(name, tmp_path, 16, 160).keys() == {"read", "refused"}
