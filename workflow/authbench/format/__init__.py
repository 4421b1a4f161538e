"""The formats of files that others read, each declared once: a release, with its one reader, and PAN's pairs.

Read in this order: `columns` and `files` (what a release holds), `names` (what its files may be called), `release` (the
reader), `verify` (which opens what somebody handed over), `lock` (one of its files), `documents` (a release, or any
table, as documents by author and topic), `pan` (problems, truths and answers of PAN).
"""
