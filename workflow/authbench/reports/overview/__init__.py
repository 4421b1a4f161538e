"""Overview: list what a run made, what it could still make, and where the results are.

`parts` lists all results of the rules, `found` inspects a run's folder, `page` renders `results/<name>/index.html`, and
`closing` makes the lines that a run prints at its end. Jobs never depend on these outputs: the page is rewritten after
every run without rerunning a job.
"""
