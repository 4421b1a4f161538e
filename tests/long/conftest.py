"""A SLURM of the tests' own and a browser, where their programs are installed."""

import importlib.util

import pytest
from browser import CHROMIUM, Browser
from private_slurm import missing_programs, private_slurm


@pytest.fixture(scope="session")
def slurm(tmp_path_factory):
    missing = missing_programs()
    if missing:
        pytest.skip(f"no {', '.join(missing)}: install Debian's slurmctld, slurmd, slurm-client and munge")
    if importlib.util.find_spec("snakemake_executor_plugin_slurm") is None:
        pytest.skip("no snakemake-executor-plugin-slurm: install the extra `slurm`")
    with private_slurm(tmp_path_factory.mktemp("slurm")) as running:
        yield running


@pytest.fixture(scope="module")
def browser(tmp_path_factory):
    if not CHROMIUM:
        pytest.skip("there is no Chromium here; apt-get install chromium")
    with Browser(tmp_path_factory.mktemp("profile")) as opened:
        yield opened
