"""What counts as the same text?

Read in this order: `text` (the normal form), `markup` (tags and entities), `boilerplate` (what is nobody's text),
`personal` (what names a person).
"""
