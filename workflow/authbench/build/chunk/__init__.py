"""Cut long documents into chunks.

Read in this order: `sentences` (the places), `cut` (the pieces).
"""
