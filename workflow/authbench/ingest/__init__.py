"""How do a corpus's files become our document records?

One reader per file format (`readers`), one YAML per corpus: `files` finds the bytes, a reader gives `rows`, `mapping`
(with `fields`, `authors`, `clean`) makes documents of them, `source` streams all of it to shards.
"""

from authbench.ingest.source import IngestSettings, ingest_source
from authbench.storage.raw_files import match_files

__all__ = ["IngestSettings", "ingest_source", "match_files"]
