"""Rebuild the complete release from its public bundle and the raw corpora.

Read in this order: `texts` (the text at a place in a raw corpus), `run` (the complete release).
"""
