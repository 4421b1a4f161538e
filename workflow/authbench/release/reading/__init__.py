"""Read records from files in the formats in which corpora and datasets are distributed."""
