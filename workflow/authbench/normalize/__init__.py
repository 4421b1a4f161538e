"""Normalisation: the form in which equal texts are equal.

Read in this order: `text` (the normal form), `table` (many texts at once), `markup` (tags and entities),
`boilerplate` (what is nobody's text), `personal` (what names a person).
"""
