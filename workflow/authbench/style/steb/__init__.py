"""The protocol of STEB's public code (github.com/rrivera1849/STEB), beside the suite's own.

What a number on their board means is what their code computes: which records are taken (`records`, `loaders`), how each
task scores vectors (`clustering`, `pairs`, `order`, `retrieval`, `probing`), how scores are summed (`sums`) and where
they lie (`layout`). Written from what that code does, and held to values made by running it.
"""
