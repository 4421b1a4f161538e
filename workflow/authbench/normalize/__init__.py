"""Normalisation: give equal texts an equal form.

Read in this order: `text` (the normal form), `table` (many texts at once), `markup` (tags and entities), `boilerplate`
(text without an author), `personal` (personal data).
"""
