"""The locks of two runs in one working directory."""

from types import SimpleNamespace

import pytest
from snakemake.exceptions import LockException
from snakemake.persistence.file import FilePersistence

from authbench.core.runtime.snakemake_patches import keep_locks_of_other_runs


@pytest.fixture(autouse=True)
def patched():
    before = FilePersistence.unlock, FilePersistence.cleanup_locks
    keep_locks_of_other_runs()
    keep_locks_of_other_runs()
    yield
    FilePersistence.unlock, FilePersistence.cleanup_locks = before


def run(folder, name):
    jobs = [SimpleNamespace(input=[f"results/{name}/a"], output=[f"results/{name}/b"])]
    workflow = SimpleNamespace(dag_settings=SimpleNamespace(max_checksum_file_size=0))
    return FilePersistence(dag=SimpleNamespace(jobs=jobs, needrun_jobs=lambda: jobs, workflow=workflow), path=folder)


def test_the_end_of_a_run_frees_no_lock_of_another_name(tmp_path):
    with run(tmp_path, "first").lock():
        with run(tmp_path, "second").lock():
            pass
        with pytest.raises(LockException), run(tmp_path, "first").lock():
            pass
        assert run(tmp_path, "first").locked
        assert not run(tmp_path, "second").locked
    assert not run(tmp_path, "first").locked


def test_a_lock_that_a_crash_left_stays_until_it_is_removed_on_request(tmp_path):
    crashed = run(tmp_path, "first").lock()
    crashed.__enter__()
    with run(tmp_path, "second").lock():
        pass
    assert run(tmp_path, "first").locked
    run(tmp_path, "second").cleanup_locks()
    assert not run(tmp_path, "first").locked
