"""Statistics of the corpora before anything is filtered.

Processing plan, section 3: documents, authors, lengths, documents per author, languages and genres of each source, as
ingestion reads them. `count` counts a part of the records, `tables` adds the parts up, `page` shows them.
"""
