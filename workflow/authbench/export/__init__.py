"""Forms in which others take a benchmark.

Read in this order: `release` (a release as an export reads it), `run` (which forms there are), then one module per
form: `public` (what may be passed on), `huggingface` with `card` and `croissant`, `beir`, `mteb` with `scripts` and
`mteb_task`, `trec`, `pan`, `steb`.
"""
