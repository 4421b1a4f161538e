"""Does a person find the texts good, and what follows where not?

Read in this order: `choose` (which texts), `passages` (what they were before cleaning), `neighbours` (what is like
them), `difference`, `sheets` (the pages), and `exclusions`, which the next build reads.
"""
