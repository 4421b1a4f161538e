"""Ingestion: convert the files of corpora to document records.

There is a reader per file format (`release.reading`) and an entry per corpus. `blocks` yields rows, `mapping` (from
`compiled`, `documents`, `identities`) maps them to documents, and `source` streams the result to shards.
"""
