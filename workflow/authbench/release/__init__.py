"""The release: what goes out, and its files.

Read in this order: `queries` (which texts are queries and which answer), `numbering` (ids, and the lock that keeps
them), `takedown` (what is left out on request), `relations` (what texts of one author share), `pool_texts`, `pools`
(pairs to score), `contents` (all of it together), then the files: `tables`, `findings`, `manifest`, `write`.
"""
