"""Export a benchmark in the formats of other tools.

Read in this order: `release` (a release as an export reads it), `run` (the list of forms), then a module per form:
`bundle` (the texts that may be passed on), `huggingface` with `card` and `croissant`, `beir` (and TREC's files),
`mteb` with `mteb_task`, `pan`, `steb`, `documents`.
"""
