"""Compare two releases: what changed, and why.

Read in this order: `releases` (the releases as they are compared), `documents` (the changed documents with reasons),
`causes` (the differences between the builds), `comparable` (the consequences for scores and for the version), `summary`
(the comparison as an object and as text), `notes` (release notes).
"""
