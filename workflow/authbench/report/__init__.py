"""Where did every document go?

Read in this order: `facts` (what the stages found), `statistics` (tables), `figures` (drawings), `warnings` (what
limits the result), `page` (the report).
"""
