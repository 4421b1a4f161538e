"""Overview: list what a run made, what it could still make, and where the results are.

`parts` lists all results of the rules, `page` inspects a run's folder, renders `results/<name>/index.html` and makes
the lines that a run prints at its end (`at_end`). Jobs never depend on these outputs: the page is rewritten after every
run without rerunning a job.
"""
