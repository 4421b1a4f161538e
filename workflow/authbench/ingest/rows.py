"""What does a reader give?

A reader turns one raw file into rows: `read(file, options) -> Iterator[Row | BadRow]`. `options` is the `reader:`
section of the source's YAML, with `columns` added (the fields its mapping names). It says what the format says
and nothing about authors or languages; the source's mapping does that. A record that cannot be read is a `BadRow`;
a file that cannot be read raises `InputError`. Readers stream: they hold one record, or one batch of a Parquet file.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from authbench.ingest.files import RawFile

Row = dict[str, Any]


@dataclass(frozen=True)
class BadRow:
    """A record that cannot be used: where it is in the file (`line 12`) and what is wrong with it."""

    position: str
    reason: str


Reader = Callable[[RawFile, Mapping[str, Any]], Iterator[Row | BadRow]]

ABSENT = object()


def value_at(row: Any, path: str) -> Any:
    """The value under a field name, or `ABSENT`; dots go into nested mappings and, as numbers, into lists.

    >>> value_at({"authors_parsed": [["Streinu", "Ileana"]]}, "authors_parsed.0.1")
    'Ileana'
    """
    if isinstance(row, dict) and path in row:
        return row[path]
    here = row
    for step in path.split("."):
        if isinstance(here, dict) and step in here:
            here = here[step]
        elif isinstance(here, list) and step.isdigit() and int(step) < len(here):
            here = here[int(step)]
        else:
            return ABSENT
    return here
