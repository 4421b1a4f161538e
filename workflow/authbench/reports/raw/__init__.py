"""Compute statistics of the unfiltered corpora.

Processing plan, section 3: documents, authors, lengths, documents per author, languages and genres of each source, as
ingestion reads them. `count` counts parts of the records, `page` adds them up and shows them.
"""
