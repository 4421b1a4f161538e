"""People as a baseline: pairs of the release that people judge, scored beside models on the very same pairs.

Read in this order: `draw` (which pairs), `sheets` (the HTML pages to judge on), `verdicts` (what the pages save),
`score` (people and models on the judged pairs).
"""
