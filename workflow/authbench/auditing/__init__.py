"""Audit any authorship dataset: what of it leaks, what its labels are worth, and what rows that read no style score.

Read in this order: `dataset` (the one table that every form becomes), `read` and the modules of forms, `copies` and
`findings` (the claims), `drawn` (what is scored), `rows` (sanity rows, pools, power), `published` (scores that others
gave), `clean` (a version without the leaks), `page` and `run`.
"""
