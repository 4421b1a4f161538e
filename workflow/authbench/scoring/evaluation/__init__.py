"""Evaluate models on a release: whether their vectors identify the author of a text.

A split of a release gives queries (`split`), and a model gives vectors (`authbench.models`). The positives' ranks
(`retrieval`) and the scores of drawn pairs (`verification`) give metrics (`scoring.metrics`), which are reported for
slices of the queries with intervals over authors (`scores`).
"""
