"""Which file formats are known?

A reader registers here under the name that `reader.format` gives it (see `rows` for what a reader is).
"""

from authbench.errors import InputError
from authbench.ingest import blog_xml, json_lines, json_records, plain_text, table_csv, table_parquet, tei
from authbench.ingest.rows import Reader

READERS: dict[str, Reader] = {
    "csv": table_csv.read,
    "json": json_records.read,
    "jsonl": json_lines.read,
    "parquet": table_parquet.read,
    "tei": tei.read,
    "text": plain_text.read,
    "blog_xml": blog_xml.read,
}


def reader(name: str) -> Reader:
    if name not in READERS:
        raise InputError(f"reader.format: {name!r} is not known; known are {', '.join(READERS)}.")
    return READERS[name]
