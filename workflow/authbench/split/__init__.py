"""Splits: train, dev and test.

Read in this order: `leakage` (which texts give each other away), `persons` (which labels are possibly one person),
`units` (what moves as one), `balance` (which unit goes where), `assign` (all of it).
"""
