"""Run jobs: logging, progress, compiled kernels, resource requests, code hashes and the inventory of raw files."""
