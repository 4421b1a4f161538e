"""De-duplication as jobs of their own, for a corpus that no process can hold.

    sign     a shard's texts               -> signatures           one job per shard
    link     all signatures, some bands    -> links                one job per part
    compare  all links, some components    -> verified pairs       one job per part
    decide   all pairs, all exact copies   -> removed documents    one job

Each module is one job from files to files. No job has more texts in memory than it compares, and what grows with the
corpus are a few plain numbers per document. Neither the number of shards nor that of parts changes what is removed.
"""
