"""Where may a long document be cut?

Read in this order: `sentences` (the places), `cut` (the pieces).
"""
