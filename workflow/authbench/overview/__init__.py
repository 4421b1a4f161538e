"""Overview: what a run has made, what else it could make, and where all of it is.

`parts` lists everything that the rules can make, `found` looks at the folder of a run, `page` shows it as
`results/<name>/index.html`, and `closing` makes the lines that a run prints at its end. Nothing here is an input of a
job: the page is written anew after every run, and no job runs again because of it.
"""
