"""Make a release and write its files.

Read in this order: `queries` (which texts are queries and which answer them), `numbering` (ids, and the lock that keeps
them), `takedown` (texts removed on request), `relations` (what texts of an author share), `pool_texts`, `pools` (pairs
to score), `contents` (the complete content of a release), then the files: `tables`, `statistics`, `measured_labels`,
`warnings` (limits of the result), `manifest`, `write`.
"""
