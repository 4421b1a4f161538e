"""What exactly do we release?

Read in this order: `queries` (which texts ask and which answer), `write` (the files).
"""
