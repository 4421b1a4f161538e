"""Rebuild the complete release from its public bundle and the raw corpora.

Read in this order: `texts` (the text at a place in a raw corpus, or a text that was moved in it), `partial` (the
release of the texts that were found), `run` (the complete release).
"""
