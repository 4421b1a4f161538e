"""Review texts by people: HTML sheets, and the resulting exclusions.

Read in this order: `choose` (which texts), `passages` (their text before cleaning), `neighbours` (similar texts),
`difference` (what cleaning changed), `sheets` (the HTML pages), `exclusions` (verdicts, which the next build reads).
"""
