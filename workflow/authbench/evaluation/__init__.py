"""Evaluation of models on a release: whether their vectors tell who wrote a text.

A split of a release gives queries (`split`); a model answers with vectors (`authbench.models`); the positives' ranks
(`retrieval`) and the scores of drawn pairs (`verification`) give metrics (`authbench.metrics`), which are reported for
slices of the queries with intervals over authors (`scores`).
"""
