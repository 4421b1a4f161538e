"""Audit any authorship dataset: its leaks, the quality of its labels, and the scores of rows that do not read style.

Read in this order: `dataset` (the table that every form becomes), `read` and the modules of forms, `copies` and
`findings` (the claims), `drawn` (the scored texts), `rows` (sanity rows, pools, power), `published` (scores from
elsewhere), `clean` (a version without the leaks), `page` and `run`.
"""
