"""Before a run: the first records of every source are read and mapped, and what would stop the run later is named."""
