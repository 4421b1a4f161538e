"""Normalisation: give equal texts an equal form.

Read in this order: `text` (the normal form, tags and entities), `table` (many texts at once), `boilerplate` (text
without an author), `personal` (personal data).
"""
