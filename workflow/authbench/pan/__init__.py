"""The shared task of PAN 2021: authorship verification.

Its files (`formats`), its measures (`metrics`), pairs of our own (`pairs`), the
tables, tests and pictures of its overview (`compare`, `topics`, `page`). Verifiers are in `authbench.verifiers`.
"""
