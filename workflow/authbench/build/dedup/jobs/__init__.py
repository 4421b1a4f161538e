"""De-duplicate in separate jobs, for a corpus that does not fit the memory of a process.

    sign     a shard's texts               -> signatures           one job per shard
    link     all signatures, some bands    -> links                one job per part
    compare  all links, some components    -> verified pairs       one job per part
    decide   all pairs, all exact copies   -> removed documents    one job

Each module is a job from files to files. A job keeps only the texts that it compares in memory, and only a few plain
numbers per document grow with the corpus. The numbers of shards and parts do not change which documents are removed.
"""
