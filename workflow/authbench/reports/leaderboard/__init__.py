"""Leaderboard: compare several models' results on a split in tables, charts and significance tests.

Results of `authbench.scoring.evaluation` (`collect`) become tables (`tables`), charts (`figures`) and pairwise tests
(`pairwise`); `write` writes them with an HTML page (`page`).
"""
