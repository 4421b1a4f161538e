"""The style suite: whether an embedding captures style, apart from what a text is about.

An entry of config/style (`entries`) says how the files of a dataset become rows (`rows`, `steps`); tasks (`tasks`,
`clustering`, `pairs`, `order`, `retrieval`, `probing`) score the vectors of a model (`vectors`) on them; `scores` sums
up. Tasks and sums are those of STEB (Rivera Soto, Wegmann and Aggazzotti).
"""
