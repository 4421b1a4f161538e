"""Review texts by people: HTML sheets, and the resulting exclusions.

Read in this order: `neighbours` (similar texts, and texts before cleaning), `difference` (what cleaning changed),
`sheets` (which texts, and the HTML pages), `exclusions` (verdicts, which the next build reads).
"""
