"""Define the file formats that others read, each declared once: a release, with its only reader, and PAN's pairs.

Read in this order: `columns` and `files` (the contents of a release), `names` (the allowed names of its files),
`release` (the reader), `verify` (which opens a release from others), `documents` (a release, or any table, as documents
by author and topic), `pan` (problems, truths and answers of PAN).
"""
