"""Rebuild the complete release from its public bundle and the raw corpora.

Read in this order: `match` (a text is one that was released), `texts` (the text at a place in a raw corpus), `moved`
(a text that is elsewhere in it), `partial` (the release of the
texts that were found), `run` (the complete release).
"""
