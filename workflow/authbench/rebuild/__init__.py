"""Can the texts that may not be passed on be made again, by whoever has the corpora?

Read in this order: `texts` (what a place in a raw corpus says), `run` (the whole release again).
"""
