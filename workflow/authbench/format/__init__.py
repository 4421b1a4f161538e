"""The published release: its format, declared once, and its one reader.

Read in this order: `columns` and `files` (what a release holds), `release` (the reader), `lock` (one of its files),
`documents` (a release, or any table, as documents by author and topic).
"""
