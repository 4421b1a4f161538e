"""Filter unusable texts.

Read in this order: `measure` (measurements of a text; with `scripts`, `text_kernels`, `language`), `activity`
(measurements of an author), `decide` (thresholds), `exclusions` (texts that people exclude).
"""
