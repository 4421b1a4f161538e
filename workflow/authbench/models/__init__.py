"""Models, which turn texts into vectors: their config entries, how each kind computes them, and the cache.

`open.open_model` gives the model of an entry (`entries`); `model` says what a model can do.
"""
