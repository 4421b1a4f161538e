"""De-duplicate: remove exact and near copies, and keep a representative of them.

Read in this order: `jobs` (the steps, from files to files), then the steps: `signatures` (with `shingles`, and
`minhash` or `packages`), `links`, `compare`, `representatives`. `settings` defines similarity and the probability of
finding it, `shingle_kernels` and `pair_kernels` are compiled, `similarity` defines the compared text and fetches it,
`shards` reads signatures and joins equal documents. `similar_pairs` finds pairs in memory, `containment` and `overlaps`
find parts of long texts.
"""
