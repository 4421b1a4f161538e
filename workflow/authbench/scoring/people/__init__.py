"""People as a baseline: people judge pairs of the release, and models are scored on the same pairs.

Read in this order: `draw` (which pairs, and the HTML pages for judging), `verdicts` (saved by the pages), `score`
(people and models on the judged pairs).
"""
