"""Chunking of long documents.

Read in this order: `sentences` (the places), `cut` (the pieces).
"""
