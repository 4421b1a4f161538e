"""Which file formats are known?

A reader registers here under the name that `reader.format` gives it (see `rows` for what a reader is).
"""

import importlib

from authbench.errors import InputError
from authbench.ingest.rows import Reader

READERS = {
    "csv": "table_csv",
    "json": "json_records",
    "jsonl": "json_lines",
    "parquet": "table_parquet",
    "tei": "tei",
    "text": "plain_text",
    "blog_xml": "blog_xml",
}


def reader(name: str) -> Reader:
    if name not in READERS:
        raise InputError(f"reader.format: {name!r} is not known; known are {', '.join(READERS)}.")
    read: Reader = importlib.import_module(f"authbench.ingest.{READERS[name]}").read
    return read
