"""Which document stands for its copies?

Read in this order: `duplicates` (the steps), `minhash` and `shingles` (what is compared), `kernels` (compiled),
`similarity` (which text, and how it is fetched), `containment` (parts of long texts).
"""
