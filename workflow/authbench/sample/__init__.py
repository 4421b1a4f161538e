"""Sampling of authors and documents that represent each language, genre and length.

Read in this order: `reservoir` (what may be needed of a stream), `targets` (how many of each), `authors` (which serve
the targets best), `documents` (languages together, and safety), `deviation` (how near it came), `stage` (all of it).
"""
