"""How does de-duplication become jobs of their own, for a corpus that no process can hold?

    sign     a shard's texts               -> signatures           one job per shard
    link     all signatures, some bands    -> links                one job per part
    compare  all links, some components    -> verified pairs       one job per part
    decide   all pairs, all exact copies   -> what goes, and why   one job

Each module is one job from files to files: the same steps as `dedup.duplicates` takes in memory. No job holds texts
but those that it compares, and what grows with the corpus are a few plain numbers per document. Neither the number
of shards nor that of parts leaves a trace in what goes.
"""
