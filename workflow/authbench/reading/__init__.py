"""Read the records of files in the formats in which corpora and datasets are distributed."""
