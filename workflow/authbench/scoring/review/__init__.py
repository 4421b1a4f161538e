"""Review texts by people: HTML sheets, and what the readers say of them.

Read in this order: `neighbours` (similar texts, and texts before cleaning), `difference` (what cleaning changed),
`sheets` (which texts, and the HTML pages), `summary` (agreement of the readers);
`filter.exclusions` reads the verdicts.
"""
