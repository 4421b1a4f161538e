"""Sample authors and documents to represent each language, genre and length.

Read in this order: `early` (which authors are processed), `reservoir` (what to keep of a stream), `targets` (how many
of each), `authors` (which serve the targets best), `documents` (languages together, and safety), `deviation` (how far
the result is from its targets), `stage` (all steps together).
"""
