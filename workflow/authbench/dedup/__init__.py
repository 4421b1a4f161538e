"""Which document stands for its copies?

Read in this order: `duplicates` (the steps in one process), then the steps, `signatures` (with `shingles` and
`minhash`), `copies`, `links`, `compare`, `stand_ins`, and `jobs` (the same steps from files to files). `settings` says
what counts as similar and how surely it is found, `kernels` is compiled, `similarity` says which text is compared and
how it is fetched, `shards` reads signatures. `containment` and `overlaps` find parts of long texts.
"""
