"""Does an embedding capture style, apart from what a text is about?

A page of config/style says how the files of a dataset become rows (`datasets`, `rows`, `steps`); the tasks ask of them
(`clustering`, `pairs`, `order`, `retrieval`, `probing`) with the vectors of any model of the registry (`vectors`);
`scores` sums up. Tasks and scores are those of STEB (Rivera Soto, Wegmann and Aggazzotti).
"""
