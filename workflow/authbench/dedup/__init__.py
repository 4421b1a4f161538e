"""De-duplication: exact and near copies leave, one representative of them is kept.

Read in this order: `jobs` (the steps, from files to files), then the steps: `signatures` (with `shingles`, `minhash`
and `permutations`), `copies`, `links`, `compare`, `representatives`. `settings` says what counts as similar and how
surely it is found, `shingle_kernels` and `pair_kernels` are compiled, `similarity` says which text is compared and how
it is fetched, `shards` reads signatures. `similar_pairs` finds pairs in memory, `containment` and `overlaps` find parts
of long texts.
"""
