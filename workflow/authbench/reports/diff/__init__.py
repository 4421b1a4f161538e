"""Compare two releases: what changed, and why.

Read in this order: `releases` (the releases as they are compared, and whether scores and versions are comparable),
`causes` (the differences between the builds), `summary` (the changed documents with reasons; the comparison as an
object and as text), `notes` (release notes).
"""
