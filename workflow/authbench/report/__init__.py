"""Where did every document go?

Read in this order: `facts` (what the stages found), `statistics` (tables), `figures` (drawings), `flow` and `asked`
(rows of the report's pictures), `warnings` (what limits the result), `page` (the report), `removed` (the list of all
that went); `words` puts numbers into words.
"""
