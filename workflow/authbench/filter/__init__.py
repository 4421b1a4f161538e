"""Which texts are no use?

Read in this order: `measure` (what is measured of a text; with `scripts`, `kernels`, `language`), `activity` (what is
measured of an author), `decide` (thresholds).
"""
