"""Compare two releases: what changed, and why.

Read in this order: `releases` (what is compared), `documents` (which changed, each with its reason), `causes` (in
what the builds differ), `comparable` (what that means for scores and for the version),
`summary` (the comparison as an object and as text), `notes` (release notes).
"""
