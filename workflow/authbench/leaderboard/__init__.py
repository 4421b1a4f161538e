"""Which model captures authorship best, where, and which of the differences are real?

Results of `authbench.evaluate` on one split (`collect`) become tables (`tables`), pictures (`figures`) and pairwise
tests (`pairwise`), written for people and for papers (`formats`, `page`).
"""
