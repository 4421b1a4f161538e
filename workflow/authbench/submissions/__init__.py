"""Submissions: the result of a model on a release in one file, which others check without the model.

`pack` writes it, `archive` reads it as a hostile file, `validate` holds it to the release and computes its scores anew.
"""
