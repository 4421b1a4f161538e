"""What changed between two releases, and why?

Read in this order: `releases` (what is compared), `documents` (which changed, and for what reason), `causes` (what made
the builds differ), `told` (in words).
"""
