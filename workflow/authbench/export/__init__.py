"""In which forms do others take a benchmark?

Read in this order: `reading` (what a release has to give), `run` (which forms there are), then one module per form:
`public` (what may be passed on), `huggingface` with `card` and `croissant`, `beir`, `mteb`, `trec`, `pan`.
"""
