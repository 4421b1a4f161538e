"""PAN 2021's shared task on authorship verification.

Its files (`formats`) and measures (`metrics`), pairs built from our documents (`pairs`), and the tables, tests and
figures of its overview (`compare`, `topics`, `page`). Verifiers are in `authbench.scoring.verifiers`.
"""
