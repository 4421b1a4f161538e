"""Leaderboard: results of several models on one split as tables, charts and significance tests.

Results of `authbench.evaluation` (`collect`) become tables (`tables`), charts (`figures`) and pairwise tests
(`pairwise`), which `write` writes, with an HTML page (`page`).
"""
