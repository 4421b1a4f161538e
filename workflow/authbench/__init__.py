"""AuthBench: from raw corpora with author labels to a checked authorship benchmark."""

__version__ = "0.1.0"
