"""Rebuild the complete release from its public bundle and the raw corpora.

Read in this order: `match` (does a text equal a released text), `texts` (the text at a place in a raw corpus), `moved`
(a text found elsewhere in it), `partial` (the release of the texts that were found), `run` (the complete release).
"""
