"""Before a run, read and map the first records of every source, and report what would stop the run later."""
