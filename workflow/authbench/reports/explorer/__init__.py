"""Explorer: show on static pages which queries models answer wrongly, what they rank first, and by how much.

`ranked` computes from files of evaluations; `pages` writes the pages.
"""
