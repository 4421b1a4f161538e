"""Split documents into train, dev and test.

Read in this order: `leakage` (which texts reveal each other), `persons` (which labels are possibly the same person),
`units` (what moves together), `balance` (which unit goes where), `assign` (all steps together).
"""
