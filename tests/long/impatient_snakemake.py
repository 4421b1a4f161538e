"""Snakemake that asks every two seconds whether its jobs of SLURM have ended.

The plugin waits ten seconds longer each time that none has, which on the tests' own SLURM is half of a build.
"""

from snakemake.cli import main
from snakemake_executor_plugin_slurm import Executor
from warm_steps import let_jobs_be_served

SECONDS = 2

if __name__ == "__main__":
    Executor.next_seconds_between_status_checks = property(lambda self: SECONDS, lambda self, seconds: None)
    let_jobs_be_served()
    main()
