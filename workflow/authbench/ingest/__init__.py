"""Ingestion: the files of corpora become document records.

One reader per file format (`authbench.reading`), one entry per corpus: `blocks` gives rows, `mapping` (of `compiled`,
`documents`, `identities`) makes documents of them, `source` streams all of it to shards.
"""
